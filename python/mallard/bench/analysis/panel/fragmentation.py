"""Benchmark V: the tables of density in a heap that was used before, and the sentences about the ratio to
new-delete in it, and about the loss of a local allocator whose chunks come from that heap.

    rows -> fragmentation_tables -> FragmentationTable, one for each structure and setting
         -> by the freed share of the chunks (D): a table of density; R of it and of `none`

R is P0213's ratio of ratios (section 13): (strategy / new-delete, after D was freed) / (strategy /
new-delete, untouched heap), paired by repetition. Below 1 the strategy suffers less than the global
allocator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import Line, Setting, StructureTable, setting_text, structure_tables
from mallard.bench.analysis.labels import failed_spot, family, strategy_heads
from mallard.bench.analysis.names import BASE, in_table_order, plain, ranked_strategies
from mallard.bench.analysis.printed import printed_sections
from mallard.bench.analysis.words import no_difference, percent_text, times_text
from mallard.bench.cells import Pairing, Times, mean_over, paired, quotients
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.fragmentation import (
    ALL,
    CACHE,
    FRAGMENTED,
    FREED,
    HEAP,
    IN_PRINT,
    UNTOUCHED,
)
from mallard.bench.papers.catalogue import strategy_text
from mallard.bench.papers.registry import table_named
from mallard.bench.result import Row
from mallard.shared.report import model
from mallard.shared.report.figures import TEXTS, bounds, relative
from mallard.shared.report.model import (
    Column,
    Estimate,
    Figure,
    Paragraph,
    Points,
    Report,
    Section,
    Table,
    Term,
    Unit,
)
from mallard.shared.report.picture import HeatMap, Layer, Spot, Tile
from mallard.shared.stats import Ratio, paired_ratio


@dataclass(frozen=True)
class FragmentationTable:
    structure: str
    type: str
    setting: Setting  # without `freed`
    tables: dict[str, StructureTable]  # the freed share -> cells

    @property
    def upstream(self) -> str:
        return str(dict(self.setting).get("upstream", ""))

    @property
    def freed(self) -> list[str]:
        """The freed shares of used heaps, in the order of the paper."""
        return [name for name in FREED if name in self.tables and name != UNTOUCHED]

    @property
    def sizes_log2(self) -> list[int]:
        return sorted({line.size_log2 for table in self.tables.values() for line in table.lines})

    @property
    def strategies(self) -> list[str]:
        return in_table_order({name for table in self.tables.values() for name in table.strategies})

    def line(self, freed: str, size_log2: int) -> Line | None:
        table = self.tables.get(freed)
        return table.line(size_log2) if table else None

    def ratio_of_ratios(self, freed: str, size_log2: int, strategy: str) -> Ratio | None:
        """R of one cell; None if one of its four times is missing."""
        pairing = self.pairing(freed, size_log2, strategy)
        return paired_ratio(*pairing) if pairing else None

    def pairing(self, freed: str, size_log2: int, strategy: str) -> Pairing | None:
        """The times relative to new-delete's of one cell: after D was freed, and in the untouched heap."""
        used = _relative(self.line(freed, size_log2), strategy)
        fresh = _relative(self.line(UNTOUCHED, size_log2), strategy)
        return paired(used, fresh)

    def slowdown(self, freed: str, size_log2: int, strategy: str) -> Ratio | None:
        """The time after D was freed, divided by that in the untouched heap."""
        pairing = _across(self, freed, self, UNTOUCHED, size_log2, strategy)
        return paired_ratio(*pairing) if pairing else None


def fragmentation_tables(rows: Iterable[Row]) -> list[FragmentationTable]:
    """One for each structure and setting, in the papers' order. Tables with chunks from the heap come
    last.
    """
    grouped: dict[tuple[str, Setting], dict[str, StructureTable]] = {}
    for table in structure_tables(rows, "fragmentation"):
        freed = str(dict(table.setting).get("freed", UNTOUCHED))
        setting = tuple((name, value) for name, value in table.setting if name != "freed")
        grouped.setdefault((table.structure, setting), {})[freed] = table
    tables = [
        FragmentationTable(structure, next(iter(by_freed.values())).type, setting, by_freed)
        for (structure, setting), by_freed in grouped.items()
    ]
    return sorted(tables, key=lambda table: table.upstream == HEAP)


