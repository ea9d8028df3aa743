"""A line for each strategy, a column for each place: for experiments with many strategies and few places.

Times are in nanoseconds, in the colour of their ratio to new-delete. Marks: `*` the fastest of the column
that a program can choose, `=` no difference from new-delete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.console import Console
from rich.style import Style

from mallard.bench.analysis import BASE, NULL, Cell, CellTable, Line, pick_strategy
from mallard.bench.analysis.labels import SHORT_STATUS
from mallard.bench.analysis.panel.phases import bytes_text, median_figure
from mallard.bench.analysis.words import nanoseconds, no_difference
from mallard.bench.view.terminal.table.blocks import Block, Piece, block, fitting, show_beside
from mallard.bench.view.terminal.table.palette import ratio_style

CELL_WIDTH = 8
PLAIN = Style()
MARKS = (
    "Nanoseconds; the colour is the ratio to new-delete. *: the fastest of its column, new-delete unless "
    "another is faster beyond its interval. =: no difference from new-delete. null: the same work over "
    "memory that is there."
)

Column = tuple[tuple[str, ...], Line]  # its headings, one below the other
Show = Callable[[Line, str], Piece]  # a figure and its mark, not yet as wide as the column


def table_columns(table: CellTable) -> list[Column]:
    """A column for each place of a table that has one number for each place."""
    return [((f"{line.place[0]:,}",), line) for line in table.lines]


def figure_text(figure: str, text: Callable[[float], str]) -> Callable[[Line, str], str | None]:
    """The text of a cell in `show_figures`; None if the cell lacks the figure."""

    def shown(line: Line, name: str) -> str | None:
        value = median_figure(line, name, figure)
        return None if value is None else text(value)

    return shown


def figure_bytes(figure: str) -> Callable[[Line, str], str | None]:
    return figure_text(figure, bytes_text)


def show_times(
    console: Console, title: str, corner: str, columns: Sequence[Column], names: Sequence[str]
) -> None:
    show_beside(console, _blocks(title, corner, columns, names, _time, console.width))


def show_figures(
    console: Console,
    title: str,
    corner: str,
    columns: Sequence[Column],
    names: Sequence[str],
    text: Callable[[Line, str], str | None],
) -> None:
    """Prints figures that are not times, as plain text."""

    def piece(line: Line, name: str) -> Piece:
        cell = line.cells.get(name)
        if cell is None or not cell.finished:
            return _broken(cell)
        return f"{text(line, name) or '-'} ", PLAIN

    show_beside(console, _blocks(title, corner, columns, names, piece, console.width))


def _blocks(
    title: str, corner: str, columns: Sequence[Column], names: Sequence[str], show: Show, width: int
) -> Iterable[Block]:
    """Blocks of the strategies that have a cell here. Columns that do not fit the width go below."""
    measured = [name for name in names if any(name in line.cells for _, line in columns)]
    if not measured:
        return
    head_width = 1 + max(len(corner), *map(len, measured))
    cell_width = max(CELL_WIDTH, *(len(word) + 1 for heads, _ in columns for word in heads))
    for group in fitting(columns, width - head_width, cell_width):
        lines = [(name, [_padded(show(line, name), cell_width) for _, line in group]) for name in measured]
        headings = [words for words in zip(*(heads for heads, _ in group), strict=True) if any(words)]
        yield block(title, corner, headings, lines, cell_width)


def _padded(piece: Piece, width: int) -> Piece:
    text, style = piece
    return f"{text:>{width}}", style


def _time(line: Line, name: str) -> Piece:
    cell = line.cells.get(name)
    if cell is None or not cell.finished:
        return _broken(cell)
    best = pick_strategy(line) == name
    compared = cell.ratio if name not in (BASE, NULL) else None
    mark = "*" if best else "=" if compared and no_difference(compared) else " "
    style = ratio_style(compared.median, bold=best) if compared else PLAIN
    return f"{nanoseconds(cell.ns_per_operation)}{mark}", style


def _broken(cell: Cell | None) -> Piece:
    return f"{SHORT_STATUS.get(cell.status, cell.status) if cell else '-'} ", PLAIN
