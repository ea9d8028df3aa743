"""The documents' figures of contention: threads with allocators of their own, or with one for all."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from figures.cell_table import Place, cells_as_markdown
from figures.stored import conditions, load
from mallard.bench.analysis.cell_tables import CellTable
from mallard.bench.analysis.panel.races import race_tables

SHOWN = (
    *("new-delete", "monotonic", "multipool", "multipool/base"),
    *("concurrent-multipool", "synchronized-multipool"),
)


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "contention": lambda: tables(SHOWN),
        "contention_conditions": lambda: conditions("contention"),
    }


def whole_tables() -> dict[str, Callable[[], str]]:
    return {"contention": tables}


def tables(names: Collection[str] = ()) -> str:
    """Of these strategies, or of all."""
    measured = race_tables("contention", load("contention").rows)
    measured = [table.only(names or table.strategies) for table in measured]
    return cells_as_markdown(map(_doubling, measured), ("N", "S", "W"), _place)


def _doubling(table: CellTable) -> CellTable:
    """Of 1, 2, 4, 8 threads."""
    return replace(table, lines=[line for line in table.lines if line.place[2].bit_count() == 1])


def _place(place: Place) -> list[str]:
    iterations, block, threads = place
    return [f"2^{iterations}", f"2^{block}", str(threads)]
