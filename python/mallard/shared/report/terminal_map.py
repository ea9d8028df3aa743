"""Heat maps in a terminal: blocks of figures that fit its width.

Blocks stand side by side as far as the width reaches. Neighbouring columns of a family have its name above
them. Columns that do not fit the width go into blocks below.

Colours are by the logarithm of a ratio: blue is faster than the base, orange slower, pale no different. Blue
and orange differ in every common kind of colour blindness. The text on them is black or white, with the
higher contrast. The figures are complete without colour.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.console import Console
from rich.style import Style
from rich.text import Text

from mallard.shared.report.picture import HeatMap, Shade, Spot, Tile
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
GAP = 2  # between blocks
CELL_WIDTH = 6  # the least: five characters and a mark
PLAIN = Style()

Piece = tuple[str, Style]  # the text of a cell, its mark in the last place


def ratio_style(ratio: float, *, bold: bool = False) -> Style:
    log = math.log2(ratio)
    end, share = (FASTER, log / FASTEST_LOG2) if log < 0 else (SLOWER, log / SLOWEST_LOG2)
    share = min(1.0, share)
    red, green, blue = (round(even + (limit - even) * share) for even, limit in zip(EVEN, end, strict=True))
    background = ColorTriplet(red, green, blue)
    return Style(
        color=Color.from_rgb(*(BLACK if _luminance(background) > MIDDLE_LUMINANCE else WHITE)),
        bgcolor=Color.from_triplet(background),
        bold=bold,
    )


def _luminance(colour: ColorTriplet) -> float:
    """Relative luminance as defined in WCAG 2."""
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in colour.normalized
    )
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)


def show_maps(console: Console, pictures: Iterable[HeatMap]) -> None:
    show_in_rows(console, (block for picture in pictures for block in _map_blocks(picture, console.width)))


@dataclass(frozen=True)
class Block:
    """A small table: its title, its headings, and lines of cells with a head."""

    lines: Sequence[Text]

    @property
    def width(self) -> int:
        return max(line.cell_len for line in self.lines)


def show_in_rows(console: Console, blocks: Iterable[Block]) -> None:
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


@dataclass(frozen=True)
class Column:
    """A column: its words below each other, its cells, and its family with shorter names."""

    words: tuple[str, ...]
    cells: tuple[Piece, ...] = ()
    family: tuple[str, ...] = ("",)

    @property
    def width(self) -> int:
        texts = (*self.words, *(text for text, _ in self.cells))
        return max(CELL_WIDTH, 1 + max(map(len, texts)))

    @property
    def is_full(self) -> bool:
        """True if a word leaves no room to its left."""
        return max(map(len, self.words)) + 1 >= self.width


def _map_blocks(picture: HeatMap, width: int) -> Iterator[Block]:
    """Of each layer a row of blocks, without rows and columns that have no figure in it."""
    for place, layer in enumerate(picture.layers):
        if not layer.title:
            continue
        rows = [(labels, spots) for labels, spots in picture.rows if any(_has(spot, place) for spot in spots)]
        columns = [
            Column(head.words, tuple(_piece(spot, place) for spot in spots), head.family)
            for head, *spots in zip(picture.columns, *(spots for _, spots in rows), strict=True)
            if any(_has(spot, place) for spot in spots)
        ]
        heads = label_columns([picture.corner, *(labels for labels, _ in rows)])
        yield from blocks(layer.title.replace("{}", picture.title), heads, columns, width)


def _has(spot: Spot, place: int) -> bool:
    return bool(spot.failure or (spot.tiles and spot.tiles[place].text))


def _piece(spot: Spot, place: int) -> Piece:
    if spot.failure:
        return f"{spot.failure[0]} ", PLAIN
    tile = spot.tiles[place] if spot.tiles else Tile()
    text = tile.text.partition("\n")[0] or "-"
    return f"{text}{_mark(tile)}", _style(tile.shade, is_best=tile.is_best)


def _mark(tile: Tile) -> str:
    if tile.is_best:
        return "*"
    even = isinstance(tile.shade, Ratio) and tile.shade.bounded and tile.shade.verdict == "no difference"
    return "=" if even else tile.mark or " "


def _style(shade: Shade, *, is_best: bool) -> Style:
    return ratio_style(shade.median, bold=is_best) if isinstance(shade, Ratio) else Style(bold=is_best)


def label_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """The labels of rows, aligned in columns of their own."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [" ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)) for row in rows]


def blocks(title: str, heads: Sequence[str], columns: Sequence[Column], width: int) -> Iterator[Block]:
    """A block for as many columns as fit the width. The first of the heads is that of the others."""
    groups = folded(columns, width - len(heads[0]))
    if any(columns[first].is_full for first, _ in groups):
        heads = [f"{head} " for head in heads]
        groups = folded(columns, width - len(heads[0]))
    for first, last in groups:
        group = columns[first:last]
        titles = textwrap.wrap(title, max(width, CELL_WIDTH)) or [""]
        lines = [*(Text(line, "bold") for line in titles), *header(group, heads[0])]
        widths = column_widths(group)
        for row, head in enumerate(heads[1:]):
            line = Text()
            line.append(head, "bold")
            for column, column_width in zip(group, widths, strict=True):
                text, style = column.cells[row]
                line.append(f"{text:>{column_width}}", style)
            lines.append(line)
        yield Block(lines)


def column_widths(columns: Sequence[Column]) -> list[int]:
    """The widths. The last column of a family is widened to fit the family's shortest name."""
    widths = [column.width for column in columns]
    for names, start, end in _families(columns):
        widths[end - 1] += max(0, min(map(len, names)) + 1 - sum(widths[start:end]))
    return widths


def header(columns: Sequence[Column], corner: str) -> list[Text]:
    widths = column_widths(columns)
    lines = []
    if any(name for names, *_ in _families(columns) for name in names):
        text = Text(" " * len(corner))
        for names, start, end in _families(columns):
            width = sum(widths[start:end]) - 1
            name = next((name for name in names if len(name) <= width), names[-1])
            # A rule on both sides of the name. One underscore would look like a part of it.
            ruled = name and width - len(name) > 1
            text.append(f" {name.center(width, '_') if ruled else name.rjust(width)}", style="bold")
        lines.append(text)
    for place, words in enumerate(zip_longest(*(column.words for column in columns), fillvalue="")):
        if place and not any(words):
            continue
        cells = "".join(f"{word:>{width - 1}} " for word, width in zip(words, widths, strict=True))
        lines.append(Text(f"{'' if place else corner:<{len(corner)}}{cells}", "dim"))
    return lines


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


def _families(columns: Sequence[Column]) -> list[tuple[tuple[str, ...], int, int]]:
    """Neighbours of one family: its names, and its first and last column."""
    families, start = [], 0
    for names, members in groupby(columns, key=lambda column: column.family):
        end = start + len(list(members))
        families.append((names, start, end))
        start = end
    return families
