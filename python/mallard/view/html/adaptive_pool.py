"""Adaptive pools by range: times of insertion and erasure, and what they take and hold of the system's
memory."""

from __future__ import annotations

from mallard.analysis.adaptive_pool import (
    ERASED,
    MEMORY,
    PHASES,
    adaptive_pool_sentences,
    adaptive_pool_tables,
)
from mallard.analysis.by_ranges import OVERHEAD
from mallard.analysis.cells import CellTable, Line
from mallard.analysis.phases import of_figure, value_of
from mallard.view.html.contents import Measured, Section, introduction, unmeasured
from mallard.view.html.markup import Markup, joined
from mallard.view.html.phase_maps import memory_kinds, phase_kinds, phase_map, phase_maps
from mallard.view.html.says import answer
from mallard.view.html.strategy_lines import strategy_lines
from mallard.view.html.strategy_map import LEAST_PERCENT, AmountKind, Kind, TimeKind

NAME = "adaptive-pool"
HEADING = "Adaptive pools: nodes by ranges"
DRAWN = ("fixed-pool", "fixed-pool-burst", "adaptive-pool", "adaptive-pool-burst")
HOW_TO_READ = (
    "Nodes of a list are put in at its end and erased, a range at a time: node by node, or (burst) a range "
    "in one call. First with nothing there, then once more in what the first round left. The overhead is "
    "that of the system's memory over the nodes' own bytes, so it counts what an allocator wastes between "
    "its blocks too."
)
MIB = 1 << 20


def _percent(value: float) -> str:
    return f"{value:.1f}"


KINDS: tuple[Kind, ...] = (
    *phase_kinds("beav", PHASES, "a node"),
    TimeKind("p", "% of new-delete", "All of it together, in percent of new-delete's time.", relative=True),
    AmountKind(
        "q",
        "overhead %",
        "System memory over the nodes' own bytes, percent.",
        OVERHEAD.figure,
        shown=_percent,
        least=LEAST_PERCENT,
        unit="%",
    ),
    *memory_kinds("musw", MEMORY),
)


def adaptive_pool_section(measured: Measured | None) -> Section:
    if measured is None:
        return unmeasured(NAME, HEADING)
    tables = adaptive_pool_tables(measured.rows)
    maps = phase_maps(NAME, KINDS, [_setting(table) for table in tables])
    body = joined(introduction(NAME, HOW_TO_READ), maps)
    return Section(NAME, "Adaptive pools", HEADING, body, answer(adaptive_pool_sentences(tables[0])))


def _setting(table: CellTable) -> Markup:
    return phase_map(table, KINDS, ("range", "range"), adaptive_pool_sentences(table), _plots(table))


def _plots(table: CellTable) -> list[Markup | None]:
    def overhead(line: Line, name: str) -> float | None:
        return value_of(line, name, OVERHEAD.figure)

    def erased(line: Line, name: str) -> float | None:
        held = value_of(line, name, ERASED.figure)
        return None if held is None else held / MIB

    lines = strategy_lines(table, "nodes in a range", DRAWN)
    phases = [
        lines.plot(phase.text.capitalize(), "ns a node", of_figure(table, phase.figure)) for phase in PHASES
    ]
    return [
        *phases,
        lines.plot("Overhead of system memory", "percent of the nodes' bytes", table, overhead),
        lines.plot(f"Memory {ERASED.text}", "MiB", table, erased),
    ]
