"""Utilization and contention: new-delete in nanoseconds, the other strategies in percent of it. BDE's are of
the run that has them, in percent of new-delete in that run.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial

from figures import BLOCKS, block
from figures.stored import (
    StoredRun,
    conditions,
    load,
    markdown_table,
    stored_runs,
    with_others,
    with_strategy,
)
from mallard.bench.analysis.cell_tables import CellTable, Line, setting_text
from mallard.bench.analysis.labels import SHORT_STATUS
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.races import race_tables
from mallard.bench.cells import Cell
from mallard.bench.contenders import CONTENDERS

BDE = "bde-multipool"
SHOWN = {
    "utilization": (*("null", BASE, "monotonic", "multipool", "multipool/base", "multipool+monotonic", BDE),),
    "contention": (
        *(BASE, "monotonic", "multipool", "multipool/base", BDE),
        *("concurrent-multipool", "synchronized-multipool"),
    ),
}
PLACES = {"utilization": ("T", "A", "S"), "contention": ("N", "S", "W")}
THREADS = "W"  # the other places are exponents of two


def tables(experiment: str) -> str:
    """A table for each setting: the strategies of SHOWN, and every second line of utilization."""
    texts = []
    theirs = {table.setting: table for table in race_tables(experiment, _bde_run(experiment).rows)}
    for measured in race_tables(experiment, load(experiment).rows):
        if peers := theirs.get(measured.setting):
            measured = _with_peers(measured, peers)
        table = measured.only(SHOWN[experiment])
        chosen = _of_powers(table) if experiment == "contention" else _ends(table)[::2]
        texts.append(f"{setting_text(table.setting)}:\n\n{_table(replace(table, lines=chosen), experiment)}")
    return "\n\n".join(texts)


def _bde_run(experiment: str) -> StoredRun:
    return with_strategy(experiment, BDE) or load(experiment)


def _with_peers(table: CellTable, peers: CellTable) -> CellTable:
    """The table with the cells of other libraries that the second one has for its lines."""
    lines = []
    for line in table.lines:
        of_line = peers.line(*line.place)
        found = of_line.cells if of_line else {}
        added = {name: cell for name, cell in found.items() if name in CONTENDERS}
        lines.append(replace(line, cells=line.cells | added))
    return replace(table, lines=lines)


def _conditions(experiment: str) -> str:
    others = {"BDE's": _bde_run(experiment)}
    if experiment == "contention":
        others["Most threads"] = _threads_run()
    return with_others(conditions(experiment), others)


@block("contention_threads")
def threads() -> str:
    """Of the run with the most threads, and of these with the most pairs, the lines with the most pairs."""
    stored = _threads_run()
    table = max(race_tables("contention", stored.rows), key=_most)
    pairs = max(line.place[0] for line in table.lines)
    chosen = [line for line in _of_powers(table) if line.place[0] == pairs]
    table = replace(table, lines=chosen).only(SHOWN["contention"])
    _, block_log2, _ = chosen[0].place
    setting = f"{setting_text(table.setting)}, N = 2^{pairs}, S = 2^{block_log2}"
    return f"{setting}:\n\n{_table(table, 'contention', of=(THREADS,))}"


def _threads_run() -> StoredRun:
    return max(
        stored_runs("contention"),
        key=lambda stored: max(map(_most, race_tables("contention", stored.rows)), default=(0, 0)),
    )


def _most(table: CellTable) -> tuple[int, int]:
    return max((line.place[2], line.place[0]) for line in table.lines)


def _of_powers(table: CellTable) -> list[Line]:
    """Of 1, 2, 4, 8 threads."""
    return [line for line in table.lines if line.place[2].bit_count() == 1]


def _ends(table: CellTable) -> list[Line]:
    """Of all T, and of all A, the smallest and the largest: between them a table changes little."""
    lines = list(table.lines)
    for axis in (0, 1):
        values = [line.place[axis] for line in lines]
        lines = [line for line in lines if line.place[axis] in (min(values), max(values))]
    return lines


def _table(table: CellTable, experiment: str, of: Collection[str] = ()) -> str:
    """With the columns of these places, or of all."""
    places, names = PLACES[experiment], table.strategies
    lines = [
        [
            *(
                str(n) if place == THREADS else f"2^{n}"
                for place, n in zip(places, line.place, strict=True)
                if place in (of or places)
            ),
            *(_cell(line.cells.get(name)) for name in names),
        ]
        for line in table.lines
    ]
    heading = [place for place in places if place in (of or places)]
    return markdown_table([*heading, *(f"{name}, ns" if name == BASE else name for name in names)], lines)


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
    BLOCKS[f"{name}_conditions"] = partial(_conditions, name)
