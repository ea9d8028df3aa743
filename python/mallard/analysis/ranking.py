"""Ranks strategies over many cells: means of ratios to a base, best first, and those that equal the best
within the interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mallard.analysis.cell_tables import CellTable
from mallard.analysis.names import BASE, contestants, in_table_order, malloc, plain
from mallard.analysis.words import percent_text
from mallard.cells import Pairing
from mallard.stats import Ratio, mean_ratio

Pairings = Callable[[str, str], Sequence[Pairing]]  # (strategy, base) -> a pairing for each cell of both


@dataclass(frozen=True)
class Choice:
    strategy: str
    ratio: Ratio  # mean over the cells, to the base


@dataclass(frozen=True)
class Ranking:
    choices: tuple[Choice, ...]  # best first
    equals: tuple[str, ...]  # not told apart from the best
    unfinished: tuple[str, ...] = ()  # left out, because a cell has no figure

    @property
    def best(self) -> Choice | None:
        return self.choices[0] if self.choices else None

    @property
    def worth_it(self) -> bool:
        """True if the best is faster than the base beyond its interval."""
        return self.best is not None and self.best.ratio.verdict == "faster"


def ranked(names: Iterable[str], pairings: Pairings, base: str = BASE) -> Ranking:
    means = {name: mean_ratio(found) for name in names if (found := pairings(name, base))}
    choices = tuple(Choice(name, means[name]) for name in sorted(means, key=lambda name: means[name].median))
    if not choices:
        return Ranking((), ())
    best, *others = (choice.strategy for choice in choices)
    return Ranking(choices, not_told_apart(best, others, pairings))


def not_told_apart(best: str, names: Iterable[str], pairings: Pairings) -> tuple[str, ...]:
    """The strategies whose mean ratio to the best has 1 in its interval."""
    ratios = {name: mean_ratio(found) for name in names if (found := pairings(name, best))}
    return tuple(name for name, ratio in ratios.items() if ratio.verdict == "no difference")


def ranking_of(table: CellTable) -> Ranking:
    """The ranking of a program's choices that finished in every line."""
    names = contestants(table.strategies)
    complete = [name for name in names if all(line.finished(name) for line in table.lines)]
    unfinished = tuple(name for name in names if name not in complete)
    if BASE not in complete:
        return Ranking((), (), unfinished)
    ranking = ranked(complete, lambda name, base: pairings_of([table], name, base))
    return Ranking(ranking.choices, ranking.equals, unfinished)


def under_mallocs(tables: Sequence[CellTable]) -> tuple[Choice, ...]:
    """new-delete under other mallocs over all lines, relative to new-delete under the C library's."""
    names = in_table_order({name for table in tables for name in table.strategies})
    found = {name: pairings_of(tables, name, BASE) for name in names if malloc(name) and plain(name) == BASE}
    return tuple(Choice(name, mean_ratio(pairings)) for name, pairings in found.items() if pairings)


def mallocs_sentence(choices: Sequence[Choice]) -> list[str]:
    if not choices:
        return []
    each = (f"{choice.strategy} {percent_text(choice.ratio)}" for choice in choices)
    return [f"Under other mallocs: {', '.join(each)} of {BASE}'s time."]


def pairings_of(tables: Iterable[CellTable], strategy: str, base: str) -> list[Pairing]:
    found = [line.paired(strategy, base) for table in tables for line in table.lines]
    return [both for both in found if both]
