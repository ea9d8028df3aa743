"""Experiments that time several phases of one work: each is a figure of a cell, and a table of its own.

table -> of_figure(table, "free_ns") -> the same lines, with that figure in the place of the time
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from mallard.analysis.cells import Cell, CellTable, Line, Times, ratio_of
from mallard.analysis.names import BASE, contestants
from mallard.analysis.ranking import ranking_of
from mallard.analysis.words import also_equal, in_a_list, nanoseconds, percent_text
from mallard.footprint import readable

FEW = 3  # that a sentence names


@dataclass(frozen=True)
class Quantity:
    """What one figure of a cell is: a time of a phase, or memory."""

    figure: str
    short: str  # a heading
    text: str


def of_figure(table: CellTable, figure: str) -> CellTable:
    """Cells without the figure are left out; those that did not finish stay, and say how they ended."""
    return replace(table, lines=[line_of_figure(line, figure) for line in table.lines])


def line_of_figure(line: Line, figure: str) -> Line:
    base = _times(line.cells.get(BASE), figure)
    cells: dict[str, Cell] = {}
    for name, cell in line.cells.items():
        times = _times(cell, figure)
        if times or not cell.finished:
            cells[name] = replace(cell, times=times, ratio=ratio_of(times, base))
    return Line(line.place, cells)


def value_of(line: Line, strategy: str, figure: str) -> float | None:
    """The median of a figure; None where the cell has none."""
    cell = line.cells.get(strategy)
    found = cell.figure(figure) if cell else None
    return found.median if found else None


def fastest_text(table: CellTable, unit: str) -> str:
    """`multipool 1.20 to 2.31 ns an object, 20 % of new-delete's time`; empty where that has not finished."""
    ranking = ranking_of(table)
    best = ranking.best
    if best is None:
        return ""
    times = [line.cells[best.strategy].ns_per_operation for line in table.lines]
    against = "" if best.strategy == BASE else f", {percent_text(best.ratio)} of {BASE}'s time"
    equals = also_equal([name for name in ranking.equals if name != BASE])
    return f"{best.strategy} {span_text(times)} ns {unit}{against}{equals}"


def span_text(values: Sequence[float]) -> str:
    """`1.20 to 2.31`, or one figure where there is one."""
    ends = dict.fromkeys((nanoseconds(min(values)), nanoseconds(max(values))))
    return " to ".join(ends)


def most_of(table: CellTable, figure: str) -> dict[str, float]:
    """The most over all lines, of what a program can choose and what has the figure in each."""
    found = {
        name: [value_of(line, name, figure) for line in table.lines] for name in contestants(table.strategies)
    }
    return {
        name: max(value for value in values if value is not None)
        for name, values in found.items()
        if values and None not in values
    }


def least_text(most: Mapping[str, float], text: Callable[[float], str]) -> str:
    """The least few, and new-delete for comparison; empty where there are none."""
    least = sorted(most, key=lambda name: most[name])[:FEW]
    shown = dict.fromkeys([*least, BASE] if BASE in most else least)
    return in_a_list([f"{name} {text(most[name])}" for name in shown])


def bytes_text(value: float) -> str:
    """Growth of a process may come out below nothing."""
    return readable(round(max(0.0, value)))


def _times(cell: Cell | None, figure: str) -> Times:
    """A ratio needs times above 0."""
    if cell is None:
        return {}
    return {repetition: value for repetition, value in cell.figures.get(figure, {}).items() if value > 0.0}
