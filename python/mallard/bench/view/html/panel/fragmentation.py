"""Benchmark V: the work of density in a heap that was used before."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.bench.analysis.names import BASE, in_table_order
from mallard.bench.analysis.panel.fragmentation import (
    FragmentationTable,
    fragmentation_sentences,
    fragmentation_tables,
    mean_ratio_of_ratios,
)
from mallard.bench.experiments.fragmentation import ALL, EIGHTH, FRAGMENTED, HALF, IN_PRINT, QUARTER
from mallard.bench.papers.catalogue import strategy_text
from mallard.bench.papers.fragmentation import AVERAGE, AVERAGE_KEY
from mallard.bench.papers.fragmentation import fragmentation_tables as printed_tables
from mallard.bench.papers.notes import notes_for
from mallard.bench.papers.printed import PrintedTable
from mallard.bench.view.html.cells.heat_map import (
    EMPTY,
    NOTHING,
    Cell,
    Choice,
    Form,
    HeatMap,
    maps,
    strategy_columns,
)
from mallard.bench.view.html.contents import (
    Measured,
    Section,
    experiment_section,
    introduction,
    setting_text,
    unmeasured,
)
from mallard.shared.stats import Ratio
from mallard.shared.view.html import plot
from mallard.shared.view.html.figures import LEGEND, percent, ratio_step, size
from mallard.shared.view.html.markup import Markup, element, joined
from mallard.shared.view.html.says import answer, render_sentences
from mallard.shared.view.html.tables import chip, data_table, drawn_cell, figure_cell, scrolled, table_row

NAME = "fragmentation"
TITLE_PARTS = ("buffer", "upstream", "compiler")
KIND = {ALL: "w", HALF: "h", QUARTER: "q", EIGHTH: "e"}  # as the style sheet knows them
BESIDE = Form(
    (Choice("r", "R", "R here, and below it as printed.", LEGEND, "{R}\n{printed}"),),
    (("R here", "{R}[ ({R interval})]"), ("R printed", "{printed}")),
)


def sections(measured: Measured | None) -> list[Section]:
    if measured is None:
        return [unmeasured(NAME)]
    tables = fragmentation_tables(measured.rows)
    sentences = fragmentation_sentences(tables)
    freed = list(dict.fromkeys(name for table in tables for name in table.freed))
    body = joined(
        introduction(NAME),
        render_sentences(sentences),
        means_table(tables, freed),
        *_beside_printed(tables),
        _maps(tables, freed),
    )
    return [experiment_section(NAME, body, answer(sentences))]


def _maps(tables: Sequence[FragmentationTable], freed: Sequence[str]) -> Markup | None:
    if not freed:
        return None
    form = _form(freed)
    return maps(
        NAME,
        form,
        *(_structure(table, freed, form) for table in tables),
        head=element("h3", "R for each data structure"),
    )


def _form(freed: Sequence[str]) -> Form:
    kinds = {KIND[name]: IN_PRINT[name] for name in freed}
    return Form(
        tuple(
            Choice(
                kind,
                f"D = {share}",
                f"R with D = {share} of the chunks freed before. Blue is below 1.",
                LEGEND,
                f"{{{kind}}}",
            )
            for kind, share in kinds.items()
        ),
        (
            *((f"R, D = {share}", f"{{{kind}}}[ ({{{kind} interval}})]") for kind, share in kinds.items()),
            *((f"time, D = {share} / untouched heap", f"{{{kind} time}} %") for kind, share in kinds.items()),
        ),
    )


def _structure(table: FragmentationTable, freed: Sequence[str], form: Form) -> Markup:
    names = [name for name in table.strategies if name != BASE]
    caption = f"{table.type}, {setting_text(table.setting, TITLE_PARTS)}: a row for each size"
    grid = HeatMap(table.type, caption, "size", strategy_columns(names), form)
    lines = [
        (size(size_log2), [_cell(grid, table, size_log2, name, freed) for name in names])
        for size_log2 in table.sizes_log2
    ]
    heading = element(
        "h4", table.type, element("small", f"{table.structure}; {setting_text(table.setting, TITLE_PARTS)}")
    )
    return element("section", heading, grid.markup(lines), class_="structure")


def _cell(grid: HeatMap, table: FragmentationTable, size_log2: int, name: str, freed: Sequence[str]) -> Cell:
    values: dict[str, str] = {}
    steps: dict[str, str] = {}
    for heap in freed:
        kind, ratio = KIND[heap], table.ratio_of_ratios(heap, size_log2, name)
        if ratio is None:
            continue
        slower = table.slowdown(heap, size_log2, name)
        steps[kind] = ratio_step(ratio)
        values |= _of_ratio(kind, ratio) | {f"{kind} time": percent(slower.median) if slower else ""}
    return grid.cell(values, steps) if values else _unmeasured(grid, table, size_log2, name)


def _of_ratio(name: str, ratio: Ratio) -> dict[str, str]:
    between = f"{ratio.low:.2f}\u2013{ratio.high:.2f}" if ratio.bounded else ""
    return {name: f"{ratio.median:.2f}", f"{name} interval": between}


def _unmeasured(grid: HeatMap, table: FragmentationTable, size_log2: int, name: str) -> Cell:
    """A cell that failed in a heap shows its failure."""
    lines = [line for heap in table.tables if (line := table.line(heap, size_log2)) and name in line.cells]
    failed = [line.cells[name] for line in lines if not line.cells[name].finished]
    return grid.broken(failed[0].status, failed[0].detail) if failed else EMPTY


def _beside_printed(tables: Sequence[FragmentationTable]) -> list[Markup]:
    """P0213's tables of single structures, beside our rows with the paper's source of chunks."""
    blocks = []
    for printed in printed_tables().values():
        own_tables = [table for table in tables if table.structure == printed.place.get("ds")]
        if own_tables and printed.place["freed"] in own_tables[0].freed:
            blocks.append(_printed(printed, own_tables[0], str(printed.place["freed"])))
    return blocks


def _printed(printed: PrintedTable, table: FragmentationTable, freed: str) -> Markup:
    caption = f"P0213 {printed.label}: {table.type}, D = {IN_PRINT[freed]}"
    grid = HeatMap(
        caption,
        f"{caption}, here and as printed",
        "size",
        strategy_columns([name for name in printed.columns if name != BASE]),
        BESIDE,
    )
    lines = []
    for key, line in printed.rows.items():
        if key[0] not in table.sizes_log2:
            continue
        cells = [
            _beside_cell(grid, table.ratio_of_ratios(freed, key[0], name), value)
            for name, value in line.items()
            if name != BASE
        ]
        lines.append((size(key[0]), cells))
    notes = [note.text for note in notes_for(printed) if note.kind == "error"]
    return element(
        "section",
        element(
            "h4",
            caption,
            element("small", f"here, below it as printed; {setting_text(table.setting, TITLE_PARTS)}"),
        ),
        render_sentences(notes),
        grid.markup(lines),
    )


def _beside_cell(grid: HeatMap, ratio: Ratio | None, printed: float | None) -> Cell:
    values = {"printed": f"{printed:.2f}" if printed is not None else NOTHING}
    if ratio is None:
        return grid.cell(values | {"R": NOTHING}, {})
    return grid.cell(values | _of_ratio("R", ratio), {"r": ratio_step(ratio)})


UPSTREAMS = {"cache": "chunks from the cache", "heap": "chunks from that heap"}


def means_table(tables: Sequence[FragmentationTable], freed: Sequence[str]) -> Markup | None:
    """The means over D = N/2, N/4 and N/8, as in the paper, with a column for each source of chunks."""
    fragmented = [name for name in FRAGMENTED if name in freed]
    upstreams = list(dict.fromkeys(table.upstream for table in tables))
    names = in_table_order({name for table in tables for name in table.strategies} - {BASE})
    means = {
        (name, upstream): mean_ratio_of_ratios(
            [table for table in tables if table.upstream == upstream], fragmented, name
        )
        for name in names
        for upstream in upstreams
    }
    known = [mean for mean in means.values() if mean]
    if not known:
        return None
    printed = {k: v for k, v in printed_tables()[AVERAGE].rows[AVERAGE_KEY].items() if v is not None}
    axis = plot.ratio_axis([*printed.values(), *(end for mean in known for end in (mean.low, mean.high))])
    heads: list[str | None] = ["strategy"]
    for upstream in upstreams:
        heads += [f"R, {UPSTREAMS.get(upstream, upstream)}", None]
    rows = [
        table_row(
            joined(name, element("small", strategy_text(name))),
            *(
                part
                for upstream in upstreams
                for part in _mean(means[name, upstream], axis, printed.get(name))
            ),
            figure_cell(f"{printed[name]:.2f}" if name in printed else ""),
        )
        for name in names
        if any(means[name, upstream] for upstream in upstreams)
    ]
    caption = "Mean R over all structures and sizes"
    grid = scrolled(data_table([*heads, "P0213"], rows, "averages", caption, axis), "Mean R")
    return element(
        "section",
        element("h3", "Mean R, a part of the chunks freed"),
        element(
            "p",
            f"Over all structures and sizes and D = {', '.join(IN_PRINT[name] for name in fragmented)}. "
            "Diamonds: P0213's Table 20, over N/2, N/4 and N/8 of all twelve structures. P0213 perturbs the "
            "global heap only; with chunks from that same heap the local allocators stand on what others "
            "left.",
        ),
        grid,
    )


def _mean(mean: Ratio | None, axis: plot.Axis, printed: float | None) -> list[Markup]:
    if mean is None:
        return [element("td", NOTHING), element("td", "")]
    interval = f"{mean.low:.2f}\u2013{mean.high:.2f}" if mean.bounded else "none"
    return [
        figure_cell(chip(f"{mean.median:.2f}", mean, interval)),
        drawn_cell(axis, mean, [(printed, "p0213")] if printed else []),
    ]
