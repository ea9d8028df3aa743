"""The measured rows that decide at a leaf of the walk, or the command that measures them.

    rows of finished runs -> Evidence -> Place (one row of a table of a run) -> ratio to the global allocator

The run with the most eligible strategies is used; among equal runs, the newest. Within the run, the place at
the smallest distance is used. A place counts if it has times of new-delete and of another strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import log2
from typing import Any

from mallard.bench.analysis.cell_tables import setting_text
from mallard.bench.analysis.names import BASE, ranked_strategies
from mallard.bench.cells import Cell, Times, above, cell_rows, times_ratio
from mallard.bench.choose.case import ANY, OTHER_THREAD, OWN_THREAD, YES, Case, can_serve
from mallard.bench.choose.graph import BUILT, FROM_ANOTHER, SCATTERED
from mallard.bench.result import Row
from mallard.shared.stats import Ratio, Spread, spread

SECOND_COMPILER = "clang++"  # the rows of the other compiler are preferred

Distance = Callable[[Mapping[str, Any]], float]


@dataclass(frozen=True)
class CellReference:
    """The cell behind a figure."""

    run: int
    experiment: str
    parameters: tuple[tuple[str, object], ...]
    strategy: str

    @property
    def text(self) -> str:
        return f"{self.place_text}: {self.strategy}"

    @property
    def place_text(self) -> str:
        return f"run {self.run}, {self.experiment}, {setting_text(self.parameters)}"


@dataclass(frozen=True)
class Place:
    run: int
    experiment: str
    parameters: dict[str, Any]
    cells: dict[str, Cell]

    @cached_property
    def strategies(self) -> list[str]:
        """The strategies that a program can choose and that have a time, including new-delete."""
        return ranked_strategies({name for name, cell in self.cells.items() if cell.finished})

    def times(self, strategy: str, figure: str = "") -> Times:
        cell = self.cells.get(strategy)
        if cell is None:
            return {}
        return above(0.0, cell.figures.get(figure, {})) if figure else cell.times

    def spread(self, strategy: str, figure: str = "") -> Spread | None:
        times = self.times(strategy, figure)
        return spread(list(times.values())) if times else None

    def ratio(self, strategy: str, base: str = BASE, figure: str = "") -> Ratio | None:
        return times_ratio(self.times(strategy, figure), self.times(base, figure))

    def cell(self, strategy: str) -> CellReference:
        return CellReference(self.run, self.experiment, tuple(self.parameters.items()), strategy)


class Evidence:
    """The places in rows of any runs and experiments."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._places: dict[str, list[Place]] = {}
        for row in cell_rows(rows):
            place = Place(row.run, row.experiment, row.parameters, row.cells)
            if BASE in place.strategies and len(place.strategies) > 1:
                self._places.setdefault(row.experiment, []).append(place)

    def places(self, experiment: str, **parameters: object) -> list[Place]:
        return [
            place
            for place in self._places.get(experiment, [])
            if all(place.parameters.get(name) == value for name, value in parameters.items())
        ]

    def nearest(
        self,
        experiment: str,
        distance: Distance,
        is_eligible: Callable[[str], bool] | None = None,
        **parameters: object,
    ) -> Place | None:
        """The place at the smallest distance in the run with the most eligible strategies; among equal runs,
        in the newest. A run of a few strategies does not hide a complete one.
        """
        places = self.places(experiment, **parameters)
        fullest = max(((_count_eligible(place, is_eligible), place.run) for place in places), default=(0, 0))
        return min(
            (place for place in places if place.run == fullest[1]),
            key=lambda place: (
                distance(place.parameters),
                place.parameters.get("compiler") == SECOND_COMPILER,
            ),
            default=None,
        )


def _count_eligible(place: Place, is_eligible: Callable[[str], bool] | None) -> int:
    return sum(1 for name in place.strategies if is_eligible is None or is_eligible(name))


# The order in which perturbed heaps are tried: (chunks freed, upstream).
_PERTURBED = [
    (freed, upstream) for upstream in ("cache", "heap") for freed in ("quarter", "half", "eighth", "all")
]
_TIE = 1e-3  # a preference that never outweighs a power of two


@dataclass(frozen=True)
class DecidingRows:
    """The deciding place. `figure` names the quantity of the rows; empty for the time of an operation."""

    place: Place | None
    command: str
    figure: str = ""

    def command_for(self, strategies: Iterable[str]) -> str:
        """The command for strategies that the place lacks."""
        return f"{self.command} --strategy {','.join(strategies)}"


def find_deciding(leaf: str, case: Case, evidence: Evidence) -> DecidingRows:
    if leaf == FROM_ANOTHER:
        return contention(case, evidence, OTHER_THREAD)
    if leaf == SCATTERED:
        return locality(case, evidence)
    if leaf == BUILT and case.fragmented == YES:
        perturbed = fragmentation(case, evidence)
        return perturbed if serves(perturbed, case) else density(case, evidence)
    return density(case, evidence)


