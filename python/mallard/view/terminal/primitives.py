"""Primitives: nanoseconds per operation, a line for each strategy, two columns for each operation."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from mallard.analysis.names import in_table_order
from mallard.cells import Cell, cell_rows
from mallard.papers.catalogue import strategy_text
from mallard.result import Row

# Columns of the terminal: of an operation's figures, and of a text that is worth its room.
OPERATION, TEXT = 30, 50


def show_primitives(console: Console, rows: Sequence[Row]) -> None:
    found = cell_rows(rows)
    cells = {str(row.parameters["operation"]): row.cells for row in found}
    names = in_table_order({name for its in cells.values() for name in its})
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    grid.add_column("strategy", no_wrap=True)
    for operation in cells:
        grid.add_column(f"{operation} ns", justify="right", no_wrap=True)
        grid.add_column("low..high", justify="right", no_wrap=True)
    grid.add_column("")
    described = console.width - max(map(len, names)) - OPERATION * len(cells) >= TEXT
    for name in names:
        figures = [text for operation in cells for text in _figures(cells[operation].get(name))]
        grid.add_row(name, *figures, strategy_text(name) if described else "")
    console.print("[bold]Nanoseconds for one operation[/]: median, lowest and highest of the repetitions")
    console.print(grid)


def _figures(cell: Cell | None) -> tuple[str, str]:
    if cell is None:
        return "", ""
    if cell.time is None:
        return cell.status.replace("_", " "), ""
    times = cell.time
    return f"{times.median:.2f}", f"{times.low:.2f}..{times.high:.2f}"
