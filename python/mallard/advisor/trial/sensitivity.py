"""Measures whether the program waits for a scope, by slowing down its operations with several delays.

The answer is the slope of the program's time over the delays. The fixed start-up cost of a delayed arm is
equal for all delays, so it does not affect the slope.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mallard.advisor.trial.measured import Measured
from mallard.shared.stats import Difference, paired_difference

WAITS = 0.5


def delay_slope(delayed: Mapping[int, Sequence[Measured]], operations: int) -> Difference | None:
    """Seconds of program time per second of total delay, by round: 1 if the program waits for all of it. None
    if fewer than two delays ran.
    """
    delays = [delay for delay, runs in delayed.items() if runs]
    rounds = min((len(delayed[delay]) for delay in delays), default=0)
    if len(delays) < 2 or not operations or not rounds:
        return None
    added = [delay * 1e-9 * operations for delay in delays]
    slopes = [
        _slope(added, [delayed[delay][round_].wall_seconds for delay in delays]) for round_ in range(rounds)
    ]
    return paired_difference(slopes, [0.0] * len(slopes))


def _slope(delays: Sequence[float], values: Sequence[float]) -> float:
    """The least-squares slope."""
    mean_delay, mean_value = sum(delays) / len(delays), sum(values) / len(values)
    covariance = sum(
        (delay - mean_delay) * (value - mean_value) for delay, value in zip(delays, values, strict=True)
    )
    return covariance / sum((delay - mean_delay) ** 2 for delay in delays)


def meaning(slope: Difference) -> str:
    if slope.low > WAITS:
        return "the program waits for the scope"
    if slope.high < WAITS:
        return "the program hardly waits for the scope, so no allocator there makes it much faster"
    return "that does not show whether the program waits for the scope"
