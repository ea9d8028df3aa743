"""Every printed table by its name: the paper's number, as p0213:6, or a name such as p0089:III-30 and
loki:memory for unnumbered tables.

tables.csv describes the tables, in the order of the papers; figures.csv has a line for each of their rows:
its key, the operations of a printed time, and the figures by column. A failed test has no figure.

    I    density        P0089R1 Tables 3-14, P0213R0 Tables 4-8 and 21-42. 4, 6 and 33-42 are P0213's runs,
                        8 the mean of all their rows, the others P0089's data, with a decimal more of DS1.
    II   locality       P0089R1 Tables 15-21, P0213R0 Tables 9-11 and 43-46
    III  utilization    six unnumbered tables of P0089R1 (T = 2^30 .. 2^35), P0213R0 Tables 12, 13 and 47-57.
                        T, A and S are exponents of two: bytes allocated in total, active, of a block.
    IV   contention     seven unnumbered tables of P0089R1, P0213R0 Tables 14-16 and 58-71. W are threads,
                        with 2^15 .. 2^19 repetitions each in P0089, a hundred times that in P0213.
    V    fragmentation  P0213R0 Tables 17-20: R = (strategy / new-delete in a perturbed heap) / (strategy /
                        new-delete in a fresh process). 18 and 19 are printed one column off, not so here.

The Loki test has the seconds of a million objects, and the memory of the process. The times of Optimized C++,
chapter 13, are in its prose.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import get_args

from mallard.bench.papers.files import read_csv
from mallard.bench.papers.printed import P0089, P0213, Key, Line, Place, PrintedTable, Unit
from mallard.bench.strategy_names import current
from mallard.shared.errors import UsageError
from mallard.shared.prose import did_you_mean

PHASES = ("allocation", "shuffling", "deallocation")
WORKS = ("new-delete", "replace", "list", "map", "remove-ctrl")
# The words of axes whose numbers are indices.
WORDS = {"phase": PHASES, "work": WORKS}
AVERAGES = "p0213:8"
EXAMPLE = "p0213:6"
UNNUMBERED = (
    "P0089 does not number the tables of its Benchmarks III and IV. Here they are called III-T (T as an "
    "exponent of two) and IV-N-S (N and S likewise). The Loki test and Optimized C++ number none of theirs."
)
ALLOWED = (
    "p0089:3 to p0089:21, p0089:III-30 to p0089:III-35, p0089:IV-15-6 to p0089:IV-19-8, p0213:4 to p0213:71, "
    "loki:time-shuffled, loki:time-in-order, loki:memory and optimized:times"
)


@cache
def all_tables() -> dict[str, PrintedTable]:
    """All tables in the order of the papers; P0089's unnumbered tables follow its numbered ones."""
    lines: dict[str, list[dict[str, str]]] = {}
    for line in read_csv("figures.csv"):
        lines.setdefault(line["table"], []).append(line)
    return {row["name"]: _table(row, lines[row["name"]]) for row in read_csv("tables.csv")}


def tables_of(experiment: str) -> list[PrintedTable]:
    return [table for table in all_tables().values() if table.experiment == experiment]


def _table(row: dict[str, str], lines: Sequence[dict[str, str]]) -> PrintedTable:
    axes = tuple(row["axes"].split())
    (unit,) = (unit for unit in get_args(Unit) if unit == row["unit"])
    return PrintedTable(
        name=row["name"],
        paper=row["paper"],
        label=row["label"],
        experiment=row["experiment"],
        caption=row["caption"],
        axes=axes,
        unit=unit,
        rows={_key(line): _figures(line["figures"]) for line in lines},
        place=_parse_place(row["place"]),
        data_paper=row["data_paper"],
        operations={_key(line): int(line["operations"]) for line in lines if line["operations"]},
        words={axis: WORDS[axis] for axis in axes if axis in WORDS},
    )


def _key(line: dict[str, str]) -> Key:
    return tuple(map(int, line["row"].split()))


def _figures(text: str) -> Line:
    columns = (column.rpartition("=") for column in text.split(";"))
    return {current(name): float(figure) if figure else None for name, _, figure in columns}


def _parse_place(text: str) -> Place:
    parts = (part.partition("=") for part in text.split(";") if part)
    return {name: int(value) if value.isdecimal() else value for name, _, value in parts}


def own_table(paper: str, structure: str) -> PrintedTable:
    """The paper's own run of a structure. For P0089 it is P0213's copy, which prints one more decimal for
    DS1.
    """
    for table in tables_of("density"):
        is_copy = table.data_paper == "P0089"
        if table.paper == P0213 and table.structure == structure and is_copy == (paper == P0089):
            return table
    raise KeyError(f"{paper} has no table of {structure}")


def table_named(name: str) -> PrintedTable:
    for known, table in all_tables().items():
        if known.lower() == name.lower():
            return table
    raise UsageError(
        f"no table '{name}'{did_you_mean(name, all_tables())}; allowed are {ALLOWED}; "
        "'mallard show tables' describes them"
    )


def in_ranges(names: Sequence[str]) -> list[str]:
    """Names in the papers' order, with runs of three or more neighbours joined: p0089:3 to p0089:14. A name
    without a number stands alone, because a reader could not guess it.
    """
    order = list(all_tables())
    runs: list[list[str]] = []
    for name in names:
        previous = runs[-1][-1] if runs else ""
        adjacent = (
            previous
            and order.index(name) == order.index(previous) + 1
            and _table_family(name) == _table_family(previous)
        )
        if adjacent and name[-1].isdecimal():
            runs[-1].append(name)
        else:
            runs.append([name])
    return [part for run in runs for part in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else run)]


def _table_family(name: str) -> tuple[str, str]:
    table = all_tables()[name]
    return table.paper, table.experiment
