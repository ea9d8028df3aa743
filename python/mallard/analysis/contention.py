"""Benchmark IV: a line for each number of iterations, block size and number of threads (N, S, W), a table for
each setting (buffer, who frees, multiplier, compiler).
"""

from __future__ import annotations

from collections.abc import Iterable

from mallard.analysis.cells import CellTable, cell_tables
from mallard.result import Row

PLACES = ("iterations_log2", "block_log2", "threads")


def contention_tables(rows: Iterable[Row]) -> list[CellTable]:
    """Times are by the wall clock, for a pair of one thread; figures of a cell beside them: `slowest_ns`,
    `fastest_ns`, `cpu_ns_per_pair`.
    """
    return [table for _, table in cell_tables(rows, "contention", PLACES)]
