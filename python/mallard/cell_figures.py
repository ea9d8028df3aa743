"""Repetitions joined into cells, for any experiment: median, spread, the ratio to new-delete, and the
experiment's further figures. A strategy under another malloc stands in the row of the plain ones, so its
ratio is to new-delete under the C library's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mallard.analysis.cells import figures_of, ratio_of, times_of
from mallard.analysis.names import BASE, in_table_order
from mallard.result import OK, Parameters, Row
from mallard.stats import Ratio, Spread, median, spread


@dataclass(frozen=True)
class CellFigures:
    run_id: int
    experiment: str
    parameters: Parameters
    strategy: str
    status: str  # ok when one repetition or more is; else that of the last
    detail: str
    ns_per_operation: Spread | None
    ratio: Ratio | None  # to new-delete, paired by repetition
    minor_faults: float
    peak_rss_bytes: float
    figures: dict[str, Spread]


def cell_figures(rows: Iterable[Row]) -> list[CellFigures]:
    """One for each cell: rows in the order in which they were first met, strategies in that of the papers."""
    by_row: dict[tuple[int, tuple[str, str]], dict[str, list[Row]]] = {}
    for row in rows:
        by_row.setdefault((row.run_id, row.row_key), {}).setdefault(row.strategy, []).append(row)
    return [
        _figures(cells[strategy], cells.get(BASE, []))
        for cells in by_row.values()
        for strategy in in_table_order(cells)
    ]


def _figures(repetitions: list[Row], base: list[Row]) -> CellFigures:
    times = times_of(repetitions)
    measured = [row for row in repetitions if row.ok]
    last = repetitions[-1]
    return CellFigures(
        run_id=last.run_id,
        experiment=last.experiment,
        parameters=last.parameters,
        strategy=last.strategy,
        status=OK if measured else last.status,
        detail="" if measured else last.detail,
        ns_per_operation=spread(list(times.values())) if times else None,
        ratio=ratio_of(times, times_of(base)),
        minor_faults=median([row.minor_faults for row in measured]) if measured else 0.0,
        peak_rss_bytes=median([row.peak_rss_bytes for row in measured]) if measured else 0.0,
        figures={name: spread(list(values.values())) for name, values in figures_of(measured).items()},
    )
