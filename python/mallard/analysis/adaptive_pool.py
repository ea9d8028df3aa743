"""Adaptive pools: a line for each range of nodes that is inserted or erased at a time, a table for each
setting (nodes, compiler). The phases and the memory are figures of a cell.
"""

from __future__ import annotations

from collections.abc import Iterable

from mallard.analysis.by_ranges import (
    HELD,
    PLACES,
    RANGES,
    bursts_sentences,
    overhead_sentences,
    phases_sentences,
    range_text,
)
from mallard.analysis.cells import CellTable, cell_tables
from mallard.analysis.phases import Quantity, bytes_text, least_text, most_of
from mallard.analysis.ranking import mallocs_sentence, under_mallocs
from mallard.analysis.unfinished import unfinished_sentences
from mallard.result import Row

EXPERIMENT = "adaptive-pool"
PHASES = RANGES
ERASED = Quantity("erased_bytes", "after erasure", "held after erasure")
POOL = Quantity("pool_bytes", "in the pool", "that the pool itself keeps after erasure")
TRIMMED = Quantity("trimmed_bytes", "trimmed", "held after erasure and trim")
MEMORY = (HELD, ERASED, POOL, TRIMMED)


def adaptive_pool_tables(rows: Iterable[Row]) -> list[CellTable]:
    return [table for _, table in cell_tables(rows, EXPERIMENT, PLACES)]


def adaptive_pool_sentences(table: CellTable) -> list[str]:
    return [
        *phases_sentences(table, PHASES),
        *bursts_sentences(table, PHASES[:2]),
        *overhead_sentences(table),
        *_held(table),
        *mallocs_sentence(under_mallocs([table])),
        *unfinished_sentences(table, "the range", range_text),
    ]


def _held(table: CellTable) -> list[str]:
    """What the process holds, its cached chunks among it, and what the pools themselves keep."""
    process = least_text(most_of(table, ERASED.figure), bytes_text)
    pools = least_text(most_of(table, POOL.figure), bytes_text)
    said = [f"Held after all nodes were erased, at most: {process}."] if process else []
    return [*said, f"Kept by the pools themselves then, at most: {pools}."] if pools else said
