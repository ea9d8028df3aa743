"""A native program or library of mallard: named by a variable, installed beside this package, or built."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from mallard.errors import UsageError
from mallard.version import source_root


@dataclass(frozen=True)
class NativeFile:
    name: str
    variable: str
    built_in: str  # the folder of its build, below build/
    verb: str  # with its words, builds it
    is_library: bool = False
    in_wheel: bool = False

    def built(self) -> Path:
        """The place of the source tree's own build."""
        return source_root() / "build" / self.built_in / self.name

    def find(self) -> Path:
        """$VARIABLE, the one installed beside this package, or the one of the source tree."""
        stated = os.environ.get(self.variable)
        if stated:
            if not self.is_there(Path(stated)):
                kind = "no file" if self.is_library else "not a program"
                raise UsageError(
                    f"{self.variable}={stated} is {kind}; unset it, or name the {self.name} to use"
                )
            return Path(stated).absolute()
        places = [
            Path(__file__).resolve().parent / ("lib" if self.is_library else "bin") / self.name,
            self.built(),
        ]
        for path in places:
            if self.is_there(path):
                return path
        kind = "library" if self.is_library else "program"
        installs = "'pip install .' installs it, " if self.in_wheel else ""
        raise UsageError(
            f"the native {kind} {self.name} is missing; looked for {' and '.join(map(str, places))}; "
            f"'./mallard {self.verb}' in the source tree builds it, {installs}"
            f"{self.variable}=FILE names another"
        )

    def is_there(self, path: Path) -> bool:
        return path.is_file() and (self.is_library or os.access(path, os.X_OK))


RUNNER = NativeFile("mallard-bench", "MALLARD_BENCH", "release/bench", "bench density", in_wheel=True)
SURVEY_RUNNER = NativeFile("mallard-bench-survey", "MALLARD_BENCH", "release/bench", "bench")
COLLECTOR = NativeFile("mallard-record", "MALLARD_COLLECTOR", "advisor/recorder", "record")
PROFILER = NativeFile("mallard-profile", "MALLARD_PROFILE", "advisor/advisor", "profile")
MEASURER = NativeFile("mallard-measure", "MALLARD_MEASURE", "advisor/trial", "try")
TRIAL_LIBRARY = NativeFile(
    "libmallard_trial.so", "MALLARD_TRIAL_LIBRARY", "advisor/trial", "try", is_library=True
)
