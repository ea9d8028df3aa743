"""Runs the program once, under one arm of a trial."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mallard.advisor.trial.measured import Measured, measure, own_environment
from mallard.advisor.trial.report import Counts, read_counts
from mallard.shared import preload

AS_IT_IS = "as it is"
NULL = "null"
EXCEPT = "MALLARD_TRIAL_EXCEPT"
NO_SCOPE = (("MALLARD_TRIAL_BY", "mark"),)  # a mark without a name never starts


@dataclass(frozen=True)
class Scope:
    """The scope as environment variables of the trial, with its title."""

    name: str
    variables: tuple[tuple[str, str], ...]

    @property
    def has_exceptions(self) -> bool:
        return any(name == EXCEPT for name, _ in self.variables)


@dataclass(frozen=True)
class Arm:
    """A way to run the program. Without a strategy the program is unchanged, on a littered heap if `litter`
    is set.
    """

    strategy: str | None
    malloc: Path | None = None  # preloaded as the global allocator
    litter: int = 0
    delay_ns: int = 0


@dataclass(frozen=True)
class RunResult(Measured):
    counts: Counts | None
    allocating_threads: int = 0  # threads that allocated in the scope and were alive at the same time


@dataclass(frozen=True)
class Program:
    words: Sequence[str]
    library: Path  # libmallard_trial.so
    stdin: Path | None = None
    seconds_limit: float = 600.0

    def run(self, arm: Arm, scope: Scope) -> RunResult:
        with tempfile.TemporaryDirectory(prefix="mallard-trial-") as folder:
            report = Path(folder) / "report"
            environment = self._environment(arm, scope, report)
            measured = measure(self.words, environment, self.stdin, self.seconds_limit)
            return _to_run_result(measured, read_counts(report))

    def _environment(self, arm: Arm, scope: Scope, report: Path) -> dict[str, str]:
        environment = own_environment()
        strategy = arm.strategy or (NULL if arm.litter else None)
        libraries = [self.library] if strategy else []
        libraries += [arm.malloc] if arm.malloc is not None else []
        if libraries:
            preloaded = environment.get(preload.VARIABLE, "")
            environment[preload.VARIABLE] = preload.preload_list(libraries, preloaded)
        if strategy:
            environment |= {"MALLARD_TRIAL": strategy, "MALLARD_TRIAL_REPORT": str(report)}
            environment |= dict(scope.variables if arm.strategy else NO_SCOPE)
            if arm.litter:
                environment["MALLARD_TRIAL_LITTER"] = str(arm.litter)
            if arm.delay_ns:
                environment["MALLARD_TRIAL_DELAY_NS"] = str(arm.delay_ns)
        return environment


def _to_run_result(measured: Measured, counts: Counts | None) -> RunResult:
    """Subtracts the trial's own start-up time."""
    trial_counts = counts or Counts()
    return RunResult(
        **asdict(measured)
        | {
            "cpu_seconds": measured.cpu_seconds - trial_counts.begin_cpu_ns / 1e9,
            "wall_seconds": measured.wall_seconds - trial_counts.begin_wall_ns / 1e9,
        },
        counts=counts,
        allocating_threads=trial_counts.askers,
    )
