"""Tables of coloured figures that fit the width of the terminal.

Blocks of lines stand side by side as far as the width reaches. A column of strategies has the family over its
members, and below it the words that differ. Columns that do not fit the width go into blocks below.

Colours are by the logarithm of a ratio: blue is faster than new-delete, orange slower, pale no different.
Blue and orange differ in every common kind of colour blindness. The text on them is black or white, with
the higher contrast. The figures are complete without colour.

Of a heat map new-delete is in nanoseconds per operation, the others are in percent of it. Marks: `*` the
fastest of mallard's in the row, `=` no difference from new-delete beyond the interval, `!` a time that is
mostly that of page faults.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from typing import TypeVar

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.text import Text

from mallard.bench.analysis.cell_tables import CellTable, Line, StructureTable
from mallard.bench.analysis.labels import SHORT_STATUS, column_words, family, place_heads, place_text
from mallard.bench.analysis.names import BASE, NULL
from mallard.bench.analysis.panel.races import faults_dominate
from mallard.bench.analysis.ranking import pick_strategy
from mallard.bench.analysis.words import nanoseconds, no_difference, percent
from mallard.bench.cells import Cell
from mallard.bench.contenders import CONTENDERS, LIBRARIES
from mallard.bench.strategy_names import is_base, is_inline, without_variants
from mallard.shared.stats import Ratio

FASTER = (8, 69, 148)
EVEN = (247, 247, 247)
SLOWER = (204, 85, 0)
BLACK, WHITE = (0, 0, 0), (255, 255, 255)
# Above this luminance black has more contrast than white, below it white has.
MIDDLE_LUMINANCE = 0.179
# The limits of the scale: five times faster is the darkest blue, three times slower the darkest orange.
FASTEST_LOG2 = -2.3
SLOWEST_LOG2 = 1.6
# The limit for a shuffle's effect on accesses: twenty times slower.
SCATTERED_LOG2 = 4.3


def ratio_style(ratio: float, *, bold: bool = False, slowest_log2: float = SLOWEST_LOG2) -> Style:
    log = math.log2(ratio)
    end, share = (FASTER, log / FASTEST_LOG2) if log < 0 else (SLOWER, log / slowest_log2)
    share = min(1.0, share)
    red, green, blue = (round(even + (limit - even) * share) for even, limit in zip(EVEN, end, strict=True))
    ground = ColorTriplet(red, green, blue)
    return Style(
        color=Color.from_rgb(*(BLACK if _luminance(ground) > MIDDLE_LUMINANCE else WHITE)),
        bgcolor=Color.from_triplet(ground),
        bold=bold,
    )


def _luminance(colour: ColorTriplet) -> float:
    """Relative luminance as defined in WCAG 2."""
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in colour.normalized
    )
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)


Item = TypeVar("Item")

GAP = 2
CELL_WIDTH = 6  # five characters and a mark


@dataclass(frozen=True)
class Block:
    """A small table: its title, its headings, and lines of cells with a head."""

    lines: Sequence[Text]
    width: int


Piece = tuple[str, Style]  # the text of a cell, as wide as its column, and its style


def block(
    title: str,
    corner: str,
    headings: Sequence[Sequence[str]],
    lines: Iterable[tuple[str, Sequence[Piece]]],
    cell_width: int = CELL_WIDTH,
) -> Block:
    """A block. `headings` has lines of headings, the first beside the corner."""
    kept = list(lines)
    head_width = 1 + max(len(corner), *(len(head) for head, _ in kept))
    texts = [Text(title, "bold")]
    for place, words in enumerate(headings):
        head = f"{'' if place else corner:<{head_width}}"
        columns = "".join(f"{word[: cell_width - 1]:>{cell_width - 1}} " for word in words)
        texts.append(Text(head + columns, "dim"))
    texts += [make_line(head, head_width, pieces) for head, pieces in kept]
    return Block(texts, max(text.cell_len for text in texts))


def make_line(head: str, head_width: int, pieces: Iterable[Piece]) -> Text:
    text = Text()
    text.append(f"{head:<{head_width}}", "bold")
    for piece, style in pieces:
        text.append(piece, style)
    return text


def fitting(items: Sequence[Item], width: int, cell_width: int = CELL_WIDTH) -> list[Sequence[Item]]:
    """Columns in groups that fit the width beside the heads of lines, as many in each as possible."""
    most = max(1, (width - 1) // cell_width)
    groups = -(-len(items) // most)
    per_group = -(-len(items) // groups) if groups else 1
    return [items[place : place + per_group] for place in range(0, len(items), per_group)]


def ratio_piece(ratio: Ratio | None, slowest_log2: float = SLOWEST_LOG2) -> Piece:
    """A ratio in its colour, with `=` if its interval says no difference."""
    if ratio is None:
        return f"{'-':>{CELL_WIDTH - 1}} ", Style()
    mark = "=" if no_difference(ratio) else " "
    shown = f"{nanoseconds(ratio.median):>{CELL_WIDTH - 1}}{mark}"
    return shown, ratio_style(ratio.median, slowest_log2=slowest_log2)


def show_beside(console: Console, blocks: Iterable[Block]) -> None:
    """Prints blocks in order, with an empty line after each row of blocks."""
    row: list[Block] = []
    for block in blocks:
        if row and _width([*row, block]) > console.width:
            _show_row(console, row)
            row = []
        row.append(block)
    if row:
        _show_row(console, row)


def _width(row: Sequence[Block]) -> int:
    return sum(block.width for block in row) + GAP * (len(row) - 1)


def _show_row(console: Console, row: Sequence[Block]) -> None:
    for texts in zip_longest(*(block.lines for block in row), fillvalue=Text()):
        line = Text()
        start = 0
        for text, block in zip(texts, row, strict=True):
            line.append(" " * (start - line.cell_len))
            line.append_text(text)
            start += block.width + GAP
        console.print(line, no_wrap=True, crop=False, soft_wrap=True)
    console.print()


# The shorter words of families that have few columns.
NARROW = {
    "multipool+monotonic": "multi+mono",
    **{name: library.word for name, library in LIBRARIES.items()},
}


@dataclass(frozen=True)
class Column:
    """A column. Its words stand below each other."""

    family: str
    words: tuple[str, ...]
    apart: int = 1  # the gap to the previous column
    least: int = CELL_WIDTH  # the least width

    @property
    def width(self) -> int:
        return max(self.least, *(len(word) + self.apart for word in self.words))

    @property
    def full(self) -> bool:
        """True if a word leaves no room to its left."""
        return max(map(len, self.words)) + 1 >= self.width

    def at_least(self, width: int) -> Column:
        return replace(self, least=max(self.least, width))


def make_column(name: str) -> Column:
    """Words of contenders fill a column."""
    return Column(family(name), column_words(name), 2 if name in CONTENDERS else 1)


def column_widths(columns: Sequence[Column]) -> list[int]:
    """The widths. The last column of a family is widened to fit the family's word."""
    widths = [column.width for column in columns]
    for word, start, end in _families(columns):
        short = min(len(word), len(NARROW.get(word, word)))
        widths[end - 1] += max(0, short + 1 - sum(widths[start:end]))
    return widths


