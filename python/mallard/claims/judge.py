"""From the cells of every repetition to figures with intervals, and from those to agreement."""

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

# An interval whose half is more than this share of the figure would add more than what a figure is allowed.
WIDEST_HALF = NEAR


@dataclass(frozen=True)
class Estimate:
    """A figure: the mean of the repetitions' figures, with Student's 95 % interval.

    From one repetition no interval can be had; it is then without bounds.
    """

    value: float
    low: float
    high: float

    @property
    def bounded(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)


@dataclass(frozen=True)
class Found:
    """What a rule found: the judged figures, and least, middle and most of the cells for the reader."""

    judged: list[Estimate]
    least: float
    middle: float
    most: float
    cells: int
    repetitions: int


def found(rule: Rule, evidences: Iterable[Evidence]) -> Found | None:
    """Of the repetitions in which every cell of the claim was measured that was measured in any."""
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
    """Of figures that have no spread, as those of a printed table."""
    return [Estimate(each.value, each.value, each.value) for each in estimates]


def disagreements(claim: Claim, statement: Statement, estimates: Sequence[Estimate]) -> list[str]:
    """Why the figures do not agree with the claim; empty where they do."""
    pairs = zip(statement.judged, estimates, strict=True)
    return [text for judged, each in pairs if (text := _disagreement(claim, judged, each))]


def vague(claim: Claim, statement: Statement, estimates: Sequence[Estimate]) -> bool:
    """Whether some figure would agree only because its interval is wide, and not because it lies within.

    Wide is more than a quarter of the figure either way; of a difference in percent, the point that it may be
    off.
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
    """The judged figure, or both where a range is."""
    return range_text(claim, what.judged[0].value, what.judged[-1].value)


def interval_text(what: Found) -> str:
    """Of each judged figure; empty where there is none."""
    if not all(each.bounded for each in what.judged):
        return ""
    return "; ".join(f"{figure_text(each.low)} to {figure_text(each.high)}" for each in what.judged)


def cells_text(claim: Claim, what: Found) -> str:
    """31 to 62 %, in the middle 47 %; a single cell stands alone."""
    if what.cells == 1:
        return claim.with_unit(what.middle)
    return f"{range_text(claim, what.least, what.most)}, in the middle {claim.with_unit(what.middle)}"
