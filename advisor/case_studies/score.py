#!/usr/bin/env python3
"""The score of the advice over the stored case studies.

A cell is a case study with one of its inputs; its advice makes a promise, or two: a malloc, then a local
allocator on top of it. A criterion gives true, false, or None if it does not apply: an effect inside its
interval has no sign, and a program without another build has no better one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from harness.catalogue import CASES, UNCHANGED
from harness.cells import Cell, Promise, read
from mallard.shared.stats import Difference, median

NEAR_BEST = 1.10  # the advised program's time against the best one's
WIDTH_OF_RUN, WIDTH_OF_EFFECT = 0.03, 0.25  # the most that half an interval may be; the larger counts
LEAST_SAVING = 0.02
MISSED_SHARE = 0.05  # of a 95 % interval, for Winkler's score

PromiseCriterion = Callable[[Promise], bool | None]
Criterion = Callable[[Cell], bool | None]


@dataclass(frozen=True)
class Count:
    right: int
    total: int

    def __str__(self) -> str:
        return f"{self.right} of {self.total}"


def sign(interval: Difference) -> int:
    """0 if the interval holds 0."""
    return -1 if interval.high < 0 else 1 if interval.low > 0 else 0


def signs_agree(promised: Difference, fact: Difference) -> bool | None:
    if not sign(promised) or not sign(fact):
        return None
    return sign(promised) == sign(fact)


def sign_right(promise: Promise) -> bool | None:
    return signs_agree(promise.promised, promise.fact) if promise.fact else None


def signs(cell: Cell) -> Iterable[bool]:
    """Of all builds of which a trial promised something, advised or not."""
    for build, promised in cell.predicted.items():
        if build in cell.facts:
            right = signs_agree(promised, cell.facts[build])
            if right is not None:
                yield right


def near_best(cell: Cell) -> bool | None:
    """Whether the program that follows the whole advice takes at most a tenth longer than the best of all.
    Advice that no build can follow is a miss."""
    return _near_best(cell, cell.full_build)


def first_half_near_best(cell: Cell) -> bool | None:
    """The same of the program that follows the first half alone: a malloc, if there are two halves."""
    return _near_best(cell, cell.build)


def unchanged_near_best(cell: Cell) -> bool | None:
    """The same of the program before the change: the score of advice that measures nothing."""
    return _near_best(cell, UNCHANGED)


def arena_near_best(cell: Cell) -> bool | None:
    """The same of a rule of thumb: an arena in the scope, where the library has a place for one."""
    return _near_best(cell, CASES[cell.case].find_build("monotonic") or UNCHANGED)


def multipool_near_best(cell: Cell) -> bool | None:
    return _near_best(cell, CASES[cell.case].find_build("multipool") or UNCHANGED)


def _near_best(cell: Cell, build: str) -> bool | None:
    if not cell.has_choice:
        return None
    return build in cell.seconds and cell.seconds[build] <= NEAR_BEST * min(cell.seconds.values())


def holds(promise: Promise) -> bool | None:
    """Whether the promised interval and the fact's own have a point in common."""
    return gap(promise.promised, promise.fact) == 0.0 if promise.fact else None


def gap(promised: Difference, fact: Difference) -> float:
    return max(0.0, promised.low - fact.high, fact.low - promised.high)


def saved_less(promise: Promise) -> bool | None:
    """True if the change saved less than the trial, by the medians."""
    return promise.fact.median > promise.promised.median if promise.fact else None


def at_least_promised(promise: Promise) -> bool | None:
    """True if the change saved as much as the trial, or more, to within both intervals."""
    return promise.fact.low <= promise.promised.high if promise.fact else None


def narrow(promise: Promise) -> bool:
    """Whether half the promised interval keeps the width rule."""
    promised = promise.promised
    half = (promised.high - promised.low) / 2
    return half <= max(WIDTH_OF_RUN * promise.run_seconds, WIDTH_OF_EFFECT * abs(promised.median))


def winkler(promise: Promise) -> float | None:
    """Winkler's score of the promised interval, as a share of the run: its width, and 2/0.05 of each miss.
    The fact is an interval, too, so a miss is the gap between both. Less is better."""
    if not promise.fact:
        return None
    width = promise.promised.high - promise.promised.low
    return (width + 2.0 / MISSED_SHARE * gap(promise.promised, promise.fact)) / promise.run_seconds


def promised_under_estimate(cell: Cell) -> bool | None:
    """Whether all that is promised is at most the estimate of the time in allocation."""
    if not cell.promises or cell.estimate is None:
        return None
    return -sum(promise.promised.median for promise in cell.promises) <= cell.estimate