def header(columns: Sequence[Column], corner: str, head_width: int) -> list[Text]:
    widths = column_widths(columns)
    lines = []
    if any(column.family for column in columns):
        text = Text(" " * head_width)
        for word, start, end in _families(columns):
            width = sum(widths[start:end]) - 1
            shown = word if len(word) <= width else NARROW.get(word, word)
            # A rule on both sides of the word. One underscore would look like a part of it.
            ruled = word and width - len(shown) > 1
            text.append(f" {shown.center(width, '_') if ruled else shown.rjust(width)}", style="bold")
        lines.append(text)
    for place, words in enumerate(zip_longest(*(column.words for column in columns), fillvalue="")):
        if place and not any(words):
            continue
        cells = "".join(f"{word:>{width - 1}} " for word, width in zip(words, widths, strict=True))
        lines.append(Text(f"{'' if place else corner:<{head_width}}{cells}", "dim" if place else "bold"))
    return lines


def strategy_block(
    title: str, corner: str, names: Sequence[str], lines: Iterable[tuple[str, Sequence[Piece]]]
) -> Block:
    """A line of cells for each head, a column for each strategy."""
    columns = [make_column(name) for name in names]
    kept = list(lines)
    head_width = 1 + max(len(corner), *(len(head) for head, _ in kept))
    texts = [Text(title, "bold"), *header(columns, corner, head_width)]
    texts += [make_line(head, head_width, padded(columns, pieces)) for head, pieces in kept]
    return Block(texts, max(text.cell_len for text in texts))


def padded(columns: Sequence[Column], pieces: Iterable[Piece]) -> list[Piece]:
    """Cells as wide as their columns."""
    return [
        (f"{text:>{width}}", style)
        for width, (text, style) in zip(column_widths(columns), pieces, strict=False)
    ]


def folded(columns: Sequence[Column], width: int) -> list[tuple[int, int]]:
    """The first column of each block that fits, and the one behind its last. A family that fits is not
    divided."""

    def fits(start: int, end: int) -> bool:
        return sum(column_widths(columns[start:end])) <= width

    groups: list[tuple[int, int]] = []
    for _, start, end in _families(columns):
        groups.append((start, start + 1))
        for place in range(start + 1, end):
            first = groups[-1][0]
            if fits(first, place + 1):
                groups[-1] = (first, place + 1)
            else:
                groups.append((place, place + 1))
    blocks: list[tuple[int, int]] = []
    for start, end in groups:
        if blocks and fits(blocks[-1][0], end):
            blocks[-1] = (blocks[-1][0], end)
        else:
            blocks.append((start, end))
    return blocks


def folded_names(names: Sequence[str], width: int) -> list[Sequence[str]]:
    columns = [make_column(name) for name in names]
    return [names[first:last] for first, last in folded(columns, width)]


