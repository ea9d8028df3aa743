"""The documents' figures of small objects, fixed blocks and adaptive pools: a line for each strategy."""

from __future__ import annotations

from figures import BLOCKS, block
from figures.stored import conditions, load, markdown_table
from figures.strategy_table import SHOWN_MALLOCS, Column, decisive_table
from mallard.bench.analysis.cell_tables import CellTable, Line
from mallard.bench.analysis.names import BASE, NULL
from mallard.bench.analysis.panel.phases import bytes_text, cell_amount, phase_tables
from mallard.bench.analysis.panel.works import group_works, work_strategies
from mallard.bench.experiments import by_ranges, small_objects

SHOWN_BYTES = 16  # of an object, in the table of phases
SHOWN_RANGE = 1000  # nodes
SHOWN_VERSIONS = ("", "as-printed", "append", "reserve")  # of remove-ctrl; other works have one
OF_A_CLASS = (
    "fixed-pool",
    "static-pool",
    "class-new",
    "fixed-string",
)  # for one type: no table of others has them
SUBJECTS = ("small-object-pool", "adaptive-pool")
RIVAL = "boost-adaptive-pool"


BLOCKS.update(
    pools_conditions=lambda: conditions("small-objects", "adaptive-pool"),
    fixed_block_conditions=lambda: conditions("fixed-block"),
)


@block("small_objects")
def small_objects_phases() -> str:
    """Every phase for objects of 16 bytes on small pages, and the memory held; frees shuffled."""
    table = phase_tables("small-objects", load("small-objects").rows)[0]
    line = table.line(SHOWN_BYTES)
    assert line is not None
    columns = [Column(time.short, line, time.figure) for time in small_objects.TIMES]
    for memory in (small_objects.HELD, small_objects.RETURNED):
        columns.append(Column(memory.short, line, memory.figure, bytes_text))
    names = [name for name in table.strategies if name in line.cells]
    return decisive_table("ns an object", names, columns, SUBJECTS)


@block("small_objects_memory")
def small_objects_memory() -> str:
    """Bytes held for an object after the first allocation, a column for every second size; frees shuffled.
    A strategy that never finished is left out. The page has the subjects and what they replace.
    """
    table = phase_tables("small-objects", load("small-objects").rows)[0]
    chosen = table.lines[::2]
    heading = ["N", *(str(line.place[0]) for line in chosen)]
    few = (NULL, BASE, SHOWN_MALLOCS[0], "multipool", *SUBJECTS)
    names = [name for name in table.strategies if name in few]
    lines = [[name, *(_held(table, line, name) for line in chosen)] for name in names]
    return markdown_table(heading, [line for line in lines if any(line[1:])])


@block("fixed_block")
def fixed_block() -> str:
    """Nanoseconds of every work, a column each; the versions of remove-ctrl by their own names."""
    works = next(iter(group_works("fixed-block", load("fixed-block").rows).values()))
    works = [work for work in works if work.version in SHOWN_VERSIONS]
    columns = [Column(work.version or work.name, work.line) for work in works]
    return decisive_table("ns", work_strategies(works), columns, OF_A_CLASS)


@block("adaptive_pool")
def adaptive_pools() -> str:
    """Ranges of 1,000 nodes: every phase, the overhead, and the memory held once all nodes are erased."""
    (table,) = phase_tables("adaptive-pool", load("adaptive-pool").rows)
    line = table.line(SHOWN_RANGE)
    assert line is not None
    columns = [
        *(Column(phase.short, line, phase.figure) for phase in by_ranges.RANGES),
        Column("overhead, %", line, by_ranges.OVERHEAD.figure, "{:.1f}".format),
        Column(by_ranges.TRIMMED.short, line, by_ranges.TRIMMED.figure, bytes_text),
    ]
    # Bursts have a table of their gain.
    names = [name for name in table.strategies if not name.endswith("-burst")]
    return decisive_table("ns a node", names, columns, (*SUBJECTS, RIVAL))


def _held(table: CellTable, line: Line, name: str) -> str:
    held = cell_amount(table, line, name, small_objects.HELD, "objects")
    return "" if held is None else f"{held:.1f}"
