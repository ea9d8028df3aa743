"""Benchmark IV: a line for each number of iterations, block size and number of threads (N, S, W), a table
for each setting (buffer, freeing thread, multiplier, compiler).
"""

from __future__ import annotations

from collections.abc import Iterable

from mallard.analysis.cells import CellTable, cell_tables
from mallard.analysis.labels import family
from mallard.analysis.names import BASE, contestants
from mallard.analysis.ranking import mallocs_sentence, pairings_of, ranked, under_mallocs
from mallard.analysis.words import (
    also_equal,
    in_a_list,
    nanoseconds,
    no_difference,
    percent_text,
    times_text,
)
from mallard.library import SHARED
from mallard.result import Row
from mallard.stats import mean_ratio, median

PLACES = ("iterations_log2", "block_log2", "threads")
# A pair costs the same with more threads if it takes at most this many times as long.
FLAT = 1.1


def contention_tables(rows: Iterable[Row]) -> list[CellTable]:
    """The tables. Times are by the wall clock, for a pair of one thread. Further figures of a cell are
    `slowest_ns`, `fastest_ns` and `cpu_ns_per_pair`.
    """
    return [table for _, table in cell_tables(rows, "contention", PLACES)]


def contention_sentences(table: CellTable, cores: int | None) -> list[str]:
    """The fastest strategy and the cost of sharing, for one thread and for as many as there are cores."""
    counts = sorted({line.place[2] for line in table.lines})
    told = [count for count in counts if cores is None or count <= cores]
    said = [
        sentence for count in dict.fromkeys(told[:1] + told[-1:]) for sentence in _with_threads(table, count)
    ]
    beyond = [_beyond(counts[-1], cores)] if cores is not None and counts and counts[-1] > cores else []
    return said + mallocs_sentence(under_mallocs([table])) + _growth(table, told) + beyond


def with_threads(table: CellTable, threads: int) -> CellTable:
    return CellTable(table.places, table.setting, [line for line in table.lines if line.place[2] == threads])


def pair_ns(table: CellTable, strategy: str) -> float | None:
    """Nanoseconds per pair of one thread, as the median over the rows."""
    times = [line.cells[strategy].ns_per_operation for line in table.lines if line.finished(strategy)]
    return median(times) if times else None


def _with_threads(whole: CellTable, threads: int) -> list[str]:
    table = with_threads(whole, threads)
    names = contestants(table.strategies)
    private = [name for name in names if name not in SHARED]
    head = "One thread" if threads == 1 else f"{threads} threads"
    base = pair_ns(table, BASE)
    if base is None:
        return [f"{head}: no verdict, {BASE} has not finished."]
    all_share = {family(name) for name in private} == {family(BASE)}
    ranking = ranked(names if all_share else private, lambda one, other: pairings_of([table], one, other))
    best = ranking.best
    if best is None or best.strategy == BASE:
        least = BASE
        said = [f"{head}: nothing is faster than {BASE}, {nanoseconds(base)} ns a pair."]
    else:
        least = best.strategy
        times = f"{nanoseconds(base)} ns with {BASE} and {nanoseconds(pair_ns(table, least) or base)} ns with"
        equal = also_equal(ranking.equals)
        said = [f"{head}: a pair takes {times} {least}, {percent_text(best.ratio)}{equal}."]
    costs = [_sharing(table, name, least) for name in names if name not in private]
    return said if all_share or not any(costs) else [*said, f"{head}, sharing: {in_a_list(costs)}."]


def _sharing(table: CellTable, shared: str, private: str) -> str:
    """The cost of one allocator for all threads, compared with one for each."""
    time, pairings = pair_ns(table, shared), pairings_of([table], shared, private)
    if time is None or not pairings:
        return f"{shared} has not finished"
    ratio = mean_ratio(pairings)
    same = " (no difference)" if no_difference(ratio) else ""
    return f"{shared} takes {nanoseconds(time)} ns, {times_text(ratio)} a private {private}'s time{same}"


def _growth(table: CellTable, counts: list[int]) -> list[str]:
    """The cost of a pair with the most threads, relative to the fewest, for strategies that have both."""
    if len(counts) < 2:
        return []
    alone, together = with_threads(table, counts[0]), with_threads(table, counts[-1])
    grown = {
        name: after / before
        for name in contestants(table.strategies)
        if (before := pair_ns(alone, name)) and (after := pair_ns(together, name))
    }
    flat = [name for name, growth in grown.items() if growth <= FLAT]
    parts = [f"within {100 * (FLAT - 1):.0f} % of that with {counts[0]}: {in_a_list(flat)}"] if flat else []
    parts += [f"{name} {growth:.1f} times" for name, growth in grown.items() if growth > FLAT]
    return [f"A pair with {counts[-1]} threads: {'; '.join(parts)}."] if parts else []


def _beyond(most: int, cores: int) -> str:
    return f"Up to {most} threads ran on {cores} cores: beyond the cores a pair waits for its turn as well."
