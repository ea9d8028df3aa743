"""A heap that ages: times of a pair, what is held of the system's memory, and how that goes as it ages."""

from __future__ import annotations

from mallard.analysis.cells import CellTable, Line
from mallard.analysis.heap_churn import (
    FRAGMENTATION,
    MEMORY,
    OVERHEAD,
    TIMES,
    heap_churn_sentences,
    heap_churn_tables,
    over_time,
)
from mallard.view.html.contents import Measured, Section, introduction, unmeasured
from mallard.view.html.markup import Markup, joined
from mallard.view.html.phase_maps import memory_kinds, phase_kinds, phase_map, phase_maps
from mallard.view.html.says import answer
from mallard.view.html.strategy_lines import strategy_lines
from mallard.view.html.strategy_map import AmountKind, Kind, TimeKind

NAME = "heap-churn"
HEADING = "A heap that ages"
DRAWN = ("heap", "region-heap", "multipool", "boost-interprocess")
HOW_TO_READ = (
    "Sizes are drawn before the clock starts, evenly between two bounds. A block's ends are written when it "
    "is allocated, and its first word is read when it is freed. Held is what the process grew by, live what "
    "its blocks asked for; null is the same work without an allocator."
)
KINDS: tuple[Kind, ...] = (
    *phase_kinds("af", TIMES, "an operation"),
    TimeKind(
        "p", "% of new-delete", "A free with its allocation, in percent of new-delete's time.", relative=True
    ),
    AmountKind(
        "r",
        FRAGMENTATION.short,
        f"{FRAGMENTATION.text[:1].upper()}{FRAGMENTATION.text[1:]}.",
        FRAGMENTATION.figure,
        shown=lambda value: f"{value:.3f}",
        least=1.0,
        unit="",
    ),
    AmountKind(
        "b",
        "bytes a block",
        f"{OVERHEAD.text[:1].upper()}{OVERHEAD.text[1:]}.",
        OVERHEAD.figure,
        shown=lambda value: f"{value:.0f}",
        least=8.0,
        unit="bytes",
    ),
    *memory_kinds("muw", MEMORY),
)


def heap_churn_section(measured: Measured | None) -> Section:
    if measured is None:
        return unmeasured(NAME, HEADING)
    tables = heap_churn_tables(measured.rows)
    maps = phase_maps(NAME, KINDS, [_setting(table) for table in tables])
    body = joined(introduction(NAME, HOW_TO_READ), maps)
    return Section(NAME, "Ageing heap", HEADING, body, answer(heap_churn_sentences(tables[0])))


def _setting(table: CellTable) -> Markup:
    plots = [_over_time(table, line) for line in table.lines]
    across = ("live", "number of live blocks")
    return phase_map(table, KINDS, across, heap_churn_sentences(table), plots)


def _over_time(table: CellTable, line: Line) -> Markup | None:
    """The same strategies in the same colours for every number of live blocks."""
    series = over_time(line)
    lines = strategy_lines(table, "percent of the operations", DRAWN, logarithmic_x=False)
    return lines.plot(f"Held / live, {line.place[0]:,} blocks".replace(",", "\u202f"), "held / live", series)
