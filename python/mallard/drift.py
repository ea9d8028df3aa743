"""Whether a machine has changed its pace between runs.

`null` takes no memory, and new-delete is the C library's. A change of mallard moves neither. If either
takes another time than in an earlier run, a circumstance has changed: the processor's clock, a neighbour on
the host, another program. Figures of two such runs must not be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median

from mallard.cells import cell_rows
from mallard.library import BASE, NULL
from mallard.result import Row, canonical
from mallard.store import Run, Store

ANCHORS = (NULL, BASE)
TOLERANCE = 0.10
KIND = "drift"  # of a note
MACHINE = ("cpu", "cpu_model", "caches", "cores", "kernel", "libc")
BUILD = ("compiler", "flags")

Pace = Mapping[tuple[str, str], float]  # (anchor, parameters) -> nanoseconds of an operation


def drift_of(store: Store, run: Run) -> str:
    """The drift of a run in words, against the newest comparable run before it; empty if there is none.

    A run with a drift of its own is compared with nothing.
    """
    here = pace_of(store.rows(run.id))
    for earlier in reversed(store.runs()):
        if earlier.id >= run.id or not _comparable(earlier, run) or _drifted(store, earlier):
            continue
        there = pace_of(store.rows(earlier.id, run.experiment))
        if both := here.keys() & there.keys():
            return _in_words(here, there, both, earlier.id)
    return ""


def pace_of(rows: Iterable[Row]) -> dict[tuple[str, str], float]:
    anchors = [row for row in rows if row.strategy in ANCHORS and row.ok]
    return {
        (name, canonical(row.parameters)): cell.ns_per_operation
        for row in cell_rows(anchors)
        for name, cell in row.cells.items()
    }


def _comparable(one: Run, other: Run) -> bool:
    """True for runs of one experiment on one machine, by runners of one compiler with equal flags."""
    return (
        one.experiment == other.experiment
        and all(one.machine.get(fact) == other.machine.get(fact) for fact in MACHINE)
        and all(one.runner.get(fact) == other.runner.get(fact) for fact in BUILD)
    )


def _drifted(store: Store, run: Run) -> bool:
    return any(note.kind == KIND for note in store.notes(run.id))


def _in_words(here: Pace, there: Pace, both: Iterable[tuple[str, str]], earlier: int) -> str:
    ratios: dict[str, list[float]] = {}
    for place in both:
        ratios.setdefault(place[0], []).append(here[place] / there[place])
    told = [
        f"{name} takes {middle:.2f} times as long as in run {earlier} ({len(ratios[name])} cells)"
        for name in ANCHORS
        if name in ratios and not 1 / (1 + TOLERANCE) <= (middle := median(ratios[name])) <= 1 + TOLERANCE
    ]
    return "; ".join(told)
