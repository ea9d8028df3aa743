"""Help that fits a terminal of 80 columns: text in two columns, and examples."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

WIDTH = 80
INDENT = 2
GAP = 2

Examples = Sequence[tuple[str, str]]  # a command, and a note on it


def columns(rows: Sequence[tuple[str, str]]) -> str:
    """A line for each row; a second column that is too long goes on below itself."""
    first = max(len(name) for name, _ in rows)
    lines = []
    for name, text in rows:
        parts = textwrap.wrap(text, WIDTH - INDENT - first - GAP, break_on_hyphens=False) or [""]
        names = [name] + [""] * (len(parts) - 1)
        lines += [f"{left:{first}}{' ' * GAP}{right}" for left, right in zip(names, parts, strict=True)]
    return _indented(lines)


def examples(rows: Examples) -> str:
    """In two columns; if a line would be too long for that, each note stands below its command."""
    first = max(len(command) for command, _ in rows)
    if all(INDENT + first + GAP + len(note) <= WIDTH for _, note in rows):
        return columns(rows)
    return _indented([line for command, note in rows for line in (command, f"    {note}")])


def paragraph(text: str) -> str:
    return _indented(textwrap.wrap(text, WIDTH - INDENT, break_on_hyphens=False))


def _indented(lines: Sequence[str]) -> str:
    return textwrap.indent("\n".join(line.rstrip() for line in lines), " " * INDENT)
