"""The figures of primitives: the cost of a pair, of an allocator and of a node in a list."""

from __future__ import annotations

from collections.abc import Callable

from figures.stored import conditions, load, nanoseconds
from mallard.analysis.names import BASE, NULL
from mallard.cells import Cell, cell_rows
from mallard.papers.catalogue import strategies, strategy_text

MULTIPOOL = "multipool"
CALLS = "null/base"  # the cost of two calls through the abstract base that do nothing


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "one_number": one_number,
        "primitives": table,
        "primitives_conditions": lambda: conditions("primitives"),
    }


def one_number() -> str:
    """The figure that a reader can measure in a minute, by one command."""
    cells = _cells()
    ours, theirs = cells["pair", MULTIPOOL].time, cells["pair", BASE].time
    assert ours is not None
    assert theirs is not None
    return (
        f"**Allocating and freeing 24 bytes in a loop takes {nanoseconds(theirs)} ns with glibc's malloc and "
        f"{nanoseconds(ours)} ns with a `multipool`** (`./mallard bench primitives`)."
    )


def _cells() -> dict[tuple[str, str], Cell]:
    """By operation and strategy."""
    return {
        (str(row.parameters["operation"]), name): cell
        for row in cell_rows(load("primitives").rows)
        for name, cell in row.cells.items()
    }


def table() -> str:
    cells = _cells()
    order = [NULL, CALLS, *strategies()]
    names = [name for name in order if ("pair", name) in cells]
    lines = [
        "| | allocator, binding | 24 bytes, ns a pair | make, serve, destroy, ns | list, ns a node |",
        "|---|---|---:|---:|---:|",
    ]
    for name in names:
        times = [cells[operation, name].time for operation in ("pair", "create", "list")]
        shown = [nanoseconds(time) if time else "" for time in times]
        text = strategy_text(name).rsplit(", ", 1)[0]  # the end of objects makes no difference to one block
        if name in (NULL, CALLS):
            shown[1] = ""
        lines.append(f"| {name} | {text} | {' | '.join(shown)} |")
    return "\n".join(lines)
