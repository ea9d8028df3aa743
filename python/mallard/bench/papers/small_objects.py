"""The tables of the Loki test (small object allocation, 2012): seconds for a million objects, with shuffled
and ordered frees, and the memory of the process. The blog numbers none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from mallard.bench.papers.files import read_csv
from mallard.bench.papers.printed import BASE, LOKI, Key, Line, PrintedTable

OBJECTS = 1_000_000
FIGURES = {"allocation": "allocate_ns", "shuffling": "shuffle_ns", "deallocation": "free_ns"}
PHASES = tuple(FIGURES)
PROCESS = "process_bytes"  # the process's memory for an object, with the vector of pointers
POINTER_BYTES = 8  # of that vector, per object
STRATEGIES = {"SYSTEM_ALLOC": BASE, "USE_LOKI_SOA": "loki"}
ORDERS = {"shuffled": "shuffled", "in-order": "in_order"}
MEMORY = "memory"

Rows = Sequence[dict[str, str]]


@cache
def small_objects_tables() -> dict[str, PrintedTable]:
    rows = read_csv("loki_soa.csv")
    tables = [*(_times(order, rows) for order in ORDERS), _memory(rows)]
    return {table.name: table for table in tables}


def _times(order: str, printed: Rows) -> PrintedTable:
    """The times, except those of a shuffle that did not happen, which the blog prints as 0."""
    rows: dict[Key, Line] = {}
    for row in printed:
        if row["order"] == ORDERS[order] and float(row["seconds"]):
            key = (int(row["size_n"]), PHASES.index(row["phase"]))
            rows.setdefault(key, {})[STRATEGIES[row["mode"]]] = float(row["seconds"])
    return PrintedTable(
        name=f"loki:time-{order}",
        paper=LOKI,
        label=f"execution time, {'shuffled' if order == 'shuffled' else 'in order'}",
        experiment="small-objects",
        caption="a million objects of N bytes, seconds of each phase",
        axes=("N", "phase"),
        unit="seconds",
        rows=dict(sorted(rows.items(), key=lambda item: (item[0][1], item[0][0]))),
        place={"order": order},
        data_paper=LOKI,
        operations=dict.fromkeys(rows, OBJECTS),
        words={"phase": PHASES},
    )


def _memory(printed: Rows) -> PrintedTable:
    rows: dict[Key, Line] = {}
    for row in printed:
        if row["phase"] == MEMORY:
            rows.setdefault((int(row["size_n"]),), {})[STRATEGIES[row["mode"]]] = float(row["memory_kb"])
    return PrintedTable(
        name="loki:memory",
        paper=LOKI,
        label="memory of the process",
        experiment="small-objects",
        caption="a million objects of N bytes, kB",
        axes=("N",),
        unit="kB",
        rows=rows,
        place={"order": "shuffled", "figure": PROCESS},
        data_paper=LOKI,
        operations=dict.fromkeys(rows, OBJECTS),
    )


def figure_name(table: PrintedTable, key: Key) -> str:
    """The figure of this machine's rows that is compared with a printed one."""
    return str(table.place["figure"]) if "figure" in table.place else FIGURES[PHASES[key[1]]]
