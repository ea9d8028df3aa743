"""Benchmark I: the strategy to use for each data structure, with its gain, and the results of a run for each
setting: tables, verdicts and means, each computed once, and their report.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from mallard.bench.analysis.averages import Effect, cost_of_dispatch, gain_of_winking_out, mean_over_rows
from mallard.bench.analysis.cell_tables import Line, Setting, StructureTable, density_tables, setting_text
from mallard.bench.analysis.labels import STATUS_TEXT
from mallard.bench.analysis.names import BASE, in_table_order, plain, ranked_strategies
from mallard.bench.analysis.race_map import MARKS, RaceMaps, compare_cell, compared
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
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Wording
from mallard.bench.library import HEAPS, KEEP
from mallard.bench.papers.catalogue import strategies, strategy_text
from mallard.bench.papers.printed import P0089, P0213
from mallard.bench.papers.registry import own_table
from mallard.bench.result import Row
from mallard.bench.strategy_names import of_papers, paper_number
from mallard.shared.prose import capitalised
from mallard.shared.report import model
from mallard.shared.report.figures import estimate_text, interval_text, points
from mallard.shared.report.model import (
    Column,
    Estimate,
    Figure,
    Paragraph,
    Report,
    Section,
    Table,
    Term,
    Unit,
    text_columns,
)
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
# P0213 section 9, "Analysis": the mean of all rows, in percent of the time.
PRINTED_DISPATCH = 0.78
PRINTED_WINK_OUT = 8.4


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
            percent
            for table in self.tables
            for line in table.lines
            if line.size_log2 in PRINTED_SIZES_LOG2 and line.paired(strategy, BASE)
            if (percent := own_table(paper, table.structure).percent_of_base(line.place, strategy))
        ]
        return fmean(percents) if percents else None

    @property
    def best_overall(self) -> Choice | None:
        """The ranked strategy with the lowest mean among those that finished in every row."""
        names = ranked_strategies(self.means)
        complete = {name: self.means[name] for name in names if self.means[name].n == self.rows}
        best = min(complete, key=lambda name: complete[name].median, default=None)
        return Choice(best, complete[best]) if best else None

    @cached_property
    def equals_overall(self) -> tuple[str, ...]:
        """The ranked_strategies without a difference from the best overall."""
        best = self.best_overall
        if best is None:
            return ()
        remaining = sorted(
            set(ranked_strategies(self.means)) - {best.strategy}, key=lambda name: self.means[name].median
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


WORDING = Wording("a leaf", "leaves", "one leaf element, made and destroyed")
NOTE = (
    f"new-delete in ns for a leaf element, the others in percent of new-delete. {MARKS} ': one structure "
    "only, so new-delete takes fresh pages; a warm buffer has its pages. null: the same work over memory "
    "already there. keep: new-delete with page return off. type: by type parameter. /base: by abstract base. "
    "/inline: by inline base. /wink: winked out."
)


def density_report(experiment: Experiment, rows: Iterable[Row], *, everything: bool) -> Report:
    """For each setting the strategy to use, averages, the cost of dispatch, the gain of winking out, and a
    map for each structure.
    """
    all_summaries = summaries(rows)
    several = len(all_summaries) > 1
    sections = [
        section
        for number, summary in enumerate(all_summaries)
        for section in _sections(
            summary,
            f": {setting_text(summary.setting)}" if several else "",
            f"-{number}" if number else "",
            everything=everything,
        )
    ]
    return Report(experiment.heading, Paragraph(headline(all_summaries[0])), tuple(sections), (NOTE,))


def headline(summary: Summary) -> str:
    """The answer over all rows, in a sentence or two."""
    best = summary.best_overall
    if best is None:
        return f"No strategy has finished in every row with {BASE}: there is no overall answer."
    if best.strategy == BASE or best.ratio.verdict != "faster":
        return (
            f"Keep {BASE}. Over {summary.rows} rows no strategy is faster than the global allocator beyond "
            "its interval."
        )
    equals = f" No difference from it: {', '.join(summary.equals_overall)}." if summary.equals_overall else ""
    return (
        f"{best.strategy} is fastest overall: {_times_as_fast(best.ratio)} as fast as the global allocator, "
        f"{BASE}. It is {strategy_text(best.strategy)}. Over {summary.rows} rows of {len(summary.tables)} "
        f"data structures it takes {percent_text(best.ratio)} of {BASE}'s time.{equals}"
    )


def _sections(summary: Summary, setting: str, mark: str, *, everything: bool) -> list[Section]:
    effects = (
        (
            "Cost of virtual dispatch",
            summary.dispatch,
            PRINTED_DISPATCH,
            "run time through the abstract base",
        ),
        ("Gain of winking out", summary.wink_out, PRINTED_WINK_OUT, "of the run time saved"),
    )
    about = (
        "Every row counts alike, in percent of its own new-delete, as in P0213's Table 8. The means of "
        f"published figures are over the same rows. Here: {summary.population}."
    )
    unfinished = _unfinished(summary)
    return [
        Section(
            f"The strategy to use{setting}", (), answer=(_verdicts(summary, mark),), anchor=f"verdict{mark}"
        ),
        Section(
            f"Averages over all rows{setting}",
            (Paragraph(about), _averages(summary)),
            is_headed=True,
            anchor=f"averages{mark}",
        ),
        *(
            Section(title, _effect(title, effect, printed, words, less_is_better=not place), is_headed=True)
            for place, (title, effect, printed, words) in enumerate(effects)
        ),
        Section(f"A heat map for each data structure{setting}", (), anchor=f"maps{mark}"),
        *(
            _map(table, verdict, mark, everything=everything)
            for table, verdict in zip(summary.tables, summary.verdicts, strict=True)
        ),
        *([Section("Cells that did not finish", (unfinished,), is_headed=True)] if unfinished else []),
    ]


KEPT = "no strategy is faster beyond its interval"
VERDICT_COLUMNS = (
    *text_columns("data structure", "use"),
    Column(
        f"% of {BASE}'s time", f"diamonds: {BASE} with the platform's page return off", less_is_better=True
    ),
    Column("as fast"),
    *text_columns("fastest malloc", "if freed blocks are reused", "no difference from it"),
)


def _verdicts(summary: Summary, mark: str) -> Table:
    """Means over the sizes of a structure."""
    rows = tuple(_verdict(verdict, mark) for verdict in summary.verdicts)
    return Table("The strategy to use for each data structure", VERDICT_COLUMNS, rows)


def _verdict(verdict: Verdict, mark: str) -> model.Row:
    name = Term(f"{verdict.structure} {verdict.type}", anchor=f"{verdict.structure}{mark}")
    if verdict.best is None:
        return model.Row((name, Term("no verdict", f"{BASE} has not finished in every row"), *[None] * 5))
    best, ratio, reusing = verdict.best.strategy, verdict.best.ratio, verdict.reusing
    marks = ((verdict.keep.median, "keep"),) if verdict.keep else ()
    malloc = min(verdict.mallocs, key=lambda choice: choice.ratio.median, default=None)
    worth = verdict.worth_it
    again = f"{reusing.strategy} {percent_text(reusing.ratio)}" if reusing else "the same"
    return model.Row(
        (
            name,
            Term(best, strategy_text(best)) if worth else Term(f"keep {BASE}", KEPT),
            Estimate(ratio, Unit.RELATIVE, marks),
            Figure(1 / ratio.median, Unit.FACTOR) if worth else None,
            f"{malloc.strategy}: {_times_as_fast(malloc.ratio)}" if malloc else None,
            again if worth else None,
            (", ".join(verdict.equals) or "none") if worth else None,
        )
    )


def _averages(summary: Summary) -> Table:
    columns = [
        *text_columns("strategy", "AS"),
        Column("here, %", "diamonds: filled P0213, open P0089", less_is_better=True),
        Column("P0213, %"),
        Column("here ÷ P0213"),
        Column("P0089, %"),
        Column("rows"),
    ]
    if summary.built_once:
        columns.append(Column("without '", "without the rows of one structure only"))
    rows = tuple(_average(summary, name) for name in summary.means if name != BASE)
    return Table("Mean over all rows in percent of new-delete", tuple(columns), rows)


def _average(summary: Summary, name: str) -> model.Row:
    mean = summary.means[name]
    p0213, p0089 = (summary.printed_mean(paper, name) for paper in (P0213, P0089))
    marks = tuple((value / 100, paper) for value, paper in ((p0213, "p0213"), (p0089, "p0089")) if value)
    repeated = summary.repeated.get(name)
    without = (Figure(repeated.median, Unit.RELATIVE_MEAN) if repeated else None,)
    return model.Row(
        (
            Term(name, strategy_text(name)),
            paper_number(name),
            Estimate(mean, Unit.RELATIVE_MEAN, marks),
            Figure(p0213, Unit.RATIO) if p0213 else None,
            Figure(100 * mean.median / p0213, Unit.RATIO) if p0213 else None,
            Figure(p0089 / 100, Unit.RELATIVE_MEAN) if p0089 else None,
            Figure(mean.n, Unit.COUNT),
            *(without if summary.built_once else ()),
        )
    )


EFFECT_COLUMNS = {
    less_is_better: (
        Column("pair", numeric=False),
        Column("%", "diamond: P0213", less_is_better=less_is_better),
    )
    for less_is_better in (False, True)
}


def _effect(
    title: str, effect: Effect, printed: float, words: str, *, less_is_better: bool
) -> tuple[Paragraph] | tuple[Paragraph, Table]:
    overall = effect.overall
    if overall is None:
        return (Paragraph("Not measured: no row has both strategies of a pair."),)
    entries = {"all cells": overall}
    if effect.local_only and effect.local_only.n != overall.n:
        entries["local allocators only"] = effect.local_only
    entries |= {f"{strategy} ÷ {base}": percent for (base, strategy), percent in effect.pairs.items()}
    entries |= {f"monotonic: {name}": percent for name, percent in effect.parts.items()}
    estimates = {
        name: Estimate(change, Unit.POINTS_MORE, ((printed, "p0213"),) if change is overall else ())
        for name, change in entries.items()
    }
    first = estimates["all cells"]
    middle = "" if effect.middle is None else f"{points(effect.middle)} % in the middle cell; "
    lead = Paragraph(
        f"{estimate_text(first)} % {words} here ({interval_text(first)}), the mean of {overall.n} cells; "
        f"{middle}P0213 found {printed:g} %."
    )
    rows = tuple(model.Row((name, estimate)) for name, estimate in estimates.items())
    return lead, Table(title, EFFECT_COLUMNS[less_is_better], rows)


def _map(table: StructureTable, verdict: Verdict, mark: str, *, everything: bool) -> Section:
    printed = [own_table(paper, table.structure) for paper in (P0213, P0089)]
    maps = RaceMaps(
        WORDING,
        lambda line, name: [
            compare_cell(of_paper, line.place, name, line.cells.get(name)) for of_paper in printed
        ],
    )
    picture = maps.make(
        f"{table.structure} {table.type}",
        f"{table.structure}, {table.type}: one row for each size of the outer container",
        ("size",),
        table.strategies if everything else compared(table),
        [((f"2^{line.size_log2}{QUOTE if line.built_once else ''}",), line) for line in table.lines],
    )
    says = sentence(verdict).removeprefix(f"{table.type}: ")
    return Section(
        table.type,
        (picture, Paragraph(capitalised(says))),
        about=table.structure,
        anchor=f"{table.structure}{mark}",
        is_inner=True,
    )


QUOTE = "'"  # behind the size of a structure that was built once
UNFINISHED_COLUMNS = text_columns("data structure", "size", "strategy", "status", "message")


def _unfinished(summary: Summary) -> Table | None:
    rows = tuple(
        model.Row(
            (
                table.type,
                f"2^{line.size_log2}",
                cell.strategy,
                STATUS_TEXT.get(cell.status, "not every repetition finished"),
                cell.detail,
            )
        )
        for table, line, cell in summary.unfinished
    )
    return Table("Cells that did not finish", UNFINISHED_COLUMNS, rows) if rows else None
