"""This machine's figures beside printed ones: percent of AS1 on both sides, and the ratio of those ratios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mallard.analysis.averages import mean_over_rows
from mallard.analysis.cells import Cell, StructureTable
from mallard.analysis.names import BASE
from mallard.papers.tables import DensityTable
from mallard.stats import Ratio

NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Compared:
    """One cell. Ours is None where no repetition finished; `status` then says why."""

    printed_percent: float
    printed_ns: (
        float | None
    )  # nanoseconds a leaf element; None in the table of averages, which prints percents only
    ours: Ratio | None  # to AS1
    ours_ns: float | None
    status: str

    @property
    def ratio_of_ratios(self) -> float | None:
        """(ours / AS1) / (printed / AS1): above 1 the strategy does worse here than there."""
        if self.ours is None or self.printed_percent == 0.0:
            return None
        return 100.0 * self.ours.median / self.printed_percent


Comparison = dict[
    int, dict[str, Compared]
]  # size_log2 -> strategy -> cell; the table of averages has one line, at 0


def compare(printed: DensityTable, tables: Sequence[StructureTable]) -> Comparison:
    """`tables` are this machine's under one setting; only those of the printed structure are used."""
    if printed.is_averages:
        return {0: {name: _average(printed, tables, name) for name in printed.lines[0]}}
    mine = next((table for table in tables if table.structure == printed.structure), None)
    return {
        size: {name: _cell(printed, mine, size, name) for name in line}
        for size, line in printed.lines.items()
    }


def _cell(printed: DensityTable, mine: StructureTable | None, size: int, name: str) -> Compared:
    line = mine.line(size) if mine else None
    cell: Cell | None = line.cells.get(name) if line else None
    return Compared(
        printed.percent(size, name),
        printed.ns_per_leaf(size, name),
        cell.ratio if cell else None,
        cell.ns_per_operation if cell and cell.finished else None,
        cell.status if cell else NOT_MEASURED,
    )


def _average(printed: DensityTable, tables: Sequence[StructureTable], name: str) -> Compared:
    ours = mean_over_rows(tables, name, BASE)
    return Compared(printed.percent(0, name), None, ours, None, "ok" if ours else NOT_MEASURED)
