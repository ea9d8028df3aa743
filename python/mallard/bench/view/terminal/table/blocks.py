"""Blocks of lines, side by side as far as the width reaches, and then below each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from rich.console import Console
from rich.style import Style
from rich.text import Text

from mallard.bench.analysis.words import nanoseconds, no_difference
from mallard.bench.view.terminal.table.palette import SLOWEST_LOG2, ratio_style
from mallard.shared.stats import Ratio

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
