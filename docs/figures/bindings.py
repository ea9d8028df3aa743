"""The documents' figures of the three bindings: a pair and two containers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from figures.stored import StoredRun, markdown_table, nanoseconds, run_conditions, with_strategy
from mallard.bench.cells import Cell, cell_rows
from mallard.bench.papers.catalogue import INLINE_PAIRS
from mallard.bench.strategy_names import BASE_MARK, INLINE_MARK, is_winked

MECHANISMS = tuple(name for name, _ in INLINE_PAIRS if not is_winked(name))
MARKS = ("", INLINE_MARK, BASE_MARK)
SET_OF_INT = "DS3"
HEADING = ("type parameter", "inline base", "abstract base")


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "bindings_pair": _pairs,
        "bindings_conditions": _conditions,
    }


def whole_tables() -> dict[str, Callable[[], str]]:
    return {"bindings_containers": _containers}


def _run(experiment: str) -> StoredRun:
    stored = with_strategy(experiment, f"multipool{INLINE_MARK}")
    assert stored is not None
    return stored


def _conditions() -> str:
    return run_conditions(_run("primitives"), _run("density"))


def _pairs() -> str:
    """Nanoseconds of a pair of 24 bytes."""
    return _times("ns a pair", {"": _cells("primitives", operation="pair")})


def _containers() -> str:
    """Nanoseconds of an element of a list, and of a set."""
    return _times(
        "ns an element",
        {
            "`list<int>`, ": _cells("primitives", operation="list"),
            "`unordered_set<int>`, ": _cells("density", ds=SET_OF_INT, size_log2=10),
        },
    )


def _cells(experiment: str, **parameters: object) -> Mapping[str, Cell]:
    """Of the row with these parameters, by strategy."""
    (cells,) = [
        row.cells
        for row in cell_rows(_run(experiment).rows)
        if all(row.parameters[name] == value for name, value in parameters.items())
    ]
    return cells


def _times(corner: str, parts: Mapping[str, Mapping[str, Cell]]) -> str:
    """A line for each mechanism of each part, whose name stands in front."""
    lines = []
    for part, cells in parts.items():
        for mechanism in MECHANISMS:
            times = [cells[f"{mechanism}{mark}"].time for mark in MARKS]
            lines.append([part + mechanism, *(nanoseconds(time) if time else "" for time in times)])
    return markdown_table([corner, *HEADING], lines)
