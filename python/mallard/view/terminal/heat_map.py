"""A heat map: a line for each place in a table, a column for each strategy.

AS1 stands in nanoseconds for an operation, the others in percent of it. Marks: `*` the fastest of
mallard's in the row, `=` no difference from AS1 beyond the interval, `!` a time that is mostly that of
page faults. Columns that do not fit the width go below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.style import Style
from rich.text import Text

from mallard.analysis import BASE, FLOOR, Cell, CellTable, Line, pick_of
from mallard.analysis.labels import (
    SHORT_STATUS,
    binding,
    families,
    family,
    heap_tags,
    place_heads,
    place_text,
    winked_out,
)
from mallard.analysis.names import KEEP, SHARED, malloc, variant
from mallard.analysis.utilization import faults_dominate
from mallard.analysis.words import nanoseconds
from mallard.contenders import CONTENDERS, LIBRARIES
from mallard.experiments import HEAPS
from mallard.view.terminal.blocks import CELL_WIDTH, Piece, line_of
from mallard.view.terminal.palette import ratio_style

PLAIN = Style()
# Words too long for a column.
BROKEN = {"synchronized": ("synchro-", "nized"), "concurrent": ("concur-", "rent")}
# Of a family that has few columns.
NARROW = {
    "multipool on monotonic": "multi+mono",
    **{name: library.word for name, library in LIBRARIES.items()},
}
MARKS = (
    "*: mallard's fastest of the row, AS1 unless it is faster beyond its interval. =: no difference from AS1."
)
FAULTS = "!: page faults are most of the time."
Show = Callable[[Line, str], Piece]  # what stands in a cell, without the mark's place


def show_heat_map(console: Console, table: CellTable) -> None:
    def show(line: Line, name: str) -> Piece:
        return _cell(line.cells.get(name), pick_of(line) == name)

    show_columns(console, table, show)


def show_columns(console: Console, table: CellTable, show: Show) -> None:
    """The lines of a table with a column for each strategy, folded where the width ends."""
    heads = place_heads(table.places)
    places = [place_text(table.places, line.place) for line in table.lines]
    widths = [max(len(text) for text in column) for column in zip(heads, *places, strict=True)]
    left = [" ".join(f"{text:<{w}}" for text, w in zip(row, widths, strict=True)) for row in (heads, *places)]
    head_width = len(left[0])
    for names in _folded(table.strategies, console.width - head_width):
        lines = [_families(names, head_width), _headings(names, left[0]), _variants(names, head_width)]
        for head, line in zip(left[1:], table.lines, strict=True):
            pieces = [(name, *show(line, name)) for name in names]
            cells = [(f"{shown:>{_width(name)}}", style) for name, shown, style in pieces]
            lines.append(line_of(head, head_width, cells))
        for text in lines:
            console.print(text, no_wrap=True, crop=False, soft_wrap=True)


def legend() -> str:
    return " ".join(
        (
            "AS1 in ns for a leaf element, the others in percent of AS1.",
            MARKS,
            FAULTS,
            "null: the same work over memory already there. keep: AS1 with page return off.",
            "type: bound by type parameter, wink: the same, winked out.",
            "base: by abstract base, bwink: the same, winked out.",
        )
    )


def heading_of(name: str) -> tuple[str, str]:
    """Two lines: the strategy, and what tells it from those beside it."""
    if name in CONTENDERS:
        return CONTENDERS[name].heads
    if name == KEEP:
        return "keep", ""
    if name.startswith(SHARED):
        word = name.removeprefix(SHARED)
        return BROKEN.get(word, (word, ""))
    if malloc(name) or variant(name):
        return name.partition("@")[0].partition("-")[0], malloc(name) or variant(name)
    if name in HEAPS:
        return HEAPS[0], _ending(*heap_tags(name))
    return name, _ending(binding(name), winked_out(name))


def _ending(kind: str, winked: bool) -> str:
    return kind if not winked else "wink" if kind == "type" else "bwink"


def headings_of(names: Sequence[str]) -> list[list[str]]:
    """The two lines, a word for each name."""
    return [list(words) for words in zip(*map(heading_of, names), strict=True)]


def _width(name: str) -> int:
    apart = 2 if name in CONTENDERS else 1  # their words fill a column
    return max(CELL_WIDTH, *(len(text) + apart for text in heading_of(name)))


def _folded(names: Sequence[str], width: int) -> list[list[str]]:
    """Columns in blocks that fit, a group of the papers never torn apart where one fits."""
    groups: list[list[str]] = []
    for name in names:
        if groups and family(groups[-1][-1]) == family(name) and _total([*groups[-1], name]) <= width:
            groups[-1].append(name)
        else:
            groups.append([name])
    blocks: list[list[str]] = []
    for group in groups:
        if blocks and _total(blocks[-1]) + _total(group) <= width:
            blocks[-1] += group
        else:
            blocks.append(group)
    return blocks


def _total(names: Sequence[str]) -> int:
    return sum(map(_width, names))


def _families(names: Sequence[str], head_width: int) -> Text:
    text = Text(" " * head_width)
    place = 0
    for word, count in families(names):
        width = _total(names[place : place + count]) - 1
        place += count
        shown = word if len(word) <= width else NARROW.get(word, word)[:width]
        text.append(f" {shown.center(width, '_')}", style="bold")
    return text


def _headings(names: Sequence[str], corner: str) -> Text:
    return Text(corner + "".join(f"{heading_of(name)[0]:>{_width(name) - 1}} " for name in names), "bold")


def _variants(names: Sequence[str], head_width: int) -> Text:
    words = "".join(f"{heading_of(name)[1]:>{_width(name) - 1}} " for name in names)
    return Text(" " * head_width + words, style="dim")


def _cell(cell: Cell | None, best: bool) -> Piece:
    if cell is None:
        return "- ", PLAIN
    if not cell.finished:
        return f"{SHORT_STATUS.get(cell.status, cell.status)} ", PLAIN
    mark = "*" if best else "!" if faults_dominate(cell) else " "
    if cell.strategy == BASE:
        return f"{nanoseconds(cell.ns_per_operation)}{mark}", Style(bold=True)
    if cell.ratio is None:
        return f"{_with_unit(cell.ns_per_operation)}{mark}", PLAIN
    if cell.ratio.verdict == "no difference":
        mark = "="
    style = PLAIN if cell.strategy == FLOOR else ratio_style(cell.ratio.median, bold=best)
    return f"{_percent(cell.ratio.median)}{mark}", style


def _percent(ratio: float) -> str:
    """Whole percents; where there are few of them one decimal."""
    percent = 100 * ratio
    return f"{percent:.1f}" if percent < 9.95 else f"{percent:.0f}"


def _with_unit(ns: float) -> str:
    """Where AS1 has no time to be a percentage of."""
    return f"{ns:.0f}ns" if ns < 999.5 else f"{ns / 1000:.1f}us"
