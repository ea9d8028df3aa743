"""A table of cells as Markdown: new-delete in nanoseconds, the others in percent of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from figures.stored import markdown_table
from mallard.bench.analysis.cell_tables import CellTable, setting_text
from mallard.bench.analysis.labels import SHORT_STATUS
from mallard.bench.analysis.names import BASE
from mallard.bench.cells import Cell

Place = tuple[int, ...]


def cells_as_markdown(
    tables: Iterable[CellTable], places: Sequence[str], shown: Callable[[Place], Sequence[str]]
) -> str:
    """A table a setting, a line a place; `shown` writes the place in the columns that `places` names."""
    return "\n\n".join(
        f"{setting_text(table.setting)}:\n\n{_table(table, places, shown)}" for table in tables
    )


def _table(table: CellTable, places: Sequence[str], shown: Callable[[Place], Sequence[str]]) -> str:
    names = table.strategies
    lines = [[*shown(line.place), *(_cell(line.cells.get(name)) for name in names)] for line in table.lines]
    heading = [*places, *(f"{name}, ns" if name == BASE else name for name in names)]
    return markdown_table(heading, lines)


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    if not cell.finished:
        return SHORT_STATUS.get(cell.status, cell.status)
    if cell.strategy == BASE or cell.ratio is None:
        time = cell.ns_per_operation
        return f"{time:.2f}" if time < 10 else f"{time:.1f}"
    percent = 100 * cell.ratio.median
    return f"{percent:.1f}" if percent < 10 else f"{percent:.0f}"
