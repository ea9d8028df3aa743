"""The numbered tables of Benchmark I: P0089R1 Tables 3-14 and P0213R0 Tables 4-8 and 21-42.

P0213 prints three sets. Tables 4, 6 and 33-42 are its own runs. Tables 21-32 (and 5 and 7 once more) are
its copy of P0089's data with the columns in their right order; they agree with P0089R1 Tables 3-14, and
print DS1 with one decimal more. Table 8 averages its own runs over every row of every structure, in
percent of AS1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from mallard.errors import UsageError
from mallard.papers.catalogue import PAPER_PRODUCT_LOG2, structures
from mallard.papers.files import read_csv

P0089 = "P0089R1"
P0213 = "P0213R0"
AVERAGES = "p0213:8"
# P0213 section 9, "Analysis": over everything, in percent of the run time.
PRINTED_DISPATCH = 0.78
PRINTED_WINK_OUT = 8.4
COPIES = frozenset({5, 7, *range(21, 33)})  # the numbers under which P0213 prints P0089's data

Line = dict[str, float]  # strategy -> seconds (percent of AS1 in the table of averages)


@dataclass(frozen=True)
class PrintedTable:
    name: str  # what the command line calls it: p0213:6
    paper: str
    number: int
    structure: str  # DS1..DS12; empty for the table of averages
    caption: str
    lines: dict[int, Line]  # size_log2 -> line; the table of averages has one, at 0

    @property
    def is_averages(self) -> bool:
        return not self.structure

    @property
    def is_copy(self) -> bool:
        """Whether P0213 prints P0089's data here."""
        return self.paper == P0213 and self.number in COPIES

    @property
    def data_of(self) -> str:
        return "P0089" if self.paper == P0089 or self.is_copy else "P0213"

    def percent(self, size_log2: int, strategy: str) -> float:
        line = self.lines[size_log2]
        if self.is_averages:
            return line[strategy]
        return 100.0 * line[strategy] / line["AS1"]

    def ns_per_leaf(self, size_log2: int, strategy: str) -> float:
        return seconds_to_ns_per_leaf(self.lines[size_log2][strategy])


def seconds_to_ns_per_leaf(seconds: float) -> float:
    """Every printed cell makes 2^27 leaf elements, whatever its structure and size."""
    return seconds * 1e9 / (1 << PAPER_PRODUCT_LOG2)


@cache
def printed_tables() -> dict[str, PrintedTable]:
    tables: dict[str, PrintedTable] = {}
    for paper, prefix, file in (
        (P0089, "p0089", "p0089_b1.csv"),
        (P0213, "p0213", "p0213_b1.csv"),
        (P0213, "p0213", "p0213_app1_p0089.csv"),
    ):
        for row in read_csv(file):
            name = f"{prefix}:{row['table']}"
            if name not in tables:
                tables[name] = _empty(name, paper, int(row["table"]), row["ds"])
            line = tables[name].lines.setdefault(int(row["size_log2"]), {})
            line[row["strategy"]] = float(row["seconds"])
    tables[AVERAGES] = _averages()
    return dict(sorted(tables.items(), key=lambda item: (item[1].paper, item[1].number)))


def _empty(name: str, paper: str, number: int, structure: str) -> PrintedTable:
    copied = ", P0089's data" if paper == P0213 and number in COPIES else ""
    return PrintedTable(
        name, paper, number, structure, f"{structure}, {structures()[structure].type}{copied}", {}
    )


def _averages() -> PrintedTable:
    line: Line = {"AS1": 100.0}
    for row in read_csv("p0213_claims.csv"):
        line[row["claim"].rsplit(" ", 1)[1]] = float(row["value_low"])
    return PrintedTable(AVERAGES, P0213, 8, "", "mean over all rows of DS1-DS12, percent of AS1", {0: line})


def printed_table(name: str) -> PrintedTable:
    tables = printed_tables()
    if name.lower() not in tables:
        raise UsageError(
            f"no table '{name}': allowed are p0089:3 to p0089:14, p0213:4 to p0213:8 and p0213:21 to "
            "p0213:42; 'mallard list tables' names them"
        )
    return tables[name.lower()]


def own_table(paper: str, structure: str) -> PrintedTable:
    """The paper's own run of a structure: for P0089 the copy in P0213, which prints one decimal more for
    DS1.
    """
    for table in printed_tables().values():
        if table.paper == P0213 and table.structure == structure and table.is_copy == (paper == P0089):
            return table
    raise KeyError(f"{paper} has no table of {structure}")
