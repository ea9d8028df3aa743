"""Benchmark II as surfaces: the time of an access over list length and access factor, before and after a
shuffle, with a surface for each strategy. Then the sentences: the effect of a shuffle, the lists for which a
local allocator pays, and the best order of reuse.

    rows -> locality_systems -> System -> Surface

A system is P0089's G: a number of links under one setting, measured with several strategies. A process
measures one list length with all factors of its command. So the effect of a shuffle is paired within the
process, and two strategies are paired by repetition. Several rows for one point are joined: with the
papers' constant product of access and repeat factor, each access factor needs a process of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from mallard.bench.analysis.cell_tables import CellTable, Line, Setting, cell_tables
from mallard.bench.analysis.labels import family
from mallard.bench.analysis.names import BASE, contestants, malloc, plain, reuse_variants
from mallard.bench.analysis.ranking import Ranking, ranked
from mallard.bench.analysis.words import (
    also_equal,
    amount,
    amounts,
    counted_in_tens,
    factor,
    no_difference,
    percent_text,
    times_text,
)
from mallard.bench.cells import Pairing, Times, figures_by_repetition, paired, times_ratio
from mallard.bench.result import Row
from mallard.shared.stats import Ratio, Spread, mean_ratio, median, paired_ratio, spread

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


NO_BASE = f"No verdict: {BASE} has not finished here."
GLOBAL = family(BASE)
COSTS = (
    ("build_ns", "to build a link"),
    ("shuffle_ns", "to move one in the shuffle"),
    ("reallocate_ns", "to fill the lists again"),
    ("reaccess_ns", "for an access after that"),
)
MEMORY = "shuffled_bytes"


@dataclass(frozen=True)
class Extreme:
    list_length: int
    access_factor: int
    ratio: Ratio


def locality_sentences(system: System) -> list[str]:
    base = system.base
    if base is None or not base.times:
        return [NO_BASE]
    sentences = [_shuffling(system, surface) for surface in _reported_surfaces(system)]
    return [*filter(None, sentences), *_paying(system, base), *_at_common_points(system), *_reuse(system)]


def best_local(system: System) -> Surface | None:
    """The local allocator that is fastest after the shuffle, over all points of new-delete."""
    ranking = _ranking(system, local_strategies(system))
    return system.surfaces[ranking.best.strategy] if ranking.best else None


def local_strategies(system: System) -> list[str]:
    return [name for name in contestants(system.surfaces) if family(name) != GLOBAL]


def mean_degradation(surface: Surface) -> Ratio | None:
    """Shuffled / unshuffled, with one weight for every point."""
    pairs = [surface.shuffled_and_unshuffled(*point) for point in surface.points]
    pairings = [pairing for pair in pairs if pair and (pairing := paired(*pair))]
    return mean_ratio(pairings) if pairings else None


def worst_degradation(surface: Surface) -> Extreme | None:
    extremes = [Extreme(*point, ratio) for point in surface.points if (ratio := surface.degradation(*point))]
    return max(extremes, key=lambda extreme: extreme.ratio.median, default=None)


def _reported_surfaces(system: System) -> list[Surface]:
    """The surfaces in the sentences: new-delete, also under other mallocs, and the best local allocator."""
    best = best_local(system)
    of_global = [surface for name, surface in system.surfaces.items() if name == BASE or malloc(name)]
    mallocs = [surface for surface in of_global if plain(surface.strategy) == BASE]
    return mallocs + ([best] if best else [])


def _shuffling(system: System, surface: Surface) -> str:
    mean, worst = mean_degradation(surface), worst_degradation(surface)
    if mean is None or worst is None:
        return ""
    comparison = "as long as before (no difference)" if no_difference(mean) else "as long as before"
    return (
        f"After the shuffle an access with {surface.strategy} takes {times_text(mean)} {comparison}, on "
        f"average; at worst {factor(worst.ratio.median)} times, at {_place(system, worst)}."
    )


def _paying(system: System, base: Surface) -> list[str]:
    ranking = _ranking(system, local_strategies(system))
    best = ranking.best
    if best is None:
        return []
    surface = system.surfaces[best.strategy]
    points = [Extreme(*point, ratio) for point in base.points if (ratio := surface.against(base, *point))]
    least = min(points, key=lambda point: point.ratio.median)
    mean = (
        f"After the shuffle {best.strategy} is the fastest local allocator: {percent_text(best.ratio)} of "
        f"{BASE}'s time on average, at best {100 * least.ratio.median:.0f} %, at {_place(system, least)}"
        f"{also_equal(ranking.equals)}."
    )
    where_faster = [_where_faster(system, best.strategy, points)] if best.ratio.bounded else []
    return [mean, *where_faster, *_costs(system, surface, base)]


def _costs(system: System, surface: Surface, base: Surface) -> list[str]:
    """Further effects of the strategy, in percent of new-delete, as means over the list lengths."""
    means = {
        words: mean_ratio(pairings)
        for figure, words in COSTS
        if (pairings := surface.figure_pairings(base, figure))
    }
    parts = ", ".join(f"{words} {percent_text(mean)}" for words, mean in means.items())
    sentences = [f"Of {BASE}'s time {surface.strategy} takes, on average: {parts}."] if parts else []
    return sentences + _memory(system, surface, base)


def _memory(system: System, surface: Surface, base: Surface) -> list[str]:
    ratios = {
        length: ratio.median
        for length in surface.list_lengths
        if (ratio := surface.figure_against(base, MEMORY, length))
    }
    if not ratios:
        return []
    most = max(ratios, key=lambda length: ratios[length])
    ends = [factor(min(ratios.values())), factor(ratios[most])]
    holds = (
        f"After the shuffle {surface.strategy} holds {' to '.join(dict.fromkeys(ends))} times {BASE}'s memory"
    )
    if len(set(ends)) == 1:
        return [f"{holds}."]
    return [f"{holds}, most at |S| = {amount(most, counted_in_tens(system.links))}."]


def _at_common_points(system: System) -> list[str]:
    """The fastest over the points that every local strategy has, if some have fewer points than
    new-delete.
    """
    names = local_strategies(system)
    if len(_ranking(system, names).choices) == len(names):
        return []
    has = {name: set(_at_points(system, name, BASE)) for name in names}
    common = set.intersection(*(points for points in has.values() if points), set(_points_of_base(system)))
    ranking = ranked(
        [name for name in names if has[name]],
        lambda name, base: [
            pairing for point, pairing in _at_points(system, name, base).items() if point in common
        ],
    )
    if ranking.best is None:
        return []
    best, least = ranking.best.strategy, percent_text(ranking.best.ratio)
    fastest = f"{best} is the fastest: {least} of {BASE}'s time{also_equal(ranking.equals)}"
    return [f"Of all local strategies, at the {len(common)} points that each has, {fastest}."]


def _where_faster(system: System, strategy: str, points: Sequence[Extreme]) -> str:
    """The list lengths and access factors for which the strategy is faster than new-delete."""
    lengths = sorted({point.list_length for point in points})
    by_length = {length: [point for point in points if point.list_length == length] for length in lengths}
    faster = {
        length: [point.access_factor for point in row if point.ratio.verdict == "faster"]
        for length, row in by_length.items()
    }
    tens = counted_in_tens(system.links)
    always = [length for length in lengths if len(faster[length]) == len(by_length[length])]
    partly = [length for length in lengths if faster[length] and length not in always]
    never = [length for length in lengths if not faster[length]]
    parts = [f"at every access factor for |S| = {amounts(always, lengths, tens)}"] if always else []
    parts += [
        f"for |S| = {amount(length, tens)} with af = "
        f"{amounts(faster[length], [point.access_factor for point in by_length[length]])}"
        for length in partly
    ]
    where = f"{strategy} pays {'; '.join(parts)}" if parts else f"{strategy} pays nowhere"
    return where + (f"; not for |S| = {amounts(never, lengths, tens)}." if never and parts else ".")


def _reuse(system: System) -> list[str]:
    """The best order of reuse for accesses, among those of one strategy."""
    sentences = []
    variants = reuse_variants(system.surfaces)
    for name in dict.fromkeys(plain(variant) for variant in variants):
        orders = [variant for variant in variants if plain(variant) == name]
        base = name if name in orders else orders[0]
        ranking = ranked(orders, lambda first, second: _pairings(system, first, second), base)
        if ranking.best is None or len(ranking.choices) == 1:
            continue
        best, worst = ranking.best, ranking.choices[-1]
        to_base = "" if best.strategy == base else f", {percent_text(best.ratio)} of {base}'s time"
        slowest = "" if worst.strategy == base else f", {percent_text(worst.ratio)} of {base}'s"
        sentences.append(
            f"Of the orders in which freed blocks are used again, {best.strategy} serves accesses after the "
            f"shuffle best{to_base}{also_equal(ranking.equals)}; slowest {worst.strategy}{slowest}."
        )
    return sentences


def _ranking(system: System, names: Sequence[str]) -> Ranking:
    """The strategies that have every point of new-delete, by their mean."""
    points = len(_points_of_base(system))
    complete = [name for name in names if len(_pairings(system, name, BASE)) == points > 0]
    return ranked(complete, lambda name, base: _pairings(system, name, base))


def _pairings(system: System, name: str, base: str) -> list[Pairing]:
    return list(_at_points(system, name, base).values())


def _at_points(system: System, name: str, base: str) -> dict[tuple[int, int], Pairing]:
    if base not in system.surfaces:
        return {}
    return system.surfaces[name].pairings_with(system.surfaces[base])


def _points_of_base(system: System) -> list[tuple[int, int]]:
    base = system.base
    return [point for point in base.points if base.at(*point)] if base else []


def _place(system: System, extreme: Extreme) -> str:
    length = amount(extreme.list_length, counted_in_tens(system.links))
    return f"|S| = {length}, af = {amount(extreme.access_factor)}"
