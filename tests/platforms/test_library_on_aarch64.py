"""The library's unit tests and its contract suite on aarch64 Linux, in qemu-user."""

import re

import pytest
from smoke_program import BUILD, need, run, store
from source_tree import ROOT

COMPILER = "aarch64-linux-gnu-g++"
FOLDER = BUILD / "aarch64"
PROGRAMS = {
    "unit tests": ("unit/mallard_core_tests", "unit/mallard_reuse_tests", "unit/mallard_impl_threads_tests"),
    "contract suite": ("contract/mallard_contract_tests", "contract/mallard_thread_tests"),
}
# qemu-user executes no program again and adds lines to stderr: death tests fail. It ignores advice about
# memory, the limit of a process's addresses and requests for one address, and its pages are in memory by the
# host's size.
NOT_EMULATED = (
    *("*death*", "*Death*", "cancellation*", "misuse_reports*", "*stacks_of_the_env*", "*at_the_limit*"),
    *("process_marks*", "*touches_every_page*", "address_space*", "*/addresses.may_be_any/*"),
    "*abandoned_threads",  # a thread that the emulator ends may outlive the system call
)
# Half of the contract suite's time.
TOO_LONG = ("*.leave_no_trace_when_the_upstream_fails/*", "*.serves_or_refuses_all_sizes_and_alignments/*")


@pytest.fixture(scope="module", autouse=True)
def programs():
    """The tests, cross-compiled."""
    need(COMPILER, "qemu-aarch64", package="g++-aarch64-linux-gnu qemu-user")
    # The machine's GoogleTest is for its own processor, and mold may lack the other one.
    options = ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64", "-DCMAKE_BUILD_TYPE=Debug"]
    options += [f"-DCMAKE_CXX_COMPILER={COMPILER}", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"]
    options += ["-DCMAKE_EXE_LINKER_FLAGS=-static", "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON"]
    options += ["-DMALLARD_MOLD=OFF", "-DMALLARD_TESTS=ON", "-DMALLARD_TEST_PARTS=unit;contract"]
    options += ["-DMALLARD_TESTS_TOGETHER=8"]
    run(["cmake", "-S", ROOT, "-B", FOLDER, *options])
    targets = [program.rpartition("/")[2] for names in PROGRAMS.values() for program in names]
    run(["cmake", "--build", FOLDER, "--parallel", "2", "--target", *targets])


@pytest.mark.parametrize(
    ("title", "least", "page"),
    [("unit tests", 200, 4096), ("unit tests", 200, 65536), ("contract suite", 1500, 65536)],
)
def test_passes_with_pages_of_each_size(title, least, page):
    tests = {"GTEST_FILTER": f"-{':'.join((*NOT_EMULATED, *TOO_LONG))}", "GTEST_BRIEF": "1"}
    count = 0
    for program in PROGRAMS[title]:
        output = run(["qemu-aarch64", "-p", str(page), FOLDER / "tests" / program], **tests)
        count += int(re.search(r"\[  PASSED  \] (\d+) test", output)[1])
    assert count > least
    store(f"Linux aarch64, {title}, pages of {page >> 10} KiB", f"g++ and qemu-user: {count:,} passed")
