"""The sentences of Benchmark II: the effect of a shuffle, the lists for which a local allocator pays, and
the best order of reuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mallard.analysis.labels import family
from mallard.analysis.names import BASE, contestants, malloc, plain, reuse_variants
from mallard.analysis.panel.locality import Surface, System
from mallard.analysis.ranking import Ranking, ranked
from mallard.analysis.words import (
    also_equal,
    amount,
    amounts,
    counted_in_tens,
    factor,
    no_difference,
    percent_text,
    times_text,
)
from mallard.cells import Pairing, paired
from mallard.stats import Ratio, mean_ratio

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
    said = [_shuffling(system, surface) for surface in _told(system)]
    return [*filter(None, said), *_paying(system, base), *_where_all_were(system), *_reuse(system)]


def best_local(system: System) -> Surface | None:
    """The local allocator that is fastest after the shuffle, over all points of new-delete."""
    ranking = _ranking(system, local_strategies(system))
    return system.surfaces[ranking.best.strategy] if ranking.best else None


def local_strategies(system: System) -> list[str]:
    return [name for name in contestants(system.surfaces) if family(name) != GLOBAL]


def mean_degradation(surface: Surface) -> Ratio | None:
    """Shuffled / unshuffled, with one weight for every point."""
    found = [surface.before_and_after(*point) for point in surface.points]
    pairings = [both for each in found if each and (both := paired(*each))]
    return mean_ratio(pairings) if pairings else None


def worst_degradation(surface: Surface) -> Extreme | None:
    found = [Extreme(*point, ratio) for point in surface.points if (ratio := surface.degradation(*point))]
    return max(found, key=lambda each: each.ratio.median, default=None)


def _told(system: System) -> list[Surface]:
    """The surfaces that the sentences are about: new-delete, also under other mallocs, and the best local
    one."""
    best = best_local(system)
    of_global = [surface for name, surface in system.surfaces.items() if name == BASE or malloc(name)]
    mallocs = [surface for surface in of_global if plain(surface.strategy) == BASE]
    return mallocs + ([best] if best else [])


def _shuffling(system: System, surface: Surface) -> str:
    mean, worst = mean_degradation(surface), worst_degradation(surface)
    if mean is None or worst is None:
        return ""
    long = "as long as before (no difference)" if no_difference(mean) else "as long as before"
    return (
        f"After the shuffle an access with {surface.strategy} takes {times_text(mean)} {long}, on average; "
        f"at worst {factor(worst.ratio.median)} times, at {_place(system, worst)}."
    )


def _paying(system: System, base: Surface) -> list[str]:
    ranking = _ranking(system, local_strategies(system))
    best = ranking.best
    if best is None:
        return []
    surface = system.surfaces[best.strategy]
    points = [Extreme(*point, ratio) for point in base.points if (ratio := surface.against(base, *point))]
    least = min(points, key=lambda each: each.ratio.median)
    mean = (
        f"After the shuffle {best.strategy} is the fastest local allocator: {percent_text(best.ratio)} of "
        f"{BASE}'s time on average, at best {100 * least.ratio.median:.0f} %, at {_place(system, least)}"
        f"{also_equal(ranking.equals)}."
    )
    where = [_where(system, best.strategy, points)] if best.ratio.bounded else []
    return [mean, *where, *_costs(system, surface, base)]


def _costs(system: System, surface: Surface, base: Surface) -> list[str]:
    """Further effects of the strategy, in percent of new-delete, as means over the list lengths."""
    means = {
        words: mean_ratio(found)
        for figure, words in COSTS
        if (found := surface.figure_pairings(base, figure))
    }
    each = ", ".join(f"{words} {percent_text(mean)}" for words, mean in means.items())
    said = [f"Of {BASE}'s time {surface.strategy} takes, on average: {each}."] if each else []
    return said + _memory(system, surface, base)


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


def _where_all_were(system: System) -> list[str]:
    """The fastest over the points that every local strategy has, if some have fewer than new-delete."""
    names = local_strategies(system)
    if len(_ranking(system, names).choices) == len(names):
        return []
    has = {name: set(_at_points(system, name, BASE)) for name in names}
    common = set.intersection(*(points for points in has.values() if points), set(_points_of_base(system)))
    ranking = ranked(
        [name for name in names if has[name]],
        lambda one, other: [both for at, both in _at_points(system, one, other).items() if at in common],
    )
    if ranking.best is None:
        return []
    best, least = ranking.best.strategy, percent_text(ranking.best.ratio)
    fastest = f"{best} is the fastest: {least} of {BASE}'s time{also_equal(ranking.equals)}"
    return [f"Of all local strategies, at the {len(common)} points that each has, {fastest}."]


def _where(system: System, strategy: str, points: Sequence[Extreme]) -> str:
    """The list lengths and access factors for which the strategy is faster than new-delete."""
    lengths = sorted({each.list_length for each in points})
    of = {length: [each for each in points if each.list_length == length] for length in lengths}
    faster = {
        length: [each.access_factor for each in of_length if each.ratio.verdict == "faster"]
        for length, of_length in of.items()
    }
    tens = counted_in_tens(system.links)
    always = [length for length in lengths if len(faster[length]) == len(of[length])]
    partly = [length for length in lengths if faster[length] and length not in always]
    never = [length for length in lengths if not faster[length]]
    parts = [f"at every access factor for |S| = {amounts(always, lengths, tens)}"] if always else []
    parts += [
        f"for |S| = {amount(length, tens)} with af = "
        f"{amounts(faster[length], [each.access_factor for each in of[length]])}"
        for length in partly
    ]
    where = f"{strategy} pays {'; '.join(parts)}" if parts else f"{strategy} pays nowhere"
    return where + (f"; not for |S| = {amounts(never, lengths, tens)}." if never and parts else ".")


def _reuse(system: System) -> list[str]:
    """The best order of reuse for accesses, among those of one strategy."""
    said = []
    variants = reuse_variants(system.surfaces)
    for name in dict.fromkeys(plain(variant) for variant in variants):
        same = [variant for variant in variants if plain(variant) == name]
        base = name if name in same else same[0]
        ranking = ranked(same, lambda one, other: _pairings(system, one, other), base)
        if ranking.best is None or len(ranking.choices) == 1:
            continue
        best, worst = ranking.best, ranking.choices[-1]
        to_base = "" if best.strategy == base else f", {percent_text(best.ratio)} of {base}'s time"
        slowest = "" if worst.strategy == base else f", {percent_text(worst.ratio)} of {base}'s"
        said.append(
            f"Of the orders in which freed blocks are used again, {best.strategy} serves accesses after the "
            f"shuffle best{to_base}{also_equal(ranking.equals)}; slowest {worst.strategy}{slowest}."
        )
    return said


def _ranking(system: System, names: Sequence[str]) -> Ranking:
    """The strategies that have every point of new-delete, by their mean."""
    every = len(_points_of_base(system))
    complete = [name for name in names if len(_pairings(system, name, BASE)) == every > 0]
    return ranked(complete, lambda one, other: _pairings(system, one, other))


def _pairings(system: System, one: str, other: str) -> list[Pairing]:
    return list(_at_points(system, one, other).values())


def _at_points(system: System, one: str, other: str) -> dict[tuple[int, int], Pairing]:
    if other not in system.surfaces:
        return {}
    return system.surfaces[one].pairings_with(system.surfaces[other])


def _points_of_base(system: System) -> list[tuple[int, int]]:
    base = system.base
    return [point for point in base.points if base.at(*point)] if base else []


def _place(system: System, extreme: Extreme) -> str:
    length = amount(extreme.list_length, counted_in_tens(system.links))
    return f"|S| = {length}, af = {amount(extreme.access_factor)}"
