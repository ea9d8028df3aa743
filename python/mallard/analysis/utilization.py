"""Benchmark III: a line for each total amount, active amount and block size (T, A, S), a table for each
setting (buffer, final frees, compiler).
"""

from __future__ import annotations

from collections.abc import Iterable

from mallard.analysis.cells import CellTable, cell_tables
from mallard.result import Row

PLACES = ("total_log2", "active_log2", "block_log2")


def utilization_tables(rows: Iterable[Row]) -> list[CellTable]:
    """Figures of a cell beside its time, an allocation with its deallocation: `held_bytes`, `free_ns`."""
    return [table for _, table in cell_tables(rows, "utilization", PLACES)]
