"""The recorder, the trial and `mallard try` on aarch64 Linux: native programs and Python run in qemu-user."""

import json
import re
from collections import Counter

import pytest
import tomli
from aarch64_system import SYSTEM, compile_program, emulate, install_system
from compiler_flags import WERROR
from smoke_program import BUILD, need, run, store
from source_tree import ROOT

from dev.package.foreign_debian import MACHINE, cross_definitions, cross_environment
from mallard.advisor.profile.stacks import FOLDED, Stacks, folded

PROJECT = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# In the folder of the stage `wheel`, which then has nothing left to compile.
ADVISOR = ROOT / "build" / f"py3-none-linux_{MACHINE}"
PROGRAMS = ADVISOR / "advisor"
TARGETS = ("mallard-advisor", "mallard_recorder_tests", "mallard_trial_tests")
ROUNDS = 60


@pytest.fixture(scope="module", autouse=True)
def advisor():
    """The advisor's programs as the wheel has them, cross-compiled, and their tests."""
    BUILD.mkdir(parents=True, exist_ok=True)
    need("ninja", package="ninja-build")  # which builds the wheel
    install_system()
    options = {
        **cross_definitions(SYSTEM),
        **PROJECT["tool"]["scikit-build"]["cmake"]["define"],
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_DISABLE_FIND_PACKAGE_GTest": "ON",
        "MALLARD_MOLD": "OFF",
        "MALLARD_TESTS": "ON",
        "MALLARD_TEST_PARTS": "recorder;trial",
        "MALLARD_WERROR": "ON" if WERROR else "OFF",
    }
    defined = [f"-D{name}={value}" for name, value in options.items()]
    packages = cross_environment(SYSTEM)
    run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", ADVISOR, *defined], **packages)
    run(["cmake", "--build", ADVISOR, "--parallel", "2", "--target", *TARGETS], **packages)


def emulated_output(*command):
    done = emulate(*command, folder=BUILD)
    return done.stdout + done.stderr


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
    trace = BUILD / "recorder_toy.trace"
    toy = compile_program("tests/platforms/recorder_toy.cpp", BUILD / "recorder_toy", *options.split())
    facts = json.loads(emulated_output(PROGRAMS / "mallard-record", "-o", trace, "--", toy).splitlines()[-1])
    assert facts["complete"] == facts["events"] > 0
    recorded = Stacks(emulated_output(PROGRAMS / "mallard-profile", trace, "--stacks"))
    stacks = Counter()
    for line in folded([recorded], FOLDED["folded-blocks"]):
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
    output = emulated_output(ADVISOR / "tests/recorder/mallard_recorder_tests", *options)
    count = int(re.search(r"\[  PASSED  \] (\d+) tests", output)[1])
    assert count >= 20
    store("Linux aarch64, recorder, unit tests", f"g++ and qemu-user: {count} passed")


def test_trial_does_not_change_the_program():
    # qemu-user ignores MADV_WIPEONFORK, by which the child of a fork is noticed, and takes minutes for
    # thousands of threads.
    scenes = "--gtest_filter=trial.counts*:*/monotonic_*:*/small_object_pool_*-*_forks:*_short_threads"
    output = emulated_output(ADVISOR / "tests/trial/mallard_trial_tests", "--gtest_brief=1", scenes)
    count = int(re.search(r"\[  PASSED  \] (\d+) tests", output)[1])
    assert count >= 10
    store("Linux aarch64, trial, unit tests", f"g++ and qemu-user: {count} passed")


def try_handle(source, strategy, *words, **environment):
    """The result of `mallard try` for the function `handle` of a toy, in Python for aarch64."""
    program = compile_program(f"advisor/tests/record/toys/{source}.cpp", BUILD / source, "-O2", "-g")
    native = {
        "MALLARD_COLLECTOR": "mallard-record",
        "MALLARD_PROFILE": "mallard-profile",
        "MALLARD_MEASURE": "mallard-measure",
        "MALLARD_MEASURED_LIBRARY": "libmallard_measured.so",
        "MALLARD_TRIAL_LIBRARY": "libmallard_trial.so",
    }
    variables = {name: str(PROGRAMS / file) for name, file in native.items()}
    command = ["/usr/bin/python3", "-m", "mallard", "try", "--scope", "handle", "--strategy", strategy]
    command += ["--rounds", "3", "--json", "--", program, *words]
    variables |= {"MALLARD_ROOT": str(ROOT), "PYTHONPATH": str(ROOT / "python"), **environment}
    result = json.loads(emulate(*command, folder=BUILD, **variables).stdout)
    return result["scope"]["detector"], result["baselines"][0]["trial"]


def test_try_serves_all_blocks_of_a_function():
    _, trial = try_handle("requests", "monotonic", "200")
    (effect,) = trial["effects"]
    assert effect["counts"]["served"] == effect["counts"]["freed"] == 200 * 60
    assert effect["counts"]["started_again"] >= 199
    count = effect["counts"]["served"]
    store("Linux aarch64, mallard try", f"g++, Python and qemu-user: {count:,} blocks served")


def test_both_detectors_find_the_same_requests():
    """The children of forks are counted as well, because qemu-user ignores MADV_WIPEONFORK."""
    nulls = {}
    for method in ("rules", "stack"):
        detector, trial = try_handle("one_helper", "multipool", MALLARD_DETECTOR=method)
        assert detector["method"] == method
        nulls[method] = trial["null"]
        assert trial["effects"][0]["counts"]["served"] == trial["null"]["in_null"]
    rules, stack = nulls["rules"], nulls["stack"]
    assert rules["in_null"] == stack["in_null"] == 20 * (100 + 100 + 20 + 50 + 1 + 100)
    assert rules["elsewhere"] == stack["elsewhere"]
    of_the_loader = 1  # which are outside of every scope, without a look at the stack
    assert stack["by_stack"] + of_the_loader == stack["in_null"] + stack["elsewhere"]
    assert rules["by_stack"] < stack["by_stack"] / 20
    store(
        "Linux aarch64, mallard try, by rules and by stack",
        f"g++, Python and qemu-user: {rules['in_null']:,} blocks of the scope by both",
    )
