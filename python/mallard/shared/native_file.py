"""A native program or library of mallard: named by a variable, installed with this package, or built."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from mallard.shared.errors import UsageError
from mallard.shared.version import build_root, is_installed


@dataclass(frozen=True)
class NativeFile:
    name: str
    variable: str
    built_in: str  # the folder of its build, below build/
    verb: str  # the arguments of ./mallard that build it
    is_library: bool = False

    def built(self) -> Path:
        """The path in the build of the source tree, or of an installed package's sources."""
        return build_root() / "build" / self.built_in / self.name

    def find(self) -> Path:
        """Searches $VARIABLE, this package, and the build."""
        stated = os.environ.get(self.variable)
        if stated:
            if not self.exists(Path(stated)):
                kind = "not a file" if self.is_library else "not a program"
                raise UsageError(
                    f"{self.variable}={stated} is {kind}; unset it, or name the {self.name} to use"
                )
            return Path(stated).absolute()
        places = [
            Path(__file__).resolve().parents[1] / ("lib" if self.is_library else "bin") / self.name,
            self.built(),
        ]
        for path in places:
            if self.exists(path):
                return path
        kind = "library" if self.is_library else "program"
        remedy = f"'./mallard {self.verb}' in the source tree builds it"
        if is_installed():
            remedy = "reinstall mallard"
        raise UsageError(
            f"the native {kind} {self.name} is missing; looked for {' and '.join(map(str, places))}; "
            f"{remedy}, {self.variable}=FILE names another"
        )

    def exists(self, path: Path) -> bool:
        return path.is_file() and (self.is_library or os.access(path, os.X_OK))


RUNNER = NativeFile("mallard-bench", "MALLARD_BENCH", "release/bench", "bench density")
SURVEY_RUNNER = NativeFile("mallard-bench-survey", "MALLARD_BENCH", "release/bench", "bench")
COLLECTOR = NativeFile("mallard-record", "MALLARD_COLLECTOR", "advisor/advisor", "record")
PROFILER = NativeFile("mallard-profile", "MALLARD_PROFILE", "advisor/advisor", "profile")
MEASURER = NativeFile("mallard-measure", "MALLARD_MEASURE", "advisor/advisor", "try")
MEASURED_LIBRARY = NativeFile(
    "libmallard_measured.so", "MALLARD_MEASURED_LIBRARY", "advisor/advisor", "try", is_library=True
)
TRIAL_LIBRARY = NativeFile(
    "libmallard_trial.so", "MALLARD_TRIAL_LIBRARY", "advisor/advisor", "try", is_library=True
)
