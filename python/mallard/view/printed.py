"""A printed table beside this machine's, in the terminal: for each size what is here, what was printed,
and the ratio of the two. AS1 stands in nanoseconds a leaf element, the others in percent of their own
AS1."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mallard.analysis.cells import BASE
from mallard.analysis.comparison import NOT_MEASURED, Compared, Comparison
from mallard.analysis.labels import SHORT_STATUS
from mallard.papers.notes import Note
from mallard.papers.tables import PrintedTable

BLOCKS = (
    (1, 7),
    (7, 11),
    (11, 15),
)  # global and monotonic, multipool, both: side by side where there is room
WIDTH_OF_ONE_BLOCK = 110


def beside(
    printed: PrintedTable, comparison: Comparison, console: Console, nanoseconds: bool = False
) -> RenderableType:
    names = [f"AS{number}" for number in range(1, 15)]
    blocks = [names] if console.width >= WIDTH_OF_ONE_BLOCK else [names[a - 1 : b - 1] for a, b in BLOCKS]
    if printed.is_averages:
        return Group(*(_averages(comparison, block) for block in blocks))
    return Group(*(_block(comparison, block, nanoseconds) for block in blocks))


def _block(comparison: Comparison, names: Sequence[str], nanoseconds: bool) -> RenderableType:
    table = _grid(names, "size")
    for size, line in comparison.items():
        label = f"2^{size}"
        cells = {name: line[name] for name in names}
        if any(cell.status != NOT_MEASURED for cell in line.values()):
            table.add_row(label, "here", *(_ours(name, cell, nanoseconds) for name, cell in cells.items()))
            label = ""
        table.add_row(
            label, "printed", *(_theirs(name, cell, nanoseconds) for name, cell in cells.items()), style="dim"
        )
        if not label and not nanoseconds:
            table.add_row(
                "", "ratio", *(_ratio(name, cell) for name, cell in cells.items()), end_section=True
            )
    return Padding(table, (0, 0, 1, 0))


def _averages(comparison: Comparison, names: Sequence[str]) -> RenderableType:
    """The means over all rows, with their intervals; many figures stand behind each, so one more decimal."""
    table = _grid(names, "")
    cells = [comparison[0][name] for name in names]
    ours = [cell.ours for cell in cells]
    if any(ours):
        table.add_row("", "here", *(f"{100 * mean.median:.1f}" if mean else "-" for mean in ours))
        bounds = [mean if mean and mean.bounded else None for mean in ours]
        table.add_row("", "from", *(f"{100 * mean.low:.1f}" if mean else "" for mean in bounds))
        table.add_row("", "to", *(f"{100 * mean.high:.1f}" if mean else "" for mean in bounds))
    table.add_row("", "printed", *(f"{cell.printed_percent:.1f}" for cell in cells), style="dim")
    if any(ours):
        table.add_row("", "ratio", *(_ratio(name, cell) for name, cell in zip(names, cells, strict=True)))
        table.add_row("", "rows", *(str(mean.n) if mean else "" for mean in ours))
    return Padding(table, (0, 0, 1, 0))


def _grid(names: Sequence[str], first: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), show_edge=False, header_style="bold")
    table.add_column(first, justify="right", style="bold", no_wrap=True)
    table.add_column("", no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _ours(name: str, cell: Compared, nanoseconds: bool) -> Text:
    if (nanoseconds or name == BASE) and cell.ours_ns is not None:
        return Text(_three_digits(cell.ours_ns))
    if nanoseconds or cell.ours is None:
        return Text(SHORT_STATUS.get(cell.status, "-"))
    equal = "=" if name != BASE and cell.ours.verdict == "no difference" else ""
    return Text(f"{_percent(100 * cell.ours.median)}{equal}")


def _theirs(name: str, cell: Compared, nanoseconds: bool) -> Text:
    if (nanoseconds or name == BASE) and cell.printed_ns is not None:
        return Text(_three_digits(cell.printed_ns))
    return Text(_percent(cell.printed_percent))


def _ratio(name: str, cell: Compared) -> Text:
    ratio = cell.ratio_of_ratios
    if name == BASE or ratio is None:
        return Text("")
    return Text(f"{ratio:.2f}", style="bold" if not 0.5 <= ratio <= 2.0 else "")


def _percent(value: float) -> str:
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def _three_digits(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def notes_text(notes: Sequence[Note]) -> RenderableType:
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for note in notes:
        table.add_row(note.kind, Text.assemble(note.text, (f"  [{note.source}]", "dim")))
    return table
