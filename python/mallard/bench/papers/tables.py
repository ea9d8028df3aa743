"""The numbered tables of Benchmark I: P0089R1 Tables 3-14 and P0213R0 Tables 4-8 and 21-42.

P0213 prints three sets. Tables 4, 6 and 33-42 are its own runs. Tables 21-32 (and 5 and 7 again) are its
copy of P0089's data with the columns in their right order. They agree with P0089R1 Tables 3-14, and print
DS1 with one more decimal. Table 8 averages its own runs over every row of every structure, in percent of
new-delete.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from mallard.bench.papers.catalogue import PAPER_PRODUCT_LOG2, structures
from mallard.bench.papers.files import read_csv
from mallard.bench.papers.printed import BASE, P0089, P0213, Key, Line, PrintedTable
from mallard.bench.strategy_names import current

__all__ = ["AVERAGES", "P0089", "P0213", "DensityTable", "own_table", "printed_table", "printed_tables"]

AVERAGES = "p0213:8"
AVERAGES_SIZE = 0
# P0213 section 9, "Analysis": the mean of all rows, in percent of the time.
PRINTED_DISPATCH = 0.78
PRINTED_WINK_OUT = 8.4
COPIES = frozenset({5, 7, *range(21, 33)})  # P0213's numbers of tables with P0089's data


@dataclass(frozen=True)
class DensityTable(PrintedTable):
    """Rows are sizes, columns the fourteen strategies. The table of averages has one row, of percents."""

    @property
    def number(self) -> int:
        return int(self.name.partition(":")[2])

    @property
    def structure(self) -> str:
        """DS1..DS12; empty for the table of averages."""
        return str(self.place.get("ds", ""))

    @property
    def is_averages(self) -> bool:
        return not self.structure

    @property
    def is_copy(self) -> bool:
        """True if P0213 prints P0089's data here."""
        return self.paper == P0213 and self.number in COPIES

    @cached_property
    def lines(self) -> dict[int, dict[str, float]]:
        """size_log2 -> strategy -> seconds, or percent in the table of averages. No cell failed."""
        return {
            key[0]: {name: figure for name, figure in line.items() if figure is not None}
            for key, line in self.rows.items()
        }

    def percent(self, size_log2: int, strategy: str) -> float:
        line = self.lines[size_log2]
        return line[strategy] if self.is_averages else 100.0 * line[strategy] / line[BASE]


@cache
def printed_tables() -> dict[str, DensityTable]:
    rows: dict[tuple[str, int, str], dict[Key, Line]] = {}
    for paper, file in (
        (P0089, "p0089_b1.csv"),
        (P0213, "p0213_b1.csv"),
        (P0213, "p0213_app1_p0089.csv"),
    ):
        for row in read_csv(file):
            lines = rows.setdefault((paper, int(row["table"]), row["ds"]), {})
            lines.setdefault((int(row["size_log2"]),), {})[row["strategy"]] = float(row["seconds"])
    tables = [_of_structure(*key, lines) for key, lines in rows.items()]
    ordered = sorted([*tables, _averages()], key=lambda table: (table.paper, table.number))
    return {table.name: table for table in ordered}


def _of_structure(paper: str, number: int, structure: str, rows: dict[Key, Line]) -> DensityTable:
    copied = paper == P0213 and number in COPIES
    copied_text = ", P0089's data" if copied else ""
    return DensityTable(
        name=f"{'p0089' if paper == P0089 else 'p0213'}:{number}",
        paper=paper,
        label=f"Table {number}",
        experiment="density",
        caption=f"{structure}, {structures()[structure].type}{copied_text}",
        axes=("size",),
        unit="seconds",
        rows=rows,
        place={"ds": structure},
        data_paper="P0089" if paper == P0089 or copied else "P0213",
        operations=dict.fromkeys(rows, 1 << PAPER_PRODUCT_LOG2),
    )


def _averages() -> DensityTable:
    line: Line = {BASE: 100.0}
    for row in read_csv("p0213_claims.csv"):
        line[current(row["claim"].rsplit(" ", 1)[1])] = float(row["value_low"])
    return DensityTable(
        name=AVERAGES,
        paper=P0213,
        label="Table 8",
        experiment="density",
        caption="mean over all rows of DS1-DS12, percent of new-delete",
        axes=("size",),
        unit="percent of new-delete",
        rows={(AVERAGES_SIZE,): line},
        place={},
        data_paper="P0213",
    )


def printed_table(name: str) -> DensityTable:
    """One table of Benchmark I. `registry.table_named` finds all others, too."""
    return printed_tables()[name]


def own_table(paper: str, structure: str) -> DensityTable:
    """The paper's own run of a structure. For P0089 it is P0213's copy, which prints one more decimal for
    DS1.
    """
    for table in printed_tables().values():
        if table.paper == P0213 and table.structure == structure and table.is_copy == (paper == P0089):
            return table
    raise KeyError(f"{paper} has no table of {structure}")
