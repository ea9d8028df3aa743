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
from mallard.analysis.comparison import Compared, Comparison
from mallard.papers.notes import Note
from mallard.papers.tables import PrintedTable

SHORT_STATUS = {
    "not measured": "-",
    "out_of_memory": "memory",
    "timed_out": "time",
    "crashed": "crash",
    "failed": "failed",
}
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
    if console.width >= WIDTH_OF_ONE_BLOCK:
        return _block(printed, comparison, names, nanoseconds)
    return Group(*(_block(printed, comparison, names[a - 1 : b - 1], nanoseconds) for a, b in BLOCKS))


def _block(
    printed: PrintedTable, comparison: Comparison, names: Sequence[str], nanoseconds: bool
) -> RenderableType:
    table = Table(box=None, padding=(0, 1, 0, 0), show_edge=False, header_style="bold")
    table.add_column("" if printed.is_averages else "size", justify="right", style="bold", no_wrap=True)
    table.add_column("", no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    measured = any(
        cell.ours or cell.status != "not measured" for line in comparison.values() for cell in line.values()
    )
    for size, line in comparison.items():
        label = "mean" if printed.is_averages else f"2^{size}"
        cells = {name: line[name] for name in names}
        if measured:
            table.add_row(label, "here", *(_ours(name, cell, nanoseconds) for name, cell in cells.items()))
            label = ""
        table.add_row(
            label, "printed", *(_theirs(name, cell, nanoseconds) for name, cell in cells.items()), style="dim"
        )
        if measured and not nanoseconds:
            table.add_row(
                "", "ratio", *(_ratio(name, cell) for name, cell in cells.items()), end_section=True
            )
    return Padding(table, (0, 0, 1, 0))


def _ours(name: str, cell: Compared, nanoseconds: bool) -> Text:
    if (nanoseconds or name == BASE) and cell.ours_ns is not None:
        return Text(_three_digits(cell.ours_ns))
    if nanoseconds or cell.ours is None:
        return Text(SHORT_STATUS.get(cell.status, cell.status))
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
