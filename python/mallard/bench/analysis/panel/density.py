"""Benchmark I: the strategy to use for each data structure, with its gain, and the
results of a run for each setting: tables, verdicts and means, each computed once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from mallard.bench.analysis.averages import Effect, cost_of_dispatch, gain_of_winking_out, mean_over_rows
from mallard.bench.analysis.cell_tables import Line, Setting, StructureTable, density_tables
from mallard.bench.analysis.names import BASE, contestants, in_table_order, plain
from mallard.bench.analysis.ranking import (
    Choice,
    collect_pairings,
    indistinguishable,
    mallocs_sentence,
    rank_table,
    under_mallocs,
)
from mallard.bench.analysis.words import percent_text
from mallard.bench.cells import Cell
from mallard.bench.library import HEAPS, KEEP
from mallard.bench.papers.catalogue import strategies, strategy_text
from mallard.bench.papers.tables import own_table
from mallard.bench.result import Row
from mallard.bench.strategy_names import of_papers
from mallard.shared.stats import Ratio


@dataclass(frozen=True)
class Verdict:
    """The verdict on a data structure, over all its sizes. `best` is None without a ratio to new-delete."""

    structure: str
    type: str
    sizes: tuple[int, ...]
    best: Choice | None
    equals: tuple[str, ...]  # no difference from the best
    reusing: Choice | None  # the best that reuses freed blocks, if the best one does not
    keep: Ratio | None  # the effect of switching the platform's page return off, for new-delete
    unfinished: tuple[str, ...]  # excluded, because a row has no figure

    mallocs: tuple[Choice, ...] = ()  # new-delete under other mallocs of the whole process

    @property
    def worth_it(self) -> bool:
        return self.best is not None and self.best.strategy != BASE and self.best.ratio.verdict == "faster"


def judge_structure(table: StructureTable) -> Verdict:
    sizes = tuple(line.size_log2 for line in table.lines)
    ranking = rank_table(table)
    best = ranking.best
    if best is None:
        return Verdict(table.structure, table.type, sizes, None, (), None, None, ranking.unfinished)
    reusing = next((choice for choice in ranking.choices if _reuses(choice.strategy)), None)
    return Verdict(
        table.structure,
        table.type,
        sizes,
        best,
        ranking.equals,
        None if _reuses(best.strategy) else reusing,
        mean_over_rows([table], KEEP),
        ranking.unfinished,
        under_mallocs([table]),
    )


def _reuses(name: str) -> bool:
    """True if freed blocks are reused, as by a multipool and a heap. A monotonic allocator only grows until
    it is released."""
    known = strategies().get(plain(name))
    return name in HEAPS or (known is not None and known.allocator.startswith("multipool"))


def in_brief(verdict: Verdict) -> str:
    """The strategy to use, and its speedup."""
    if verdict.best is None:
        return f"no verdict: {BASE} has not finished in every row"
    if not verdict.worth_it:
        return f"keep {BASE}"
    malloc = min(verdict.mallocs, key=lambda choice: choice.ratio.median, default=None)
    rival = f"; {malloc.strategy}: {_times_as_fast(malloc.ratio)}" if malloc else ""
    return f"use {verdict.best.strategy}: {_times_as_fast(verdict.best.ratio)} as fast as {BASE}{rival}"


def _times_as_fast(ratio: Ratio) -> str:
    return f"{1.0 / ratio.median:.1f} times"


def sentence(verdict: Verdict) -> str:
    """The sentence that names the strategy to use, and its gain."""
    if verdict.best is None:
        return f"{verdict.type}: no verdict, {BASE} has not finished in every row."
    if not verdict.worth_it:
        text = f"{verdict.type}: keep {BASE}; no strategy is faster beyond its interval."
        closest = verdict.best
        comes = f"{closest.strategy} comes closest: {percent_text(closest.ratio)} of {BASE}'s time."
        near = [comes] if closest.strategy != BASE else []
        return " ".join([text, *near, *mallocs_sentence(verdict.mallocs)])
    best, ratio = verdict.best.strategy, verdict.best.ratio
    parts = [
        (
            f"{verdict.type}: use {best} ({strategy_text(best)}): {percent_text(ratio)} of {BASE}'s time, "
            f"{1.0 / ratio.median:.1f} times as fast."
        )
    ]
    if verdict.equals:
        parts.append(f"No difference from it: {', '.join(verdict.equals)}.")
    if verdict.reusing:
        reusing = verdict.reusing
        parts.append(
            f"If freed blocks must be used again: {reusing.strategy}, {percent_text(reusing.ratio)}."
        )
    if verdict.keep is not None and verdict.keep.verdict == "faster":
        more = "does more: it" if verdict.keep.high < ratio.low else "alone"
        parts.append(f"Switching page return off {more} brings {BASE} to {percent_text(verdict.keep)}.")
    return " ".join([*parts, *mallocs_sentence(verdict.mallocs)])


PRINTED_SIZES_LOG2 = range(6, 17)  # of every structure, in both papers


@dataclass(frozen=True)
class Summary:
    setting: Setting
    tables: list[StructureTable]
    verdicts: list[Verdict]
    means: dict[str, Ratio]  # strategy -> mean over rows, to new-delete
    repeated: dict[str, Ratio]  # mean over the rows of more than one iteration
    dispatch: Effect
    wink_out: Effect

    @property
    def rows(self) -> int:
        return sum(len(table.lines) for table in self.tables)

    @property
    def built_once(self) -> int:
        """The number of rows of one iteration."""
        return sum(line.built_once for table in self.tables for line in table.lines)

    @property
    def population(self) -> str:
        """The rows that a mean is over: `86 rows of 12 data structures, 2^6 to 2^16 elements`."""
        sizes = [line.size_log2 for table in self.tables for line in table.lines]
        return (
            f"{self.rows} rows of {len(self.tables)} data structure{'' if len(self.tables) == 1 else 's'}, "
            f"2^{min(sizes)} to 2^{max(sizes)} elements"
        )

    @property
    def strategies(self) -> list[str]:
        return in_table_order({name for table in self.tables for name in table.strategies})

    def printed_mean(self, paper: str, strategy: str) -> float | None:
        """The paper's mean in percent of new-delete, over the rows of this summary's own mean, because
        a mean of other structures or sizes is another figure. None if the paper prints none of them."""
        if strategy not in of_papers():
            return None
        percents = [
            own_table(paper, table.structure).percent(line.size_log2, strategy)
            for table in self.tables
            for line in table.lines
            if line.size_log2 in PRINTED_SIZES_LOG2 and line.paired(strategy, BASE)
        ]
        return fmean(percents) if percents else None

    @property
    def best_overall(self) -> Choice | None:
        """The contestant with the lowest mean among those that finished in every row."""
        names = contestants(self.means)
        complete = {name: self.means[name] for name in names if self.means[name].n == self.rows}
        best = min(complete, key=lambda name: complete[name].median, default=None)
        return Choice(best, complete[best]) if best else None

    @cached_property
    def equals_overall(self) -> tuple[str, ...]:
        """The contestants without a difference from the best overall."""
        best = self.best_overall
        if best is None:
            return ()
        remaining = sorted(
            set(contestants(self.means)) - {best.strategy}, key=lambda name: self.means[name].median
        )
        return indistinguishable(
            best.strategy, remaining, lambda name, base: collect_pairings(self.tables, name, base)
        )

    @property
    def unfinished(self) -> list[tuple[StructureTable, Line, Cell]]:
        """The cells with an unfinished repetition."""
        return [
            (table, line, cell)
            for table in self.tables
            for line in table.lines
            for cell in line.cells.values()
            if cell.detail or not cell.finished
        ]


def summaries(rows: Iterable[Row]) -> list[Summary]:
    """One for each setting (buffer, its pages, hash, product) in the rows."""
    tables = density_tables(rows)
    settings = dict.fromkeys(table.setting for table in tables)
    return [
        _summary(setting, [table for table in tables if table.setting == setting]) for setting in settings
    ]


def _summary(setting: Setting, tables: list[StructureTable]) -> Summary:
    names = in_table_order({name for table in tables for name in table.strategies})
    return Summary(
        setting,
        tables,
        [judge_structure(table) for table in tables],
        _means(names, tables),
        _means(names, [table.repeated() for table in tables]),
        cost_of_dispatch(tables),
        gain_of_winking_out(tables),
    )


def _means(names: Iterable[str], tables: list[StructureTable]) -> dict[str, Ratio]:
    return {name: mean for name in names if (mean := mean_over_rows(tables, name, BASE)) is not None}
