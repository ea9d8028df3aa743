"""Experiments whose cells are works, named by words: a line of cells for each, in the description's order,
the comparison with Optimized C++, chapter 13, and the sentences.

rows -> group_works -> the works of each setting
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mallard.bench.analysis.cell_tables import CellTable, Line, Setting, cell_tables, setting_text
from mallard.bench.analysis.names import BASE, in_table_order, malloc
from mallard.bench.analysis.panel.phases import fastest_text
from mallard.bench.analysis.ranking import mallocs_sentence, under_mallocs, unfinished_sentences
from mallard.bench.analysis.strategy_map import Kind, TimeKind, amount_kind, strategy_map
from mallard.bench.analysis.words import factor, in_a_list, nanoseconds, percent, percent_text
from mallard.bench.cells import Cell, paired
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Works
from mallard.bench.papers.fixed_block import AS_PRINTED, BLOCK, REMOVE_CTRL, STRATEGIES, TIMES
from mallard.bench.papers.registry import WORKS, table_named
from mallard.bench.result import Row
from mallard.shared.mallocs import split
from mallard.shared.report.figures import relative
from mallard.shared.report.model import (
    Points,
    Section,
)
from mallard.shared.report.picture import Head, HeatMap, Layer, Spot, Tile
from mallard.shared.stats import Ratio, geometric_mean_ratio, paired_ratio


@dataclass(frozen=True)
class Work:
    words: tuple[str, ...]  # the name, and the version if there are several
    operation: str  # a pair
    setting: Setting
    line: Line

    @property
    def name(self) -> str:
        return self.words[0]

    @property
    def version(self) -> str:
        return self.words[-1] if len(self.words) > 1 else ""

    @property
    def label(self) -> str:
        return ", ".join(filter(None, self.words))

    @property
    def table(self) -> CellTable:
        return CellTable((), self.setting, [self.line])


def group_works(experiment: str, rows: Iterable[Row]) -> dict[Setting, list[Work]]:
    """The works of each setting."""
    description = EXPERIMENTS[experiment]
    panel = description.panel
    assert isinstance(panel, Works)
    works_by_setting: dict[Setting, list[Work]] = {}
    for words, table in cell_tables(rows, experiment, apart=description.apart):
        operation = panel.operations.get(words[0], "an operation")
        for line in table.lines:
            works_by_setting.setdefault(table.setting, []).append(Work(words, operation, table.setting, line))
    return {
        setting: sorted(works, key=lambda work: _place(description, work))
        for setting, works in works_by_setting.items()
    }


def work_strategies(works: Iterable[Work]) -> list[str]:
    return in_table_order({name for work in works for name in work.line.cells})


def _place(experiment: Experiment, work: Work) -> list[int]:
    """The description's order. A work or version that it lacks comes last."""
    axes = [experiment.axis(name) for name in experiment.apart]
    return [_index(axis.words if axis else (), word) for axis, word in zip(axes, work.words, strict=True)]


def _index(words: Sequence[str], word: str) -> int:
    return words.index(word) if word in words else len(words)


FASTEST_MALLOC = "fastest malloc"


@dataclass(frozen=True)
class Comparison:
    """The time of a strategy relative to another one's, in each work that both finished."""

    ratios: dict[str, Ratio]
    mean: Ratio  # geometric
    mallocs: dict[str, str]  # work -> the malloc under which the other one ran, empty for the C library's

    @property
    def slower(self) -> dict[str, Ratio]:
        return {name: ratio for name, ratio in self.ratios.items() if ratio.median > 1.0}


def compare(cells_by_work: Mapping[str, Mapping[str, Cell]], strategy: str, base: str) -> Comparison | None:
    """None if no work has finished cells of both."""
    pairings = {
        work: pairing
        for work, cells in cells_by_work.items()
        if strategy in cells and base in cells
        if (pairing := paired(cells[strategy].times, cells[base].times))
    }
    if not pairings:
        return None
    return Comparison(
        {work: paired_ratio(*pairing) for work, pairing in pairings.items()},
        geometric_mean_ratio(list(pairings.values())),
        {work: malloc(cells_by_work[work][base].strategy) for work in pairings},
    )


def figure_ratios(
    cells_by_work: Mapping[str, Mapping[str, Cell]], strategy: str, base: str, figure: str
) -> dict[str, float]:
    """A figure of the strategy relative to the base's, in each work where both have it."""
    ratios = {}
    for work, cells in cells_by_work.items():
        own, other = (cells[name].figure(figure) if name in cells else None for name in (strategy, base))
        if own and other:
            ratios[work] = own.median / other.median
    return ratios


def with_fastest_malloc(cells: Mapping[str, Cell]) -> dict[str, Cell]:
    """The cells of a work, and as FASTEST_MALLOC the cell of new-delete under the malloc with the least time,
    the C library's among them.
    """
    under_mallocs = [cells[name] for name in mallocs_in(cells) if cells[name].finished]
    if not under_mallocs:
        return dict(cells)
    return {**cells, FASTEST_MALLOC: min(under_mallocs, key=lambda cell: cell.ns_per_operation)}


def mallocs_in(names: Iterable[str]) -> list[str]:
    """new-delete, and new-delete under other mallocs."""
    return [name for name in names if split(name)[0] == BASE]


def cells_by_work(works: Iterable[Work]) -> dict[str, dict[str, Cell]]:
    return {work.label: with_fastest_malloc(work.line.cells) for work in works}


