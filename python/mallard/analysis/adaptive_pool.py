"""Adaptive pools: a line for each range of nodes that is inserted or erased at a time, a table for each
setting (nodes, compiler). The phases and the memory are figures of a cell.
"""

from __future__ import annotations

from collections.abc import Iterable

from mallard.analysis.cells import CellTable, Line, cell_tables
from mallard.analysis.names import BASE
from mallard.analysis.phases import Quantity, bytes_text, fastest_text, least_text, most_of, of_figure
from mallard.analysis.ranking import mallocs_sentence, pairings_of, under_mallocs
from mallard.analysis.unfinished import unfinished_sentences
from mallard.analysis.words import in_a_list, percent_text
from mallard.experiments import BURST
from mallard.result import Row
from mallard.stats import mean_ratio

EXPERIMENT = "adaptive-pool"
PLACES = ("range",)
PHASES = (
    Quantity("insert_ns", "insert", "insert the first time"),
    Quantity("erase_ns", "erase", "erase the first time"),
    Quantity("insert_warm_ns", "insert warm", "insert once more"),
    Quantity("erase_warm_ns", "erase warm", "erase once more"),
)
HELD = Quantity("held_bytes", "held", "taken from the system for all nodes")
OVERHEAD = Quantity("overhead_percent", "overhead", "overhead of that over the nodes themselves, percent")
ERASED = Quantity("erased_bytes", "after erasure", "held after erasure")
POOL = Quantity("pool_bytes", "in the pool", "that the pool itself keeps after erasure")
TRIMMED = Quantity("trimmed_bytes", "trimmed", "held after erasure and trim")
MEMORY = (HELD, ERASED, POOL, TRIMMED)


def adaptive_pool_tables(rows: Iterable[Row]) -> list[CellTable]:
    return [table for _, table in cell_tables(rows, EXPERIMENT, PLACES)]


def adaptive_pool_sentences(table: CellTable) -> list[str]:
    return [
        *_phases(table),
        *_bursts(table),
        *_overhead(table),
        *_held(table),
        *mallocs_sentence(under_mallocs([table])),
        *unfinished_sentences(table, "the range", _place),
    ]


def with_bursts(names: Iterable[str]) -> list[tuple[str, str]]:
    """Strategies that were measured both ways: (plain, burst)."""
    there = list(names)
    return [(name, f"{name}{BURST}") for name in there if f"{name}{BURST}" in there]


def _phases(table: CellTable) -> list[str]:
    told = [(phase, fastest_text(of_figure(table, phase.figure), "a node")) for phase in PHASES]
    found = [f"Fastest to {phase.text}: {text}." for phase, text in told if text]
    return found or [f"No verdict: {BASE} has not finished in every row."]


def _bursts(table: CellTable) -> list[str]:
    """What a burst takes of the same allocator's time node by node, mean over the ranges."""
    said = []
    for phase in PHASES[:2]:
        of_phase = of_figure(table, phase.figure)
        parts = [
            f"{plain} {percent_text(mean_ratio(pairings))}"
            for plain, burst in with_bursts(table.strategies)
            if (pairings := pairings_of([of_phase], burst, plain))
        ]
        if parts:
            said.append(f"To {phase.text} in bursts takes, of the time node by node: {in_a_list(parts)}.")
    return said


def _overhead(table: CellTable) -> list[str]:
    told = least_text(most_of(table, OVERHEAD.figure), lambda percent: f"{percent:.1f} %")
    return [f"Overhead of system memory, at most: {told}."] if told else []


def _held(table: CellTable) -> list[str]:
    """What the process holds, its cached chunks among it, and what the pools themselves keep."""
    process = least_text(most_of(table, ERASED.figure), bytes_text)
    pools = least_text(most_of(table, POOL.figure), bytes_text)
    said = [f"Held after all nodes were erased, at most: {process}."] if process else []
    return [*said, f"Kept by the pools themselves then, at most: {pools}."] if pools else said


def _place(line: Line) -> str:
    return str(line.place[0])
