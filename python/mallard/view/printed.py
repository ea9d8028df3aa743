"""A printed table beside this machine's, in the terminal: for each row what is here, what was printed,
and the ratio of the two. In a race of strategies AS1 stands in nanoseconds an operation, the others in
percent of their own AS1; other tables have ratios, or nanoseconds throughout."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from mallard.analysis.labels import SHORT_STATUS
from mallard.evidence.beside import NOT_MEASURED, Beside, Comparison
from mallard.evidence.evidence import BASE
from mallard.papers.notes import Note
from mallard.papers.printed import Key, PrintedTable

# Global and monotonic, multipool, both: side by side where there is room.
BLOCKS = (range(1, 7), range(7, 11), range(11, 15))
WIDTH_OF_LABELS = 26
WIDTH_OF_COLUMN = 6
BOLD_OUTSIDE = (0.5, 2.0)


def beside_text(
    printed: PrintedTable, comparison: Comparison, console: Console, nanoseconds: bool = False
) -> RenderableType:
    names = printed.columns
    wide = console.width >= WIDTH_OF_LABELS + WIDTH_OF_COLUMN * len(names)
    blocks = [names] if wide else _blocks(names)
    if not printed.place:
        return Group(*(_averages(printed, comparison, block) for block in blocks))
    return Group(*(_block(printed, comparison, block, nanoseconds) for block in blocks))


def _blocks(names: Sequence[str]) -> list[list[str]]:
    strategies = [[name for name in names if name in {f"AS{n}" for n in block}] for block in BLOCKS]
    return [block for block in strategies if block] or [list(names)]


def _block(
    printed: PrintedTable, comparison: Comparison, names: Sequence[str], nanoseconds: bool
) -> RenderableType:
    table = _grid(names, printed.axes)
    show = _Figures(printed, nanoseconds)
    for key, line in comparison.items():
        labels = row_labels(printed, key)
        cells = {name: line[name] for name in names}
        measured = any(cell.status != NOT_MEASURED for cell in line.values())
        if measured:
            table.add_row(*labels, "here", *(show.ours(name, cell) for name, cell in cells.items()))
            labels = [""] * len(labels)
        table.add_row(
            *labels, "printed", *(show.theirs(name, cell) for name, cell in cells.items()), style="dim"
        )
        if measured and not nanoseconds:
            ratios = (show.ratio(name, cell) for name, cell in cells.items())
            table.add_row(*labels, "ratio", *ratios, end_section=True)
    return Padding(table, (0, 0, 1, 0))


def row_labels(printed: PrintedTable, key: Key) -> list[str]:
    return [_label(printed, axis, part) for axis, part in zip(printed.axes, key, strict=True)]


def _label(printed: PrintedTable, axis: str, part: int) -> str:
    """Sizes are exponents already, a list length is a power of two or of ten; T, A, S, W and N stay."""
    if axis in printed.words:
        return printed.words[axis][part]
    if axis == "size":
        return f"2^{part}"
    if axis != "|S|":
        return str(part)
    return f"2^{part.bit_length() - 1}" if part & (part - 1) == 0 else f"10^{len(str(part)) - 1}"


class _Figures:
    """How one cell of a table is written."""

    def __init__(self, printed: PrintedTable, nanoseconds: bool) -> None:
        self._race = printed.shows_times
        self._nanoseconds = nanoseconds or (printed.unit == "seconds" and not self._race)

    def ours(self, name: str, cell: Beside) -> Text:
        if self._in_ns(name) and cell.ours_ns is not None:
            return Text(three_digits(cell.ours_ns))
        if self._nanoseconds or cell.ours is None:
            return Text(SHORT_STATUS.get(cell.status, "-"))
        equal = "=" if name != BASE and cell.ours.verdict == "no difference" else ""
        return Text(self._relative(cell.ours.median) + equal)

    def theirs(self, name: str, cell: Beside) -> Text:
        if self._in_ns(name):
            return Text("fail" if cell.printed_ns is None else three_digits(cell.printed_ns))
        return Text("fail" if cell.printed is None else self._relative(cell.printed))

    def ratio(self, name: str, cell: Beside) -> Text:
        ratio = cell.ratio_of_ratios
        if ratio is None or name == BASE:
            return Text("")
        low, high = BOLD_OUTSIDE
        return Text(three_digits(ratio), style="" if low <= ratio <= high else "bold")

    def _in_ns(self, name: str) -> bool:
        return self._nanoseconds or (self._race and name == BASE)

    def _relative(self, value: float) -> str:
        return percent(100 * value) if self._race else three_digits(value)


def _averages(printed: PrintedTable, comparison: Comparison, names: Sequence[str]) -> RenderableType:
    """The means over all rows, with their intervals; many figures stand behind each, so one more decimal."""
    table = _grid(names, ("",))
    scale, digits = (100.0, 1) if printed.unit == "percent of AS1" else (1.0, 2)
    cells = [next(iter(comparison.values()))[name] for name in names]
    ours = [cell.ours for cell in cells]
    if any(ours):
        bounds = [mean if mean and mean.bounded else None for mean in ours]
        table.add_row("", "here", *(f"{scale * mean.median:.{digits}f}" if mean else "-" for mean in ours))
        table.add_row("", "from", *(f"{scale * mean.low:.{digits}f}" if mean else "" for mean in bounds))
        table.add_row("", "to", *(f"{scale * mean.high:.{digits}f}" if mean else "" for mean in bounds))
    table.add_row(
        "", "printed", *(f"{scale * (cell.printed or 0):.{digits}f}" for cell in cells), style="dim"
    )
    if any(ours):
        show = _Figures(printed, False)
        ratios = (
            Text("") if name == BASE else show.ratio(name, cell)
            for name, cell in zip(names, cells, strict=True)
        )
        table.add_row("", "ratio", *ratios)
        table.add_row("", "rows", *(str(mean.n) if mean else "" for mean in ours))
    return Padding(table, (0, 0, 1, 0))


def _grid(names: Sequence[str], axes: Sequence[str]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), show_edge=False, header_style="bold")
    for axis in axes:
        table.add_column(axis, justify="right", style="bold", no_wrap=True)
    table.add_column("", no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def percent(value: float) -> str:
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def three_digits(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def notes_text(notes: Sequence[Note]) -> RenderableType:
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for note in notes:
        table.add_row(note.kind, Text.assemble(note.text, (f"  [{note.source}]", "dim")))
    return table