def facts_under_estimate(cell: Cell) -> bool | None:
    """Whether no build with another allocator saved more than that estimate: a bound would be above all."""
    if not cell.of_allocators or cell.estimate is None:
        return None
    return most_saved(cell) <= cell.estimate


def most_saved(cell: Cell) -> float:
    """By any build with another allocator."""
    return max(-fact.median for fact in cell.of_allocators.values())


def quiet(cell: Cell) -> bool | None:
    """Whether no local allocator was advised where there is nothing to advise: no build saves a fiftieth, or
    there is one only."""
    saves = min(cell.seconds.values()) < (1 - LEAST_SAVING) * cell.seconds[UNCHANGED]
    return None if saves else cell.kind != "local"


SIGN, KEPT = "sign right, where both intervals exclude zero", "saved what was promised, or more"
PROMISES: dict[str, PromiseCriterion] = {
    SIGN: sign_right,
    KEPT: at_least_promised,
    "promised interval meets the fact's": holds,
    "interval narrow enough": narrow,
}
CELLS: dict[str, Criterion] = {
    "advised program within 10 % of the best of all": near_best,
    "no local allocator where there is nothing to advise": quiet,
    "promises at most the estimate of the time in allocation": promised_under_estimate,
}
# For comparison: these do not judge the advice.
REFERENCES: dict[str, Criterion] = {
    "within 10 %, by the first half of the advice alone": first_half_near_best,
    "within 10 %, always an arena in the scope": arena_near_best,
    "within 10 %, always a multipool in the scope": multipool_near_best,
    "within 10 %, the program without any change": unchanged_near_best,
    "estimate of the time in allocation above all facts": facts_under_estimate,
}


def count(answers: Iterable[bool | None]) -> Count:
    applicable = [answer for answer in answers if answer is not None]
    return Count(sum(applicable), len(applicable))


def count_promises(cells: Iterable[Cell], criterion: PromiseCriterion, half: int | None = None) -> Count:
    """Over both halves of each advice, or one of them."""
    promises = (promise for cell in cells for promise in cell.promises)
    return count(criterion(promise) for promise in promises if half in (None, promise.half))


def count_local(cells: Iterable[Cell], criterion: PromiseCriterion) -> Count:
    """Over the promises of a local allocator, which the change keeps by other code than the trial's."""
    return count(criterion(promise) for cell in cells for promise in cell.promises if not promise.is_preload)


def count_cells(cells: Iterable[Cell], criterion: Criterion) -> Count:
    return count(criterion(cell) for cell in cells)


def all_signs(cells: Iterable[Cell]) -> Count:
    return count(answer for cell in cells for answer in signs(cell))


def median_winkler(cells: Iterable[Cell]) -> float | None:
    promises = (promise for cell in cells for promise in cell.promises)
    scores = [score for promise in promises if (score := winkler(promise)) is not None]
    return median(scores) if scores else None


def lines(cells: list[Cell]) -> list[tuple[str, str]]:
    """The score: each figure, and its name."""
    figures = []
    for name, criterion in PROMISES.items():
        figures.append((str(count_promises(cells, criterion)), name))
        if name == KEPT:
            figures.append((str(count_local(cells, criterion)), "the same, of local allocators alone"))
        if name in (SIGN, KEPT):
            figures.append(
                (str(count_promises(cells, criterion, half=2)), "the same, of the second halves alone")
            )
    figures += [
        (str(count_cells(cells, criterion)), name) for name, criterion in (CELLS | REFERENCES).items()
    ]
    figures.append((str(all_signs(cells)), "sign right, all strategies that were tried"))
    score = median_winkler(cells)
    share = "-" if score is None else f"{100 * score:.1f} %"
    return [*figures, (share, "median of Winkler's score, as a share of the run")]


def misses(cells: Iterable[Cell]) -> list[tuple[Cell, str]]:
    """Each cell with the name of what it missed; that of a second half ends so."""
    missed = []
    for cell in cells:
        for name, criterion in PROMISES.items():
            wrong = [promise.half for promise in cell.promises if criterion(promise) is False]
            missed += [(cell, name if half == 1 else f"{name}, second half") for half in wrong]
        missed += [(cell, name) for name, judge in CELLS.items() if judge(cell) is False]
    return missed


def main() -> int:
    cells = read()
    for figure, name in lines(cells):
        print(f"{figure:>9}  {name}")
    for cell, name in misses(cells):
        print(f"missed: {cell.name}: {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
