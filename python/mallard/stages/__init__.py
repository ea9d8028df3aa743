"""The stages of `mallard test`, in the order in which they run."""

from __future__ import annotations

import os
from typing import Protocol

from mallard.stages.command import Workplace
from mallard.stages.lint import LintStage
from mallard.stages.native import NativeStage
from mallard.stages.outcome import Outcome
from mallard.stages.python_tests import PythonStage

__all__ = ["STAGES", "Outcome", "Stage", "Workplace"]


class Stage(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def text(self) -> str: ...

    def run(self, workplace: Workplace) -> Outcome: ...


BROWSERS = ("chromium", "google-chrome", os.environ.get("CHROMIUM", ""))
# The release build is the one that `mallard bench` measures with: the stages after it use its runner.
RELEASE = ("-DMALLARD_TESTS=ON", "-DMALLARD_EXAMPLES=ON", "-DMALLARD_WERROR=ON")

STAGES: tuple[Stage, ...] = (
    LintStage(),
    PythonStage("structure", "directions of #include and import, names and sizes of files, tests of headers"),
    PythonStage("python", "the Python front", side_by_side=True),
    NativeStage("release", "library, runner and examples as they are measured, and their tests", RELEASE),
    NativeStage("asan", "the tests under AddressSanitizer and UndefinedBehaviorSanitizer"),
    NativeStage("tsan", "the tests with threads under ThreadSanitizer", tests="*thread*"),
    NativeStage("no-exceptions", "the tests without C++ exceptions"),
    NativeStage("libcxx", "the tests with clang++ and libc++"),
    PythonStage("consumer", "the installed library, found by CMake and by pkg-config", ("cmake",), "cmake"),
    PythonStage("front", "the front door ./mallard"),
    PythonStage("e2e", "the report in a real browser", BROWSERS, "chromium"),
)
