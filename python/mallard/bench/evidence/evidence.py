"""Times by place: the cells of every experiment in one repetition, each a mapping from place to time.

rows -> by_setting -> Measured(setting, an Evidence a repetition)

The unit of a time is free (nanoseconds here, seconds in print), because only ratios within one experiment
are formed. P0089 prints Benchmark II as ratios: there, an access before the shuffle counts as 1. A figure
at the start of a place has the name that rows give it.

    density        (structure, size_log2, strategy)
    locality       (links, list length, shuffle factor, access factor, strategy)
    utilization    (buffer, T, A, S, strategy), exponents of two
    contention     (buffer, N, S, W, strategy), N and S exponents of two
    fragmentation  (upstream, structure, size_log2, freed, strategy)
    ratios         (structure, size_log2, freed, strategy) -> R, where a paper prints R only
    other_experiments  the description's key of a place, and the strategy; experiments in phases begin
                       with the figure: (figure, range, strategy)

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
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.axis import FOLLOWS
from mallard.bench.experiments.description.panel import Phases
from mallard.bench.library import BASE as BASE
from mallard.bench.papers.small_objects import POINTER_BYTES, PROCESS
from mallard.bench.result import Row

DensityPlace = tuple[str, int, str]
LocalityPlace = tuple[int, int, int, int, str]
BlocksPlace = tuple[str, int, int, int, str]
FragmentationPlace = tuple[str, str, int, str, str]
RatioPlace = tuple[str, int, str, str]
AnyPlace = tuple[str | int, ...]

SHUFFLED = 5
FRESH = "none"  # of fragmentation: an unperturbed heap
Setting = tuple[tuple[str, object], ...]

# A cell with fewer repetitions has no useful interval. It is dropped if other cells have more.
ENOUGH = 3
ACCESS_FIGURE = re.compile(r"sf(\d+)_af(\d+)_ns")


@dataclass(frozen=True)
class Evidence:
    density: dict[DensityPlace, float] = field(default_factory=dict)
    locality: dict[LocalityPlace, float] = field(default_factory=dict)
    utilization: dict[BlocksPlace, float] = field(default_factory=dict)
    contention: dict[BlocksPlace, float] = field(default_factory=dict)
    fragmentation: dict[FragmentationPlace, float] = field(default_factory=dict)
    ratios: dict[RatioPlace, float] = field(default_factory=dict)
    other_experiments: dict[str, dict[AnyPlace, float]] = field(default_factory=dict)  # by experiment

    def of(self, experiment: str) -> dict[AnyPlace, float]:
        """The cells of an experiment, by its name."""
        cells: dict[AnyPlace, float] | None = getattr(self, experiment, None)
        return self.other_experiments.setdefault(experiment, {}) if cells is None else cells

    @classmethod
    def only(cls, experiment: str, cells: dict[AnyPlace, float]) -> Evidence:
        evidence = cls()
        evidence.of(experiment).update(cells)
        return evidence

    def degradation(
        self, links: int, length: int, access_factor: int, strategy: str, shuffled: int = SHUFFLED
    ) -> float | None:
        """Access time after the shuffle divided by that before it."""
        shuffled_time = self.locality.get((links, length, shuffled, access_factor, strategy))
        unshuffled_time = self.locality.get((links, length, 0, access_factor, strategy))
        return shuffled_time / unshuffled_time if shuffled_time and unshuffled_time else None

    def ratio_of_ratios(
        self, structure: str, size: int, freed: str, strategy: str, upstream: str = "cache"
    ) -> float | None:
        """P0213's R, section 13: below 1 the strategy suffers less from a perturbed heap than new-delete."""
        printed = self.ratios.get((structure, size, freed, strategy))
        if printed is not None:
            return printed
        times = [
            self.fragmentation.get((upstream, structure, size, state, name))
            for state in (freed, FRESH)
            for name in (strategy, BASE)
        ]
        if not all(times):
            return None
        time, base_time, fresh_time, fresh_base_time = (time for time in times if time)
        return (time / base_time) / (fresh_time / fresh_base_time)


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
