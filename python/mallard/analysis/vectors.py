"""Vectors that grow forward or backward, and that shrink: a line for each number of elements, a table for
each setting (type, compiler).

How often a vector was made follows from its size, and so does the step by which it shrinks: they are no
settings. Counts are of one vector. `calls` is put together here: blocks that the vector got, and those that
grew in place instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mallard.analysis.cells import Cell, CellTable, Line, cell_tables
from mallard.analysis.names import BASE, contestants
from mallard.analysis.phases import (
    Quantity,
    bytes_text,
    fastest_text,
    least_text,
    most_of,
    of_figure,
    value_of,
)
from mallard.analysis.ranking import mallocs_sentence, pairings_of, under_mallocs
from mallard.analysis.unfinished import unfinished_sentences
from mallard.analysis.words import in_a_list, percent_text
from mallard.result import Row
from mallard.stats import mean_ratio

PLACES = ("elements",)
DERIVED = ("iterations", "step")
ALLOCATIONS = Quantity("allocations", "allocations", "blocks that a vector was given")
FORWARD = Quantity("expansions_forward", "forward", "times that its block grew forward in place")
BACKWARD = Quantity("expansions_backward", "backward", "times that its block grew backward")
SHRINKS = Quantity("shrinks", "in place", "times that its block shrank in place")
CALLS = Quantity("calls", "calls", "calls of the allocator that gave a vector its room")
CAPACITY = Quantity("final_capacity", "capacity", "elements that it had room for at the end")
PEAK_LIVE = Quantity("peak_live_bytes", "peak live", "that a vector had of its allocator at one time, most")
PEAK = Quantity("peak_bytes", "peak", "growth of resident memory, most")
HELD = Quantity("held_bytes", "held", "growth of resident memory with all elements")
HALF = Quantity("half_bytes", "half", "held with half of the elements left")
LEFT = Quantity("left_bytes", "left", "held with one step of elements left")
RETURNED = Quantity("returned_bytes", "returned", "given back to the system by then")
PUSH_BACK = Quantity("push_back_ns", "push_back", "push an element back")
# The row's own time, which the article took.
WHOLE = Quantity("", "with its making", "make a vector and shrink it to nothing, each shrink")
SHRINK = Quantity("shrink_ns", "shrink", "erase the last elements and shrink")
FEW_ELEMENTS = 10  # where what an allocator tells of a block's size saves calls
MEASURED_FROM = 100_000  # elements: the growth of a process by fewer is chance


@dataclass(frozen=True)
class VectorExperiment:
    name: str
    times: tuple[Quantity, ...]
    operation: str
    counts: tuple[Quantity, ...]
    memory: tuple[Quantity, ...]
    how: str  # what an allocator does in place
    pairs: tuple[tuple[str, str], ...]  # (in place, its counterpart that copies)


_GROWING = (
    *(("heap-v2", "heap-v2-masked"), ("region-heap-v2", "heap-v2-masked")),
    ("boost-allocator-v2", "boost-allocator-v2-masked"),
)
EXPERIMENTS = {
    each.name: each
    for each in (
        VectorExperiment(
            "expansion-forward",
            (PUSH_BACK,),
            "a push_back",
            (CALLS, FORWARD, CAPACITY),
            (PEAK_LIVE, PEAK),
            "Growing forward in place",
            _GROWING,
        ),
        VectorExperiment(
            "expansion-backward",
            (PUSH_BACK,),
            "a push_back",
            (CALLS, BACKWARD, CAPACITY),
            (PEAK_LIVE, PEAK),
            "Growing backward",
            _GROWING,
        ),
        VectorExperiment(
            "shrink-to-fit",
            (SHRINK, WHOLE),
            "a shrink",
            (ALLOCATIONS, SHRINKS),
            (HELD, HALF, LEFT, RETURNED),
            "Shrinking in place",
            (("heap-v2", "heap-v1"), ("boost-allocator-v2", "boost-allocator-v1")),
        ),
    )
}


def vector_tables(rows: Iterable[Row], experiment: str) -> list[CellTable]:
    """By the type of the elements: that of the language before the article's."""
    tables = [table for _, table in cell_tables(rows, experiment, PLACES, derived=DERIVED)]
    counted = [replace(table, lines=[_with_calls(line) for line in table.lines]) for table in tables]
    return sorted(counted, key=lambda table: str(dict(table.setting).get("type", "")))


