"""Summarizes a trial: the effect of each strategy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from mallard.advisor.trial.further_rounds import final_interval
from mallard.advisor.trial.process import Measured
from mallard.advisor.trial.program import AS_IT_IS, NULL, Counts, RunResult
from mallard.advisor.trial.rounds import GivenUp, Rounds, Run
from mallard.shared.stats import EVEN_MARGIN, Difference, Ratio, median, paired_difference

SEVERAL_CORES = 1.2  # CPU time over wall time


@dataclass(frozen=True)
class Effect:
    """The change from the null to a strategy, by round, in seconds. Less than 0 is saved."""

    strategy: str
    time: Difference
    peak_bytes: Difference
    faults: Difference
    counts: Counts
    metric: Difference | None = None  # of the server's load
    end_bytes: Difference | None = None  # resident at the end; None if not known

    @property
    def saves(self) -> bool:
        return self.time.high < 0

    @property
    def costs(self) -> bool:
        return self.time.low > 0


@dataclass(frozen=True)
class Trial:
    effects: tuple[Effect, ...]  # largest saving first
    program_seconds: float  # of the unchanged program
    null_seconds: float
    finding: Difference  # the change from the unchanged program to the null
    wall: bool  # times are wall time, because several threads allocated in the scope
    null: Counts
    # Strategies under which the program ended in a way that it never does alone, and how.
    failed: dict[str, str]
    last: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """The last requests of the scope in the failed runs: bytes, and the caller's address."""
    metric: float | None = None  # of the null's load
    given_up: dict[str, GivenUp] = field(default_factory=dict)  # strategies that were too slow

    @property
    def nanoseconds_to_find(self) -> float:
        """The cost of finding the scope, per request of the program. All arms but the first have it."""
        requests = self.null.requests + self.null.elsewhere
        return self.finding.median / requests * 1e9 if requests else 0.0


def summarize_trial(
    rounds: Rounds[RunResult],
    strategies: Sequence[str],
    wall: bool | None = None,
    planned: int | None = None,
) -> Trial:
    """Without `wall`, the number of threads in the null decides the clock. Further rounds are those beyond
    `planned`.
    """
    null = rounds.of(NULL)
    unchanged = rounds.of(AS_IT_IS) or null
    counts = null[0].counts or Counts()
    if wall is None:
        wall = any(run.allocating_threads > 1 for run in null)
    seconds = run_wall_seconds if wall else run_cpu_seconds
    effects = [
        Effect(
            strategy,
            difference(rounds.of(strategy), null, seconds, planned or len(null)),
            difference(rounds.of(strategy), null, lambda run: float(run.peak_bytes)),
            difference(rounds.of(strategy), null, lambda run: float(run.faults)),
            rounds.of(strategy)[0].counts or Counts(),
            metric_difference(rounds.of(strategy), null),
            end_difference(rounds.of(strategy), null),
        )
        for strategy in strategies
        if rounds.of(strategy)
    ]
    return Trial(
        effects=tuple(sorted(effects, key=lambda effect: effect.time.median)),
        program_seconds=median([seconds(run) for run in unchanged]),
        null_seconds=median([seconds(run) for run in null]),
        finding=difference(null, unchanged, seconds),
        wall=wall,
        null=counts,
        failed={name: end for name, end in rounds.failed.items() if name in strategies},
        last={name: run.counts.last for name, run in rounds.odd.items() if run.counts},
        metric=median_metric(null),
        given_up={name: arm for name, arm in rounds.given_up.items() if name in strategies},
    )


def run_cpu_seconds(run: Measured) -> float:
    return run.cpu_seconds


def run_wall_seconds(run: Measured) -> float:
    return run.wall_seconds


def median_metric(runs: Sequence[Measured]) -> float | None:
    metrics = [run.load.metric for run in runs if run.load.metric is not None]
    return median(metrics) if metrics else None


def metric_difference(runs: Sequence[Measured], base: Sequence[Measured]) -> Difference | None:
    """None without --metric: with it, a run that has no metric has failed."""
    if any(run.load.metric is None for run in (*runs, *base)):
        return None
    return difference(runs, base, lambda run: run.load.metric or 0.0)


def end_difference(runs: Sequence[RunResult], base: Sequence[RunResult]) -> Difference | None:
    """The change of resident memory at the end; None if it is not known of all runs."""
    if any(run.at_end.resident_bytes is None for run in (*runs, *base)):
        return None
    return difference(runs, base, lambda run: float(run.at_end.resident_bytes or 0))


def difference(
    runs: Sequence[Run],
    base: Sequence[Run],
    quantity: Callable[[Run], float],
    planned: int | None = None,
) -> Difference:
    """Pairs the rounds that both completed; those beyond `planned` are further ones. What is never negative
    falls at most to zero, and so does the interval, however few the rounds are.
    """
    rounds = min(len(runs), len(base))
    values, base_values = ([quantity(run) for run in side[:rounds]] for side in (runs, base))
    change = final_interval(paired_difference(values, base_values), planned or rounds)
    if min(*values, *base_values) < 0:
        return change
    return replace(change, low=max(change.low, -median(base_values)))


def metric_change(metric: Difference) -> str:
    """`1,200 higher (400 to 2,000)`; of a change whose interval has zero, `1,200 higher (-400 to 2,800)`."""
    if metric.median < 0:
        return f"{figure(-metric.median)} lower ({figure(-metric.high)} to {figure(-metric.low)})"
    return f"{figure(metric.median)} higher ({figure(metric.low)} to {figure(metric.high)})"


def figure(value: float) -> str:
    """`45,300`, `0.0123`: four digits, because the unit is not known."""
    digits = 3 - math.floor(math.log10(abs(value))) if value and math.isfinite(value) else 0
    return f"{round(value, digits):,.{max(digits, 0)}f}"


def times_slower(ratio: Ratio) -> str:
    """`2.7 times slower`, `even`, or `not resolved (0.9 to 1.2)`."""
    if ratio.bounded and ratio.low >= 1 - EVEN_MARGIN and ratio.high <= 1 + EVEN_MARGIN:
        return "even"
    if not ratio.bounded or ratio.low <= 1 <= ratio.high:
        return f"not resolved ({ratio.low:.2f} to {ratio.high:.2f})" if ratio.bounded else "not resolved"
    if ratio.median < 1:
        return f"{_times(1 / ratio.median)} times faster"
    return f"{_times(ratio.median)} times slower"


def _times(factor: float) -> str:
    """`2.7`, `1.14`: with the digits of `slower_interval`, so that it lies within."""
    return f"{factor:.2f}" if factor < 1.5 else f"{factor:.2g}"


def slower_interval(ratio: Ratio) -> str:
    """Behind a change that does not state it."""
    if not ratio.bounded or ratio.low <= 1 <= ratio.high:
        return ""
    is_faster = times_slower(ratio).endswith("faster")
    low, high = (1 / ratio.high, 1 / ratio.low) if is_faster else (ratio.low, ratio.high)
    return f" ({low:.2g} to {high:.2g})" if high >= 1.5 else f" ({low:.2f} to {high:.2f})"
