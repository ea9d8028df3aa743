"""Small objects, fixed blocks and adaptive pools: a block for each phase or work, the memory below."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.text import Text

from mallard.analysis.adaptive_pool import (
    ERASED,
    OVERHEAD,
    POOL,
    TRIMMED,
    adaptive_pool_sentences,
    adaptive_pool_tables,
)
from mallard.analysis.adaptive_pool import PHASES as RANGE_PHASES
from mallard.analysis.cells import CellTable, Line, setting_text
from mallard.analysis.fixed_block import (
    Work,
    beside_book,
    fixed_block_sentences,
    fixed_block_works,
    strategies_of,
)
from mallard.analysis.names import BASE
from mallard.analysis.phases import bytes_text, of_figure, value_of
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
from mallard.view.terminal.by_strategy import MARKS, Column, show_figures, show_times


def show_small_objects(console: Console, rows: Sequence[Row]) -> None:
    for table in small_objects_tables(rows):
        console.print(Text(setting_text(table.setting), "bold"))
        for phase in PHASES:
            columns = _columns(of_figure(table, phase.figure))
            show_times(console, f"{phase.short}: {phase.text}, ns an object", "N", columns, table.strategies)
        _show_memory(console, table)
        _say(console, small_objects_sentences(table))
    console.print(f"N: bytes of an object. {MARKS}", style="dim", markup=False)


def _show_memory(console: Console, table: CellTable) -> None:
    def an_object(line: Line, name: str) -> str | None:
        held = bytes_an_object(table, line, name, HELD.figure)
        return None if held is None else f"{held:.1f}"

    names, columns = table.strategies, _columns(table)
    show_figures(console, f"{HELD.text}, bytes an object", "N", columns, names, an_object)
    for memory in (FREED, RETURNED):
        show_figures(console, memory.text, "N", columns, names, _bytes(memory.figure))


def show_fixed_block(console: Console, rows: Sequence[Row]) -> None:
    for setting, works in fixed_block_works(rows).items():
        if setting:
            console.print(Text(setting_text(setting), "bold"))
        columns = [((work.name, work.version), work.line) for work in works]
        show_times(console, "ns an operation", "strategy", columns, strategies_of(works))
        _show_book(console, works)
        _say(console, fixed_block_sentences(works))
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
            columns = _columns(of_figure(table, phase.figure))
            show_times(console, f"{phase.short}, ns a node", "range", columns, table.strategies)
        columns, names = _columns(table), table.strategies
        show_figures(console, OVERHEAD.text, "range", columns, names, _percent)
        for memory in (ERASED, POOL, TRIMMED):
            show_figures(console, memory.text, "range", columns, names, _bytes(memory.figure))
        _say(console, adaptive_pool_sentences(table))
    console.print(f"range: nodes inserted or erased at a time. {MARKS}", style="dim", markup=False)


def _percent(line: Line, name: str) -> str | None:
    overhead = value_of(line, name, OVERHEAD.figure)
    return None if overhead is None else f"{overhead:.1f}"


def _bytes(figure: str) -> Callable[[Line, str], str | None]:
    def text(line: Line, name: str) -> str | None:
        value = value_of(line, name, figure)
        return None if value is None else bytes_text(value)

    return text


def _columns(table: CellTable) -> list[Column]:
    return [((str(line.place[0]),), line) for line in table.lines]


def _say(console: Console, sentences: Sequence[str]) -> None:
    for sentence in sentences:
        console.print(sentence, markup=False)
    console.print()
