"""The tables of Benchmark V, P0213R0 Tables 17-20: the ratio R = (strategy / new-delete in a perturbed
heap) / (strategy / new-delete in a fresh process).

Tables 18 and 19 are printed one column off; the file's `strategy_true` is used (see `notes`).
"""

from __future__ import annotations

from functools import cache

from mallard.bench.papers.files import read_csv
from mallard.bench.papers.printed import P0213, Key, Line, PrintedTable

FREED = {"N": "all", "N/2": "half", "N/4": "quarter", "N/8": "eighth"}
PARTLY_FREED = ("half", "quarter", "eighth")
AVERAGE = "p0213:20"
AVERAGED = "DS1-DS12"  # all structures together, as in Table 20
AVERAGE_KEY: Key = ()


@cache
def fragmentation_tables() -> dict[str, PrintedTable]:
    by_number: dict[str, list[dict[str, str]]] = {}
    for row in read_csv("p0213_b5.csv"):
        by_number.setdefault(row["table"], []).append(row)
    tables = [_table(number, rows) for number, rows in by_number.items()]
    return {table.name: table for table in tables}


def _table(number: str, printed: list[dict[str, str]]) -> PrintedTable:
    rows: dict[Key, Line] = {}
    for row in printed:
        key: Key = (int(row["size_log2"]),) if row["size_log2"] else AVERAGE_KEY
        rows.setdefault(key, {})[row["strategy_true"]] = float(row["ratio"])
    averaged = AVERAGE_KEY in rows
    structure, freed = printed[0]["ds"], printed[0]["d"]
    return PrintedTable(
        name=f"p0213:{number}",
        paper=P0213,
        label=f"Table {number}",
        experiment="fragmentation",
        caption=f"R, mean over {AVERAGED} and D = N/2, N/4, N/8"
        if averaged
        else f"R for {structure}, D = {freed} of 2^16 chunks freed beforehand",
        axes=() if averaged else ("size",),
        unit="ratio",
        rows=rows,
        place={} if averaged else {"ds": structure, "freed": FREED[freed]},
        data_paper="P0213",
    )
