"""The tables of Benchmarks III and IV, in which threads take and free blocks.

III, utilization: six unnumbered tables of P0089R1 (T = 2^30 .. 2^35), P0213R0 Tables 12, 13 and 47-57. A row
is T, A and S, exponents of two of bytes: allocated in total, active, of a block. Tables 12 and 53-57 are
percents of new-delete, whose column has seconds; 47-52 have the seconds of all columns.

IV, contention: seven unnumbered tables of P0089R1, P0213R0 Tables 14-16 and 58-71. A row is a number of
threads W. N is the number of repetitions of one thread: 2^15 .. 2^19 in P0089, a hundred times that in P0213.
P0213 measured with a static buffer behind the monotonic allocators (Tables 14 and 58-64) and without (16 and
65-71); P0089 has no buffer.

Tables 13 and 15 are P0213's copies of P0089's first tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from mallard.bench.papers.files import read_csv
from mallard.bench.papers.printed import P0089, P0213, Key, Line, PrintedTable, Unit

UTILIZATION_COPY, CONTENTION_COPY = "13", "15"
PARTS = ((15, 6), (15, 7), (15, 8), (16, 8), (17, 8), (18, 8), (19, 8))  # N, S of P0089's seven

Rows = Iterable[dict[str, str]]


@cache
def utilization_tables() -> dict[str, PrintedTable]:
    tables: dict[str, PrintedTable] = {}
    for total in range(30, 36):
        rows = [row for row in read_csv("p0089_b3.csv") if row["t_log2"] == str(total)]
        name, label = f"p0089:III-{total}", f"Benchmark III, T = 2^{total}"
        tables[name] = _utilization_table(name, P0089, label, "P0089", rows)
    for number, rows in _p0213_rows("p0213_b3.csv", "III", UTILIZATION_COPY).items():
        name, data_paper = f"p0213:{number}", "P0089" if number == UTILIZATION_COPY else "P0213"
        tables[name] = _utilization_table(name, P0213, f"Table {number}", data_paper, rows)
    return tables


@cache
def contention_tables() -> dict[str, PrintedTable]:
    tables: dict[str, PrintedTable] = {}
    for n, s in PARTS:
        part = [r for r in read_csv("p0089_b4.csv") if (r["n_log2"], r["s_log2"]) == (str(n), str(s))]
        name = f"p0089:IV-{n}-{s}"
        tables[name] = _contention_table(name, P0089, f"Benchmark IV, N = 2^{n}, S = 2^{s}", part)
    for number, rows in _p0213_rows("p0213_b4.csv", "IV", CONTENTION_COPY).items():
        name = f"p0213:{number}"
        tables[name] = _contention_table(name, P0213, f"Table {number}", rows)
    return tables


def _p0213_rows(file: str, benchmark: str, copy: str) -> dict[str, list[dict[str, str]]]:
    """The rows of each numbered table, in the order of the numbers."""
    copied = [row for row in read_csv("p0213_p0089_copies_b3b4.csv") if row["benchmark"] == benchmark]
    by_number: dict[str, list[dict[str, str]]] = {copy: copied}
    for row in read_csv(file):
        by_number.setdefault(row["table"], []).append(row)
    return dict(sorted(by_number.items(), key=lambda item: int(item[0])))


def _unit(printed: Rows) -> Unit:
    percents = any(row["unit"] == "percent_of_AS1" for row in printed)
    return "percent of new-delete" if percents else "seconds"


def _utilization_table(
    name: str, paper: str, label: str, data_paper: str, printed: list[dict[str, str]]
) -> PrintedTable:
    rows: dict[Key, Line] = {}
    for row in printed:
        key = (int(row["t_log2"]), int(row["a_log2"]), int(row["s_log2"]))
        rows.setdefault(key, {})[row["strategy"]] = float(row["value"]) if row["value"] else None
    total = next(iter(rows))[0]
    copied = ", P0089's data" if paper == P0213 and data_paper == "P0089" else ""
    unit = _unit(printed)
    return PrintedTable(
        name=name,
        paper=paper,
        label=label,
        experiment="utilization",
        caption=f"2^{total} bytes allocated in all, {unit}{copied}",
        axes=("T", "A", "S"),
        unit=unit,
        rows=rows,
        place={"total_log2": total},
        data_paper=data_paper,
        operations={key: 1 << (key[0] - key[2]) for key in rows},
    )


def _contention_table(name: str, paper: str, label: str, printed: list[dict[str, str]]) -> PrintedTable:
    rows: dict[Key, Line] = {}
    for row in printed:
        rows.setdefault((int(row["w"]),), {})[row["strategy"]] = float(row["value"])
    n, s = int(row["n_log2"]), int(row["s_log2"])
    unit = _unit(printed)
    multiplier = int(row.get("n_mult", 1))
    buffer = row.get("buffer", "none")
    repeated = f"2^{n}" if multiplier == 1 else f"{multiplier} x 2^{n}"
    is_copy = name == f"p0213:{CONTENTION_COPY}"
    behind = "with a static buffer" if buffer == "static" else "without a buffer"
    return PrintedTable(
        name=name,
        paper=paper,
        label=label,
        experiment="contention",
        caption=f"{repeated} blocks of 2^{s} bytes a thread, {behind}, {unit}"
        + (", P0089's data" if is_copy else ""),
        axes=("W",),
        unit=unit,
        rows=rows,
        place={"iterations_log2": n, "block_log2": s, "buffer": buffer, "multiplier": multiplier},
        data_paper="P0089" if paper == P0089 or is_copy else "P0213",
        operations=dict.fromkeys(rows, multiplier << n),
    )
