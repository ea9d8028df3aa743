"""The figures of this machine's rows that the tables of the Loki test are compared with."""

from __future__ import annotations

from mallard.bench.papers.printed import Key, PrintedTable
from mallard.bench.papers.registry import PHASES

FIGURES = dict(zip(PHASES, ("allocate_ns", "shuffle_ns", "free_ns"), strict=True))
PROCESS = "process_bytes"  # the process's memory for an object, with the vector of pointers
POINTER_BYTES = 8  # of that vector, per object


def figure_name(table: PrintedTable, key: Key) -> str:
    return str(table.place["figure"]) if "figure" in table.place else FIGURES[PHASES[key[1]]]
