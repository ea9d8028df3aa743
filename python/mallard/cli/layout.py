"""Text that fits a terminal of 80 columns: help in two columns, tables, examples."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import zip_longest

from mallard.shared.prose import printable

WIDTH = 80
INDENT = 2
GAP = 2
LEAST_WIDTH = 10  # of a column that shares a line with others that are too wide

Examples = Sequence[tuple[str, str]]  # a command, and a note on it


def columns(rows: Sequence[tuple[str, str]], least: int = 0) -> str:
    """A line for each row; the first column has the `least` width, the second wraps within its own."""
    first = max(least, *(len(name) for name, _ in rows))
    lines = []
    for name, text in rows:
        parts = textwrap.wrap(text, WIDTH - INDENT - first - GAP, break_on_hyphens=False) or [""]
        names = [name] + [""] * (len(parts) - 1)
        lines += [f"{label:{first}}{' ' * GAP}{right}" for label, right in zip(names, parts, strict=True)]
    return _indented(lines)


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their cells; if a line would be too wide, the widest column wraps."""
    lines = [[*headings]] if headings else []
    lines += [[printable(cell) for cell in row] for row in rows]
    widths = [max(max(map(len, cell.split("\n"))) for cell in column) for column in zip(*lines, strict=True)]
    if (excess := sum(widths) + GAP * (len(widths) - 1) - WIDTH) > 0:
        widest = widths.index(max(widths))
        widths[widest] = max(LEAST_WIDTH, widths[widest] - excess)
    text = []
    for row in lines:
        cells = [_folded(cell, width) for cell, width in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            line = (" " * GAP).join(f"{part:{width}}" for part, width in zip(parts, widths, strict=True))
            text.append(line.rstrip())
    return "\n".join(text)


def wrapped(text: str) -> str:
    return textwrap.fill(printable(text), WIDTH, break_on_hyphens=False)


def _folded(cell: str, width: int) -> list[str]:
    lines = cell.split("\n")
    return [part for line in lines for part in textwrap.wrap(line, width, break_on_hyphens=False) or [line]]


def examples(rows: Examples) -> str:
    """In two columns; if a line would be too long, each note goes below its command."""
    first = max(len(command) for command, _ in rows)
    if all(INDENT + first + GAP + len(note) <= WIDTH for _, note in rows):
        return columns(rows)
    return _indented([line for command, note in rows for line in (command, f"    {note}")])


def paragraph(text: str) -> str:
    return _indented(textwrap.wrap(text, WIDTH - INDENT, break_on_hyphens=False))


def _indented(lines: Sequence[str]) -> str:
    return textwrap.indent("\n".join(line.rstrip() for line in lines), " " * INDENT)
