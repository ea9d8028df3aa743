"""The measured rows for a decision: the place nearest to a case, and its ratios.

    rows of finished runs -> Evidence -> Place (one row of a table of a run) -> ratio to the global allocator

The run with the most eligible strategies is used; among equal runs, the newest. Within the run, the place at
the smallest distance is used. A place counts if it has times of new-delete and of another strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mallard.bench.analysis.cell_tables import setting_text
from mallard.bench.analysis.names import BASE, contestants
from mallard.bench.cells import Cell, Times, above, cell_rows, times_ratio
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
        return contestants({name for name, cell in self.cells.items() if cell.finished})

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
