"""The documents' figures of blocks that are freed and allocated again: a line for each strategy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from figures import BLOCKS, block
from figures.stored import conditions, load, log2_text, markdown_table
from figures.strategy_table import DECISIVE, fastest, time_text
from mallard.bench.analysis.cell_tables import CellTable, Line, figure_line
from mallard.bench.analysis.names import in_table_order, malloc
from mallard.bench.analysis.panel.phases import phase_tables
from mallard.bench.experiments import reuse
from mallard.shared.stats import paired_ratio

Setting = tuple[str, str, int]  # sizes, pattern, bytes of a block

POOL = "multipool"  # for everything
OURS = ("multipool-last",)  # the page explains the order


BLOCKS["reuse_conditions"] = lambda: conditions("reuse")


@block("reuse")
def _table() -> str:
    """Nanoseconds of a pair by the decisive strategies: a column for each number of blocks of the smallest
    and the largest size, the patterns side by side.
    """
    sizes, patterns = reuse.ONE_SIZE, (reuse.RANDOM, reuse.REPLACED)
    tables = {_setting(table): table for table in phase_tables(reuse.NAME, load(reuse.NAME).rows)}
    columns = sorted(
        (bytes_, line.place[0])
        for (kind, pattern, bytes_), table in tables.items()
        if (kind, pattern) == (sizes, patterns[0])
        for line in table.lines
    )
    names = in_table_order({name for table in tables.values() for name in table.strategies})
    ends = {end(bytes_ for bytes_, _ in columns) for end in (min, max)}
    columns = [column for column in columns if column[0] in ends]
    names = _decisive(
        names, tables, [(sizes, pattern, *column) for pattern in patterns for column in columns]
    )
    lines = [
        [
            name,
            *(
                " / ".join(_time(tables, (sizes, pattern, bytes_), live, name) for pattern in patterns)
                for bytes_, live in columns
            ),
        ]
        for name in names
    ]
    heading = [f"{bytes_} B, N = {log2_text(live)}" for bytes_, live in columns]
    return markdown_table(["ns a pair", *heading], [line for line in lines if any(map(_says, line[1:]))])


@block("reuse_best")
def best() -> str:
    """The cells in which a malloc of the whole process is faster than the pool for everything."""
    pairs = [
        (line, f"{dict(table.setting)['block_bytes']} B, {log2_text(line.place[0])}, {_pattern(table)}")
        for table in phase_tables(reuse.NAME, load(reuse.NAME).rows)
        for line in (figure_line(row, reuse.PAIR.figure) for row in table.lines)
        if POOL in line.cells
    ]
    faster: dict[str, list[str]] = {}
    for line, cell in pairs:
        for name in filter(malloc, line.cells):
            both = line.paired(name, POOL)
            if both and paired_ratio(*both).verdict == "faster":
                faster.setdefault(cell, []).append(malloc(name))
    listed = "; ".join(f"{cell} ({', '.join(names)})" for cell, names in faster.items())
    return (
        f"In {len(faster)} of {len(pairs)} cells a preloaded malloc is faster than `{POOL}`, beyond the "
        f"interval: {listed or 'none'}."
    )


def _pattern(table: CellTable) -> str:
    sizes, pattern, _ = _setting(table)
    return f"{sizes} sizes, {pattern}"


def _decisive(
    names: Sequence[str], tables: dict[Setting, CellTable], cells: Iterable[tuple[str, str, int, int]]
) -> list[str]:
    """As strategy_table.decisive(), with the other orders and bindings of the pool, and in each cell the
    fastest of the mallocs, too.
    """
    winners = set()
    for sizes, pattern, bytes_, live in cells:
        if line := _line(tables, (sizes, pattern, bytes_), live):
            winners |= {fastest(line, some, reuse.PAIR.figure) for some in (names, filter(malloc, names))}
    return [name for name in names if name in (*DECISIVE, *OURS) or name in winners]


def _says(cell: str) -> bool:
    return bool(cell.strip(" /"))


def _setting(table: CellTable) -> Setting:
    setting = dict(table.setting)
    return str(setting["sizes"]), str(setting["pattern"]), int(str(setting["block_bytes"]))


def _time(tables: dict[Setting, CellTable], setting: Setting, live: int, name: str) -> str:
    line = _line(tables, setting, live)
    return time_text(line, name, reuse.PAIR.figure) if line else ""


def _line(tables: dict[Setting, CellTable], setting: Setting, live: int) -> Line | None:
    table = tables.get(setting)
    return table.line(live) if table else None
