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

An estimate is the figure of all repetitions, with its interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from mallard.bench.claims.claim import Claim, figure_text, range_text
from mallard.shared.stats import quantile, student_quantile

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


STATEMENTS = {
    name: Statement(name, tuple(Judged(*pair) for pair in judged), printed)
    for name, judged, printed in (
        ("between", ((min, _from_low), (max, _to_high)), "{range}"),
        (
            "but one",
            ((without_farthest(min), _from_low), (without_farthest(max), _to_high)),
            "{range}, but for one outlier",
        ),
        ("typically", ((at_share(0.5), _inside),), "about {range}"),
        ("about", ((fmean, _near),), "about {range}"),
        ("up to", ((max, _near),), "up to {bound}"),
        ("as low as", ((min, _near),), "as low as {bound}"),
        ("at least", ((min, _bound_below),), "at least {range}"),
        ("below", ((max, _bound_above),), "below {bound}"),
        ("almost always at least", ((at_share(0.1), _bound_below),), "almost always at least {range}"),
        (
            "almost always close to",
            ((at_share(0.1), _close_above),),
            "almost always at least close to {range}",
        ),
        ("almost always below", ((at_share(0.9), _bound_above),), "almost always below {bound}"),
        ("sometimes", ((at_share(0.9), _bound_below),), "sometimes {range}"),
        ("occasionally", ((max, _bound_below),), "occasionally {range}"),
        ("in the middle at least", ((at_share(0.5), _bound_below),), "in the middle at least {range}"),
        ("in the middle below", ((at_share(0.5), _bound_above),), "in the middle below {bound}"),
    )
}


# An interval whose half-width is a larger share of the figure exceeds the tolerance of a figure.
WIDEST_HALF = NEAR


@dataclass(frozen=True)
class Estimate:
    """A figure: the mean of the repetitions' figures, with Student's 95 % interval.

    One repetition gives no interval; the figure is then without bounds.
    """

    value: float
    low: float
    high: float

    @property
    def bounded(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)


@dataclass(frozen=True)
class Evaluation:
    """The result of a rule: the judged figures, and the minimum, median and maximum of its cells."""

    judged: list[Estimate]
    least: float
    middle: float
    most: float
    cells: int
    repetitions: int


def evaluate(statement: Statement, repetitions: Iterable[Sequence[float]]) -> Evaluation | None:
    """The statement's figures, from the repetitions with the most cells."""
    by_repetition = [cells for cells in repetitions if cells]
    if not by_repetition:
        return None
    most = max(len(cells) for cells in by_repetition)
    complete = [sorted(cells) for cells in by_repetition if len(cells) == most]
    return Evaluation(
        judged=[estimate([judged.pick(cells) for cells in complete]) for judged in statement.judged],
        least=fmean(cells[0] for cells in complete),
        middle=fmean((cells[most // 2] + cells[(most - 1) // 2]) / 2 for cells in complete),
        most=fmean(cells[-1] for cells in complete),
        cells=most,
        repetitions=len(complete),
    )


def estimate(values: Sequence[float]) -> Estimate:
    mean = fmean(values)
    if len(values) == 1:
        return Estimate(mean, -math.inf, math.inf)
    half = student_quantile(len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return Estimate(mean, mean - half, mean + half)


def exact(estimates: Iterable[Estimate]) -> list[Estimate]:
    """Estimates without a spread, such as those of a printed table."""
    return [Estimate(point.value, point.value, point.value) for point in estimates]


def disagreements(claim: Claim, statement: Statement, estimates: Sequence[Estimate]) -> list[str]:
    """The differences between figures and claim; empty if they agree."""
    pairs = zip(statement.judged, estimates, strict=True)
    return [text for judged, figure in pairs if (text := _disagreement(claim, judged, figure))]


def vague(claim: Claim, statement: Statement, estimates: Sequence[Estimate]) -> bool:
    """True if an interval is wide and not inside the region, so that its figure agrees only because of its
    width.

    A wide interval extends more than a quarter of the figure to each side. For a difference in percent, one
    percentage point to each side is never wide.
    """
    least = POINT if claim.is_difference else 0.0
    return any(
        (figure.high - figure.low) / 2 > max(WIDEST_HALF * abs(figure.value), least)
        for judged, figure in zip(statement.judged, estimates, strict=True)
        if not _within(judged.region(claim), figure)
    )


def _within(region: Region, figure: Estimate) -> bool:
    return region[0] <= figure.low and figure.high <= region[1]


def _disagreement(claim: Claim, judged: Judged, figure: Estimate) -> str:
    low, high = judged.region(claim)
    if figure.high < low:
        return f"{claim.with_unit(figure.value)} is less than {claim.with_unit(low)}"
    if figure.low > high:
        return f"{claim.with_unit(figure.value)} is more than {claim.with_unit(high)}"
    return ""


def judged_text(claim: Claim, evaluation: Evaluation) -> str:
    """The judged figure, or both figures of a range."""
    return range_text(claim, evaluation.judged[0].value, evaluation.judged[-1].value)


def interval_text(evaluation: Evaluation) -> str:
    """The interval of each judged figure; empty if there is none."""
    if not all(figure.bounded for figure in evaluation.judged):
        return ""
    return "; ".join(
        f"{figure_text(figure.low)} to {figure_text(figure.high)}" for figure in evaluation.judged
    )


def cells_text(claim: Claim, evaluation: Evaluation) -> str:
    """31 to 62 %, in the middle 47 %; only the figure for a single cell."""
    if evaluation.cells == 1:
        return claim.with_unit(evaluation.middle)
    middle = claim.with_unit(evaluation.middle)
    return f"{range_text(claim, evaluation.least, evaluation.most)}, in the middle {middle}"
