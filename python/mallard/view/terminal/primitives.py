"""Primitives: nanoseconds for an operation, a line for each strategy, two columns for each operation."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from mallard.analysis.names import in_table_order
from mallard.cell_figures import CellFigures, cell_figures
from mallard.papers.catalogue import strategy_text
from mallard.result import Row

DESCRIBED_WIDTH = 92


def show_primitives(console: Console, rows: Sequence[Row]) -> None:
    cells = cell_figures(row for row in rows if row.experiment == "primitives")
    operations = list(dict.fromkeys(str(cell.parameters["operation"]) for cell in cells))
    names = in_table_order({cell.strategy for cell in cells})
    by_key = {(str(cell.parameters["operation"]), cell.strategy): cell for cell in cells}
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    grid.add_column("strategy", no_wrap=True)
    for operation in operations:
        grid.add_column(f"{operation} ns", justify="right", no_wrap=True)
        grid.add_column("low..high", justify="right", no_wrap=True)
    grid.add_column("")
    described = console.width >= DESCRIBED_WIDTH
    for name in names:
        figures = [text for operation in operations for text in _figures(by_key.get((operation, name)))]
        grid.add_row(name, *figures, strategy_text(name) if described else "")
    console.print("[bold]Nanoseconds for one operation[/]: median, lowest and highest of the repetitions")
    console.print(grid)


def _figures(cell: CellFigures | None) -> tuple[str, str]:
    if cell is None:
        return "", ""
    if cell.ns_per_operation is None:
        return cell.status.replace("_", " "), ""
    times = cell.ns_per_operation
    return f"{times.median:.2f}", f"{times.low:.2f}..{times.high:.2f}"
