"""Gives up arms that take many times as long as the others, so that a trial ends when its plan says.

A slow arm would take more time than all others together, and is not the answer. Its runs are compared with
those of the null, or of the base malloc, in the same rounds. It has no figures, only the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

from mallard.advisor.trial.process import Measured
from mallard.advisor.trial.program import Program, RunResult
from mallard.shared.report.figures import plural
from mallard.shared.stats import median

FIRST_RUNS = 2
MOST_TIMES_SLOWER = 3  # in each of the first runs
MOST_TIMES_IN_A_RUN = 10  # after which the run is killed
# Less does not lengthen a trial much, and may be an accident.
LEAST_SECONDS_MORE, LEAST_LIMIT_SECONDS = 0.05, 1.0
SHORTEST_SECONDS = 1e-6


@dataclass(frozen=True)
class GivenUp:
    """An arm that was too slow."""

    runs: int
    times_slower: float  # at least, if the last run was killed
    killed: bool = False

    @property
    def text(self) -> str:
        more = "more than " if self.killed else ""
        factor = f"{self.times_slower:.2g}" if self.times_slower < 10 else f"{self.times_slower:,.0f}"
        return f"given up after {plural(self.runs, 'run')}: {more}{factor} times slower"


@dataclass(frozen=True)
class Patience:
    """Judges `arms` by the runs of `against`, which comes first in the first round: it limits the others."""

    against: str
    arms: Collection[str]

    def judge(self, runs: Sequence[Measured], others: Sequence[Measured]) -> GivenUp | None:
        """`others` are the runs of `against` in the same rounds. None if a run was fast enough."""
        pairs = [
            (run.run_seconds, max(other.run_seconds, SHORTEST_SECONDS))
            for run, other in zip(runs, others, strict=True)
        ]
        if any(
            seconds <= MOST_TIMES_SLOWER * other or seconds - other < LEAST_SECONDS_MORE
            for seconds, other in pairs
        ):
            return None
        return GivenUp(len(pairs), median([seconds / other for seconds, other in pairs]))

    def judge_killed(self, runs: int, seconds: float, others: Sequence[Measured]) -> GivenUp:
        """Of an arm whose last run was killed after `seconds`."""
        slowest = max([SHORTEST_SECONDS, *(other.run_seconds for other in others)])
        return GivenUp(runs, seconds / slowest, killed=True)


def limit_runs(
    patience: Patience | None, program: Program, run: Callable[[Program, str], RunResult]
) -> Callable[[str], RunResult]:
    """Calls `run` with a program whose time limit follows from the last run of `patience.against`, or with
    `program` itself without patience.
    """
    if patience is None:
        return partial(run, program)
    limited = program

    def run_limited(name: str) -> RunResult:
        nonlocal limited
        result = run(limited if name in patience.arms else program, name)
        if name == patience.against:
            most = max(MOST_TIMES_IN_A_RUN * result.run_seconds, LEAST_LIMIT_SECONDS)
            limited = program.with_limit(min(program.seconds_limit, most))
        return result

    return run_limited