def mean_ratio_of_ratios(
    tables: Iterable[FragmentationTable], freed: Sequence[str], strategy: str
) -> Ratio | None:
    """R over all structures, sizes and heaps of `freed`, with one weight for every cell. P0213's Table 20
    has it for FRAGMENTED.
    """
    return mean_over(
        table.pairing(heap, size, strategy) for table in tables for heap in freed for size in table.sizes_log2
    )


def _relative(line: Line | None, strategy: str) -> Times:
    """Times of a strategy divided by new-delete's in that repetition."""
    if line is None or strategy not in line.cells or BASE not in line.cells:
        return {}
    return quotients(line.cells[strategy].times, line.cells[BASE].times)


# Tables with equal work may differ in the source of chunks, and in the buffer, which only some strategies
# have.
_OF_UPSTREAM = frozenset({"upstream", "buffer"})
_WITHOUT_BUFFER = frozenset({"multipool", "multipool/wink", "multipool/base", "multipool/base/wink"})


def fragmentation_sentences(tables: Sequence[FragmentationTable]) -> list[str]:
    """About the base in a fragmented heap, the local strategies by source of chunks, and their chunks."""
    local = [
        sentence
        for upstream in dict.fromkeys(table.upstream for table in tables)
        for text, freed in (("everything freed", (ALL,)), ("part of it freed", FRAGMENTED))
        for sentence in _group(tables, upstream, text, freed)
    ]
    return [*_global(tables), *local, *_upstreams(tables)]


def local_strategies(tables: Iterable[FragmentationTable]) -> list[str]:
    names = in_table_order({name for table in tables for name in table.strategies})
    return [name for name in ranked_strategies(names) if family(name) != family(BASE)]


def mean_slowdown(tables: Iterable[FragmentationTable], freed: Sequence[str], strategy: str) -> Ratio | None:
    """The time after D was freed, divided by that in the untouched heap, with one weight for every cell."""
    return mean_over(
        _across(table, heap, table, UNTOUCHED, size, strategy)
        for table in tables
        for heap in freed
        for size in table.sizes_log2
    )


def heap_by_cache(tables: Sequence[FragmentationTable], freed: Sequence[str], strategy: str) -> Ratio | None:
    """The time with chunks from the used heap, divided by that with the usual upstream."""
    pairings: list[Pairing | None] = []
    for cache in (table for table in tables if table.upstream == CACHE):
        for heap in (table for table in tables if table.upstream == HEAP and _equal_work(table, cache)):
            if plain(strategy) not in _WITHOUT_BUFFER and dict(heap.setting) | {"upstream": CACHE} != dict(
                cache.setting
            ):
                continue
            pairings += [
                _across(heap, share, cache, share, size, strategy)
                for share in freed
                for size in heap.sizes_log2
            ]
    return mean_over(pairings)


def _global(tables: Sequence[FragmentationTable]) -> list[str]:
    slower = mean_slowdown(tables, FRAGMENTED, BASE)
    if slower is None:
        return []
    if no_difference(slower):
        return [f"A fragmented heap makes no difference to {BASE} itself: {percent_text(slower)}."]
    return [f"In a fragmented heap {BASE} takes {percent_text(slower)} of its time in a fresh one."]


def _group(tables: Sequence[FragmentationTable], upstream: str, text: str, freed: Sequence[str]) -> list[str]:
    selected = [table for table in tables if table.upstream == upstream]
    measured = [heap for heap in freed if any(heap in table.freed for table in selected)]
    suffix = ", their chunks being from that heap too" if upstream == HEAP else ""
    return _local(
        selected, measured, f"{text} (D = {', '.join(IN_PRINT[heap] for heap in measured)}){suffix}"
    )


def _local(tables: Sequence[FragmentationTable], freed: Sequence[str], subject: str) -> list[str]:
    """R as the mean over the local strategies, with the minimum and the maximum."""
    names = local_strategies(tables)
    means = {name: mean for name in names if (mean := mean_ratio_of_ratios(tables, freed, name))}
    overall = mean_over(
        table.pairing(heap, size, name)
        for name in means
        for table in tables
        for heap in freed
        for size in table.sizes_log2
    )
    if overall is None:
        return []
    least = min(means, key=lambda name: means[name].median)
    most = max(means, key=lambda name: means[name].median)
    ends = [f"{means[name].median:.2f}" for name in (least, most)]
    span = f", from {least} {ends[0]} to {most} {ends[1]}" if ends[0] != ends[1] else ""
    nothing = ": no difference from a fresh heap" if no_difference(overall) else ""
    bounds = f" ({overall.low:.2f} to {overall.high:.2f})" if overall.bounded else ""
    return [f"With {subject}, R of the local strategies is {overall.median:.2f}{bounds}{span}{nothing}."]


