"""The stages of `mallard test`, in the order in which they run: every test once, in the configuration where
it finds most; then what --full adds, the product with the other configurations.

A stage's cost is its part of a whole run, in seconds of the machine that it was measured on: it tells how
long the rest may take, and limits nothing."""

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
        """What the front door installs for it, by the names that it knows."""
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
        # AddressSanitizer's runtime leaves a lock of its own held in forked children: forks are tested here.
        parts=("process", "bench", "compile"),
        tools=("googletest", "boost", "mold", "clang"),
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
)
