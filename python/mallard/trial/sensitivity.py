"""Is the scope on the way that the program waits for? Its operations are made slower, by some delays.

The slope of the program's time over the delays tells. What a delayed arm costs besides, at its start, is the
same for each delay, so it is not in the slope.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mallard.stats import Difference, paired_difference
from mallard.trial.measured import Measured

WAITS = 0.5


def slope_of(delayed: Mapping[int, Sequence[Measured]], operations: int) -> Difference | None:
    """Seconds of the program for each second of delay in all, by round: 1 if it waits for all of it. None
    if fewer than two delays ran."""
    delays = [delay for delay, runs in delayed.items() if runs]
    rounds = min((len(delayed[delay]) for delay in delays), default=0)
    if len(delays) < 2 or not operations or not rounds:
        return None
    added = [delay * 1e-9 * operations for delay in delays]
    slopes = [
        _slope(added, [delayed[delay][round_].wall_seconds for delay in delays]) for round_ in range(rounds)
    ]
    return paired_difference(slopes, [0.0] * len(slopes))


def _slope(places: Sequence[float], values: Sequence[float]) -> float:
    """Of the line with the least squares."""
    middle, mean = sum(places) / len(places), sum(values) / len(values)
    above = sum((place - middle) * (value - mean) for place, value in zip(places, values, strict=True))
    return above / sum((place - middle) ** 2 for place in places)


def meaning(slope: Difference) -> str:
    if slope.low > WAITS:
        return "the program waits for the scope"
    if slope.high < WAITS:
        return "the program hardly waits for the scope, so no allocator there makes it much faster"
    return "that does not tell whether the program waits for the scope"
