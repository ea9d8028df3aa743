"""Detects whether a machine has changed its pace between runs.

`null` takes no memory, and new-delete is the C library's. A change of mallard affects neither. If either
takes another time than in an earlier run, the environment has changed: the processor's clock, a neighbour on
the host, another program. Figures of two such runs must not be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median

from mallard.bench.cells import cell_rows
from mallard.bench.library import BASE, NULL
from mallard.bench.result import Row, canonical
from mallard.bench.store import Run, Store

ANCHORS = (NULL, BASE)
TOLERANCE = 0.10
KIND = "drift"  # of a note
MACHINE = ("cpu", "cpu_model", "caches", "cores", "kernel", "libc")
BUILD = ("compiler", "flags")

Pace = Mapping[tuple[str, str], float]  # (anchor, parameters) -> nanoseconds of an operation


def describe_drift(store: Store, run: Run) -> str:
    """Compares a run with the newest comparable earlier run; empty if there is no drift or no such run.

    A run that itself has drifted is not compared with.
    """
    pace = measure_pace(store.rows(run.id))
    for earlier in reversed(store.runs()):
        if earlier.id >= run.id or not _comparable(earlier, run) or _drifted(store, earlier):
            continue
        earlier_pace = measure_pace(store.rows(earlier.id, run.experiment))
        if common := pace.keys() & earlier_pace.keys():
            return _format_drift(pace, earlier_pace, common, earlier.id)
    return ""


def measure_pace(rows: Iterable[Row]) -> dict[tuple[str, str], float]:
    anchors = [row for row in rows if row.strategy in ANCHORS and row.ok]
    return {
        (name, canonical(row.parameters)): cell.ns_per_operation
        for row in cell_rows(anchors)
        for name, cell in row.cells.items()
    }


def _comparable(earlier: Run, run: Run) -> bool:
    """True for runs of one experiment on one machine, with equal compilers and flags."""
    return (
        earlier.experiment == run.experiment
        and all(earlier.machine.get(fact) == run.machine.get(fact) for fact in MACHINE)
        and all(earlier.runner.get(fact) == run.runner.get(fact) for fact in BUILD)
    )


def _drifted(store: Store, run: Run) -> bool:
    return any(note.kind == KIND for note in store.notes(run.id))


def _format_drift(pace: Pace, earlier_pace: Pace, cells: Iterable[tuple[str, str]], earlier: int) -> str:
    ratios: dict[str, list[float]] = {}
    for cell in cells:
        ratios.setdefault(cell[0], []).append(pace[cell] / earlier_pace[cell])
    phrases = [
        f"{name} takes {middle:.2f} times as long as in run {earlier} ({len(ratios[name])} cells)"
        for name in ANCHORS
        if name in ratios and not 1 / (1 + TOLERANCE) <= (middle := median(ratios[name])) <= 1 + TOLERANCE
    ]
    return "; ".join(phrases)
