"""The tables of Benchmark III: six unnumbered ones of P0089R1 (T = 2^30 .. 2^35), P0213R0 Tables 12, 13 and
47-57.

A row is T, A and S, exponents of two of bytes: allocated in total, active, of a block. Table 13 is P0213's
copy of P0089's first table. Tables 12 and 53-57 are percents of new-delete, whose column has seconds; 47-52
have the seconds of all columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from mallard.bench.papers.files import read_csv
from mallard.bench.papers.printed import P0089, P0213, Key, Line, PrintedTable, Unit

AXES = ("T", "A", "S")
COPY = "13"


@cache
def utilization_tables() -> dict[str, PrintedTable]:
    tables: dict[str, PrintedTable] = {}
    for total in range(30, 36):
        rows = [row for row in read_csv("p0089_b3.csv") if row["t_log2"] == str(total)]
        name, label = f"p0089:III-{total}", f"Benchmark III, T = 2^{total}"
        tables[name] = _table(name, P0089, label, "P0089", rows)
    copied = [row for row in read_csv("p0213_p0089_copies_b3b4.csv") if row["benchmark"] == "III"]
    by_number: dict[str, list[dict[str, str]]] = {COPY: copied}
    for row in read_csv("p0213_b3.csv"):
        by_number.setdefault(row["table"], []).append(row)
    for number, rows in sorted(by_number.items(), key=lambda item: int(item[0])):
        name = f"p0213:{number}"
        tables[name] = _table(name, P0213, f"Table {number}", "P0089" if number == COPY else "P0213", rows)
    return tables


def _table(
    name: str, paper: str, label: str, data_paper: str, printed: Iterable[dict[str, str]]
) -> PrintedTable:
    rows: dict[Key, Line] = {}
    unit: Unit = "seconds"
    for row in printed:
        key = (int(row["t_log2"]), int(row["a_log2"]), int(row["s_log2"]))
        rows.setdefault(key, {})[row["strategy"]] = float(row["value"]) if row["value"] else None
        if row["unit"] == "percent_of_AS1":
            unit = "percent of new-delete"
    total = next(iter(rows))[0]
    copied = ", P0089's data" if paper == P0213 and data_paper == "P0089" else ""
    quantity = "seconds" if unit == "seconds" else "percent of new-delete"
    return PrintedTable(
        name=name,
        paper=paper,
        label=label,
        experiment="utilization",
        caption=f"2^{total} bytes allocated in all, {quantity}{copied}",
        axes=AXES,
        unit=unit,
        rows=rows,
        place={"total_log2": total},
        data_paper=data_paper,
        operations={key: 1 << (key[0] - key[2]) for key in rows},
    )
