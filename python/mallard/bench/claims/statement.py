"""The reading of a claim: the kind of statement around its figure, and the figures that agree with it.

A rule gives the figures of all cells of a claim. A statement picks some of them (the least, the middle, the
most ...), and each must lie in a region made from the printed figure:

    between       all cells lie in low .. high: the least and the most, to the rounding of the printed figure
        but one       as between, without the cell farthest from the middle, which the text calls an outlier
    typically     "about 5 to 15 %": the middle cell (median) lies in low .. high
    about         one figure, or one for each of two strategies: the mean of the cells is within a quarter
    up to         the most of the cells is within a quarter of it; as low as: the least
    at least, below                            every cell, to the printed bound itself
    almost always at least, almost always below   nine cells in ten
    sometimes, occasionally                    one cell in ten, one cell, reaches the printed range
    in the middle at least, in the middle below   the middle cell

A difference in percent (overhead, reduction) has one percentage point of tolerance if a quarter is less. A
typical range of differences has one point on either side, and an exponent of two may be one off. A figure
agrees when its 95 % interval touches the region.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from mallard.bench.claims.claim import Claim, range_text
from mallard.shared.stats import quantile

Pick = Callable[[Sequence[float]], float]
Region = tuple[float, float]
NEAR = 0.25
POINT = 1.0
ONE_POWER = 1.0
ARITHMETIC = 1e-9  # a bound is exact, but floating point is not


@dataclass(frozen=True)
class Judged:
    """One figure that is picked from the cells, and its region."""

    pick: Pick
    region: Callable[[Claim], Region]


@dataclass(frozen=True)
class Statement:
    name: str
    judged: tuple[Judged, ...]
    printed: str  # with {range}, or {bound} if only one end counts; both have their unit

    def printed_text(self, claim: Claim) -> str:
        if claim.low is not None and claim.high is not None and "{range}" in self.printed:
            return self.printed.format(range=range_text(claim, claim.low, claim.high))
        bound = claim.low if claim.high is None else claim.high
        return self.printed.replace("{range}", "{bound}").format(bound=claim.with_unit(_require(bound)))


def without_farthest(pick: Pick) -> Pick:
    def picked(cells: Sequence[float]) -> float:
        middle = quantile(cells, 0.5)
        farthest = max(cells, key=lambda cell: abs(cell - middle))
        remaining = [*cells]
        remaining.remove(farthest)
        return pick(remaining or cells)

    return picked


def at_share(share: float) -> Pick:
    return lambda cells: quantile(cells, share)


least, most = min, max
middle = at_share(0.5)


def _low(claim: Claim) -> float:
    return _require(claim.low if claim.low is not None else claim.high)


def _high(claim: Claim) -> float:
    return _require(claim.high if claim.high is not None else claim.low)


def _require(figure: float | None) -> float:
    assert figure is not None, "a claim has one figure at least"
    return figure


def _allowance(claim: Claim, figure: float) -> float:
    if claim.unit == "log2":
        return ONE_POWER
    quarter = NEAR * abs(figure)
    return max(quarter, POINT) if claim.is_difference else quarter


def _from_low(claim: Claim) -> Region:
    return _low(claim) - claim.rounding, math.inf


def _to_high(claim: Claim) -> Region:
    return -math.inf, _high(claim) + claim.rounding


def _bound_below(claim: Claim) -> Region:
    return _low(claim) * (1.0 - ARITHMETIC), math.inf


def _bound_above(claim: Claim) -> Region:
    return -math.inf, _high(claim) * (1.0 + ARITHMETIC)


def _inside(claim: Claim) -> Region:
    wider = claim.rounding + (POINT if claim.is_difference else 0.0)
    return _low(claim) - wider, _high(claim) + wider


def _near(claim: Claim) -> Region:
    return _low(claim) - _allowance(claim, _low(claim)), _high(claim) + _allowance(claim, _high(claim))


def _close_above(claim: Claim) -> Region:
    return _low(claim) - _allowance(claim, _low(claim)), math.inf


BETWEEN = Statement("between", (Judged(least, _from_low), Judged(most, _to_high)), "{range}")
BUT_ONE = Statement(
    "but one",
    (Judged(without_farthest(least), _from_low), Judged(without_farthest(most), _to_high)),
    "{range}, but for one outlier",
)
TYPICALLY = Statement("typically", (Judged(middle, _inside),), "about {range}")
ABOUT = Statement("about", (Judged(fmean, _near),), "about {range}")
UP_TO = Statement("up to", (Judged(most, _near),), "up to {bound}")
AS_LOW_AS = Statement("as low as", (Judged(least, _near),), "as low as {bound}")
AT_LEAST = Statement("at least", (Judged(least, _bound_below),), "at least {range}")
BELOW = Statement("below", (Judged(most, _bound_above),), "below {bound}")
MOSTLY_AT_LEAST = Statement(
    "almost always at least", (Judged(at_share(0.1), _bound_below),), "almost always at least {range}"
)
MOSTLY_CLOSE_TO = Statement(
    "almost always close to",
    (Judged(at_share(0.1), _close_above),),
    "almost always at least close to {range}",
)
MOSTLY_BELOW = Statement(
    "almost always below", (Judged(at_share(0.9), _bound_above),), "almost always below {bound}"
)
SOMETIMES = Statement("sometimes", (Judged(at_share(0.9), _bound_below),), "sometimes {range}")
OCCASIONALLY = Statement("occasionally", (Judged(most, _bound_below),), "occasionally {range}")
MIDDLE_AT_LEAST = Statement(
    "in the middle at least", (Judged(middle, _bound_below),), "in the middle at least {range}"
)
MIDDLE_BELOW = Statement(
    "in the middle below", (Judged(middle, _bound_above),), "in the middle below {bound}"
)
