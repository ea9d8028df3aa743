"""What is said of nodes that are inserted and erased by ranges: a line of a table for each range, the phases
and the memory are figures of a cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mallard.analysis.cells import CellTable, Line
from mallard.analysis.names import BASE
from mallard.analysis.phases import Quantity, fastest_text, least_text, most_of, of_figure
from mallard.analysis.ranking import pairings_of
from mallard.analysis.words import in_a_list, percent_text
from mallard.experiments import BURST
from mallard.stats import mean_ratio

PLACES = ("range",)
RANGES = (
    Quantity("insert_ns", "insert", "insert the first time"),
    Quantity("erase_ns", "erase", "erase the first time"),
    Quantity("insert_warm_ns", "insert warm", "insert once more"),
    Quantity("erase_warm_ns", "erase warm", "erase once more"),
)
HELD = Quantity("held_bytes", "held", "taken from the system for all nodes")
OVERHEAD = Quantity("overhead_percent", "overhead", "overhead of that over the nodes themselves, percent")


def with_bursts(names: Iterable[str]) -> list[tuple[str, str]]:
    """Strategies that were measured both ways: (plain, burst)."""
    there = list(names)
    return [(name, f"{name}{BURST}") for name in there if f"{name}{BURST}" in there]


def phases_sentences(table: CellTable, phases: Sequence[Quantity]) -> list[str]:
    told = [(phase, fastest_text(of_figure(table, phase.figure), "a node")) for phase in phases]
    found = [f"Fastest to {phase.text}: {text}." for phase, text in told if text]
    return found or [f"No verdict: {BASE} has not finished in every row."]


def bursts_sentences(table: CellTable, phases: Sequence[Quantity]) -> list[str]:
    """What a burst takes of the same allocator's time node by node, mean over the ranges."""
    said = []
    for phase in phases:
        of_phase = of_figure(table, phase.figure)
        parts = [
            f"{plain} {percent_text(mean_ratio(pairings))}"
            for plain, burst in with_bursts(table.strategies)
            if (pairings := pairings_of([of_phase], burst, plain))
        ]
        if parts:
            said.append(f"To {phase.text} in bursts takes, of the time node by node: {in_a_list(parts)}.")
    return said


def overhead_sentences(table: CellTable) -> list[str]:
    told = least_text(most_of(table, OVERHEAD.figure), lambda percent: f"{percent:.1f} %")
    return [f"Overhead of system memory, at most: {told}."] if told else []


def range_text(line: Line) -> str:
    return str(line.place[0])
