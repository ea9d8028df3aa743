"""What a trial says of each strategy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mallard.stats import Difference, median, paired_difference
from mallard.trial.measured import Measured
from mallard.trial.program import AS_IT_IS, NULL, Once
from mallard.trial.report import Counts
from mallard.trial.rounds import Rounds

SEVERAL_CORES = 1.2  # CPU time over wall time


@dataclass(frozen=True)
class Effect:
    """A strategy beside the null, by round. Times in seconds; less than 0 is saved."""

    strategy: str
    time: Difference
    peak_bytes: Difference
    faults: Difference
    counts: Counts

    @property
    def saves(self) -> bool:
        return self.time.high < 0

    @property
    def costs(self) -> bool:
        return self.time.low > 0


@dataclass(frozen=True)
class Trial:
    effects: tuple[Effect, ...]  # the one that saves most first
    program_seconds: float  # as it is
    null_seconds: float
    wall: bool  # times are wall time, because several threads asked for blocks of the scope
    null: Counts
    failed: dict[str, str]  # strategies under which the program ends as it never does by itself, and how
    last: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """The last requests of the scope in those runs: bytes, and the caller's address."""
    ends: tuple[str, ...] = ()  # of the program as it is, if they vary from run to run

    @property
    def nanoseconds_to_find(self) -> float:
        """What finding the scope costs a request of the program; it is in all arms but the first."""
        requests = self.null.requests + self.null.elsewhere
        return (self.null_seconds - self.program_seconds) / requests * 1e9 if requests else 0.0


def trial_of(rounds: Rounds[Once], strategies: Sequence[str], wall: bool | None = None) -> Trial:
    """The threads of the null choose the clock, if `wall` does not."""
    null = rounds.of(NULL)
    counts = null[0].counts or Counts()
    if wall is None:
        wall = any(run.askers > 1 for run in null)
    seconds = wall_of if wall else cpu_of
    effects = [
        Effect(
            strategy,
            difference(rounds.of(strategy), null, seconds),
            difference(rounds.of(strategy), null, lambda run: float(run.peak_bytes)),
            difference(rounds.of(strategy), null, lambda run: float(run.faults)),
            rounds.of(strategy)[0].counts or Counts(),
        )
        for strategy in strategies
        if rounds.of(strategy)
    ]
    return Trial(
        effects=tuple(sorted(effects, key=lambda effect: effect.time.median)),
        program_seconds=median([seconds(run) for run in rounds.of(AS_IT_IS) or null]),
        null_seconds=median([seconds(run) for run in null]),
        wall=wall,
        null=counts,
        failed={name: how for name, how in rounds.failed.items() if name in strategies},
        last={name: run.counts.last for name, run in rounds.odd.items() if run.counts},
        ends=rounds.ends,
    )


def varies(ends: Sequence[str]) -> str:
    return f"By itself the program {' or '.join(ends)}, from run to run, so its runs are hard to compare."


def cpu_of(run: Measured) -> float:
    return run.cpu_seconds


def wall_of(run: Measured) -> float:
    return run.wall_seconds


def difference(
    runs: Sequence[Measured], base: Sequence[Measured], of: Callable[[Measured], float]
) -> Difference:
    """By round, as far as both ran."""
    both = min(len(runs), len(base))
    return paired_difference([of(run) for run in runs[:both]], [of(run) for run in base[:both]])
