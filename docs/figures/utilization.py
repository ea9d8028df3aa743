"""The documents' figures of utilization: blocks freed in the order of their allocation."""

from __future__ import annotations

from collections.abc import Callable

from figures.cell_table import Place, cells_as_markdown
from figures.stored import conditions, load
from mallard.analysis.utilization import utilization_tables


def blocks() -> dict[str, Callable[[], str]]:
    return {"utilization": tables, "utilization_conditions": lambda: conditions("utilization")}


def tables() -> str:
    return cells_as_markdown(utilization_tables(load("utilization").rows), ("T", "A", "S"), _place)


def _place(place: Place) -> list[str]:
    return [f"2^{exponent}" for exponent in place]