def timed(table: CellTable, time: Quantity) -> CellTable:
    """The lines of which that time was taken, with it in the place of the row's own."""
    if not time.figure:
        return table
    lines = [line for line in of_figure(table, time.figure).lines if line.cells]
    return replace(table, lines=lines)


def vector_sentences(table: CellTable, experiment: str) -> list[str]:
    of = EXPERIMENTS[experiment]
    return [
        *(_fastest(table, of) or [f"No verdict: {BASE} has not finished in every row."]),
        *_in_place(table, of),
        *(_few_calls(table) if CALLS in of.counts else []),
        *(_peak(table) if PEAK_LIVE in of.memory else _returned(table)),
        *mallocs_sentence(under_mallocs([timed(table, of.times[0])])),
        *unfinished_sentences(table, "the number of elements", _place),
    ]


def _fastest(table: CellTable, of: VectorExperiment) -> list[str]:
    told = [(time, timed(table, time)) for time in of.times]
    return [
        f"Fastest to {time.text}{_sizes(lines)}: {text}."
        for time, lines in told
        if lines.lines and (text := fastest_text(lines, of.operation))
    ]


def _sizes(table: CellTable) -> str:
    return f" over {len(table.lines)} sizes" if len(table.lines) > 1 else ""


def _in_place(table: CellTable, of: VectorExperiment) -> list[str]:
    """What is gained by not copying, mean over the sizes, and what the other library's takes."""
    lines = timed(table, of.times[0])
    parts = [
        f"{name} {percent_text(mean_ratio(pairings))} of {copying}'s"
        for name, copying in of.pairs
        if (pairings := pairings_of([lines], name, copying))
    ]
    return [f"{of.how} takes, of the time of copying: {in_a_list(parts)}."] if parts else []


def _few_calls(table: CellTable) -> list[str]:
    line = table.line(FEW_ELEMENTS)
    if line is None:
        return []
    found = {name: value_of(line, name, CALLS.figure) for name in contestants(table.strategies)}
    told = least_text({n: v for n, v in found.items() if v is not None}, lambda calls: f"{calls:g}")
    return [f"Calls of the allocator for {FEW_ELEMENTS} elements: {told}."] if told else []


def _peak(table: CellTable) -> list[str]:
    told = least_text(most_of(table, PEAK_LIVE.figure), bytes_text)
    return [f"Most bytes that a vector had at one time, at the largest size: {told}."] if told else []


def _returned(table: CellTable) -> list[str]:
    line = table.lines[-1]
    if line.place[0] < MEASURED_FROM:
        return []
    shares = {
        name: 100.0 * max(0.0, back) / held
        for name in contestants(table.strategies)
        if (held := value_of(line, name, HELD.figure)) and held > 0.0
        if (back := value_of(line, name, RETURNED.figure)) is not None
    }
    parts = [f"{name} {share:.0f} %" for name, share in shares.items()]
    return [f"Given back to the system of {line.place[0]} elements: {in_a_list(parts)}."] if parts else []


def _with_calls(line: Line) -> Line:
    return replace(line, cells={name: _calls_of(cell) for name, cell in line.cells.items()})


def _calls_of(cell: Cell) -> Cell:
    blocks = cell.figures.get(ALLOCATIONS.figure, {})
    grown = [cell.figures.get(each.figure, {}) for each in (FORWARD, BACKWARD)]
    if not any(grown):
        return cell
    calls = {rep: count + sum(each.get(rep, 0.0) for each in grown) for rep, count in blocks.items()}
    return replace(cell, figures={**cell.figures, CALLS.figure: calls}) if calls else cell


def _place(line: Line) -> str:
    return str(line.place[0])
