"""Times with their spreads: a line for each strategy, two columns for each word of the axis."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mallard.bench.analysis.names import in_table_order
from mallard.bench.cells import Cell, cell_rows
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Spreads
from mallard.bench.papers.catalogue import strategy_text
from mallard.bench.result import Row

# Columns of the terminal: of a word's figures, and of a text that is worth its room.
WORD, TEXT = 30, 50


def show_spreads(console: Console, experiment: Experiment, panel: Spreads, rows: Sequence[Row]) -> None:
    (axis,) = experiment.places
    measured_rows = cell_rows(rows)
    cells = {str(row.parameters[axis]): row.cells for row in measured_rows}
    names = in_table_order({name for by_name in cells.values() for name in by_name})
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    grid.add_column("strategy", no_wrap=True)
    for word in cells:
        grid.add_column(f"{word} ns", justify="right", no_wrap=True)
        grid.add_column("low..high", justify="right", no_wrap=True)
    grid.add_column("")
    described = console.width - max(map(len, names)) - WORD * len(cells) >= TEXT
    for name in names:
        figures = [text for word in cells for text in _figures(cells[word].get(name))]
        grid.add_row(name, *figures, strategy_text(name) if described else "")
    console.print(Text.assemble((panel.text, "bold"), ": median, lowest and highest of the repetitions"))
    console.print(grid)


def _figures(cell: Cell | None) -> tuple[str, str]:
    if cell is None:
        return "", ""
    if cell.time is None:
        return cell.status.replace("_", " "), ""
    times = cell.time
    return f"{times.median:.2f}", f"{times.low:.2f}..{times.high:.2f}"
