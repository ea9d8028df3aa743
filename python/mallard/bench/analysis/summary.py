"""The results of a density run for each setting, computed once: tables, verdicts, means and comparisons."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from mallard.bench.analysis.averages import Effect, cost_of_dispatch, gain_of_winking_out, mean_over_rows
from mallard.bench.analysis.cell_tables import Line, Setting, StructureTable, density_tables
from mallard.bench.analysis.names import BASE, contestants, in_table_order
from mallard.bench.analysis.ranking import Choice, collect_pairings, indistinguishable
from mallard.bench.analysis.verdicts import Verdict, judge_structure
from mallard.bench.cells import Cell
from mallard.bench.papers.tables import own_table
from mallard.bench.result import Row
from mallard.bench.strategy_names import of_papers
from mallard.shared.stats import Ratio

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