def _families(columns: Sequence[Column]) -> list[tuple[str, int, int]]:
    """Neighbours of one family: its word, and its first and last column."""
    families, start = [], 0
    for word, members in groupby(columns, key=lambda column: column.family):
        end = start + len(list(members))
        families.append((word, start, end))
        start = end
    return families


@dataclass(frozen=True)
class GridLine:
    labels: Sequence[str]  # the last one names the figures
    figures: Sequence[Text]
    style: str = ""


def grid(
    columns: Sequence[Column], corner: Sequence[str], lines: Sequence[GridLine], width: int
) -> RenderableType:
    """Prints the grid. `corner` heads the labels."""
    widths = [
        max(len(head), *(len(line.labels[place]) for line in lines)) for place, head in enumerate(corner)
    ]
    heads = [_labels(words, widths) for words in (corner, *(line.labels for line in lines))]
    cells = [[_marked(figure) for figure in line.figures] for line in lines]
    fitted = [
        column.at_least(1 + max(len(line[place][0]) for line in cells))
        for place, column in enumerate(columns)
    ]
    texts: list[Text] = []
    for first, last in folded(fitted, width - len(heads[0])):
        texts += header(fitted[first:last], heads[0], len(heads[0]))
        for head, line, pieces in zip(heads[1:], lines, cells, strict=True):
            text = Text(head, line.style)
            for piece, style in padded(fitted[first:last], pieces[first:last]):
                text.append(piece, style)
            texts.append(text)
        texts.append(Text())
    return Group(*texts)


def _marked(figure: Text) -> Piece:
    """A cell with its mark in the last place."""
    text = figure.plain
    return text if text.endswith("=") else f"{text} ", Style.parse(str(figure.style))


def _labels(words: Sequence[str], widths: Sequence[int]) -> str:
    *labels, kind = words
    numbered = "".join(f"{word:>{width}} " for word, width in zip(labels, widths[:-1], strict=True))
    return f"{numbered}{kind:<{widths[-1]}}"


PLAIN = Style()
MARKS = (
    "*: mallard's fastest of the row, new-delete unless it is faster beyond its interval. =: no difference "
    "from new-delete."
)
FAULTS = "!: page faults are most of the time."
Show = Callable[[Line, str], Piece]  # the text of a cell, without the mark's place


def compared(table: CellTable) -> list[str]:
    """The strategies that a reader chooses from: no other bindings and variants of one that is there, unless
    one of them is the pick of a line."""
    picks = {pick_strategy(line) for line in table.lines}
    plain = [name for name in without_variants(table.strategies) if not is_base(name) and not is_inline(name)]
    return [name for name in table.strategies if name in plain or name in picks]


def show_heat_map(console: Console, table: CellTable, *, everything: bool) -> None:
    def show(line: Line, name: str) -> Piece:
        return _heat(line.cells.get(name), pick_strategy(line) == name)

    show_columns(console, table if everything else table.only(compared(table)), show)


def show_columns(console: Console, table: CellTable, show: Show) -> None:
    """The lines of a table with a column for each strategy, folded at the width."""
    heads = place_heads(table.places)
    places = [_place(table, line) for line in table.lines]
    widths = [max(len(text) for text in column) for column in zip(heads, *places, strict=True)]
    row_heads = [
        " ".join(f"{text:<{w}}" for text, w in zip(row, widths, strict=True)) for row in (heads, *places)
    ]
    head_width = len(row_heads[0])
    if any(
        make_column(names[0]).full for names in folded_names(table.strategies, console.width - head_width)
    ):
        head_width += 1
    for names in folded_names(table.strategies, console.width - head_width):
        columns = [make_column(name) for name in names]
        lines = header(columns, row_heads[0], head_width)
        for head, line in zip(row_heads[1:], table.lines, strict=True):
            lines.append(make_line(head, head_width, padded(columns, [show(line, name) for name in names])))
        for text in lines:
            console.print(text, no_wrap=True, crop=False, soft_wrap=True)


def _place(table: CellTable, line: Line) -> list[str]:
    *others, last = place_text(table.places, line.place)
    return [*others, f"{last}'" if isinstance(table, StructureTable) and line.built_once else last]


def legend() -> str:
    return " ".join(
        (
            "new-delete in ns for a leaf element, the others in percent of new-delete.",
            MARKS,
            FAULTS,
            "': one structure only, so new-delete takes fresh pages; a warm buffer has its pages.",
            "null: the same work over memory already there. keep: new-delete with page return off.",
            "type: by type parameter. /base: by abstract base. /inline: by inline base. /wink: winked out.",
        )
    )


def _heat(cell: Cell | None, best: bool) -> Piece:
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
    style = PLAIN if cell.strategy == NULL else ratio_style(cell.ratio.median, bold=best)
    return f"{percent(cell.ratio.median)}{mark}", style


def _with_unit(ns: float) -> str:
    """A time with its unit, for rows without a time of new-delete."""
    return f"{ns:.0f}ns" if ns < 999.5 else f"{ns / 1000:.1f}us"
