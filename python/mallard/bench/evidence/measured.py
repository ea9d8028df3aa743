"""Turns rows into evidence: one for each repetition, under one setting.

A setting has every parameter that is not part of the key of a table's cell. Parameters that are part of a
place in `Evidence` (buffer of utilization and contention, upstream of fragmentation) belong to the setting
when tables are made. They do not when claims are judged, which may need both values: a parameter in `claimed`
and not in `places`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from mallard.bench.cells import Cell, cell_rows
from mallard.bench.evidence.evidence import AnyPlace, Evidence
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.axis import FOLLOWS
from mallard.bench.experiments.description.panel import Phases
from mallard.bench.papers.small_objects import POINTER_BYTES, PROCESS
from mallard.bench.result import Row

Setting = tuple[tuple[str, object], ...]

# A cell with fewer repetitions has no useful interval. It is dropped if other cells have more.
ENOUGH = 3
ACCESS_FIGURE = re.compile(r"sf(\d+)_af(\d+)_ns")


@dataclass(frozen=True)
class Measured:
    """The rows of one run and experiment under one setting."""

    experiment: str
    setting: Setting = ()
    run: int = 0
    repetitions: dict[int, Evidence] = field(default_factory=dict)
    failures: dict[AnyPlace, str] = field(default_factory=dict)  # cell -> the status of its last failure

    @cached_property
    def steady(self) -> list[Evidence]:
        """The repetitions, without cells that have fewer than three if others have more."""
        parts = [evidence.of(self.experiment) for evidence in self.repetitions.values()]
        counts = Counter(place for part in parts for place in part)
        least = min(ENOUGH, max(counts.values(), default=0))
        frequent = ({place: time for place, time in part.items() if counts[place] >= least} for part in parts)
        return [Evidence.only(self.experiment, part) for part in frequent]


def by_setting(rows: Iterable[Row], *, joined: bool = False) -> list[Measured]:
    """One for each run and setting. `joined` merges settings that differ in parameters named by claims."""
    measured_by_key: dict[tuple[int, str, Setting], Measured] = {}
    for row in cell_rows(rows):
        experiment = EXPERIMENTS.get(row.experiment)
        if experiment is None or not experiment.claimed:
            continue
        excluded = {*experiment.apart, *experiment.places, *experiment.roles(FOLLOWS)}
        if joined:
            excluded |= {*experiment.claimed, *experiment.joined}
        setting: Setting = tuple(sorted((k, v) for k, v in row.parameters.items() if k not in excluded))
        key = (row.run, row.experiment, setting)
        measured = measured_by_key.setdefault(key, Measured(row.experiment, setting, row.run))
        for cell in row.cells.values():
            _add(measured, cell)
    return list(measured_by_key.values())


def _add(measured: Measured, cell: Cell) -> None:
    if cell.failure:
        measured.failures[row_place(cell.failure)] = cell.failure.status
    for row in cell.done:
        _add_time(measured, row)


def _add_time(measured: Measured, row: Row) -> None:
    evidence = measured.repetitions.setdefault(row.repetition, Evidence())
    if row.experiment == "locality":
        links, length = int(row.parameters["links"]), int(row.parameters["list_length"])
        for name, nanoseconds in row.figures.items():
            factors = ACCESS_FIGURE.fullmatch(name)
            if factors:
                place = (links, length, int(factors[1]), int(factors[2]), row.strategy)
                evidence.locality[place] = nanoseconds
        return
    times, row_key = evidence.of(row.experiment), row_place(row)
    if isinstance(EXPERIMENTS[row.experiment].panel, Phases):
        times.update({(name, *row_key): value for name, value in _figures(row).items()})
    else:
        times[row_key] = row.ns_per_operation


def row_place(row: Row) -> AnyPlace:
    """The place of a row's time in `Evidence`, without the figure or factors of rows that have many."""
    names = EXPERIMENTS[row.experiment].claimed
    return (*(row.parameters.get(name, "") for name in names), row.strategy)


def _figures(row: Row) -> dict[str, float]:
    """The figures of the row; for small objects also the process's memory, as in the blog."""
    if "held_bytes" not in row.figures or "objects" not in row.parameters:
        return row.figures
    objects = int(row.parameters["objects"])
    return row.figures | {PROCESS: row.figures["held_bytes"] / objects + POINTER_BYTES}
