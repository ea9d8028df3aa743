"""The tables of Benchmark II: P0089R1 Tables 15-21, P0213R0 Tables 9-11 and 43-46.

A row is a list length |S|, a column an access factor (in Table 15 a shuffle factor). P0089 prints only the
effect of shuffling (after / before), and in Tables 20 and 21 how much smaller it is with a local multipool.
P0213 prints the effect and the seconds behind it. Its Table 11 compares the shuffled times of both
allocators as multipool / global, the inverse of P0089's ratio.
"""

from __future__ import annotations

from functools import cache

from mallard.bench.papers.files import read_csv
from mallard.bench.papers.printed import P0089, P0213, Key, Line, Place, PrintedTable

SHUFFLE_FACTOR = 5
PASSES = 2560  # access factor x repeat factor: the accesses to every link in a printed time
LENGTH = ("|S|",)

# The two times of a cell's ratio. `strategy` in a table's place names the allocator of the lists.
DEGRADATION = "shuffled / unshuffled"
IMPROVEMENT = "degradation with the global allocator / with the local one"
LOCAL_TO_GLOBAL = "local / global, both shuffled"
TIME = "time of an access"
ONSET = "shuffle factor n / 0"

GLOBAL = "new-delete"
LOCAL = "multipool"  # the unsynchronized multipool; each list has its own

_P0089 = {
    "16": (21, DEGRADATION, GLOBAL, "global allocator, after shuffle / before"),
    "17": (25, DEGRADATION, GLOBAL, "global allocator, after shuffle / before"),
    "18": (21, DEGRADATION, LOCAL, "a multipool for each list, after shuffle / before"),
    "19": (25, DEGRADATION, LOCAL, "a multipool for each list, after shuffle / before"),
    "20": (21, IMPROVEMENT, LOCAL, "degradation with the global allocator / with a multipool for each list"),
    "21": (25, IMPROVEMENT, LOCAL, "degradation with the global allocator / with a multipool for each list"),
}
_P0213 = {
    "9": (DEGRADATION, GLOBAL, SHUFFLE_FACTOR, "global allocator, after shuffle / before"),
    "10": (DEGRADATION, LOCAL, SHUFFLE_FACTOR, "a multipool for each list, after shuffle / before"),
    "11": (LOCAL_TO_GLOBAL, LOCAL, SHUFFLE_FACTOR, "after the shuffle, multipool / global allocator"),
    "43": (TIME, GLOBAL, 0, "seconds, global allocator, before the shuffle"),
    "44": (TIME, GLOBAL, SHUFFLE_FACTOR, "seconds, global allocator, after the shuffle"),
    "45": (TIME, LOCAL, 0, "seconds, a multipool for each list, before the shuffle"),
    "46": (TIME, LOCAL, SHUFFLE_FACTOR, "seconds, a multipool for each list, after the shuffle"),
}


@cache
def locality_tables() -> dict[str, PrintedTable]:
    tables = [_shuffle_effects(), *_p0089_tables(), *_p0213_tables()]
    return {table.name: table for table in tables}


def _shuffle_effects() -> PrintedTable:
    rows: dict[Key, Line] = {}
    for row in read_csv("p0089_b2_shuffle.csv"):
        line = rows.setdefault((10 ** int(row["s_log10"]),), {})
        line[row["shuffle_factor"]] = float(row["ratio"])
    return _table(
        "p0089:15",
        P0089,
        "10^7 links, global allocator, af = 10: access after n shuffles / before, by shuffle factor",
        rows,
        {"links": 10**7, "what": ONSET, "strategy": GLOBAL, "access_factor": 10},
    )


def _p0089_tables() -> list[PrintedTable]:
    rows_by_table: dict[str, dict[Key, Line]] = {}
    for row in read_csv("p0089_b2.csv"):
        line = rows_by_table.setdefault(row["table"], {}).setdefault((1 << int(row["s_log2"]),), {})
        line[str(1 << int(row["af_log2"]))] = float(row["ratio"])
    tables = []
    for number, (log2, kind, strategy, text) in _P0089.items():
        place: Place = {"links": 1 << log2, "what": kind, "strategy": strategy}
        caption = f"2^{log2} links, {text}, by access factor"
        tables.append(_table(f"p0089:{number}", P0089, caption, rows_by_table[number], place))
    return tables


def _p0213_tables() -> list[PrintedTable]:
    rows_by_table: dict[str, dict[Key, Line]] = {}
    for row in read_csv("p0213_b2.csv"):
        line = rows_by_table.setdefault(row["table"], {}).setdefault((1 << int(row["s_log2"]),), {})
        line[str(1 << int(row["af_log2"]))] = float(row["value"])
    tables = []
    for number, (kind, strategy, shuffled, text) in _P0213.items():
        place: Place = {"links": 1 << 21, "what": kind, "strategy": strategy, "shuffle_factor": shuffled}
        caption = f"2^21 links, {text}, by access factor"
        tables.append(_table(f"p0213:{number}", P0213, caption, rows_by_table[number], place))
    return tables


def _table(name: str, paper: str, caption: str, rows: dict[Key, Line], place: Place) -> PrintedTable:
    timed = place["what"] == TIME
    operations = dict.fromkeys(rows, PASSES * int(place["links"])) if timed else {}
    return PrintedTable(
        name=name,
        paper=paper,
        label=f"Table {name.partition(':')[2]}",
        experiment="locality",
        caption=caption,
        axes=LENGTH,
        unit="seconds" if timed else "ratio",
        rows=rows,
        place=place,
        data_paper="P0089" if paper == P0089 else "P0213",
        operations=operations,
    )
