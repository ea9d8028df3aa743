"""Bursts: a line for each range of nodes, a table for each setting (nodes, compiler). Ranges are inserted and
erased, then nodes are pushed and popped one by one, and at last the whole list is cleared.
"""

from __future__ import annotations

from collections.abc import Iterable

from mallard.analysis.by_ranges import (
    PLACES,
    RANGES,
    bursts_sentences,
    overhead_sentences,
    phases_sentences,
    range_text,
)
from mallard.analysis.cells import CellTable, cell_tables
from mallard.analysis.phases import Quantity
from mallard.analysis.ranking import mallocs_sentence, under_mallocs
from mallard.analysis.unfinished import unfinished_sentences
from mallard.result import Row

EXPERIMENT = "burst"
PUSH = Quantity("push_ns", "push", "push one node back")
POP = Quantity("pop_ns", "pop", "pop one node off the front")
CLEAR = Quantity("clear_ns", "clear", "clear the list")
PHASES = (*RANGES, PUSH, POP, CLEAR)
IN_BURSTS = (*RANGES, CLEAR)


def burst_tables(rows: Iterable[Row]) -> list[CellTable]:
    return [table for _, table in cell_tables(rows, EXPERIMENT, PLACES)]


def burst_sentences(table: CellTable) -> list[str]:
    return [
        *phases_sentences(table, PHASES),
        *bursts_sentences(table, IN_BURSTS),
        *overhead_sentences(table),
        *mallocs_sentence(under_mallocs([table])),
        *unfinished_sentences(table, "the range", range_text),
    ]
