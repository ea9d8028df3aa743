"""The times of Optimized C++, chapter 13. They are in its prose, so the table and its name are mallard's.

The book has fixed blocks of three kinds: a class-specific operator new, an allocator of a container, and an
allocator of a string. `STRATEGIES` names mallard's for each.
"""

from __future__ import annotations

from functools import cache

from mallard.bench.papers.files import read_csv
from mallard.bench.papers.printed import BASE, OPTIMIZED, Key, Line, PrintedTable

TIMES = "optimized:times"
BLOCK = "fixed block"  # the column next to the default's
AS_PRINTED = "as-printed"  # of the versions of remove-ctrl
REMOVE_CTRL = "remove-ctrl"  # the work that has versions
STRATEGIES = {
    "new-delete": "class-new",
    "replace": "class-new",
    "list": "fixed-pool",
    "map": "fixed-pool",
    REMOVE_CTRL: "fixed-string",
}
WORKS = tuple(STRATEGIES)
EXPERIMENTS = {
    "class_new_allocate_1M_instances": ("new-delete", 1_000_000),
    "random_replace_in_100_pointers_1M_instances": ("replace", 1_000_000),
    "list_1000_ints_create_destroy": ("list", 1),
    "map_1000_int_keys_create_destroy": ("map", 1),
    "remove_ctrl_string": (REMOVE_CTRL, 1),  # the book does not state the number of calls
}
SECONDS = {"ms": 1e-3, "us": 1e-6}
STATED = "speedup_stated"  # it follows from the times


@cache
def fixed_block_tables() -> dict[str, PrintedTable]:
    rows: dict[Key, Line] = {}
    operations: dict[Key, int] = {}
    for row in read_csv("optimized_cpp.csv"):
        if row["variant"] == STATED:
            continue
        work, count = EXPERIMENTS[row["experiment"]]
        key = (WORKS.index(work),)
        column = BLOCK if "block" in row["variant"] else BASE
        rows.setdefault(key, {BASE: None})[column] = float(row["value"]) * SECONDS[row["unit"]]
        operations[key] = count
    table = PrintedTable(
        name=TIMES,
        paper=OPTIMIZED,
        label="chapter 13, times in the text",
        experiment="fixed-block",
        caption="the default allocator and blocks of one size, work by work",
        axes=("work",),
        unit="seconds",
        rows=rows,
        place={"version": AS_PRINTED},
        data_paper=OPTIMIZED,
        operations=operations,
        words={"work": WORKS},
    )
    return {TIMES: table}


def work_name(key: Key) -> str:
    return WORKS[key[0]]
