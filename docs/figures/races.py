"""Utilization and contention: new-delete in nanoseconds, the other strategies in percent of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from figures import BLOCKS, WHOLE_TABLES
from figures.stored import conditions, load, markdown_table
from mallard.bench.analysis.cell_tables import CellTable, Line, setting_text
from mallard.bench.analysis.labels import SHORT_STATUS
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.races import race_tables
from mallard.bench.cells import Cell

SHOWN = {
    "utilization": ("null", BASE, "monotonic", "multipool", "multipool/base", "multipool+monotonic"),
    "contention": (
        *(BASE, "monotonic", "multipool", "multipool/base"),
        *("concurrent-multipool", "synchronized-multipool"),
    ),
}
PLACES = {"utilization": ("T", "A", "S"), "contention": ("N", "S", "W")}
THREADS = "W"  # the other places are exponents of two


def tables(experiment: str, *, whole: bool = False) -> str:
    """A table for each setting. A page has the strategies of SHOWN, and every second line of utilization."""
    texts = []
    for measured in race_tables(experiment, load(experiment).rows):
        table = measured if whole else measured.only(SHOWN[experiment])
        if experiment == "contention":  # of 1, 2, 4, 8 threads
            chosen = [line for line in table.lines if line.place[2].bit_count() == 1]
        else:
            chosen = _ends(table)[:: 1 if whole else 2]
        texts.append(f"{setting_text(table.setting)}:\n\n{_table(replace(table, lines=chosen), experiment)}")
    return "\n\n".join(texts)


def _ends(table: CellTable) -> list[Line]:
    """Of all T, and of all A, the smallest and the largest: between them a table changes little."""
    lines = list(table.lines)
    for axis in (0, 1):
        values = [line.place[axis] for line in lines]
        lines = [line for line in lines if line.place[axis] in (min(values), max(values))]
    return lines


def _table(table: CellTable, experiment: str) -> str:
    places, names = PLACES[experiment], table.strategies
    lines = [
        [
            *(str(n) if place == THREADS else f"2^{n}" for place, n in zip(places, line.place, strict=True)),
            *(_cell(line.cells.get(name)) for name in names),
        ]
        for line in table.lines
    ]
    return markdown_table([*places, *(f"{name}, ns" if name == BASE else name for name in names)], lines)


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    if not cell.finished:
        return SHORT_STATUS.get(cell.status, cell.status)
    if cell.strategy == BASE or cell.ratio is None:
        time = cell.ns_per_operation
        return f"{time:.2f}" if time < 10 else f"{time:.1f}"
    percent = 100 * cell.ratio.median
    return f"{percent:.1f}" if percent < 10 else f"{percent:.0f}"


for name in SHOWN:
    BLOCKS[name] = partial(tables, name)
    BLOCKS[f"{name}_conditions"] = partial(conditions, name)
    WHOLE_TABLES[name] = partial(tables, name, whole=True)
