"""The works of blocks of one size: a column for each, with the book's figure beside some."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from mallard.analysis.cells import setting_text
from mallard.analysis.fixed_block import (
    Work,
    beside_book,
    fixed_block_sentences,
    fixed_block_works,
    strategies_of,
)
from mallard.analysis.names import BASE
from mallard.analysis.words import factor, nanoseconds
from mallard.result import Row
from mallard.view.terminal.by_strategy import MARKS, say, show_times


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
    """The gain of blocks of one size, here and in the book."""
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
