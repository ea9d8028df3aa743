"""Races of strategies against new-delete, in experiments whose lines have several parameters: tables and
sentences. With threads, the last place of a table is their number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from mallard.bench.analysis.cell_tables import CellTable, Line, cell_tables
from mallard.bench.analysis.labels import family, place_heads
from mallard.bench.analysis.names import BASE, contestants
from mallard.bench.analysis.ranking import (
    collect_pairings,
    mallocs_sentence,
    rank_table,
    ranked,
    under_mallocs,
    unfinished_sentences,
)
from mallard.bench.analysis.words import (
    also_equal,
    amount,
    in_a_list,
    nanoseconds,
    no_difference,
    percent_text,
    times_text,
)
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
from mallard.bench.library import SHARED
from mallard.bench.result import Row
from mallard.shared.stats import mean_ratio, median, paired_ratio

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
            return by_threads(table)
        case Growth(flat):
            return growth(table, flat)
        case BeyondCores():
            return beyond_cores(table)
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


def by_threads(table: CellTable) -> list[str]:
    """The fastest strategy and the cost of sharing, for one thread and for as many as there are cores."""
    counts = _counts_within_cores(table)
    return [
        sentence
        for count in dict.fromkeys(counts[:1] + counts[-1:])
        for sentence in _with_threads(table, count)
    ]


def growth(table: CellTable, flat: float) -> list[str]:
    """The cost of a pair with the most threads, relative to the fewest, for strategies that have both. Up to
    `flat` it does not count as growth.
    """
    counts = _counts_within_cores(table)
    if len(counts) < 2:
        return []
    alone, together = with_threads(table, counts[0]), with_threads(table, counts[-1])
    grown = {
        name: together_ns / alone_ns
        for name in contestants(table.strategies)
        if (alone_ns := pair_ns(alone, name)) and (together_ns := pair_ns(together, name))
    }
    flat_names = [name for name, ratio in grown.items() if ratio <= flat]
    parts = (
        [f"within {100 * (flat - 1):.0f} % of that with {counts[0]}: {in_a_list(flat_names)}"]
        if flat_names
        else []
    )
    parts += [f"{name} {ratio:.1f} times" for name, ratio in grown.items() if ratio > flat]
    return [f"A pair with {counts[-1]} threads: {'; '.join(parts)}."] if parts else []


def beyond_cores(table: CellTable) -> list[str]:
    """A caution about threads that wait for a core."""
    counts, cores = _counts(table), table.cores
    if cores is None or not counts or counts[-1] <= cores:
        return []
    ran = f"Up to {counts[-1]} threads ran on {cores} cores"
    return [f"{ran}: beyond the cores a pair waits for its turn as well."]


def _counts(table: CellTable) -> list[int]:
    return sorted({line.place[-1] for line in table.lines})


def _counts_within_cores(table: CellTable) -> list[int]:
    """The numbers of threads up to the number of cores."""
    return [count for count in _counts(table) if table.cores is None or count <= table.cores]


def with_threads(table: CellTable, threads: int) -> CellTable:
    return replace(table, lines=[line for line in table.lines if line.place[-1] == threads])


def pair_ns(table: CellTable, strategy: str) -> float | None:
    """Nanoseconds per pair of one thread, as the median over the rows."""
    times = [line.cells[strategy].ns_per_operation for line in table.lines if line.finished(strategy)]
    return median(times) if times else None


def _with_threads(full_table: CellTable, threads: int) -> list[str]:
    table = with_threads(full_table, threads)
    names = contestants(table.strategies)
    private = [name for name in names if name not in SHARED]
    head = "One thread" if threads == 1 else f"{threads} threads"
    base = pair_ns(table, BASE)
    if base is None:
        return [f"{head}: no verdict, {BASE} has not finished."]
    all_share = {family(name) for name in private} == {family(BASE)}
    ranking = ranked(
        names if all_share else private,
        lambda strategy, reference: collect_pairings([table], strategy, reference),
    )
    best = ranking.best
    if best is None or best.strategy == BASE:
        least = BASE
        sentences = [f"{head}: nothing is faster than {BASE}, {nanoseconds(base)} ns a pair."]
    else:
        least = best.strategy
        times = f"{nanoseconds(base)} ns with {BASE} and {nanoseconds(pair_ns(table, least) or base)} ns with"
        equal = also_equal(ranking.equals)
        sentences = [f"{head}: a pair takes {times} {least}, {percent_text(best.ratio)}{equal}."]
    costs = [_sharing(table, name, least) for name in names if name not in private]
    return sentences if all_share or not any(costs) else [*sentences, f"{head}, sharing: {in_a_list(costs)}."]


def _sharing(table: CellTable, shared: str, private: str) -> str:
    """The cost of one allocator for all threads, compared with one for each."""
    time, pairings = pair_ns(table, shared), collect_pairings([table], shared, private)
    if time is None or not pairings:
        return f"{shared} has not finished"
    ratio = mean_ratio(pairings)
    suffix = " (no difference)" if no_difference(ratio) else ""
    return f"{shared} takes {nanoseconds(time)} ns, {times_text(ratio)} a private {private}'s time{suffix}"
