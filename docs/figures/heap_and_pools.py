"""The documents' figures of a heap in the papers' benchmarks of blocks that are freed one by one, beside the
global allocator and a multipool.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from figures.locality import by_length, times
from figures.stored import StoredRun, nanoseconds, run_conditions, with_strategy
from figures.utilization import render_tables
from mallard.bench.analysis.labels import SHORT_STATUS
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.surfaces import Surface, locality_systems

HEAP, POOL = "heap", "multipool"
NAMES = (BASE, POOL, HEAP)
FACTOR = 1  # traversals of a list before the next

Block = Callable[[StoredRun], str]


def whole_tables() -> dict[str, Callable[[], str]]:
    return {
        "heap_locality": _stored("locality", locality),
        "heap_utilization": _stored("utilization", lambda stored: render_tables(stored.rows)),
    }


def _stored(experiment: str, block: Block) -> Callable[[], str]:
    """The block of the run that has a heap; a note without such a run."""

    def text() -> str:
        stored = with_strategy(experiment, HEAP)
        if stored is None:
            return f"Not measured yet: `mallard bench {experiment} --strategy {','.join(NAMES)}` does it."
        return f"{block(stored)}\n\n{run_conditions(stored)}"

    return text


def locality(stored: StoredRun) -> str:
    """After the shuffle, by length of a list: an access, its time over that before, and memory."""
    (system,) = locality_systems(stored.rows)
    surfaces = [(name, system.surfaces[name]) for name in NAMES]
    return by_length(
        system,
        system.list_lengths,
        [
            *((f"{name}, ns", partial(_access, surface)) for name, surface in surfaces),
            (f"{HEAP}, lost", partial(_lost, system.surfaces[HEAP])),
            *((f"{name}, bytes", partial(_memory, surface)) for name, surface in surfaces[1:]),
        ],
    )


def _access(surface: Surface, length: int) -> str:
    time = surface.shuffled(length, FACTOR)
    if time is None:
        status, _ = surface.unfinished.get(length, ("", ""))
        return SHORT_STATUS.get(status, status)
    return nanoseconds(time)


def _lost(surface: Surface, length: int) -> str:
    return times(surface.degradation(length, FACTOR))


def _memory(surface: Surface, length: int) -> str:
    held = surface.figure("shuffled_bytes", length)
    return f"{held.median / surface.links:.0f}" if held else ""
