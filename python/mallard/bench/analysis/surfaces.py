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

from mallard.bench.analysis.cell_tables import CellTable, Line, Setting, cell_tables
from mallard.bench.analysis.names import BASE
from mallard.bench.cells import Pairing, Times, figures_by_repetition, paired, times_ratio
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

    @property
    def most_shuffled(self) -> int:
        return self.shuffle_factors[-1]

    def at(self, list_length: int, access_factor: int, shuffle_factor: int | None = None) -> Times:
        """Times by repetition, or none. By default they are shuffled, at the highest factor."""
        factor = (self.most_shuffled or None) if shuffle_factor is None else shuffle_factor
        return {} if factor is None else self.times.get((factor, list_length, access_factor), {})

    def unshuffled(self, list_length: int, access_factor: int) -> Spread | None:
        return _spread(self.at(list_length, access_factor, 0))

    def shuffled(
        self, list_length: int, access_factor: int, shuffle_factor: int | None = None
    ) -> Spread | None:
        return _spread(self.at(list_length, access_factor, shuffle_factor))

    def degradation(
        self, list_length: int, access_factor: int, shuffle_factor: int | None = None
    ) -> Ratio | None:
        """Shuffled / unshuffled, both from one process."""
        pair = self.shuffled_and_unshuffled(list_length, access_factor, shuffle_factor)
        return times_ratio(*pair) if pair else None

    def shuffled_and_unshuffled(
        self, list_length: int, access_factor: int, shuffle_factor: int | None = None
    ) -> tuple[Times, Times] | None:
        """(shuffled, unshuffled), if both were measured."""
        shuffled = self.at(list_length, access_factor, shuffle_factor)
        unshuffled = self.at(list_length, access_factor, 0)
        return (shuffled, unshuffled) if shuffled and unshuffled else None

    def against(
        self, base: Surface, list_length: int, access_factor: int, shuffle_factor: int | None = None
    ) -> Ratio | None:
        """The surface's time / the base's, both shuffled: P0213's Table 11."""
        return times_ratio(
            self.at(list_length, access_factor, shuffle_factor),
            base.at(list_length, access_factor, shuffle_factor),
        )

    def relief(self, base_surface: Surface, list_length: int, access_factor: int) -> Ratio | None:
        """The base's degradation / the surface's: P0089's Tables 20 and 21."""
        own = self.shuffled_and_unshuffled(list_length, access_factor)
        base = base_surface.shuffled_and_unshuffled(list_length, access_factor)
        return times_ratio(_quotients(*base), _quotients(*own)) if own and base else None

    def figure(self, name: str, list_length: int) -> Spread | None:
        """A further figure: build_ns, shuffle_ns, reallocate_ns, reaccess_ns, built_bytes, shuffled_bytes
        or list_bytes.
        """
        return _spread(self.figures.get((name, list_length), {}))

    def figure_against(self, base: Surface, name: str, list_length: int) -> Ratio | None:
        pairing = self._figures_with(base, name, list_length)
        return paired_ratio(*pairing) if pairing else None

    def figure_pairings(self, base: Surface, name: str) -> list[Pairing]:
        """A figure of both surfaces, for each list length that both have."""
        pairings = [self._figures_with(base, name, length) for length in self.list_lengths]
        return [pairing for pairing in pairings if pairing]

    def _figures_with(self, other: Surface, name: str, list_length: int) -> Pairing | None:
        own = _positive(self.figures.get((name, list_length), {}))
        base = _positive(other.figures.get((name, list_length), {}))
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


def _figures(line: Line, strategy: str) -> dict[str, dict[int, list[float]]]:
    return figures_by_repetition(line.cells[strategy].rows) if strategy in line.cells else {}


def _surface(links: int, table: CellTable, strategy: str) -> Surface:
    rows = [row for line in table.lines if strategy in line.cells for row in line.cells[strategy].rows]
    times: dict[Point, dict[int, list[float]]] = {}
    figures: dict[tuple[str, int], dict[int, list[float]]] = {}
    for line in table.lines:
        (length,) = line.place
        for name, values in _figures(line, strategy).items():
            match = _ACCESS_TIME.fullmatch(name)
            if match:
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


def _quotients(numerators: Times, denominators: Times) -> Times:
    return {
        repetition: numerators[repetition] / denominators[repetition]
        for repetition in numerators.keys() & denominators.keys()
    }


def _positive(values: Times) -> Times:
    """Values above 0. A process that did not grow has no ratio."""
    return {repetition: value for repetition, value in values.items() if value > 0}


def _spread(values: Times) -> Spread | None:
    return spread(list(values.values())) if values else None


def _descending(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(values), reverse=True))
