"""The documents' figures of utilization: blocks freed in the order of their allocation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from figures.cell_table import Place, cells_as_markdown
from figures.stored import conditions, load
from mallard.bench.analysis.cell_tables import CellTable
from mallard.bench.analysis.panel.races import race_tables
from mallard.bench.result import Row

SHOWN = ("null", "new-delete", "monotonic", "multipool", "multipool/base", "multipool+monotonic")


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "utilization": lambda: render_tables(load("utilization").rows, SHOWN, every=2),
        "utilization_conditions": lambda: conditions("utilization"),
    }


def whole_tables() -> dict[str, Callable[[], str]]:
    return {"utilization": lambda: render_tables(load("utilization").rows)}


def render_tables(rows: Sequence[Row], names: Collection[str] = (), every: int = 1) -> str:
    """Of these strategies, or of all; every line, or every second one."""
    tables = (table.only(names or table.strategies) for table in race_tables("utilization", rows))
    return cells_as_markdown((_ends(table, every) for table in tables), ("T", "A", "S"), _place)


def _ends(table: CellTable, every: int) -> CellTable:
    """Of all T, and of all A, the smallest and the largest: between them a table changes little."""
    lines = table.lines
    for axis in (0, 1):
        values = [line.place[axis] for line in lines]
        lines = [line for line in lines if line.place[axis] in (min(values), max(values))]
    return replace(table, lines=lines[::every])


def _place(place: Place) -> list[str]:
    return [f"2^{exponent}" for exponent in place]
