"""The documents' figures of small objects, fixed blocks and adaptive pools: a line for each strategy."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from figures.stored import conditions, load, markdown_table
from figures.strategy_table import figure_text, memory_text, one_by_one, shown, time_text
from mallard.bench.analysis.cell_tables import CellTable, Line
from mallard.bench.analysis.panel.phases import cell_amount, phase_tables
from mallard.bench.analysis.panel.works import group_works, work_strategies
from mallard.bench.experiments import by_ranges, small_objects

SHOWN_BYTES = 16  # of an object, in the table of phases
SHOWN_RANGE = 1000  # nodes
SHOWN_VERSIONS = ("", "as-printed", "append", "reserve")  # of remove-ctrl; other works have one
Select = Callable[[Sequence[str]], Sequence[str]]
ERASURE_AMOUNTS = (by_ranges.ERASED, by_ranges.POOL, by_ranges.TRIMMED)


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "small_objects": small_objects_phases,
        "small_objects_memory": small_objects_memory,
        "pools_conditions": lambda: conditions("small-objects", "adaptive-pool"),
        "fixed_block": fixed_block,
        "fixed_block_conditions": lambda: conditions("fixed-block"),
        "adaptive_pool": lambda: adaptive_pools(one_by_one),
    }


def whole_tables() -> dict[str, Callable[[], str]]:
    return {
        "small_objects": lambda: small_objects_phases(list),
        "small_objects_memory": lambda: small_objects_memory(list),
        "fixed_block": lambda: fixed_block(list, whole=True),
        "adaptive_pool": lambda: adaptive_pools(list),
    }


def small_objects_phases(select: Select = shown) -> str:
    """Every phase for objects of 16 bytes on small pages, and the memory held; frees shuffled."""
    table = phase_tables("small-objects", load("small-objects").rows)[0]
    line = table.line(SHOWN_BYTES)
    assert line is not None
    memories = (small_objects.HELD, small_objects.FREED, small_objects.RETURNED)
    heading = [*(phase.short for phase in small_objects.TIMES), *(memory.short for memory in memories)]
    lines = [
        [
            name,
            *(time_text(line, name, phase.figure) for phase in small_objects.TIMES),
            *(memory_text(line, name, memory.figure) for memory in memories),
        ]
        for name in select(table.strategies)
        if name in line.cells
    ]
    return markdown_table(["ns an object", *heading], lines)


def small_objects_memory(select: Select = shown) -> str:
    """Bytes held for an object after the first allocation, a column for every second size; frees shuffled.
    A strategy that never finished is left out.
    """
    table = phase_tables("small-objects", load("small-objects").rows)[0]
    chosen = table.lines[::2]
    heading = ["N", *(str(line.place[0]) for line in chosen)]
    lines = [[name, *(_held(table, line, name) for line in chosen)] for name in select(table.strategies)]
    return markdown_table(heading, [line for line in lines if any(line[1:])])


def fixed_block(select: Select = shown, *, whole: bool = False) -> str:
    """Nanoseconds of every work, a column each; the versions of remove-ctrl by their own names."""
    works = next(iter(group_works("fixed-block", load("fixed-block").rows).values()))
    works = [work for work in works if whole or work.version in SHOWN_VERSIONS]
    return markdown_table(
        ["ns", *(work.version or work.name for work in works)],
        [[name, *(time_text(work.line, name) for work in works)] for name in select(work_strategies(works))],
    )


def adaptive_pools(select: Select) -> str:
    """Ranges of 1,000 nodes: every phase, the overhead, and the memory held once all nodes are erased."""
    (table,) = phase_tables("adaptive-pool", load("adaptive-pool").rows)
    line = table.line(SHOWN_RANGE)
    assert line is not None
    phases = [(phase.short, phase.figure) for phase in by_ranges.RANGES]
    lines = [
        [
            name,
            *(time_text(line, name, figure) for _, figure in phases),
            figure_text(line, name, by_ranges.OVERHEAD.figure, lambda percent: f"{percent:.1f}"),
            *(memory_text(line, name, memory.figure) for memory in ERASURE_AMOUNTS),
        ]
        for name in select(table.strategies)
    ]
    heads = [head for head, _ in phases]
    heads += ["overhead, %", *(memory.short for memory in ERASURE_AMOUNTS)]
    return markdown_table(["ns a node", *heads], lines)


def _held(table: CellTable, line: Line, name: str) -> str:
    held = cell_amount(table, line, name, small_objects.HELD, "objects")
    return "" if held is None else f"{held:.1f}"
