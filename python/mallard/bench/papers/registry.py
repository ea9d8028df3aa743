"""Every printed table by its name: the paper's number, as p0213:6, or a name such as p0089:III-30 and
loki:memory for unnumbered tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from mallard.bench.papers.blocks import contention_tables, utilization_tables
from mallard.bench.papers.fixed_block import fixed_block_tables
from mallard.bench.papers.fragmentation import fragmentation_tables
from mallard.bench.papers.locality import locality_tables
from mallard.bench.papers.printed import PrintedTable
from mallard.bench.papers.small_objects import small_objects_tables
from mallard.bench.papers.tables import printed_tables
from mallard.shared.errors import UsageError
from mallard.shared.prose import did_you_mean

EXAMPLE = "p0213:6"
PAPERS = ("p0089", "p0213", "loki", "optimized")
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
    tables: dict[str, PrintedTable] = {
        **printed_tables(),
        **locality_tables(),
        **utilization_tables(),
        **contention_tables(),
        **fragmentation_tables(),
        **small_objects_tables(),
        **fixed_block_tables(),
    }
    return dict(sorted(tables.items(), key=lambda item: _place(item[0])))


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


def _place(name: str) -> tuple[int, int, str]:
    """Sorts numbered tables by number, and puts the others after them, by name."""
    paper, _, number = name.partition(":")
    where = PAPERS.index(paper)
    return (where, int(number), "") if number.isdecimal() else (where, 1000, number)
