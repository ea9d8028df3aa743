"""The documents' figures of contention: threads with allocators of their own, or with one for all."""

from __future__ import annotations

from collections.abc import Callable

from figures.cell_table import Place, cells_as_markdown
from figures.stored import conditions, load
from mallard.analysis.contention import contention_tables


def blocks() -> dict[str, Callable[[], str]]:
    return {"contention": tables, "contention_conditions": lambda: conditions("contention")}


def tables() -> str:
    return cells_as_markdown(contention_tables(load("contention").rows), ("N", "S", "W"), _place)


def _place(place: Place) -> list[str]:
    iterations, block, threads = place
    return [f"2^{iterations}", f"2^{block}", str(threads)]
