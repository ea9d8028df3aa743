"""A printed table beside this machine's, in the terminal: each row has our figure, the printed one, and the
ratio of the two. In a race of strategies, new-delete is in nanoseconds per operation, and the others are in
percent of their own new-delete. Other tables have ratios only, or nanoseconds only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from mallard.bench.analysis.labels import SHORT_STATUS, strategy_heads
from mallard.bench.analysis.words import nanoseconds, percent
from mallard.bench.evidence.beside import NOT_MEASURED, Beside, Comparison
from mallard.bench.evidence.evidence import BASE
from mallard.bench.papers.catalogue import strategies
from mallard.bench.papers.notes import Note
from mallard.bench.papers.printed import Key, PrintedTable
from mallard.bench.strategy_names import paper_number
from mallard.shared.report.terminal_map import Column, blocks, label_columns

BOLD_OUTSIDE = (0.5, 2.0)


def beside_text(
    printed: PrintedTable, comparison: Comparison, console: Console, nanoseconds: bool = False
) -> RenderableType:
    if printed.place:
        axes, lines = printed.axes, _lines(printed, comparison, nanoseconds)
    else:
        axes, lines = ("",), _averages(printed, comparison)
    rows = [[*axes, ""], *(line.labels for line in lines)]
    columns = [
        _column(name, [line.figures[place] for line in lines]) for place, name in enumerate(printed.columns)
    ]
    grids = blocks("", label_columns(rows), columns, console.width)
    return Group(*(text for block in grids for text in (*block.lines[1:], Text())))


@dataclass(frozen=True)
class GridLine:
    labels: Sequence[str]  # the last one names the figures
    figures: Sequence[Text]


def _column(name: str, figures: Sequence[Text]) -> Column:
    """A column with the strategy's words, and P0089's number below them."""
    cells = tuple((_marked(figure.plain), Style.parse(str(figure.style))) for figure in figures)
    if name not in strategies():
        return Column((name,), cells)
    (head,) = strategy_heads([name])
    return Column((*head.words, paper_number(name)), cells, head.family)


def _marked(text: str) -> str:
    """A cell with its mark in the last place."""
    return text if text.endswith("=") else f"{text} "


def _lines(printed: PrintedTable, comparison: Comparison, nanoseconds: bool) -> list[GridLine]:
    show = _Figures(printed, nanoseconds)
    lines = []
    for key, cells in comparison.items():
        labels = row_labels(printed, key)
        measured = any(cell.status != NOT_MEASURED for cell in cells.values())
        if measured:
            ours = [show.ours(name, cell) for name, cell in cells.items()]
            lines.append(GridLine([*labels, "here"], ours))
            labels = [""] * len(labels)
        theirs = [show.theirs(name, cell) for name, cell in cells.items()]
        lines.append(GridLine([*labels, "printed"], theirs))
        if measured and not nanoseconds:
            ratios = [show.ratio(name, cell) for name, cell in cells.items()]
            lines.append(GridLine([*labels, "ratio"], ratios))
    return lines


def row_labels(printed: PrintedTable, key: Key) -> list[str]:
    return [_label(printed, axis, part) for axis, part in zip(printed.axes, key, strict=True)]


def _label(printed: PrintedTable, axis: str, part: int) -> str:
    """The label of a row. Sizes are exponents already, a list length is a power of two or ten; T, A, S, W,
    N stay."""
    if axis in printed.words:
        return printed.words[axis][part]
    if axis == "size":
        return f"2^{part}"
    if axis != "|S|":
        return str(part)
    return f"2^{part.bit_length() - 1}" if part & (part - 1) == 0 else f"10^{len(str(part)) - 1}"


class _Figures:
    """The texts of one cell of a table."""

    def __init__(self, printed: PrintedTable, nanoseconds: bool) -> None:
        self._race = printed.shows_times
        self._nanoseconds = nanoseconds or (printed.unit == "seconds" and not self._race)

    def ours(self, name: str, cell: Beside) -> Text:
        if self._in_ns(name) and cell.ours_ns is not None:
            return Text(nanoseconds(cell.ours_ns))
        if self._nanoseconds or cell.ours is None:
            return Text(SHORT_STATUS.get(cell.status, "-"))
        equal = "=" if name != BASE and cell.ours.verdict == "no difference" else ""
        return Text(self._relative(cell.ours.median) + equal)

    def theirs(self, name: str, cell: Beside) -> Text:
        if self._in_ns(name):
            return Text("fail" if cell.printed_ns is None else nanoseconds(cell.printed_ns))
        return Text("fail" if cell.printed is None else self._relative(cell.printed))

    def ratio(self, name: str, cell: Beside) -> Text:
        ratio = cell.ratio_of_ratios
        if ratio is None or name == BASE:
            return Text("")
        low, high = BOLD_OUTSIDE
        return Text(nanoseconds(ratio), style="" if low <= ratio <= high else "bold")

    def _in_ns(self, name: str) -> bool:
        return self._nanoseconds or (self._race and name == BASE)

    def _relative(self, value: float) -> str:
        return percent(value) if self._race else nanoseconds(value)


def _averages(printed: PrintedTable, comparison: Comparison) -> list[GridLine]:
    """The means over all rows, with their intervals. They are of many figures, so they have one more
    decimal."""
    scale, digits = (100.0, 1) if printed.unit == "percent of new-delete" else (1.0, 2)

    def line(word: str, texts: Iterable[str]) -> GridLine:
        return GridLine(["", word], [Text(text) for text in texts])

    def shown(value: float | None) -> str:
        return "" if value is None else f"{scale * value:.{digits}f}"

    cells = next(iter(comparison.values()))
    ours = [cell.ours for cell in cells.values()]
    printed_line = line("printed", (shown(cell.printed or 0) for cell in cells.values()))
    if not any(ours):
        return [printed_line]
    bounds = [mean if mean and mean.bounded else None for mean in ours]
    show = _Figures(printed, False)
    ratios = [Text("") if name == BASE else show.ratio(name, cell) for name, cell in cells.items()]
    return [
        line("here", (shown(mean.median) if mean else "-" for mean in ours)),
        line("from", (shown(mean.low if mean else None) for mean in bounds)),
        line("to", (shown(mean.high if mean else None) for mean in bounds)),
        printed_line,
        GridLine(["", "ratio"], ratios),
        line("rows", (str(mean.n) if mean else "" for mean in ours)),
    ]


def notes_text(notes: Sequence[Note]) -> RenderableType:
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for note in notes:
        table.add_row(note.kind, Text.assemble(note.text, (f"  [{note.source}]", "dim")))
    return table
