"""Small objects, fixed blocks and adaptive pools: a block for each phase or work, the memory below."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from mallard.analysis.adaptive_pool import (
    ERASED,
    POOL,
    TRIMMED,
    adaptive_pool_sentences,
    adaptive_pool_tables,
)
from mallard.analysis.adaptive_pool import PHASES as RANGE_PHASES
from mallard.analysis.by_ranges import OVERHEAD
from mallard.analysis.cells import CellTable, Line, setting_text
from mallard.analysis.fixed_block import (
    Work,
    beside_book,
    fixed_block_sentences,
    fixed_block_works,
    strategies_of,
)
from mallard.analysis.names import BASE
from mallard.analysis.phases import of_figure
from mallard.analysis.small_objects import (
    FREED,
    HELD,
    PHASES,
    RETURNED,
    bytes_an_object,
    small_objects_sentences,
    small_objects_tables,
)
from mallard.analysis.words import factor, nanoseconds
from mallard.result import Row
from mallard.view.terminal.by_strategy import (
    MARKS,
    bytes_of,
    columns_of,
    figure_text,
    say,
    show_figures,
    show_times,
)


def show_small_objects(console: Console, rows: Sequence[Row]) -> None:
    for table in small_objects_tables(rows):
        console.print(Text(setting_text(table.setting), "bold"))
        for phase in PHASES:
            columns = columns_of(of_figure(table, phase.figure))
            show_times(console, f"{phase.short}: {phase.text}, ns an object", "N", columns, table.strategies)
        _show_memory(console, table)
        say(console, small_objects_sentences(table))
    console.print(f"N: bytes of an object. {MARKS}", style="dim", markup=False)


def _show_memory(console: Console, table: CellTable) -> None:
    def an_object(line: Line, name: str) -> str | None:
        held = bytes_an_object(table, line, name, HELD.figure)
        return None if held is None else f"{held:.1f}"

    names, columns = table.strategies, columns_of(table)
    show_figures(console, f"{HELD.text}, bytes an object", "N", columns, names, an_object)
    for memory in (FREED, RETURNED):
        show_figures(console, memory.text, "N", columns, names, bytes_of(memory.figure))


def show_fixed_block(console: Console, rows: Sequence[Row]) -> None:
    for setting, works in fixed_block_works(rows).items():
        if setting:
            console.print(Text(setting_text(setting), "bold"))
        columns = [((work.name, work.version), work.line) for work in works]
        show_times(console, "ns an operation", "strategy", columns, strategies_of(works))
        _show_book(console, works)
        say(console, fixed_block_sentences(works))
    console.print(
        f"A pair, a replacement, a list or a map of 1,000 integers, a call of remove_ctrl(). {MARKS}",
        style="dim",
        markup=False,
    )


def _show_book(console: Console, works: Sequence[Work]) -> None:
    """What blocks of one size gain, here and there."""
    for each in beside_book(works):
        default, block = each.work.line.cells.get(BASE), each.work.line.cells.get(each.strategy)
        if each.ours is None or default is None or block is None:
            continue
        times = " / ".join(nanoseconds(cell.ns_per_operation) for cell in (default, block))
        console.print(
            f"{each.work.label}: {BASE} / {each.strategy} {times} ns = {factor(1.0 / each.ours.median)}; in "
            f"the book {factor(1.0 / each.printed)}",
            markup=False,
        )


def show_adaptive_pool(console: Console, rows: Sequence[Row]) -> None:
    for table in adaptive_pool_tables(rows):
        console.print(Text(setting_text(table.setting), "bold"))
        for phase in RANGE_PHASES:
            columns = columns_of(of_figure(table, phase.figure))
            show_times(console, f"{phase.short}, ns a node", "range", columns, table.strategies)
        columns, names = columns_of(table), table.strategies
        overhead = figure_text(OVERHEAD.figure, lambda percent: f"{percent:.1f}")
        show_figures(console, OVERHEAD.text, "range", columns, names, overhead)
        for memory in (ERASED, POOL, TRIMMED):
            show_figures(console, memory.text, "range", columns, names, bytes_of(memory.figure))
        say(console, adaptive_pool_sentences(table))
    console.print(f"range: nodes inserted or erased at a time. {MARKS}", style="dim", markup=False)
