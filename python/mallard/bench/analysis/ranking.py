"""Ranks strategies over many cells by their mean ratio to a base, and finds those without a difference from
the best. The sentences about other mallocs and unfinished cells are common to all experiments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import CellTable, Line
from mallard.bench.analysis.labels import STATUS_TEXT
from mallard.bench.analysis.names import BASE, NULL, in_table_order, malloc, plain, ranked_strategies
from mallard.bench.analysis.words import in_a_list, percent_text
from mallard.bench.cells import Cell, Pairing, mean_over
from mallard.shared.stats import Ratio, mean_ratio

Pairings = Callable[[str, str], Sequence[Pairing]]  # (strategy, base) -> a pairing for each cell of both


@dataclass(frozen=True)
class Choice:
    strategy: str
    ratio: Ratio  # mean over the cells, to the base


@dataclass(frozen=True)
class Ranking:
    choices: tuple[Choice, ...]  # best first
    equals: tuple[str, ...]  # no difference from the best
    unfinished: tuple[str, ...] = ()  # excluded, because a cell has no figure

    @property
    def best(self) -> Choice | None:
        return self.choices[0] if self.choices else None

    @property
    def worth_it(self) -> bool:
        """True if the best is faster than the base beyond its interval."""
        return self.best is not None and self.best.ratio.verdict == "faster"


def ranked(names: Iterable[str], pairings: Pairings, base: str = BASE) -> Ranking:
    means = {name: mean_ratio(samples) for name in names if (samples := pairings(name, base))}
    choices = tuple(Choice(name, means[name]) for name in sorted(means, key=lambda name: means[name].median))
    if not choices:
        return Ranking((), ())
    best, *remaining = (choice.strategy for choice in choices)
    return Ranking(choices, indistinguishable(best, remaining, pairings))


def indistinguishable(best: str, names: Iterable[str], pairings: Pairings) -> tuple[str, ...]:
    """The strategies whose mean ratio to the best has 1 in its interval."""
    ratios = {name: mean_ratio(samples) for name in names if (samples := pairings(name, best))}
    return tuple(name for name, ratio in ratios.items() if ratio.verdict == "no difference")


def rank_table(table: CellTable) -> Ranking:
    """The ranking of a program's choices that finished in every line."""
    names = ranked_strategies(table.strategies)
    complete = [name for name in names if all(line.finished(name) for line in table.lines)]
    unfinished = tuple(name for name in names if name not in complete)
    if BASE not in complete:
        return Ranking((), (), unfinished)
    ranking = ranked(complete, lambda name, base: collect_pairings([table], name, base))
    return Ranking(ranking.choices, ranking.equals, unfinished)


def _rank(cell: Cell) -> tuple[bool, float]:
    """The sorting key: the ratio to new-delete, or the time without a ratio."""
    return (True, cell.ns_per_operation) if cell.ratio is None else (False, cell.ratio.median)


def pick_strategy(line: Line) -> str | None:
    """The strategy to use in a row: the fastest of those that are faster than new-delete beyond the interval;
    new-delete if none is; the fastest of all if new-delete was not measured.
    """
    names = [name for name in ranked_strategies(line.cells) if line.finished(name)]
    fastest = min(names, key=lambda name: _rank(line.cells[name]), default=None)
    if fastest is None or line.cells[fastest].ratio is None:
        return fastest
    faster = [name for name in names if _is_faster(line.cells[name])]
    return min(faster, key=lambda name: _rank(line.cells[name]), default=BASE)


def _is_faster(cell: Cell) -> bool:
    return cell.ratio is not None and cell.ratio.verdict == "faster"


def under_mallocs(tables: Sequence[CellTable]) -> tuple[Choice, ...]:
    """new-delete under other mallocs over all lines, relative to new-delete under the C library's."""
    names = in_table_order({name for table in tables for name in table.strategies})
    return tuple(
        Choice(name, mean)
        for name in names
        if malloc(name) and plain(name) == BASE
        if (mean := mean_over(collect_pairings(tables, name, BASE)))
    )


def mallocs_sentence(choices: Sequence[Choice]) -> list[str]:
    if not choices:
        return []
    parts = (f"{choice.strategy} {percent_text(choice.ratio)}" for choice in choices)
    return [f"Under other mallocs: {', '.join(parts)} of {BASE}'s time."]


def collect_pairings(tables: Iterable[CellTable], strategy: str, base: str) -> list[Pairing]:
    pairings = [line.paired(strategy, base) for table in tables for line in table.lines]
    return [pairing for pairing in pairings if pairing]


def unfinished_sentences(table: CellTable, subject: str, describe: Callable[[Line], str]) -> list[str]:
    """A sentence for each kind of failure. `subject` names the places of the table, and `describe` one of
    them.
    """
    ended: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name in table.strategies:
        lines = [line for line in table.lines if name in line.cells and not line.finished(name)]
        if lines and name != NULL:
            failure = STATUS_TEXT.get(lines[0].cells[name].status, lines[0].cells[name].status)
            ended.setdefault((failure, tuple(map(describe, lines))), []).append(name)
    return [
        f"{in_a_list(names)} did not finish ({failure}) if {subject} is {'; '.join(places)}."
        for (failure, places), names in ended.items()
    ]
