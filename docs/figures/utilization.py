"""The documents' figures of utilization: blocks freed in the order of their allocation."""

from __future__ import annotations

from collections.abc import Callable

from figures.cell_table import Place, cells_as_markdown
from figures.stored import conditions, load
from mallard.analysis.cells import setting_text
from mallard.analysis.utilization import utilization_tables


def blocks() -> dict[str, Callable[[], str]]:
    return {"utilization": tables, "utilization_conditions": lambda: conditions("utilization")}


def tables() -> str:
    found = utilization_tables(load("utilization").rows)
    return "\n\n".join(
        f"{setting_text(table.setting)}:\n\n"
        + cells_as_markdown(table, table.strategies, ("T", "A", "S"), _place)
        for table in found
    )


def _place(place: Place) -> list[str]:
    return [f"2^{exponent}" for exponent in place]
