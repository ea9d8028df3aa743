"""The headings of columns of strategies: the family over its members, and below it the words that
differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest

from rich.text import Text

from mallard.bench.analysis.labels import column_words, family
from mallard.bench.contenders import CONTENDERS, LIBRARIES
from mallard.bench.view.terminal.table.blocks import CELL_WIDTH, Block, Piece, make_line

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
