"""The stages of `mallard test`, in order: every test once, in the configuration that finds most, then with
--full the product with other configurations. A stage is a CMake preset or a folder of Python tests.

A stage's cost is its share of a whole run, in seconds on the machine of its measurement. It serves to
forecast the rest of a run, and limits nothing."""

from __future__ import annotations

from mallard.stages.command import Workplace
from mallard.stages.counts import Counts
from mallard.stages.stage import NativeStage, PythonStage, Stage
from mallard.stages.words import WordStage

__all__ = ["STAGES", "Counts", "NativeStage", "PythonStage", "Stage", "WordStage", "Workplace"]

LIBRARY = ("googletest", "boost", "mold")
ADVISOR = ("googletest", "mold", "zstd", "dw")

STAGES: tuple[Stage, ...] = (
    PythonStage(
        "lint", "ruff, mypy, clang-format, shellcheck", 16, ("clang-format-19", "shellcheck"), "load"
    ),
    PythonStage("structure", "directions of #include and import, names and sizes of files", 7),
    PythonStage("python", "the Python front", 131),
    NativeStage(
        "asan",
        "the library's tests under AddressSanitizer and UndefinedBehaviorSanitizer",
        300,
        (*LIBRARY, "clang"),
    ),
    NativeStage("tsan", "those with threads under ThreadSanitizer", 79, LIBRARY),
    NativeStage(
        "runner", "the runner and its tests; forks; programs that must not compile", 170, (*LIBRARY, "clang")
    ),
    NativeStage("recording", "the recorder, the traces that it leaves, and the advisor", 174, ADVISOR),
    PythonStage("record", "programs that are recorded, from their start to the trace", 48, ADVISOR, "load"),
    PythonStage(
        "consumer", "the installed library, found by CMake and by pkg-config", 39, ("pkg-config",), "load"
    ),
    PythonStage("front", "the front door ./mallard", 63, dist="load"),
    PythonStage(
        "reference", "the browsable reference: built, and every link in it followed", 31, ("doxygen",)
    ),
    PythonStage("e2e", "the report in a real browser", 75, ("browser",)),
    PythonStage("tidy", "clang-tidy on include and src", 165, ("clang-tidy-19",), "load", full=True),
    NativeStage(
        "optimised",
        "the library's tests in a release build; every adaptor by every binding of every allocator",
        600,
        LIBRARY,
        full=True,
    ),
    NativeStage(
        "no-exceptions", "those that mention failure, without C++ exceptions", 147, LIBRARY, full=True
    ),
    NativeStage(
        "libcxx",
        "the library's tests with clang++ and libc++",
        319,
        ("libcxx", "googletest", "mold"),
        full=True,
    ),
    PythonStage(
        "python-full",
        "the Python tests that are marked full: the other inputs, verbs and packages",
        96,
        ADVISOR,
        full=True,
        selection=("tests", "-m", "full"),
    ),
    PythonStage("wheel", "the Python package as pip installs it", 205, full=True),
    PythonStage(
        "tutorial", "docs/advisor/tutorial.md, typed in a fresh clone", 275, ("zstd", "dw"), full=True
    ),
)
