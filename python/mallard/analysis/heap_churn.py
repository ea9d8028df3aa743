"""A heap that ages: a line for each number of live blocks, a table for each setting (operations, sizes,
compiler). How much more is held than is live is a figure of every tenth of the run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mallard.analysis.cells import CellTable, Line, cell_tables
from mallard.analysis.names import BASE, contestants
from mallard.analysis.phases import (
    Quantity,
    bytes_text,
    fastest_text,
    least_text,
    line_of_figure,
    most_of,
    of_figure,
    value_of,
)
from mallard.analysis.ranking import mallocs_sentence, under_mallocs
from mallard.analysis.unfinished import unfinished_sentences
from mallard.analysis.words import in_a_list
from mallard.result import Row

EXPERIMENT = "heap-churn"
PLACES = ("live",)
PAIR = Quantity("pair_ns", "pair", "free a block and allocate another")
FILL = Quantity("fill_ns", "first block", "allocate one of the first blocks")
TIMES = (PAIR, FILL)
LIVE = Quantity("peak_live_bytes", "peak live", "of the blocks in use, most")
HELD = Quantity("peak_held_bytes", "peak held", "taken from the system, most")
TRIMMED = Quantity("trimmed_bytes", "trimmed", "held after all was freed and trimmed")
MEMORY = (LIVE, HELD, TRIMMED)
FRAGMENTATION = Quantity("fragmentation", "held / live", "most that was held, over most that was live")
OVERHEAD = Quantity("overhead_bytes", "overhead", "held and not live at the end, bytes a block")
SHARES = tuple(range(10, 101, 10))  # percent of the operations after which memory was looked at


def heap_churn_tables(rows: Iterable[Row]) -> list[CellTable]:
    return [table for _, table in cell_tables(rows, EXPERIMENT, PLACES)]


def over_time(line: Line) -> CellTable:
    """A line for every tenth of the run, with held / live in the place of the time."""
    lines = [
        replace(of_share, place=(share,))
        for share in SHARES
        if (of_share := line_of_figure(line, f"{FRAGMENTATION.figure}_{share}")).cells
    ]
    return CellTable(("share",), (), lines)


def heap_churn_sentences(table: CellTable) -> list[str]:
    return [
        *_fastest(table),
        *_fragmentation(table),
        *_ageing(table),
        *_overhead(table),
        *_trimmed(table),
        *mallocs_sentence(under_mallocs([table])),
        *unfinished_sentences(table, "the number of live blocks", lambda line: str(line.place[0])),
    ]


def _fastest(table: CellTable) -> list[str]:
    told = [(time, fastest_text(of_figure(table, time.figure), f"a {time.short}")) for time in TIMES]
    found = [f"Fastest to {time.text}: {text}." for time, text in told if text]
    return found or [f"No verdict: {BASE} has not finished in every row."]


def _fragmentation(table: CellTable) -> list[str]:
    told = least_text(most_of(table, FRAGMENTATION.figure), lambda ratio: f"{ratio:.2f}")
    return [f"Most held over most live, least and {BASE}: {told}."] if told else []


def _ageing(table: CellTable) -> list[str]:
    """How held / live goes from the first tenth to the end."""
    first, last = (f"{FRAGMENTATION.figure}_{share}" for share in (SHARES[0], SHARES[-1]))
    parts = [
        f"{name} {before:.2f} to {after:.2f}"
        for name in contestants(table.strategies)
        for line in table.lines[-1:]
        if (before := value_of(line, name, first)) is not None
        and (after := value_of(line, name, last)) is not None
    ]
    when = "after a tenth of the operations and at the end"
    return [f"Held over live, {when}: {in_a_list(parts)}."] if parts else []


def _overhead(table: CellTable) -> list[str]:
    told = least_text(most_of(table, OVERHEAD.figure), lambda count: f"{count:.0f}")
    return [f"Bytes a block that are held and not its own, at the end, at most: {told}."] if told else []


def _trimmed(table: CellTable) -> list[str]:
    told = least_text(most_of(table, TRIMMED.figure), bytes_text)
    return [f"Held after all blocks were freed and trimmed, at most: {told}."] if told else []
