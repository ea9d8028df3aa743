"""The figures of primitives: the cost of a pair, of an allocator and of a node in a list."""

from __future__ import annotations

from figures import BLOCKS, block
from figures.stored import StoredRun, conditions, load, markdown_table, nanoseconds, with_strategy
from mallard.bench.analysis.names import BASE, NULL
from mallard.bench.cells import Cell, cell_rows
from mallard.bench.contenders import CONTENDERS
from mallard.bench.papers.catalogue import strategies
from mallard.bench.strategy_names import BASE_MARK
from mallard.shared.mallocs import under
from mallard.shared.stats import Spread

MULTIPOOL = "multipool"
MALLOCS = ("mimalloc", "tcmalloc", "jemalloc")
CALLS = "null/base"  # the cost of two calls through the abstract base that do nothing


BLOCKS["primitives_conditions"] = lambda: conditions("primitives")


@block("primitives_pair")
def pair() -> str:
    """A block with the best alternatives in the same loop: today's mallocs, the fastest allocator of another
    library, and our own pool behind the abstract base.
    """
    stored = with_strategy("primitives", under(BASE, MALLOCS[0]))
    assert stored
    own, others = _pairs(_cells()), _pairs(_cells(stored))
    mallocs = ", ".join(f"{nanoseconds(others[under(BASE, malloc)])} with {malloc}'s" for malloc in MALLOCS)
    fastest = min(others.keys() & CONTENDERS.keys(), key=lambda name: others[name].median)
    return (
        f"Allocating and freeing 24 bytes in a loop takes {nanoseconds(own[BASE])} ns with glibc's malloc, "
        f"{mallocs}, {nanoseconds(others[fastest])} with `{fastest}`, the fastest of other libraries, and "
        f"{nanoseconds(own[MULTIPOOL])} with a `multipool` bound by type, "
        f"{nanoseconds(own[MULTIPOOL + BASE_MARK])} behind the abstract base "
        "(`./mallard bench primitives`, the others with `--contenders`)."
    )


def _pairs(cells: dict[tuple[str, str], Cell]) -> dict[str, Spread]:
    return {name: cell.time for (operation, name), cell in cells.items() if operation == "pair" and cell.time}


def _cells(stored: StoredRun | None = None) -> dict[tuple[str, str], Cell]:
    """By operation and strategy."""
    return {
        (str(row.parameters["operation"]), name): cell
        for row in cell_rows((stored or load("primitives")).rows)
        for name, cell in row.cells.items()
    }


@block("primitives")
def table() -> str:
    """Of the strategies that are bound by type."""
    cells = _cells()
    order = [NULL, CALLS, *strategies()]
    names = [name for name in order if ("pair", name) in cells and BASE_MARK not in name]
    heading = ["", "24 bytes, ns a pair", "make, serve, destroy, ns", "list, ns a node"]
    lines = []
    for name in names:
        times = [cells[operation, name].time for operation in ("pair", "create", "list")]
        shown = [nanoseconds(time) if time else "" for time in times]
        if name in (NULL, CALLS):
            shown[1] = ""
        lines.append([name, *shown])
    return markdown_table(heading, lines)
