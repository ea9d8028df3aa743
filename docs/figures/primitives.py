"""The figures of primitives: what a pair and an allocator cost."""

from __future__ import annotations

from collections.abc import Callable

from figures.stored import conditions, load, nanoseconds
from mallard.analysis.names import BASE, FLOOR
from mallard.cell_figures import cell_figures
from mallard.papers.catalogue import strategies, strategy_text

MULTIPOOL = "multipool"
CALLS = "null/base"  # what two calls through the abstract base cost that do nothing


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "one_number": one_number,
        "primitives": table,
        "primitives_conditions": lambda: conditions("primitives"),
    }


def one_number() -> str:
    """What a reader measures himself in a minute, by one command."""
    times = {
        cell.strategy: cell.ns_per_operation
        for cell in cell_figures(load("primitives").rows)
        if cell.parameters["operation"] == "pair"
    }
    ours, theirs = times[MULTIPOOL], times[BASE]
    assert ours is not None
    assert theirs is not None
    return (
        f"**To allocate and free 24 bytes, in a loop, takes {nanoseconds(theirs)} ns of glibc's malloc and "
        f"{nanoseconds(ours)} ns of a `multipool`** (`./mallard bench primitives`)."
    )


def table() -> str:
    cells = {
        (str(cell.parameters["operation"]), cell.strategy): cell
        for cell in cell_figures(load("primitives").rows)
    }
    order = [FLOOR, CALLS, *strategies()]
    names = [name for name in order if ("pair", name) in cells]
    lines = [
        "| | allocator, binding | a pair of 24 bytes, ns | make, serve one block, destroy, ns |",
        "|---|---|---:|---:|",
    ]
    for name in names:
        shown = []
        for operation in ("pair", "create"):
            times = cells[operation, name].ns_per_operation
            assert times is not None
            shown.append(nanoseconds(times))
        text = strategy_text(name).rsplit(", ", 1)[0]  # how objects end makes no difference to one block
        if name in (FLOOR, CALLS):
            shown[1] = ""
        lines.append(f"| {name} | {text} | {shown[0]} | {shown[1]} |")
    return "\n".join(lines)
