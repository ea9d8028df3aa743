"""Compares a cell of a race with printed cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mallard.bench.cells import Cell
from mallard.bench.evidence.beside import NOT_MEASURED, Beside
from mallard.bench.papers.printed import Key, PrintedTable


def matching(
    tables: Iterable[PrintedTable], paper: str, place: Mapping[str, object], preferred: Mapping[str, object]
) -> PrintedTable | None:
    """The table with the paper's own measurement at a place. Of several tables, the one closest to the
    setting is preferred, then one that prints seconds."""
    matches = [
        table
        for table in tables
        if table.data_paper == paper and all(table.place.get(key) == value for key, value in place.items())
    ]

    def fit(table: PrintedTable) -> tuple[int, bool]:
        return (
            sum(table.place.get(key) == value for key, value in preferred.items()),
            table.unit == "seconds",
        )

    return max(matches, key=fit, default=None)


def beside(printed: PrintedTable | None, key: Key, name: str, cell: Cell | None) -> Beside | None:
    """The comparison; None if the paper has no such cell."""
    if printed is None or name not in printed.rows.get(key, {}):
        return None
    percent = printed.percent_of_base(key, name)
    return Beside(
        None if percent is None else percent / 100,
        printed.nanoseconds(key, name),
        cell.ratio if cell else None,
        cell.ns_per_operation if cell and cell.finished else None,
        cell.status if cell else NOT_MEASURED,
    )
