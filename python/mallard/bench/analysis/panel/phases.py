"""Experiments that time several phases of one work: each phase is a figure of a cell, and has a table.

rows -> phase_tables -> table -> figure_table(table, "free_ns") -> the lines, with that figure in place of the
time
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from mallard.bench.analysis.cell_tables import CellTable, Line, cell_tables
from mallard.bench.analysis.names import BASE, contestants
from mallard.bench.analysis.ranking import rank_table
from mallard.bench.analysis.words import also_equal, in_a_list, nanoseconds, percent_text
from mallard.bench.cells import Cell, Times
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.panel import Phases
from mallard.bench.experiments.description.quantity import BYTES, Quantity
from mallard.bench.footprint import readable
from mallard.bench.result import Row

FEW = 3  # the most names in a sentence
SHARES = tuple(range(10, 101, 10))  # percent of the operations after which memory was measured


def phase_tables(experiment: str, rows: Iterable[Row]) -> list[CellTable]:
    """A line for each place, and a table for each setting. The description's first settings come first."""
    panel = EXPERIMENTS[experiment].panel
    assert isinstance(panel, Phases)
    sums = [amount for amount in panel.amounts if amount.summands]
    tables = [
        replace(table, lines=[_with_sums(line, sums) for line in table.lines])
        for _, table in cell_tables(rows, experiment)
    ]

    def place(table: CellTable) -> list[bool]:
        setting = dict(table.setting)
        return [setting.get(name) != word for name, word in panel.first]

    return sorted(tables, key=place)


def _with_sums(line: Line, sums: Sequence[Quantity]) -> Line:
    return replace(line, cells={name: _with_sum(cell, sums) for name, cell in line.cells.items()})


def _with_sum(cell: Cell, sums: Sequence[Quantity]) -> Cell:
    figures = dict(cell.figures)
    for quantity in sums:
        first, *addends = (cell.figures.get(name, {}) for name in quantity.summands)
        if first and any(addends):
            figures[quantity.figure] = {
                repetition: value + sum(addend.get(repetition, 0.0) for addend in addends)
                for repetition, value in first.items()
            }
    return replace(cell, figures=figures)


def timed(table: CellTable, time: Quantity) -> CellTable:
    """The lines that have this time, which replaces the row's own."""
    if not time.figure:
        return table
    return replace(table, lines=[line for line in figure_table(table, time.figure).lines if line.cells])


def over_time(line: Line, quantity: Quantity) -> CellTable:
    """A line for every tenth of the operations, with the quantity at that moment in place of the time."""
    lines = [
        replace(share_line, place=(share,))
        for share in SHARES
        if (share_line := figure_line(line, f"{quantity.figure}_{share}")).cells
    ]
    return CellTable(("share",), (), lines)


def cell_amount(
    table: CellTable, line: Line, strategy: str, quantity: Quantity, divisor: str = ""
) -> float | None:
    """The amount of a cell, divided by the parameter `divisor` of the line or of its setting, if given."""
    value = median_figure(line, strategy, quantity.figure)
    if value is None or not divisor:
        return value
    parameters = {**dict(table.setting), **dict(zip(table.places, line.place, strict=True))}
    number = parameters.get(divisor)
    return value / number if isinstance(number, int) and number else None


def amount_text(shown: str, value: float) -> str:
    """An amount in bytes, or in a format that may end in a unit: `.1f %`."""
    if shown == BYTES:
        return bytes_text(value)
    form, _, unit = shown.partition(" ")
    return f"{value:{form}} {unit}".strip()


def figure_table(table: CellTable, figure: str) -> CellTable:
    """The table of a figure. Cells without the figure are dropped; unfinished cells keep their status."""
    return replace(table, lines=[figure_line(line, figure) for line in table.lines])


def figure_line(line: Line, figure: str) -> Line:
    base = _times(line.cells.get(BASE), figure)
    cells: dict[str, Cell] = {}
    for name, cell in line.cells.items():
        times = _times(cell, figure)
        if times or not cell.finished:
            cells[name] = replace(cell, times=times, base=base)
    return Line(line.place, cells)


def median_figure(line: Line, strategy: str, figure: str) -> float | None:
    """The median of a figure; None if the cell does not have the figure."""
    cell = line.cells.get(strategy)
    spread = cell.figure(figure) if cell else None
    return spread.median if spread else None


def fastest_text(table: CellTable, unit: str) -> str:
    """`multipool 1.20 to 2.31 ns an object, 20 % of new-delete's time`; empty if new-delete has not
    finished.
    """
    ranking = rank_table(table)
    best = ranking.best
    if best is None:
        return ""
    times = [line.cells[best.strategy].ns_per_operation for line in table.lines]
    against = "" if best.strategy == BASE else f", {percent_text(best.ratio)} of {BASE}'s time"
    equals = also_equal([name for name in ranking.equals if name != BASE])
    return f"{best.strategy} {span_text(times)} ns {unit}{against}{equals}"


def span_text(values: Sequence[float]) -> str:
    """`1.20 to 2.31`, or a single figure."""
    ends = dict.fromkeys((nanoseconds(min(values)), nanoseconds(max(values))))
    return " to ".join(ends)


def maxima(table: CellTable, figure: str) -> dict[str, float]:
    """The maximum over all lines, for a program's choices that have the figure in each line."""
    values_by_name = {
        name: [median_figure(line, name, figure) for line in table.lines]
        for name in contestants(table.strategies)
    }
    return {
        name: max(value for value in values if value is not None)
        for name, values in values_by_name.items()
        if values and None not in values
    }


def least_text(most: Mapping[str, float], text: Callable[[float], str]) -> str:
    """The strategies with the least, and new-delete for comparison; empty if there are none."""
    least = sorted(most, key=lambda name: most[name])[:FEW]
    shown = dict.fromkeys([*least, BASE] if BASE in most else least)
    return in_a_list([f"{name} {text(most[name])}" for name in shown])


def bytes_text(value: float) -> str:
    """An amount in bytes. The growth of a process may be negative."""
    return readable(round(max(0.0, value)))


def _times(cell: Cell | None, figure: str) -> Times:
    """The times above 0, which ratios need."""
    if cell is None:
        return {}
    return {repetition: value for repetition, value in cell.figures.get(figure, {}).items() if value > 0.0}
