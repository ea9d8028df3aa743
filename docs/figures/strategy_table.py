"""Tables with a line for each strategy: which are shown, and how a figure of a cell is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from figures.stored import nanoseconds
from mallard.analysis.cells import Line
from mallard.analysis.labels import SHORT_STATUS
from mallard.analysis.phases import bytes_text, line_of_figure, value_of
from mallard.stats import spread

LEFT_OUT = ("AS1@", "AS2", "AS5", "AS9", "AS13")  # the abstract base, and other mallocs
SHOWN_MALLOCS = ("AS1@mimalloc", "AS1@tcmalloc")


def shown(names: Sequence[str]) -> list[str]:
    """Without what would only make the tables long; the report has all."""
    return [name for name in names if name in SHOWN_MALLOCS or not name.startswith(LEFT_OUT)]


def time_text(line: Line, name: str, figure: str = "") -> str:
    """Nanoseconds of a cell, or of a figure in its place; how it ended where it did not finish."""
    cell = (line_of_figure(line, figure) if figure else line).cells.get(name)
    if cell is None:
        return ""
    if not cell.finished:
        return SHORT_STATUS.get(cell.status, cell.status)
    return nanoseconds(spread(list(cell.times.values())))


def figure_text(line: Line, name: str, figure: str, text: Callable[[float], str]) -> str:
    value = value_of(line, name, figure)
    return "" if value is None else text(value)


def memory_text(line: Line, name: str, figure: str) -> str:
    return figure_text(line, name, figure, bytes_text)
