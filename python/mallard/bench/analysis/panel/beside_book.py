"""The time of blocks of one size relative to the default's, here and in Optimized C++, chapter 13."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mallard.bench.analysis.panel.works import Work
from mallard.bench.papers.fixed_block import AS_PRINTED, BLOCK, STRATEGIES, TIMES, WORKS, fixed_block_tables
from mallard.shared.stats import Ratio


@dataclass(frozen=True)
class BesideBook:
    work: Work
    strategy: str
    ours: Ratio | None
    printed: float


def beside_book(works: Iterable[Work]) -> list[BesideBook]:
    """The comparison for each work that the book times, in the version that it prints."""
    printed = fixed_block_tables()[TIMES]
    comparisons = []
    for work in works:
        if work.name not in WORKS or work.version not in ("", AS_PRINTED):
            continue
        percent = printed.percent_of_base((WORKS.index(work.name),), BLOCK)
        strategy = STRATEGIES[work.name]
        cell = work.line.cells.get(strategy)
        if percent is not None:
            comparisons.append(BesideBook(work, strategy, cell.ratio if cell else None, percent / 100.0))
    return comparisons
