"""Bursts by range: times of insertion and erasure, of single nodes, and of clearing the list."""

from __future__ import annotations

from mallard.analysis.burst import PHASES, burst_sentences, burst_tables
from mallard.analysis.by_ranges import HELD, OVERHEAD
from mallard.analysis.cells import CellTable
from mallard.analysis.phases import of_figure
from mallard.view.html.contents import Measured, Section, introduction, unmeasured
from mallard.view.html.markup import Markup, joined
from mallard.view.html.phase_maps import memory_kinds, phase_kinds, phase_map, phase_maps
from mallard.view.html.says import answer
from mallard.view.html.strategy_lines import strategy_lines
from mallard.view.html.strategy_map import LEAST_PERCENT, AmountKind, Kind, TimeKind

NAME = "burst"
HEADING = "Bursts: many nodes in a call"
DRAWN = ("heap", "heap-burst", "multipool", "multipool-burst", "boost-allocator", "boost-allocator-burst")
HOW_TO_READ = (
    "The list and its ranges are those of the adaptive pools. -burst asks for a whole range in one call and "
    "gives it back so; the others go node by node. Single nodes are pushed and popped one by one with every "
    "strategy, so there a burst has no part."
)
KINDS: tuple[Kind, ...] = (
    *phase_kinds("beavrsc", PHASES, "a node"),
    TimeKind("p", "% of new-delete", "All ranges together, in percent of new-delete's time.", relative=True),
    AmountKind(
        "q",
        "overhead %",
        "System memory over the nodes' own bytes, percent.",
        OVERHEAD.figure,
        shown=lambda value: f"{value:.1f}",
        least=LEAST_PERCENT,
        unit="%",
    ),
    *memory_kinds("m", (HELD,)),
)


def burst_section(measured: Measured | None) -> Section:
    if measured is None:
        return unmeasured(NAME, HEADING)
    tables = burst_tables(measured.rows)
    maps = phase_maps(NAME, KINDS, [_setting(table) for table in tables])
    body = joined(introduction(NAME, HOW_TO_READ), maps)
    return Section(NAME, "Bursts", HEADING, body, answer(burst_sentences(tables[0])))


def _setting(table: CellTable) -> Markup:
    return phase_map(table, KINDS, ("range", "range"), burst_sentences(table), _plots(table))


def _plots(table: CellTable) -> list[Markup | None]:
    lines = strategy_lines(table, "nodes in a range", DRAWN)
    return [
        lines.plot(f"To {phase.text}", "ns a node", of_figure(table, phase.figure)) for phase in PHASES[:4]
    ]