def _upstreams(tables: Sequence[FragmentationTable]) -> list[str]:
    ratios = {
        name: ratio
        for name in local_strategies(tables)
        if (ratio := heap_by_cache(tables, FRAGMENTED, name)) is not None
    }
    if not ratios:
        return []
    parts = ", ".join(
        f"{name} {times_text(ratio)}{' (no difference)' if no_difference(ratio) else ''}"
        for name, ratio in ratios.items()
    )
    return [f"Chunks from the fragmented heap in place of cached ones make a strategy take: {parts}."]


def _across(
    table: FragmentationTable, freed: str, base: FragmentationTable, base_freed: str, size: int, strategy: str
) -> Pairing | None:
    line, base_line = table.line(freed, size), base.line(base_freed, size)
    if line is None or base_line is None or strategy not in line.cells or strategy not in base_line.cells:
        return None
    return paired(line.cells[strategy].times, base_line.cells[strategy].times)


def _equal_work(*tables: FragmentationTable) -> bool:
    first, second = (
        (table.structure, [pair for pair in table.setting if pair[0] not in _OF_UPSTREAM]) for table in tables
    )
    return first == second


UPSTREAMS = {CACHE: "chunks from the cache", HEAP: "chunks from that heap"}
AVERAGE = "p0213:20"
TITLE_PARTS = ("buffer", "upstream", "compiler")  # the parts of a setting in a title
NOTE = (
    "R: (strategy / new-delete in a heap that others have used) / (strategy / new-delete in an untouched "
    "one); below 1 the strategy suffers less than new-delete. D: how many of the N chunks of the others "
    "were freed. =: no difference. new-delete in the means: its time / that in an untouched heap."
)
_r = TEXTS[Unit.RATIO]


def fragmentation_report(experiment: Experiment, rows: Iterable[Row], *, everything: bool) -> Report:
    """R with the papers' tables, its means, and a map for each structure."""
    rows = list(rows)
    tables = fragmentation_tables(rows)
    sentences = fragmentation_sentences(tables)
    freed = [name for name in FREED if any(name in table.freed for table in tables)]
    settings = dict.fromkeys(table.setting for table in tables)
    sections = [
        Section("", (), answer=(Points(tuple(sentences)),)),
        *_means(tables, freed),
        *(
            Section(
                f"Mean R: {setting_text(setting)}",
                (_mean_map([table for table in tables if table.setting == setting]),),
                is_headed=True,
            )
            for setting in (settings if freed else ())
        ),
        *printed_sections("fragmentation", rows),
    ]
    if freed:
        sections.append(Section("R for each data structure", ()))
        sections += [_structure(table, freed) for table in tables]
    answer = Paragraph(sentences[0] if sentences else "")
    return Report(experiment.heading, answer, tuple(sections), (NOTE,))


def _means(tables: Sequence[FragmentationTable], freed: Sequence[str]) -> list[Section]:
    """The means over D = N/2, N/4 and N/8, as in the paper, with a column for each source of chunks."""
    fragmented = [name for name in FRAGMENTED if name in freed]
    by_upstream = {
        upstream: [table for table in tables if table.upstream == upstream]
        for upstream in dict.fromkeys(table.upstream for table in tables)
    }
    names = in_table_order({name for table in tables for name in table.strategies} - {BASE})
    printed = table_named(AVERAGE).rows[()]
    rows = []
    for name in names:
        means = [mean_ratio_of_ratios(part, fragmented, name) for part in by_upstream.values()]
        theirs = printed.get(name)
        marks = ((theirs, "p0213"),) if theirs else ()
        if any(means):
            estimates = (Estimate(mean, Unit.RATIO, marks) if mean else None for mean in means)
            figure = Figure(theirs, Unit.RATIO) if theirs else None
            rows.append(model.Row((Term(name, strategy_text(name)), *estimates, figure)))
    if not rows:
        return []
    columns = (
        Column("strategy", numeric=False),
        *(
            Column(f"R, {UPSTREAMS.get(name, name)}", "diamonds: P0213's Table 20", less_is_better=True)
            for name in by_upstream
        ),
        Column("P0213"),
    )
    about = Paragraph(
        f"Over all structures and sizes and D = {', '.join(IN_PRINT[name] for name in fragmented)}. P0213's "
        "Table 20 is over N/2, N/4 and N/8 of all twelve structures. P0213 perturbs the global heap only; "
        "with chunks from that same heap the local allocators stand on what others left."
    )
    table = Table("Mean R over all structures and sizes", columns, tuple(rows))
    return [Section("Mean R, a part of the chunks freed", (about, table), is_headed=True)]


