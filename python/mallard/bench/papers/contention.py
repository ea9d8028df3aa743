"""The tables of Benchmark IV: seven unnumbered ones of P0089R1, P0213R0 Tables 14-16 and 58-71.

A row is a number of threads W. N is the number of repetitions of one thread: 2^15 .. 2^19 in P0089, a
hundred times that in P0213. Table 15 is P0213's copy of P0089's first table. P0213 measured with a static
buffer behind the monotonic allocators (Tables 14 and 58-64) and without (16 and 65-71); P0089 has no
buffer.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from mallard.bench.papers.files import read_csv
from mallard.bench.papers.printed import P0089, P0213, Key, Line, PrintedTable, Unit

AXES = ("W",)
COPY = "15"
PARTS = ((15, 6), (15, 7), (15, 8), (16, 8), (17, 8), (18, 8), (19, 8))  # N, S of P0089's seven

Rows = Iterable[dict[str, str]]


@cache
def contention_tables() -> dict[str, PrintedTable]:
    tables: dict[str, PrintedTable] = {}
    for n, s in PARTS:
        part = [r for r in read_csv("p0089_b4.csv") if (r["n_log2"], r["s_log2"]) == (str(n), str(s))]
        name = f"p0089:IV-{n}-{s}"
        tables[name] = _table(name, P0089, f"Benchmark IV, N = 2^{n}, S = 2^{s}", part)
    copied = [row for row in read_csv("p0213_p0089_copies_b3b4.csv") if row["benchmark"] == "IV"]
    by_number: dict[str, list[dict[str, str]]] = {COPY: copied}
    for row in read_csv("p0213_b4.csv"):
        by_number.setdefault(row["table"], []).append(row)
    for number, rows in sorted(by_number.items(), key=lambda item: int(item[0])):
        tables[f"p0213:{number}"] = _table(f"p0213:{number}", P0213, f"Table {number}", rows)
    return tables


def _table(name: str, paper: str, label: str, printed: Rows) -> PrintedTable:
    rows: dict[Key, Line] = {}
    unit: Unit = "seconds"
    for row in printed:
        rows.setdefault((int(row["w"]),), {})[row["strategy"]] = float(row["value"])
        if row["unit"] == "percent_of_AS1":
            unit = "percent of new-delete"
    n, s = int(row["n_log2"]), int(row["s_log2"])
    multiplier = int(row.get("n_mult", 1))
    buffer = row.get("buffer", "none")
    repeated = f"2^{n}" if multiplier == 1 else f"{multiplier} x 2^{n}"
    quantity = "seconds" if unit == "seconds" else "percent of new-delete"
    is_copy = name == f"p0213:{COPY}"
    behind = "with a static buffer" if buffer == "static" else "without a buffer"
    return PrintedTable(
        name=name,
        paper=paper,
        label=label,
        experiment="contention",
        caption=f"{repeated} blocks of 2^{s} bytes a thread, {behind}, {quantity}"
        + (", P0089's data" if is_copy else ""),
        axes=AXES,
        unit=unit,
        rows=rows,
        place={"iterations_log2": n, "block_log2": s, "buffer": buffer, "multiplier": multiplier},
        data_paper="P0089" if paper == P0089 or is_copy else "P0213",
        operations=dict.fromkeys(rows, multiplier << n),
    )
