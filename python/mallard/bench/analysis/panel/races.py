"""Races of strategies against new-delete, in experiments whose lines have several parameters: tables and
sentences.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from mallard.bench.analysis.cell_tables import CellTable, Line, cell_tables
from mallard.bench.analysis.labels import place_heads
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel import threads
from mallard.bench.analysis.ranking import mallocs_sentence, rank_table, under_mallocs
from mallard.bench.analysis.unfinished import unfinished_sentences
from mallard.bench.analysis.words import also_equal, amount, in_a_list, nanoseconds, percent_text
from mallard.bench.cells import Cell
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.panel import Race
from mallard.bench.experiments.description.sentence import (
    BeyondCores,
    ByThreads,
    FastestOfAll,
    Faults,
    Growth,
    Mallocs,
    RaceSentence,
    Unfinished,
)
from mallard.bench.result import Row
from mallard.shared.stats import paired_ratio

# Above these, the kernel's share and the page faults dominate a time. With huge pages, a few faults in 1000
# operations are enough.
KERNEL_SHARE = 0.4
FAULTS_PER_1000 = 0.3


def race_tables(experiment: str, rows: Iterable[Row], cores: int | None = None) -> list[CellTable]:
    """A table for each setting. `cores`: of the machine that measured it."""
    return [replace(table, cores=cores) for _, table in cell_tables(rows, experiment)]


def race_sentences(experiment: str, table: CellTable) -> list[str]:
    panel = EXPERIMENTS[experiment].panel
    assert isinstance(panel, Race)
    return [sentence for kind in panel.sentences for sentence in _render(kind, experiment, table)]


def faults_dominate(cell: Cell) -> bool:
    """True if touching new pages takes more of the time than allocating."""
    return (cell.system_share or 0.0) >= KERNEL_SHARE and cell.faults_per_1000 >= FAULTS_PER_1000


def _render(kind: RaceSentence, experiment: str, table: CellTable) -> list[str]:
    places = f"({', '.join(place_heads(table.places))})"
    match kind:
        case FastestOfAll():
            return _fastest(table, EXPERIMENTS[experiment].operation, places)
        case ByThreads():
            return threads.by_threads(table)
        case Growth(flat):
            return threads.growth(table, flat)
        case BeyondCores():
            return threads.beyond_cores(table)
        case Mallocs():
            return mallocs_sentence(under_mallocs([table]))
        case Unfinished():
            return unfinished_sentences(table, places, partial(_place, table))
        case Faults():
            return _faults(table)


def _fastest(table: CellTable, operation: str, places: str) -> list[str]:
    ranking = rank_table(table)
    best = ranking.best
    if best is None:
        return [f"No verdict: {BASE} has not finished in every row."]
    if best.strategy == BASE:
        return [f"No strategy is faster than {BASE}{also_equal(ranking.equals)}."]
    times = [line.cells[best.strategy].ns_per_operation for line in table.lines]
    span = f"{nanoseconds(min(times))} to {nanoseconds(max(times))} ns {operation}"
    fastest = (
        f"{best.strategy} is fastest: {percent_text(best.ratio)} of {BASE}'s time over {best.ratio.n} rows, "
        f"{span}{also_equal(ranking.equals)}."
    )
    not_faster = [line for line in table.lines if not _faster(line, best.strategy)]
    if not not_faster or not best.ratio.bounded:
        return [fastest]
    where = "; ".join(_place(table, line) for line in not_faster)
    return [fastest, f"{best.strategy} is not faster than {BASE} if {places} is {where}."]


def _faster(line: Line, strategy: str) -> bool:
    pairing = line.paired(strategy, BASE)
    return pairing is not None and paired_ratio(*pairing).verdict == "faster"


def _place(table: CellTable, line: Line) -> str:
    values = zip(table.places, line.place, strict=True)
    return ", ".join(amount(1 << value if name.endswith("_log2") else value) for name, value in values)


def _faults(table: CellTable) -> list[str]:
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