def _mean_map(tables: Sequence[FragmentationTable]) -> HeatMap:
    """The means of a setting for each freed share, new-delete's slowdown, and the paper's means."""
    names = in_table_order({name for table in tables for name in table.strategies})
    freed = [heap for heap in (ALL, *FRAGMENTED) if any(heap in table.freed for table in tables)]
    parts = [(f"D = {IN_PRINT[heap]}", [heap]) for heap in freed]
    if set(freed) > {ALL} and len(set(freed) & set(FRAGMENTED)) > 1:
        parts.append(("all but N", [heap for heap in freed if heap != ALL]))

    def spot(heaps: Sequence[str], name: str) -> Spot:
        mean = mean_slowdown if name == BASE else mean_ratio_of_ratios
        ratio = mean(tables, heaps, name)
        return Spot((Tile(_r(ratio.median), ratio),), (_between(ratio),)) if ratio else Spot()

    printed = table_named(AVERAGE).rows[()]
    theirs = tuple(Spot((Tile(_r(value)),)) if (value := printed.get(name)) else Spot() for name in names)
    structures = {table.structure for table in tables}
    population = (
        f"{len(structures)} structures and their sizes"
        if len(structures) > 1
        else f"the sizes of {min(structures)}"
    )
    title = f"R, mean over {population}"
    rows = (
        *(((head,), tuple(spot(heaps, name) for name in names)) for head, heaps in parts),
        (("P0213",), theirs),
    )
    layers = (Layer("R", "Below 1 the strategy suffers less than new-delete.", title="{}"),)
    return HeatMap(title, title, ("",), strategy_heads(names), rows, layers, ("95 % interval",), "race")


def _between(ratio: Ratio) -> str:
    return bounds(ratio, _r) or "none"


def _title_parts(table: FragmentationTable) -> str:
    return setting_text(tuple((name, value) for name, value in table.setting if name in TITLE_PARTS))


def _structure(table: FragmentationTable, freed: Sequence[str]) -> Section:
    names = [name for name in table.strategies if name != BASE]
    rows = tuple(
        ((f"2^{size}",), tuple(_spot(table, size, name, freed) for name in names))
        for size in table.sizes_log2
    )
    layers = tuple(
        Layer(
            f"D = {IN_PRINT[heap]}",
            f"R with D = {IN_PRINT[heap]} of the chunks freed before. Blue is below 1.",
            title=f"{{}}, D = {IN_PRINT[heap]}",
        )
        for heap in freed
    )
    terms = tuple(f"D = {IN_PRINT[heap]}, in full" for heap in freed)
    about = f"{table.structure}; {_title_parts(table)}"
    caption = f"{table.type}, {_title_parts(table)}: a row for each size"
    picture = HeatMap(table.type, caption, ("size",), strategy_heads(names), rows, layers, terms, "race")
    return Section(table.type, (picture,), is_headed=True, about=about, is_inner=True)


def _spot(table: FragmentationTable, size: int, name: str, freed: Sequence[str]) -> Spot:
    """A cell that failed in a heap shows its failure."""
    ratios = [table.ratio_of_ratios(heap, size, name) for heap in freed]
    if any(ratios):
        tiles = tuple(Tile(_r(ratio.median), ratio) if ratio else Tile() for ratio in ratios)
        slower = [table.slowdown(heap, size, name) for heap in freed]
        facts = (_in_full(*pair) for pair in zip(ratios, slower, strict=True))
        return Spot(tiles, tuple(facts))
    lines = [line for heap in table.tables if (line := table.line(heap, size)) and name in line.cells]
    failed = next((line.cells[name] for line in lines if not line.cells[name].finished), None)
    return failed_spot(failed.status, failed.detail) if failed else Spot()


def _in_full(ratio: Ratio | None, slower: Ratio | None) -> str:
    if ratio is None:
        return ""
    time = f", time {relative(slower.median)} % of that in an untouched heap" if slower else ""
    return f"R {_r(ratio.median)} ({_between(ratio)}){time}"