def mean_over_works(works: Iterable[Work], strategy: str) -> Ratio | None:
    """The strategy's time relative to new-delete's: the geometric mean over the works of both."""
    comparison = compare(cells_by_work(works), strategy, BASE)
    return comparison.mean if comparison else None


def work_sentences(experiment: str, works: Sequence[Work]) -> list[str]:
    panel = EXPERIMENTS[experiment].panel
    assert isinstance(panel, Works)
    unfinished = [sentence for work in works for sentence in _unfinished(work)]
    if panel.compared:
        compared = [sentence for name in panel.compared for sentence in _against_mallocs(name, works)]
        return [*compared, *unfinished]
    return [
        *(f"{work.label}: {_fastest(work)}." for work in works),
        *_compare_with_book(works),
        *_better_version(works),
        *mallocs_sentence(under_mallocs([work.table for work in works])),
        *unfinished,
    ]


def _against_mallocs(strategy: str, works: Sequence[Work]) -> list[str]:
    comparison = compare(cells_by_work(works), strategy, FASTEST_MALLOC)
    if comparison is None:
        return []
    ratios = comparison.ratios
    least, most = (pick(ratio.median for ratio in ratios.values()) for pick in (min, max))
    several = any(len(mallocs_in(work.line.cells)) > 1 for work in works)
    rival = "the malloc that is fastest" if several else "the C library's malloc, the only one measured,"
    sentence = (
        f"{strategy} takes {percent_text(comparison.mean)} of the time of {rival} "
        f"{f'in each of {len(ratios)} programs' if len(ratios) > 1 else f'in {next(iter(ratios))}'}, "
        f"{percent(least)} to {percent(most)} %."
    )
    slower = [
        f"{work} ({comparison.mallocs[work] or 'the C library'}, {percent(ratio.median)} %)"
        for work, ratio in comparison.slower.items()
    ]
    return [f"{sentence} A malloc is faster in {in_a_list(slower)}." if slower else sentence]


def _fastest(work: Work) -> str:
    return fastest_text(work.table, work.operation) or f"no verdict, {BASE} has not finished"


def _compare_with_book(works: Sequence[Work]) -> list[str]:
    """The gain of blocks of one size in each work that the book times, here and there."""
    printed = table_named(TIMES)
    parts = []
    for work in works:
        if work.name in WORKS and work.version in ("", AS_PRINTED):
            cell = work.line.cells.get(STRATEGIES[work.name])
            percent = printed.percent_of_base((WORKS.index(work.name),), BLOCK)
            if cell and cell.ratio and percent:
                gains = (factor(1.0 / cell.ratio.median), factor(100.0 / percent))
                parts.append("{} {} ({})".format(work.name, *gains))
    return [f"Default / blocks of one size, here (and in the book): {', '.join(parts)}."] if parts else []


def _better_version(works: Sequence[Work]) -> list[str]:
    """The book's point: a better algorithm without another allocator."""
    versions = [work for work in works if work.name == REMOVE_CTRL and work.line.finished(BASE)]
    printed = next((work for work in versions if work.version == AS_PRINTED), None)
    if printed is None or len(versions) < 2:
        return []
    best = min(versions, key=lambda work: work.line.cells[BASE].ns_per_operation)
    if best is printed:
        return []
    times = [work.line.cells[BASE].ns_per_operation for work in (printed, best)]
    return [
        (
            f"{REMOVE_CTRL} as printed takes {nanoseconds(times[0])} ns with {BASE}, {best.version} "
            f"{nanoseconds(times[1])} ns: {factor(times[0] / times[1])} times as fast."
        )
    ]


def _unfinished(work: Work) -> list[str]:
    return unfinished_sentences(work.table, "the work", lambda _: work.label)


def works_sections(experiment: Experiment, panel: Works, rows: Iterable[Row]) -> list[Section]:
    """A map of strategies by works for each setting."""
    sections = []
    for setting, works in group_works(experiment.name, rows).items():
        sentences = Points(tuple(work_sentences(experiment.name, works)))
        text = setting_text(setting)
        sections.append(Section(text, (_map(panel, text, works),), is_headed=True, answer=(sentences,)))
    return sections


def _map(panel: Works, text: str, works: Sequence[Work]) -> HeatMap:
    """With means, strategies are compared by their shares of new-delete's time."""
    share = "time: in percent of new-delete's, which is in ns an operation" if panel.compared else ""
    kinds: tuple[Kind, ...] = (
        TimeKind(Layer("ns", panel.text, title="" if share else "ns an operation")),
        TimeKind(Layer("% of new-delete", panel.relative, title=share), relative=True),
        *(amount_kind(amount.short, amount.text, amount.text, amount.figure) for amount in panel.amounts),
    )
    columns = [(Head(work.words, work.label), work.line) for work in works]
    names = work_strategies(works)
    caption = f"Works, {text}: a row for each strategy"
    picture = strategy_map(text or "works", caption, "strategy", columns, names, kinds)
    return _with_means(picture, works) if share else picture


def _with_means(picture: HeatMap, works: Sequence[Work]) -> HeatMap:
    """A column with the mean of the shares."""

    def spot(name: str) -> Spot:
        mean = mean_over_works(works, name) if name != BASE else None
        tiles = [Tile() for _ in picture.layers]
        tiles[1] = Tile(relative(mean.median), mean) if mean else Tile()
        return Spot(tuple(tiles))

    rows = tuple((labels, (*spots, spot(labels[0]))) for labels, spots in picture.rows)
    return replace(picture, columns=(*picture.columns, Head(("mean",))), rows=rows)
