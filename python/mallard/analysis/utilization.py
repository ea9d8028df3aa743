"""Benchmark III: a line for each total amount, active amount and block size (T, A, S), a table for each
setting (buffer, final frees, compiler).
"""

from __future__ import annotations

from collections.abc import Iterable

from mallard.analysis.cells import CellTable, Line, cell_tables
from mallard.analysis.names import BASE
from mallard.analysis.ranking import mallocs_sentence, ranking_of, under_mallocs
from mallard.analysis.unfinished import unfinished_sentences
from mallard.analysis.words import also_equal, amount, in_a_list, nanoseconds, percent_text
from mallard.cells import Cell
from mallard.result import Row
from mallard.stats import paired_ratio

PLACES = ("total_log2", "active_log2", "block_log2")
# Above these, the kernel's share and the page faults dominate a time. With huge pages, a few faults in 1000
# operations are enough.
KERNEL_SHARE = 0.4
FAULTS_PER_1000 = 0.3


def utilization_tables(rows: Iterable[Row]) -> list[CellTable]:
    """The tables. A time is of an allocation with its deallocation; further figures: `held_bytes`,
    `free_ns`."""
    return [table for _, table in cell_tables(rows, "utilization", PLACES)]


def utilization_sentences(table: CellTable) -> list[str]:
    mallocs = mallocs_sentence(under_mallocs([table]))
    unfinished = unfinished_sentences(table, "(T, A, S)", _place)
    return [*_fastest(table), *mallocs, *unfinished, *faults_sentences(table)]


def faults_dominate(cell: Cell) -> bool:
    """True if touching new pages takes more of the time than allocating."""
    return (cell.system_share or 0.0) >= KERNEL_SHARE and cell.faults_per_1000 >= FAULTS_PER_1000


def faults_sentences(table: CellTable) -> list[str]:
    """A sentence that names the times dominated by page faults."""
    cells = [cell for line in table.lines for cell in line.cells.values() if faults_dominate(cell)]
    if not cells:
        return []
    names = [name for name in table.strategies if any(cell.strategy == name for cell in cells)]
    faults = max(cell.faults_per_1000 for cell in cells)
    share = max(cell.system_share or 0.0 for cell in cells)
    kernel = f"up to {100 * share:.0f} % of the time in the kernel"
    most = f"up to {faults:.0f} page faults in 1000 operations, {kernel}"
    return [f"Most time went into touching new pages with {in_a_list(names)}: {most}."]


def _fastest(table: CellTable) -> list[str]:
    ranking = ranking_of(table)
    best = ranking.best
    if best is None:
        return [f"No verdict: {BASE} has not finished in every row."]
    if best.strategy == BASE:
        return [f"No strategy is faster than {BASE}{also_equal(ranking.equals)}."]
    times = [line.cells[best.strategy].ns_per_operation for line in table.lines]
    span = f"{nanoseconds(min(times))} to {nanoseconds(max(times))} ns an allocation with its deallocation"
    fastest = (
        f"{best.strategy} is fastest: {percent_text(best.ratio)} of {BASE}'s time over {best.ratio.n} rows, "
        f"{span}{also_equal(ranking.equals)}."
    )
    not_faster = [line for line in table.lines if not _faster(line, best.strategy)]
    if not not_faster or not best.ratio.bounded:
        return [fastest]
    where = "; ".join(_place(line) for line in not_faster)
    return [fastest, f"{best.strategy} is not faster than {BASE} if (T, A, S) is {where}."]


def _faster(line: Line, strategy: str) -> bool:
    both = line.paired(strategy, BASE)
    return both is not None and paired_ratio(*both).verdict == "faster"


def _place(line: Line) -> str:
    return ", ".join(amount(1 << value) for value in line.place)
