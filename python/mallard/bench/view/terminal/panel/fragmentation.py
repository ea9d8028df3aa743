"""Fragmentation: R for each structure and part of the heap freed, a line for each size; then its means."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.style import Style
from rich.text import Text

from mallard.bench.analysis.cell_tables import setting_text
from mallard.bench.analysis.names import BASE, in_table_order
from mallard.bench.analysis.panel.fragmentation import (
    FragmentationTable,
    fragmentation_sentences,
    fragmentation_tables,
    mean_ratio_of_ratios,
    mean_slowdown,
)
from mallard.bench.experiments.fragmentation import ALL, FRAGMENTED, IN_PRINT
from mallard.bench.papers.fragmentation import AVERAGE, AVERAGE_KEY
from mallard.bench.papers.fragmentation import fragmentation_tables as printed_tables
from mallard.bench.result import Row
from mallard.bench.view.terminal.panel import Answer
from mallard.bench.view.terminal.table import (
    CELL_WIDTH,
    Block,
    Piece,
    folded_names,
    ratio_piece,
    show_beside,
    strategy_block,
)

HEAD_WIDTH = 1 + len("all but N")
LEGEND = (
    "R: (strategy / new-delete in a heap that others have used) / (strategy / new-delete in an untouched "
    "one); below 1 the strategy suffers less than new-delete. D: how many of the N chunks of the others "
    "were freed. =: no difference. new-delete in the last table: its time / that in an untouched heap."
)


def show(console: Console, rows: Sequence[Row], *, everything: bool) -> list[Answer]:
    tables = fragmentation_tables(rows)
    for setting in dict.fromkeys(table.setting for table in tables):
        setting_tables = [table for table in tables if table.setting == setting]
        console.print(Text(setting_text(setting), "bold"))
        for table in setting_tables:
            show_beside(
                console,
                (
                    _ratios(table, freed, names)
                    for freed in table.freed
                    for names in folded_names(
                        [name for name in table.strategies if name != BASE], console.width - HEAD_WIDTH
                    )
                ),
            )
        _show_means(console, setting_tables)
    console.print()
    console.print(LEGEND, style="dim")
    return [Answer((), fragmentation_sentences(tables))]


def _ratios(table: FragmentationTable, freed: str, names: Sequence[str]) -> Block:
    lines = (
        (f"2^{size}", [ratio_piece(table.ratio_of_ratios(freed, size, name)) for name in names])
        for size in table.sizes_log2
    )
    title = f"{table.structure} {table.type}, D = {IN_PRINT[freed]}"
    return strategy_block(title, "size", names, lines)


def _show_means(console: Console, tables: Sequence[FragmentationTable]) -> None:
    names = in_table_order({name for table in tables for name in table.strategies})
    freed = [heap for heap in (ALL, *FRAGMENTED) if any(heap in table.freed for table in tables)]
    parts = [(f"D = {IN_PRINT[heap]}", [heap]) for heap in freed]
    if set(freed) > {ALL} and len(set(freed) & set(FRAGMENTED)) > 1:
        parts.append(("all but N", [heap for heap in freed if heap != ALL]))
    printed = printed_tables()[AVERAGE].rows[AVERAGE_KEY]
    show_beside(
        console,
        (
            strategy_block(
                f"R, mean over {_structures(tables)}",
                "",
                group,
                [
                    *((head, [_mean(tables, part, name) for name in group]) for head, part in parts),
                    ("P0213", [_printed(printed.get(name)) for name in group]),
                ],
            )
            for group in folded_names(names, console.width - HEAD_WIDTH)
        ),
    )


def _structures(tables: Sequence[FragmentationTable]) -> str:
    names = {table.structure for table in tables}
    return f"{len(names)} structures and their sizes" if len(names) > 1 else f"the sizes of {min(names)}"


def _mean(tables: Sequence[FragmentationTable], freed: Sequence[str], name: str) -> Piece:
    if name == BASE:
        return ratio_piece(mean_slowdown(tables, freed, name))
    return ratio_piece(mean_ratio_of_ratios(tables, freed, name))


def _printed(value: float | None) -> Piece:
    return f"{f'{value:.2f}' if value is not None else '':>{CELL_WIDTH - 1}} ", Style(dim=True)
