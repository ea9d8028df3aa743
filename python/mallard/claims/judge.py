"""Computes figures with intervals from the cells of all repetitions, and compares them with a claim."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from mallard.claims.claim import Claim, figure_text, range_text
from mallard.claims.rule import Rule
from mallard.claims.statement import NEAR, POINT, Judged, Region, Statement
from mallard.evidence import Evidence
from mallard.stats import student_quantile

# An interval whose half is a larger share of the figure is wider than the tolerance of a figure.
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
class Found:
    """A rule's result: the judged figures, and the least, middle and most of its cells for the reader."""

    judged: list[Estimate]
    least: float
    middle: float
    most: float
    cells: int
    repetitions: int


def found(rule: Rule, evidences: Iterable[Evidence]) -> Found | None:
    """The rule's figures, from the repetitions with the most cells."""
    by_repetition = [cells for evidence in evidences if (cells := rule.figures(evidence))]
    if not by_repetition:
        return None
    most = max(len(cells) for cells in by_repetition)
    complete = [sorted(cells) for cells in by_repetition if len(cells) == most]
    return Found(
        judged=[estimate([judged.pick(cells) for cells in complete]) for judged in rule.statement.judged],
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
    """Estimates without a spread, as of a printed table."""
    return [Estimate(each.value, each.value, each.value) for each in estimates]


def disagreements(claim: Claim, statement: Statement, estimates: Sequence[Estimate]) -> list[str]:
    """The differences between figures and claim; empty if they agree."""
    pairs = zip(statement.judged, estimates, strict=True)
    return [text for judged, each in pairs if (text := _disagreement(claim, judged, each))]


def vague(claim: Claim, statement: Statement, estimates: Sequence[Estimate]) -> bool:
    """True if an interval is wide and not inside the region: its figure would agree only because of its
    width.

    A wide interval reaches more than a quarter of the figure to each side. For a difference in percent, one
    percentage point to each side is never wide.
    """
    least = POINT if claim.is_difference else 0.0
    return any(
        (each.high - each.low) / 2 > max(WIDEST_HALF * abs(each.value), least)
        for judged, each in zip(statement.judged, estimates, strict=True)
        if not _within(judged.region(claim), each)
    )


def _within(region: Region, each: Estimate) -> bool:
    return region[0] <= each.low and each.high <= region[1]


def _disagreement(claim: Claim, judged: Judged, each: Estimate) -> str:
    low, high = judged.region(claim)
    if each.high < low:
        return f"{claim.with_unit(each.value)} is less than {claim.with_unit(low)}"
    if each.low > high:
        return f"{claim.with_unit(each.value)} is more than {claim.with_unit(high)}"
    return ""


def judged_text(claim: Claim, what: Found) -> str:
    """The judged figure, or both figures of a range."""
    return range_text(claim, what.judged[0].value, what.judged[-1].value)


def interval_text(what: Found) -> str:
    """The interval of each judged figure; empty if there is none."""
    if not all(each.bounded for each in what.judged):
        return ""
    return "; ".join(f"{figure_text(each.low)} to {figure_text(each.high)}" for each in what.judged)


def cells_text(claim: Claim, what: Found) -> str:
    """31 to 62 %, in the middle 47 %; only the figure if there is one cell."""
    if what.cells == 1:
        return claim.with_unit(what.middle)
    return f"{range_text(claim, what.least, what.most)}, in the middle {claim.with_unit(what.middle)}"
