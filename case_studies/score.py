#!/usr/bin/env python3
"""The score of the advice over the stored case studies.

A cell is a case study with one of its inputs. A criterion gives true, false, or None if it does not apply: an
effect inside its interval has no sign, and a program without another build has no better one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from harness.catalogue import BEFORE
from harness.cells import Cell, read
from mallard.stats import Difference, median

NEAR_BEST = 1.10  # the advised program's time beside the best one's
WIDTH_OF_RUN, WIDTH_OF_EFFECT = 0.03, 0.25  # the most that half an interval may be; the larger counts
LEAST_SAVING = 0.02
MISSED_SHARE = 0.05  # of a 95 % interval, for Winkler's score

Criterion = Callable[[Cell], bool | None]


@dataclass(frozen=True)
class Count:
    right: int
    of: int

    def __str__(self) -> str:
        return f"{self.right} of {self.of}"


def sign(interval: Difference) -> int:
    """0 if the interval holds 0."""
    return -1 if interval.high < 0 else 1 if interval.low > 0 else 0


def same_sign(promised: Difference, fact: Difference) -> bool | None:
    if not sign(promised) or not sign(fact):
        return None
    return sign(promised) == sign(fact)


def sign_right(cell: Cell) -> bool | None:
    """Of the advised build."""
    return same_sign(cell.promised, cell.fact) if cell.promised and cell.fact else None


def signs(cell: Cell) -> Iterable[bool]:
    """Of all builds of which a trial promised something, advised or not."""
    for build, promised in cell.predicted.items():
        if build in cell.facts:
            right = same_sign(promised, cell.facts[build])
            if right is not None:
                yield right


def near_best(cell: Cell) -> bool | None:
    """Whether the program that follows the whole advice takes at most a tenth longer than the best of all.
    Advice that no build can follow is a miss."""
    return _near_best(cell, cell.whole)


def first_half_near_best(cell: Cell) -> bool | None:
    """The same of the program that follows the first half alone: a malloc, if there are two halves."""
    return _near_best(cell, cell.build)


def _near_best(cell: Cell, build: str) -> bool | None:
    if not cell.has_choice:
        return None
    return build in cell.seconds and cell.seconds[build] <= NEAR_BEST * min(cell.seconds.values())


def holds(cell: Cell) -> bool | None:
    """Whether the promised interval and the fact's own have a point in common."""
    if not cell.promised or not cell.fact:
        return None
    return gap(cell.promised, cell.fact) == 0.0


def gap(promised: Difference, fact: Difference) -> float:
    return max(0.0, promised.low - fact.high, fact.low - promised.high)


def at_least_promised(cell: Cell) -> bool | None:
    """A trial is a floor: the change saved as much, or more."""
    if not cell.promised or not cell.fact:
        return None
    return cell.fact.low <= cell.promised.high


def narrow(cell: Cell) -> bool | None:
    """Whether half the promised interval keeps the width rule."""
    if not cell.promised:
        return None
    half = (cell.promised.high - cell.promised.low) / 2
    return half <= max(WIDTH_OF_RUN * cell.program_seconds, WIDTH_OF_EFFECT * abs(cell.promised.median))


def winkler(cell: Cell) -> float | None:
    """Winkler's score of the promised interval, as a share of the run: its width, and 2/0.05 of each miss.
    The fact is an interval, too, so a miss is the gap between both. Less is better."""
    if not cell.promised or not cell.fact:
        return None
    width = cell.promised.high - cell.promised.low
    return (width + 2.0 / MISSED_SHARE * gap(cell.promised, cell.fact)) / cell.program_seconds


def under_ceiling(cell: Cell) -> bool | None:
    """Whether the promised saving is at most what any allocator can save by the advice's own account."""
    if not cell.promised or cell.ceiling is None:
        return None
    return -cell.promised.median <= cell.ceiling


def quiet(cell: Cell) -> bool | None:
    """Whether no local allocator was advised where there is nothing to advise: no build saves a fiftieth, or
    there is one only."""
    saves = min(cell.seconds.values()) < (1 - LEAST_SAVING) * cell.seconds[BEFORE]
    return None if saves else cell.kind != "local"


CRITERIA: dict[str, Criterion] = {
    "sign right, where both intervals exclude zero": sign_right,
    "advised program within 10 % of the best of all": near_best,
    "promised interval meets the fact's": holds,
    "saved what was promised, or more": at_least_promised,
    "interval narrow enough": narrow,
    "promise at most the ceiling": under_ceiling,
    "no local allocator where there is nothing to advise": quiet,
}


def counted(cells: Iterable[Cell], criterion: Criterion) -> Count:
    answers = [answer for cell in cells if (answer := criterion(cell)) is not None]
    return Count(sum(answers), len(answers))


def all_signs(cells: Iterable[Cell]) -> Count:
    answers = [answer for cell in cells for answer in signs(cell)]
    return Count(sum(answers), len(answers))


def median_winkler(cells: Iterable[Cell]) -> float | None:
    scores = [score for cell in cells if (score := winkler(cell)) is not None]
    return median(scores) if scores else None


def lines(cells: list[Cell]) -> list[tuple[str, str]]:
    """The score: each figure, and its name."""
    found = []
    for name, criterion in CRITERIA.items():
        found.append((str(counted(cells, criterion)), name))
        if criterion is near_best:
            half = counted(cells, first_half_near_best)
            found.append((str(half), "the same, with the first half of the advice alone"))
    found.append((str(all_signs(cells)), "sign right, all strategies that were tried"))
    score = median_winkler(cells)
    share = "-" if score is None else f"{100 * score:.1f} %"
    return [*found, (share, "median of Winkler's score, as a share of the run")]


def misses(cells: Iterable[Cell]) -> list[tuple[Cell, str]]:
    return [(cell, name) for cell in cells for name, of in CRITERIA.items() if of(cell) is False]


def main() -> int:
    cells = read()
    for figure, name in lines(cells):
        print(f"{figure:>9}  {name}")
    for cell, name in misses(cells):
        print(f"missed: {cell.name}: {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
