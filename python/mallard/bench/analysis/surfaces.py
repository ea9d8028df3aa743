"""Benchmark II as surfaces: the time of an access over list length and access factor, before and after a
shuffle, with a surface for each strategy.

    rows -> locality_systems -> System -> Surface

A system is P0089's G: a number of links under one setting, measured with several strategies. A process
measures one list length with all factors of its command. So the effect of a shuffle is paired within the
process, and two strategies are paired by repetition. Several rows for one point are joined: with the
papers' constant product of access and repeat factor, each access factor needs a process of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from mallard.bench.analysis.cell_tables import CellTable, Setting, cell_tables
from mallard.bench.analysis.names import BASE
from mallard.bench.cells import (
    Pairing,
    Times,
    above,
    figures_by_repetition,
    paired,
    quotients,
    times_ratio,
)
from mallard.bench.result import Row
from mallard.shared.stats import Ratio, Spread, median, paired_ratio, spread

EXPERIMENT = "locality"
# Each process has its own values: several rows for one point are joined.
_JOINED = ("shuffle_factors", "access_factors", "accesses", "repeat_factor")
_ACCESS_TIME = re.compile(r"sf(\d+)_af(\d+)_ns")

Point = tuple[int, int, int]  # shuffle factor, list length, access factor


@dataclass(frozen=True)
class Surface:
    links: int
    strategy: str
    setting: Setting
    shuffle_factors: tuple[int, ...]  # ascending
    access_factors: tuple[int, ...]  # descending, in the order of the papers' columns
    list_lengths: tuple[int, ...]  # descending, in the order of the papers' rows
    times: dict[Point, Times]  # nanoseconds per access
    figures: dict[tuple[str, int], Times]  # (name, list length)
    unfinished: dict[int, tuple[str, str]]  # list length without a finished repetition -> status, detail

    @property
    def points(self) -> Iterator[tuple[int, int]]:
        """(list length, access factor)"""
        return ((length, factor) for length in self.list_lengths for factor in self.access_factors)

    def at(self, list_length: int, access_factor: int, shuffle_factor: int | None = None) -> Times:
        """Times by repetition, or none. By default they are shuffled, at the highest factor."""
        factor = (self.shuffle_factors[-1] or None) if shuffle_factor is None else shuffle_factor
        return {} if factor is None else self.times.get((factor, list_length, access_factor), {})

    def unshuffled(self, list_length: int, access_factor: int) -> Spread | None:
        return _spread(self.at(list_length, access_factor, 0))

    def shuffled(self, list_length: int, access_factor: int) -> Spread | None:
        return _spread(self.at(list_length, access_factor))

    def degradation(
        self, list_length: int, access_factor: int, shuffle_factor: int | None = None
    ) -> Ratio | None:
        """Shuffled / unshuffled, both from one process."""
        shuffled = self.at(list_length, access_factor, shuffle_factor)
        return times_ratio(shuffled, self.at(list_length, access_factor, 0))

    def against(self, base: Surface, list_length: int, access_factor: int) -> Ratio | None:
        """The surface's time / the base's, both shuffled: P0213's Table 11."""
        return times_ratio(self.at(list_length, access_factor), base.at(list_length, access_factor))

    def relief(self, base: Surface, list_length: int, access_factor: int) -> Ratio | None:
        """The base's degradation / the surface's: P0089's Tables 20 and 21."""
        point = (list_length, access_factor)
        return times_ratio(
            *(quotients(surface.at(*point), surface.at(*point, 0)) for surface in (base, self))
        )

    def figure(self, name: str, list_length: int) -> Spread | None:
        """A further figure: build_ns, shuffle_ns, reallocate_ns, reaccess_ns, built_bytes, shuffled_bytes
        or list_bytes.
        """
        return _spread(self.figures.get((name, list_length), {}))

    def figure_against(self, base: Surface, name: str, list_length: int) -> Ratio | None:
        pairing = self.figure_pairing(base, name, list_length)
        return paired_ratio(*pairing) if pairing else None

    def figure_pairing(self, other: Surface, name: str, list_length: int) -> Pairing | None:
        """Without a process that did not grow, which has no ratio."""
        own, base = (above(0.0, surface.figures.get((name, list_length), {})) for surface in (self, other))
        return paired(own, base)

    def pairings_with(self, base: Surface) -> dict[tuple[int, int], Pairing]:
        """At each point that both have, the shuffled times of both."""
        pairings = {point: paired(self.at(*point), base.at(*point)) for point in self.points}
        return {point: pairing for point, pairing in pairings.items() if pairing}


@dataclass(frozen=True)
class System:
    links: int
    setting: Setting
    surfaces: dict[str, Surface]  # strategy -> surface, in table order

    @cached_property
    def list_lengths(self) -> tuple[int, ...]:
        return _descending(length for surface in self.surfaces.values() for length in surface.list_lengths)

    @cached_property
    def access_factors(self) -> tuple[int, ...]:
        return _descending(factor for surface in self.surfaces.values() for factor in surface.access_factors)

    @property
    def base(self) -> Surface | None:
        return self.surfaces.get(BASE)


def locality_systems(rows: Iterable[Row]) -> list[System]:
    systems = [
        System(
            int(links), table.setting, {name: _surface(int(links), table, name) for name in table.strategies}
        )
        for (links,), table in cell_tables(rows, EXPERIMENT, ("list_length",), ("links",), _JOINED)
    ]
    return sorted(
        systems, key=lambda system: (system.links, [(name, str(value)) for name, value in system.setting])
    )


def parse_factors(row: Row, name: str) -> list[int]:
    """`shuffle_factors` or `access_factors` of a row's command."""
    return [int(text) for text in str(row.parameters[name]).split(",")]


def _surface(links: int, table: CellTable, strategy: str) -> Surface:
    rows = [row for line in table.lines if strategy in line.cells for row in line.cells[strategy].rows]
    times: dict[Point, dict[int, list[float]]] = {}
    figures: dict[tuple[str, int], dict[int, list[float]]] = {}
    for line in table.lines:
        (length,) = line.place
        own_rows = line.cells[strategy].rows if strategy in line.cells else ()
        for name, values in figures_by_repetition(own_rows).items():
            if match := _ACCESS_TIME.fullmatch(name):
                times[int(match[1]), length, int(match[2])] = values
            else:
                figures[name, length] = values
    lengths = _descending(int(row.parameters["list_length"]) for row in rows)
    finished = {int(row.parameters["list_length"]) for row in rows if row.ok}
    failed = {int(row.parameters["list_length"]): (row.status, row.detail) for row in rows if not row.ok}
    shuffle_factors = _descending(factor for row in rows for factor in parse_factors(row, "shuffle_factors"))
    return Surface(
        links,
        strategy,
        table.setting,
        shuffle_factors[::-1],
        _descending(factor for row in rows for factor in parse_factors(row, "access_factors")),
        lengths,
        {point: _joined(values) for point, values in times.items()},
        {key: _joined(values) for key, values in figures.items()},
        {length: failed[length] for length in lengths if length not in finished},
    )


def _joined(values: dict[int, list[float]]) -> Times:
    return {repetition: median(samples) for repetition, samples in values.items()}


def _spread(values: Times) -> Spread | None:
    return spread(list(values.values())) if values else None


def _descending(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(values), reverse=True))
