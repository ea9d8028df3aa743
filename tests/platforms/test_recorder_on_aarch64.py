"""The recorder and the trial on aarch64 Linux: the native programs run in qemu-user.

proot executes programs of another processor by qemu-user, which needs no right of the kernel; debootstrap has
Debian's libraries for arm64. Without these tools the tests are skipped.
"""

import os
import re
import shutil
import subprocess
from collections import Counter

import pytest
from smoke_program import BUILD, store
from source_tree import ROOT

COMPILER = "aarch64-linux-gnu-g++"
TOOLS = {
    COMPILER: "g++-aarch64-linux-gnu",
    "qemu-aarch64": "qemu-user",
    "proot": "proot",
    "debootstrap": "debootstrap",
}
RELEASE = "bookworm"
PACKAGES = "binutils,libc6-dev,libstdc++-12-dev,libzstd-dev,libdw-dev,libelf-dev,zlib1g-dev"
SYSTEM = BUILD / "arm64"
ADVISOR = BUILD / "aarch64-advisor"
PROGRAMS = ADVISOR / "advisor"
TARGETS = ("mallard-advisor", "mallard_recorder_tests", "mallard_trial_tests")
ROUNDS = 60


def run(command, **environment):
    done = subprocess.run(
        list(map(str, command)),
        cwd=BUILD,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def emulate(*command):
    """The output of a program for aarch64, and of all programs that it starts."""
    places = [word for place in (BUILD, ROOT) for word in ("-b", place)]
    return run(["proot", "-q", "qemu-aarch64", "-R", SYSTEM, *places, "-w", BUILD, *command])


def install_system():
    """Unpacks Debian for arm64. Only its libraries are used, so that it needs no configuration."""
    bootstrap = ["debootstrap", "--arch=arm64", "--foreign", "--variant=minbase", f"--include={PACKAGES}"]
    done = subprocess.run([*bootstrap, RELEASE, SYSTEM], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        shutil.rmtree(SYSTEM, ignore_errors=True)
        pytest.skip(f"debootstrap cannot make a Debian for arm64: {done.stderr.splitlines()[-1:]}")
    for package in (SYSTEM / "var/cache/apt/archives").glob("*.deb"):
        run(["dpkg-deb", "-x", package, SYSTEM])
    for link in (SYSTEM / "usr/lib/aarch64-linux-gnu").iterdir():
        if link.is_symlink() and os.readlink(link).startswith("/"):
            target = os.readlink(link)
            link.unlink()
            link.symlink_to(f"{SYSTEM}{target}")


@pytest.fixture(scope="module", autouse=True)
def advisor():
    """The advisor's programs, cross-compiled."""
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing: apt-get install {package}")
    if os.geteuid() != 0:
        pytest.skip("debootstrap makes a Debian for arm64 as root only")
    BUILD.mkdir(parents=True, exist_ok=True)
    if not (SYSTEM / "usr/lib/aarch64-linux-gnu/libdw.so").exists():
        install_system()
    packages = {
        "PKG_CONFIG_LIBDIR": str(SYSTEM / "usr/lib/aarch64-linux-gnu/pkgconfig"),
        "PKG_CONFIG_SYSROOT_DIR": str(SYSTEM),
    }
    options = {
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": "aarch64",
        "CMAKE_CXX_COMPILER": COMPILER,
        "CMAKE_SYSROOT": SYSTEM,
        "CMAKE_FIND_ROOT_PATH_MODE_PROGRAM": "NEVER",
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_CXX_FLAGS": "-Wno-subobject-linkage",
        "CMAKE_CXX_FLAGS_RELEASE": "-O1 -g1",
        "CMAKE_UNITY_BUILD": "ON",
        "CMAKE_DISABLE_FIND_PACKAGE_GTest": "ON",
        "MALLARD_ADVISOR": "ON",
        "MALLARD_MOLD": "OFF",
        "MALLARD_TESTS": "ON",
        "MALLARD_TEST_PARTS": "recorder;trial",
        "MALLARD_WERROR": "ON",
    }
    defined = [f"-D{name}={value}" for name, value in options.items()]
    run(["cmake", "-S", ROOT, "-B", ADVISOR, *defined], **packages)
    run(["cmake", "--build", ADVISOR, "--parallel", "2", "--target", *TARGETS], **packages)


def expected_stacks():
    """The blocks of recorder_toy.cpp by the stacks that made them, from main inwards."""
    stacks = Counter()
    for number in range(ROUNDS):
        stacks[("main", *["descend"] * (number % 20 + 1), "leaf")] += 1
        stacks[("main", "with_a_frame_of_any_size", "leaf")] += 1
        stacks[("main", "objects")] += number
    return stacks


OWN_FUNCTIONS = {name for stack in expected_stacks() for name in stack}


@pytest.mark.parametrize(
    "options",
    [
        "-O2 -fomit-frame-pointer",
        "-O2 -fno-omit-frame-pointer",
        "-O2 -mbranch-protection=standard",
        "-O0",
    ],
)
def test_stacks_and_counts_are_those_of_the_program(options):
    toy = BUILD / "recorder_toy"
    trace, folded = BUILD / "recorder_toy.trace", BUILD / "recorder_toy.folded"
    source = ROOT / "tests/platforms/recorder_toy.cpp"
    run([COMPILER, "-std=c++20", *options.split(), f"--sysroot={SYSTEM}", source, "-o", toy])
    assert "100 % of " in emulate(PROGRAMS / "mallard-record", "-o", trace, "--", toy)
    emulate(PROGRAMS / "mallard-profile", trace, "--export", "folded-blocks", "-o", folded)
    stacks = Counter()
    for line in folded.read_text(encoding="utf-8").splitlines():
        names, count = line.rsplit(" ", 1)
        own = tuple(name for name in names.split(";") if name in OWN_FUNCTIONS)
        if own:
            stacks[own] += int(count)
    assert stacks == expected_stacks()
    outcome = f"g++ and qemu-user: {stacks.total():,} blocks by their stacks"
    store(f"Linux aarch64, recorder, {options}", outcome)


def test_hard_stacks_match_a_full_walk_and_libgcc():
    # How many signals interrupt the recorder, and are lost, depends on the emulator's speed.
    options = ("--gtest_brief=1", "--gtest_filter=-*/signals")
    output = emulate(ADVISOR / "tests/recorder/mallard_recorder_tests", *options)
    count = int(re.search(r"\[  PASSED  \] (\d+) tests", output)[1])
    assert count >= 20
    store("Linux aarch64, recorder, unit tests", f"g++ and qemu-user: {count} passed")


def test_trial_does_not_change_the_program():
    # qemu-user ignores MADV_WIPEONFORK, by which the child of a fork is noticed.
    scenes = "--gtest_filter=trial.counts*:*/monotonic_*:*/small_object_pool_*-*_forks"
    output = emulate(ADVISOR / "tests/trial/mallard_trial_tests", "--gtest_brief=1", scenes)
    count = int(re.search(r"\[  PASSED  \] (\d+) tests", output)[1])
    assert count >= 10
    store("Linux aarch64, trial, unit tests", f"g++ and qemu-user: {count} passed")
