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

from mallard.analysis.cell_tables import CellTable, Line, Setting, cell_tables
from mallard.analysis.names import BASE
from mallard.cells import Pairing, Times, figures_by_repetition, paired, times_ratio
from mallard.result import Row
from mallard.stats import Ratio, Spread, median, paired_ratio, spread

EXPERIMENT = "locality"
# A process has its own: several rows for one point are joined.
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
        both = self.before_and_after(list_length, access_factor, shuffle_factor)
        return times_ratio(*both) if both else None

    def before_and_after(
        self, list_length: int, access_factor: int, shuffle_factor: int | None = None
    ) -> tuple[Times, Times] | None:
        """(shuffled, unshuffled), if both were measured."""
        after = self.at(list_length, access_factor, shuffle_factor)
        before = self.at(list_length, access_factor, 0)
        return (after, before) if after and before else None

    def against(
        self, other: Surface, list_length: int, access_factor: int, shuffle_factor: int | None = None
    ) -> Ratio | None:
        """Our time / the other's, both shuffled: P0213's Table 11."""
        return times_ratio(
            self.at(list_length, access_factor, shuffle_factor),
            other.at(list_length, access_factor, shuffle_factor),
        )

    def relief(self, other: Surface, list_length: int, access_factor: int) -> Ratio | None:
        """The other's degradation / ours: P0089's Tables 20 and 21."""
        mine = self.before_and_after(list_length, access_factor)
        theirs = other.before_and_after(list_length, access_factor)
        return times_ratio(_quotients(*theirs), _quotients(*mine)) if mine and theirs else None

    def figure(self, name: str, list_length: int) -> Spread | None:
        """A further figure: build_ns, shuffle_ns, reallocate_ns, reaccess_ns, built_bytes, shuffled_bytes
        or list_bytes.
        """
        return _spread(self.figures.get((name, list_length), {}))

    def figure_against(self, other: Surface, name: str, list_length: int) -> Ratio | None:
        both = self._figures_with(other, name, list_length)
        return paired_ratio(*both) if both else None

    def figure_pairings(self, other: Surface, name: str) -> list[Pairing]:
        """A figure of both surfaces, for each list length that both have."""
        found = [self._figures_with(other, name, length) for length in self.list_lengths]
        return [both for both in found if both]

    def _figures_with(self, other: Surface, name: str, list_length: int) -> Pairing | None:
        mine = _positive(self.figures.get((name, list_length), {}))
        theirs = _positive(other.figures.get((name, list_length), {}))
        return paired(mine, theirs)

    def pairings_with(self, other: Surface) -> dict[tuple[int, int], Pairing]:
        """At each point that both have, the shuffled times of both."""
        found = {point: paired(self.at(*point), other.at(*point)) for point in self.points}
        return {point: both for point, both in found.items() if both}


@dataclass(frozen=True)
class System:
    links: int
    setting: Setting
    surfaces: dict[str, Surface]  # strategy -> surface, in table order

    @cached_property
    def list_lengths(self) -> tuple[int, ...]:
        return _descending(length for each in self.surfaces.values() for length in each.list_lengths)

    @cached_property
    def access_factors(self) -> tuple[int, ...]:
        return _descending(factor for each in self.surfaces.values() for factor in each.access_factors)

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
        systems, key=lambda each: (each.links, [(name, str(value)) for name, value in each.setting])
    )


def factors_of(row: Row, name: str) -> list[int]:
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
            found = _ACCESS_TIME.fullmatch(name)
            if found:
                times[int(found[1]), length, int(found[2])] = values
            else:
                figures[name, length] = values
    lengths = _descending(int(row.parameters["list_length"]) for row in rows)
    finished = {int(row.parameters["list_length"]) for row in rows if row.ok}
    failed = {int(row.parameters["list_length"]): (row.status, row.detail) for row in rows if not row.ok}
    shuffle_factors = _descending(factor for row in rows for factor in factors_of(row, "shuffle_factors"))
    return Surface(
        links,
        strategy,
        table.setting,
        shuffle_factors[::-1],
        _descending(factor for row in rows for factor in factors_of(row, "access_factors")),
        lengths,
        {point: _joined(values) for point, values in times.items()},
        {key: _joined(values) for key, values in figures.items()},
        {length: failed[length] for length in lengths if length not in finished},
    )


def _joined(values: dict[int, list[float]]) -> Times:
    return {repetition: median(each) for repetition, each in values.items()}


def _quotients(above: Times, below: Times) -> Times:
    return {repetition: above[repetition] / below[repetition] for repetition in above.keys() & below.keys()}


def _positive(values: Times) -> Times:
    """Values above 0. A process that did not grow has no ratio."""
    return {repetition: value for repetition, value in values.items() if value > 0}


def _spread(values: Times) -> Spread | None:
    return spread(list(values.values())) if values else None


def _descending(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(values), reverse=True))
