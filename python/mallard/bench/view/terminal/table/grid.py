"""Lines with several labels, under columns. Columns that do not fit the width go into blocks below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.style import Style
from rich.text import Text

from mallard.bench.view.terminal.table.blocks import Piece
from mallard.bench.view.terminal.table.columns import Column, folded, header, padded


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
    cells = [[_cell(figure) for figure in line.figures] for line in lines]
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


def _cell(figure: Text) -> Piece:
    """A cell with its mark in the last place."""
    text = figure.plain
    return text if text.endswith("=") else f"{text} ", Style.parse(str(figure.style))


def _labels(words: Sequence[str], widths: Sequence[int]) -> str:
    *labels, kind = words
    numbered = "".join(f"{word:>{width}} " for word, width in zip(labels, widths[:-1], strict=True))
    return f"{numbered}{kind:<{widths[-1]}}"
