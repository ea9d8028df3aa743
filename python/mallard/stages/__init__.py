"""The stages of `mallard test`, in order: every test once, in the configuration that finds most, then with
--full the product with other configurations.

A stage's cost is its share of a whole run, in seconds on the machine of its measurement. It serves to
forecast the rest of a run, and limits nothing."""

from __future__ import annotations

import os
from typing import Protocol

from mallard.stages.command import Workplace
from mallard.stages.lint import LintStage, TidyStage
from mallard.stages.native import NativeStage
from mallard.stages.outcome import Outcome
from mallard.stages.python_tests import PythonStage

__all__ = ["STAGES", "Outcome", "Stage", "Workplace"]


class Stage(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def cost(self) -> float: ...

    @property
    def full(self) -> bool: ...

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that the front door installs for the stage, by the front door's names."""
        ...

    def run(self, workplace: Workplace) -> Outcome: ...


BROWSERS = ("chromium", "google-chrome", os.environ.get("CHROMIUM", ""))

STAGES: tuple[Stage, ...] = (
    LintStage(6),
    PythonStage("structure", "directions of #include and import, names and sizes of files", 5),
    PythonStage("python", "the Python front", 65, side_by_side="load"),
    NativeStage(
        "asan",
        "the library's tests under AddressSanitizer and UndefinedBehaviorSanitizer",
        160,
        tools=("googletest", "boost", "mold", "clang"),
    ),
    NativeStage(
        "tsan",
        "those with threads under ThreadSanitizer",
        45,
        parts=("unit", "contract", "process", "misuse/reports"),
        about="std::j?thread|pthread",
        tests="*thread*",
    ),
    NativeStage(
        "runner",
        "the runner, its tests, the examples; each header by itself; forks",
        125,
        # AddressSanitizer's runtime leaves a lock of its own held in forked children, so forks are tested
        # in this build.
        parts=("process", "bench", "compile"),
        tools=("googletest", "boost", "mold", "clang"),
    ),
    NativeStage(
        "recording",
        "the recorder, the traces that it leaves, and the advisor",
        40,
        parts=("trace", "recorder", "advisor", "trial"),
        tools=("googletest", "mold", "zstd", "dw"),
    ),
    PythonStage(
        "record",
        "programs that are recorded, from their start to the trace",
        30,
        any_of=("cmake",),
        package="cmake",
        tools=("googletest", "mold", "zstd", "dw"),
        side_by_side="load",
    ),
    PythonStage(
        "consumer",
        "the installed library, found by CMake and by pkg-config",
        37,
        any_of=("cmake",),
        package="cmake",
        tools=("pkg-config",),
        side_by_side="loadfile",
    ),
    PythonStage("front", "the front door ./mallard", 31, side_by_side="load"),
    PythonStage(
        "reference",
        "the browsable reference: built, and every link in it followed",
        20,
        any_of=("doxygen",),
        package="doxygen",
        tools=("doxygen",),
    ),
    PythonStage(
        "e2e",
        "the report in a real browser",
        32,
        any_of=BROWSERS,
        package="chromium",
        tools=("browser",),
        side_by_side="loadfile",
    ),
    TidyStage(100),
    NativeStage(
        "optimised",
        "the library's tests in a release build; every adaptor by every binding of every allocator",
        200,
        full=True,
        definitions=("-DMALLARD_FULL_PRODUCT=ON",),
        parts=("unit", "contract", "process", "fuzz", "soak", "compile"),
    ),
    NativeStage(
        "no-exceptions",
        "those that mention failure, without C++ exceptions",
        60,
        full=True,
        about="xception|throw|[Ff]ail|FAIL|bad_alloc|[Rr]efuse",
    ),
    NativeStage(
        "libcxx",
        "the library's tests with clang++ and libc++",
        200,
        full=True,
        tools=("libcxx", "googletest", "mold"),
    ),
    PythonStage("wheel", "the Python package as pip installs it", 120, full=True),
    PythonStage(
        "tutorial",
        "docs/advisor/tutorial.md, typed in a fresh clone",
        300,
        full=True,
        any_of=("git",),
        package="git",
        tools=("zstd", "dw"),
    ),
)