def serves(deciding: DecidingRows, case: Case) -> bool:
    """True if the rows have a local allocator that the case can use."""
    return deciding.place is not None and any(can_serve(case, name) for name in deciding.place.strategies)


def density(case: Case, evidence: Evidence) -> DecidingRows:
    parameters = {"ds": case.structure.name} | _buffer(case)
    return DecidingRows(
        evidence.nearest("density", _size(case), _eligible(case), **parameters), _command("density", case)
    )


def fragmentation(case: Case, evidence: Evidence) -> DecidingRows:
    command = _command("fragmentation", case)
    structure = {"ds": case.structure.name} | _buffer(case)
    for freed, upstream in _PERTURBED:
        place = evidence.nearest(
            "fragmentation", _size(case), _eligible(case), freed=freed, upstream=upstream, **structure
        )
        if place:
            return DecidingRows(place, command)
    return DecidingRows(None, command)


def fresh_heap(place: Place, evidence: Evidence) -> Place | None:
    """The equal place of the same run on an unperturbed heap."""
    places = evidence.places("fragmentation", **(place.parameters | {"freed": "none"}))
    return next((candidate for candidate in places if candidate.run == place.run), None)


def locality(case: Case, evidence: Evidence) -> DecidingRows:
    def distance(parameters: Mapping[str, Any]) -> float:
        length, links = log2(parameters["list_length"]), log2(parameters["links"])
        # A single list cannot be scattered among other lists.
        return abs(length - case.elements_log2) + (100.0 if length == links else 0.0) - _TIE * links

    place = evidence.nearest("locality", distance, _eligible(case))
    return DecidingRows(place, "mallard bench locality", shuffled(place, case) if place else "")


def shuffled(place: Place, case: Case) -> str:
    return _access(place, max(_numbers(place, "shuffle_factors")), case)


def unshuffled(place: Place, case: Case) -> str:
    return _access(place, min(_numbers(place, "shuffle_factors")), case)


def utilization(case: Case, evidence: Evidence) -> DecidingRows:
    def distance(parameters: Mapping[str, Any]) -> float:
        wanted = -log2(case.utilization) if case.utilization else float(parameters["total_log2"])
        return abs(int(parameters["total_log2"]) - int(parameters["active_log2"]) - wanted)

    return DecidingRows(evidence.nearest("utilization", distance), "mallard bench utilization")


def reuse(case: Case, evidence: Evidence) -> DecidingRows:
    """Blocks that are freed at random and reallocated, about as many as the structure has elements."""

    def distance(parameters: Mapping[str, Any]) -> float:
        return abs(log2(parameters["live"]) - case.elements_log2) + _TIE * log2(parameters["block_bytes"])

    sizes = "mixed" if case.sizes_vary else "same"
    place = evidence.nearest("reuse", distance, pattern="random", sizes=sizes)
    return DecidingRows(place, "mallard bench reuse")


def contention(case: Case, evidence: Evidence, freed_by: str = OWN_THREAD) -> DecidingRows:
    def distance(parameters: Mapping[str, Any]) -> float:
        without_buffer = _TIE * (parameters.get("buffer") != "none")
        return abs(log2(parameters["threads"]) - log2(case.threads)) + without_buffer

    threads = max(case.threads, 2) if freed_by == OTHER_THREAD else case.threads
    command = f"mallard bench contention --threads {threads} --freed-by {freed_by}"
    return DecidingRows(evidence.nearest("contention", distance, freed_by=freed_by), command)


def _eligible(case: Case) -> Callable[[str], bool]:
    return lambda name: can_serve(case, name)


def _access(place: Place, shuffle_factor: int, case: Case) -> str:
    factors = _numbers(place, "access_factors")
    nearest = min(factors, key=lambda factor: (abs(log2(factor) - log2(case.access_factor)), factor))
    return f"sf{shuffle_factor}_af{nearest}_ns"


def _numbers(place: Place, name: str) -> list[int]:
    return [int(text) for text in str(place.parameters[name]).split(",")]


def _buffer(case: Case) -> dict[str, str]:
    return {} if case.buffer == ANY else {"buffer": case.buffer}


def _size(case: Case) -> Distance:
    return lambda parameters: (
        abs(int(parameters["size_log2"]) - case.elements_log2) - _TIE * int(parameters.get("product_log2", 0))
    )


def _command(experiment: str, case: Case) -> str:
    command = f"mallard bench {experiment} --ds {case.structure.name.removeprefix('DS')}"
    command += f" --size {round(case.elements_log2)}"
    return command if case.buffer == ANY else f"{command} --buffer {case.buffer}"
