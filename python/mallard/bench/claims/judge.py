"""Computes figures with intervals from the cells of all repetitions, and compares them with a claim."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from mallard.bench.claims.claim import Claim, figure_text, range_text
from mallard.bench.claims.rule import Rule
from mallard.bench.claims.statement import NEAR, POINT, Judged, Region, Statement
from mallard.bench.evidence import Evidence
from mallard.shared.stats import student_quantile

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
    """A rule's result: the judged figures, and the minimum, median and maximum of its cells."""

    judged: list[Estimate]
    least: float
    middle: float
    most: float
    cells: int
    repetitions: int


def evaluate(rule: Rule, evidences: Iterable[Evidence]) -> Evaluation | None:
    """The rule's figures, from the repetitions with the most cells."""
    by_repetition = [cells for evidence in evidences if (cells := rule.figures(evidence))]
    if not by_repetition:
        return None
    most = max(len(cells) for cells in by_repetition)
    complete = [sorted(cells) for cells in by_repetition if len(cells) == most]
    return Evaluation(
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
