"""How much of each document's tables was measured at the sizes that the document prints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from mallard.bench.experiments.description.axis import HUGE, PAGES
from mallard.bench.papers.printed import PrintedTable
from mallard.bench.papers.registry import all_tables
from mallard.bench.result import OK, Row

# The parameter of a printed table's axis. The other axes are phases of one cell.
AXES = {
    "size": "size_log2",
    "|S|": "list_length",
    "T": "total_log2",
    "A": "active_log2",
    "S": "block_log2",
    "W": "threads",
    "N": "object_bytes",
}
# Of a table's place, what it shows of its cells; the rest are parameters.
SHOWN = frozenset({"what", "strategy", "shuffle_factor", "access_factor", "figure", "version"})

Size = frozenset[tuple[str, object]]


@dataclass(frozen=True)
class Coverage:
    paper: str  # as in the names of its tables
    document: str  # as PrintedTable.paper
    experiment: str
    printed: int  # sizes in the document's tables
    measured: int  # of these, with a row here, not on huge pages


def coverage(rows: Iterable[Row]) -> list[Coverage]:
    """A line for each experiment of each document, in the order of its tables. A table that a document copies
    from another one counts for the other one.
    """
    printed: dict[tuple[str, str, str], dict[Size, None]] = {}
    for table in all_tables().values():
        if table.place and table.paper.startswith(table.data_paper):
            sizes = dict.fromkeys(printed_sizes(table))
            if sizes:
                paper = table.name.partition(":")[0]
                printed.setdefault((paper, table.paper, table.experiment), {}).update(sizes)
    measured: dict[str, set[Size]] = defaultdict(set)
    for row in rows:
        if row.status == OK and row.parameters.get(PAGES.name) != HUGE:
            measured[row.experiment].add(frozenset(row.parameters.items()))
    return [
        Coverage(*table, len(sizes), sum(any(map(size.issubset, measured[table[-1]])) for size in sizes))
        for table, sizes in printed.items()
    ]


def printed_sizes(table: PrintedTable) -> list[Size]:
    """The parameters of each row; none if the rows are phases of one cell."""
    axes = [AXES.get(axis) for axis in table.axes]
    place = {name: value for name, value in table.place.items() if name not in SHOWN}
    return [
        frozenset({**place, **{name: value for name, value in zip(axes, key, strict=True) if name}}.items())
        for key in table.rows
        if any(axes)
    ]
