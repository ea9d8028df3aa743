"""The documents' figures of blocks that are freed and allocated again: a line for each strategy."""

from __future__ import annotations

from collections.abc import Callable

from figures.stored import conditions, load, log2_text, markdown_table
from figures.strategy_table import time_text
from mallard.bench.analysis.cell_tables import CellTable, figure_line
from mallard.bench.analysis.names import in_table_order, malloc
from mallard.bench.analysis.panel.phases import phase_tables
from mallard.bench.experiments import reuse
from mallard.shared.stats import paired_ratio

Setting = tuple[str, str, int]  # sizes, pattern, bytes of a block

POOL = "multipool"  # for everything
OURS = (
    *("multipool", "multipool-last", "multipool/base", "multipool+monotonic"),
    *("fixed-pool", "small-object-pool", "adaptive-pool", "heap"),
)
OTHERS = ("boost-pool", "boost-pmr-unsynchronized", "pmr-unsynchronized", "foonathan-node", "loki")


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "reuse": lambda: _table(reuse.ONE_SIZE, (reuse.RANDOM, reuse.REPLACED)),
        "reuse_mixed": lambda: _table(reuse.MIXED, (reuse.RANDOM,)),
        "reuse_best": best,
        "reuse_conditions": lambda: conditions("reuse"),
    }


def _table(sizes: str, patterns: tuple[str, ...]) -> str:
    """Nanoseconds of a pair: a column for each size and number of blocks, the patterns side by side."""
    tables = {_setting(table): table for table in phase_tables(reuse.NAME, load(reuse.NAME).rows)}
    columns = sorted(
        (bytes_, line.place[0])
        for (kind, pattern, bytes_), table in tables.items()
        if (kind, pattern) == (sizes, patterns[0])
        for line in table.lines
    )
    names = in_table_order({name for table in tables.values() for name in table.strategies})
    lines = [
        [
            name,
            *(
                " / ".join(_time(tables, (sizes, pattern, bytes_), live, name) for pattern in patterns)
                for bytes_, live in columns
            ),
        ]
        for name in names
        if _is_shown(name)
    ]
    heading = [f"{bytes_} B, N = {log2_text(live)}" for bytes_, live in columns]
    return markdown_table(["ns a pair", *heading], [line for line in lines if any(map(_says, line[1:]))])


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


def _is_shown(name: str) -> bool:
    plain, _, malloc = name.partition("@")
    return name in (*OURS, *OTHERS, "null", "new-delete") or (plain == "new-delete" and bool(malloc))


def _says(cell: str) -> bool:
    return bool(cell.strip(" /"))


def _setting(table: CellTable) -> Setting:
    setting = dict(table.setting)
    return str(setting["sizes"]), str(setting["pattern"]), int(str(setting["block_bytes"]))


def _time(tables: dict[Setting, CellTable], setting: Setting, live: int, name: str) -> str:
    table = tables.get(setting)
    line = table.line(live) if table else None
    return time_text(line, name, reuse.PAIR.figure) if line else ""
