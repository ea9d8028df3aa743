"""Benchmark II: sentences about the effect of a shuffle, the lists for which a local allocator pays, and the
best order of reuse; maps of the surfaces with the papers' tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import setting_text
from mallard.bench.analysis.labels import failed_spot, family, strategy_heads
from mallard.bench.analysis.names import BASE, malloc, plain, ranked_strategies, reuse_variants
from mallard.bench.analysis.race_map import printed_ratio
from mallard.bench.analysis.ranking import Ranking, ranked
from mallard.bench.analysis.surfaces import Surface, System, locality_systems
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
from mallard.bench.cells import Pairing, mean_over, paired
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.quantity import BYTES, Quantity
from mallard.bench.papers.catalogue import strategy_text
from mallard.bench.papers.locality import (
    DEGRADATION,
    IMPROVEMENT,
    LOCAL,
    LOCAL_TO_GLOBAL,
    ONSET,
)
from mallard.bench.papers.printed import PrintedTable
from mallard.bench.papers.registry import tables_of
from mallard.bench.result import Row
from mallard.shared.prose import capitalised
from mallard.shared.report import model
from mallard.shared.report.figures import bounds, digits, relative
from mallard.shared.report.model import (
    Column,
    Estimate,
    Paragraph,
    Points,
    Report,
    Section,
    Table,
    Term,
    Unit,
)
from mallard.shared.report.picture import Chart, Head, HeatMap, Layer, Series, Spot, Tile
from mallard.shared.stats import Ratio

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
    return [name for name in ranked_strategies(system.surfaces) if family(name) != GLOBAL]


def mean_degradation(surface: Surface) -> Ratio | None:
    """Shuffled / unshuffled, with one weight for every point."""
    return mean_over(paired(surface.at(*point), surface.at(*point, 0)) for point in surface.points)


def worst_degradation(
    surface: Surface, counts: Callable[[int], bool] = lambda length: True
) -> Extreme | None:
    """The highest degradation of the lists of lengths that count."""
    extremes = [
        Extreme(*point, ratio)
        for point in surface.points
        if counts(point[0]) and (ratio := surface.degradation(*point))
    ]
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
        words: mean
        for figure, words in COSTS
        if (
            mean := mean_over(surface.figure_pairing(base, figure, length) for length in surface.list_lengths)
        )
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
    where = f", most at |S| = {_length(system, most)}" if ends[0] != ends[1] else ""
    span = " to ".join(dict.fromkeys(ends))
    return [f"After the shuffle {surface.strategy} holds {span} times {BASE}'s memory{where}."]


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
    return f"|S| = {_length(system, extreme.list_length)}, af = {amount(extreme.access_factor)}"


LONG = 1 << 9  # for lists as long as this, a local allocator is expected to keep degradation low
FEWEST = 3  # shuffle factors that make a line
LINE_STYLES = 8
NOTE = (
    "Rows: |S|, links of a list; columns: af, traversals of a list before the next. =: no difference. lists: "
    "their number. Memory is that by which the process grew, in bytes a link."
)
ORDERS = (
    "{} differ in one thing: which of the freed blocks of its size a pool gives out first. The last freed, "
    "the first freed, the one of the lowest address, a few pointers at hand and then the lowest (hybrid), or "
    "any (random: the worst case, for the benchmark only)."
)
RATIO = Layer("ratio", "The ratio.", title="{}")
SHUFFLED = Layer("ns, shuffled", "Nanoseconds an access after the shuffle.", (), title="{}, ns an access")
TERMS = ("95 % interval", "before the shuffle", "after the shuffle", f"{BASE} after it")


def locality_report(experiment: Experiment, rows: Iterable[Row], *, everything: bool) -> Report:
    """For each system the effects of a shuffle with the papers' tables, and other costs."""
    systems = locality_systems(rows)
    sections = [section for system in systems for section in _sections(system)]
    return Report(experiment.heading, Paragraph(_answer(systems)), tuple(sections), (NOTE,))


def _answer(systems: Sequence[System]) -> str:
    """The answer from the largest system that has both new-delete and a local allocator."""
    for system in reversed(systems):
        base, best = system.base, best_local(system)
        if base is None or best is None:
            continue
        slowest, least, mean = worst_degradation(base), worst_degradation(best), _to_base(best, base)
        if slowest and least and mean:
            return (
                f"Shuffled, {BASE} takes up to {digits(slowest.ratio.median)} times as long "
                f"({_length(system, system.links)} links, |S| = {_length(system, slowest.list_length)}); "
                f"{best.strategy} at most {digits(least.ratio.median)} times, then "
                f"{factor(1 / mean.median)} times as fast on average."
            )
    return ""


def _sections(system: System) -> list[Section]:
    surfaces, base = system.surfaces, system.base
    local = surfaces.get(LOCAL)
    both = [surface for surface in (base, local) if surface]
    variants = [surfaces[name] for name in reuse_variants(surfaces)]
    others = [surface for surface in surfaces.values() if surface not in (*both, *variants)]
    against = [surface for surface in (*variants, *others) if surface is not local] if base else []
    sections = [
        Section(
            f"{_length(system, system.links)} links",
            (_strategies(system),),
            is_headed=True,
            about=setting_text(system.setting),
            answer=(Points(tuple(locality_sentences(system))),),
        ),
        *(_onset(system, surface) for surface in surfaces.values() if surface.shuffle_factors[FEWEST - 1 :]),
        *(_against_print(system, _degradation(surface)) for surface in both),
    ]
    if base and local:
        sections += [_against_print(system, quantity(local, base)) for quantity in (_relief, _speed)]
    if variants:
        text = Paragraph(ORDERS.format(", ".join(surface.strategy for surface in variants)))
        maps = (_map(system, _degradation(surface)) for surface in variants)
        sections.append(Section("Orders of reuse side by side", (text, *maps), is_inner=True))
    if others:
        maps = (_map(system, _degradation(surface)) for surface in others)
        sections.append(Section("The other strategies: shuffled ÷ unshuffled", tuple(maps), is_inner=True))
    if base and against:
        maps = (_map(system, _speed(surface, base), is_folded=True) for surface in against)
        title = f"{BASE} ÷ each of the others, both shuffled"
        sections.append(Section(title, tuple(maps), is_inner=True, is_folded=True))
    return [*sections, Section("Other costs", (_costs_map(system),), is_inner=True)]


STRATEGY_COLUMNS = (
    Column("strategy", numeric=False),
    Column(f"worst, |S| ≥ {amount(LONG)}"),
    Column("at", numeric=False),
    Column(f"worst, |S| < {amount(LONG)}"),
    Column("at", numeric=False),
    Column(f"after the shuffle, % of {BASE}"),
)


def _strategies(system: System) -> Table:
    """The effect of a shuffle on each strategy."""
    rows = []
    for surface in system.surfaces.values():
        mean = _to_base(surface, system.base)
        rows.append(
            model.Row(
                (
                    Term(surface.strategy, strategy_text(surface.strategy)),
                    *_worst(system, surface, lambda length: length >= LONG),
                    *_worst(system, surface, lambda length: length < LONG),
                    Estimate(mean, Unit.RELATIVE) if mean else None,
                )
            )
        )
    return Table("The effect of a shuffle on each strategy", STRATEGY_COLUMNS, tuple(rows))


def _worst(system: System, surface: Surface, counts: Callable[[int], bool]) -> tuple[model.Cell, model.Cell]:
    extreme = worst_degradation(surface, counts)
    if extreme is None:
        return None, None
    return Estimate(extreme.ratio, Unit.RATIO), _place(system, extreme)


def _to_base(surface: Surface, base: Surface | None) -> Ratio | None:
    """The mean over all points of the shuffled time, relative to new-delete's."""
    if base is None or base is surface:
        return None
    return mean_over(surface.pairings_with(base).values())


@dataclass(frozen=True)
class Effect:
    """A ratio over the length of a list and the access factor."""

    title: str
    about: str
    printed_name: str  # its name in the printed tables
    surface: Surface
    is_gain: bool  # true if more is better
    ratio: Callable[[int, int], Ratio | None]


def _degradation(surface: Surface) -> Effect:
    return Effect(
        f"{surface.strategy}: shuffled ÷ unshuffled",
        "How many times as long an access takes once the links were shuffled.",
        DEGRADATION,
        surface,
        False,
        surface.degradation,
    )


def _relief(local: Surface, base: Surface) -> Effect:
    return Effect(
        f"Degradation of {base.strategy} ÷ degradation of {local.strategy}",
        "How much of the slowdown a local allocator for each list avoids, as in P0089's Tables 20 and 21.",
        IMPROVEMENT,
        local,
        True,
        lambda length, factor: local.relief(base, length, factor),
    )


def _speed(local: Surface, base: Surface) -> Effect:
    return Effect(
        f"{base.strategy} ÷ {local.strategy}, both shuffled",
        "How many times as fast an access is with a local allocator for each list, after the shuffle: the "
        "inverse of P0213's Table 11.",
        LOCAL_TO_GLOBAL,
        local,
        True,
        lambda length, factor: base.against(local, length, factor),
    )


def _against_print(system: System, effect: Effect) -> Section:
    """Our map and the published ones."""
    printed = (
        _printed_map(system, table, effect)
        for table in _printed_tables(system.links, effect.printed_name, effect.surface.strategy)
    )
    return Section(effect.title, (Paragraph(effect.about), _map(system, effect), *printed), is_inner=True)


def _map(system: System, effect: Effect, *, is_folded: bool = False) -> HeatMap:
    surface = effect.surface
    has_times = effect.printed_name == DEGRADATION

    def spot(length: int, factor: int) -> Spot:
        ratio = effect.ratio(length, factor)
        failed = surface.unfinished.get(length)
        if ratio is None:
            return failed_spot(*failed) if failed else Spot()
        after = surface.shuffled(length, factor)
        ratio_tile = Tile(digits(ratio.median), _inverse(ratio) if effect.is_gain else ratio)
        tiles = (ratio_tile, Tile(digits(after.median) if after else "")) if has_times else (ratio_tile,)
        base = system.base if system.base is not surface else None
        spreads = (
            surface.unshuffled(length, factor),
            after,
            base.shuffled(length, factor) if base else None,
        )
        times = (f"{digits(spread.median)} ns an access" if spread else "" for spread in spreads)
        return Spot(tiles, (bounds(ratio, digits) or "none", *times))

    title = f"{effect.title}, here"
    layers = (RATIO, SHUFFLED) if has_times else (RATIO,)
    return _small_map(system, title, system.list_lengths, system.access_factors, spot, layers, is_folded)


def _small_map(
    system: System,
    title: str,
    lengths: Iterable[int],
    factors: Sequence[int],
    spot: Callable[[int, int], Spot],
    layers: tuple[Layer, ...] = (RATIO,),
    is_folded: bool = False,
    head: Callable[[int], str] = amount,
) -> HeatMap:
    """Rows and columns without any figure are left out."""
    rows = [(length, {factor: spot(length, factor) for factor in factors}) for length in lengths]
    kept = [
        factor for factor in factors if any(spots[factor].tiles or spots[factor].failure for _, spots in rows)
    ]
    return HeatMap(
        title,
        title,
        ("|S|",),
        tuple(Head((head(factor),)) for factor in kept),
        tuple(
            ((_length(system, length),), tuple(spots[factor] for factor in kept))
            for length, spots in rows
            if any(spot.tiles or spot.failure for spot in spots.values())
        ),
        layers,
        TERMS,
        "small",
        is_folded,
    )


def _inverse(ratio: Ratio) -> Ratio:
    low = 1 / ratio.high  # 0 for an infinite ratio
    return Ratio(1 / ratio.median, low, 1 / ratio.low if ratio.low else math.inf, ratio.n)


def _printed_tables(links: int, name: str, strategy: str) -> list[PrintedTable]:
    wanted = {"links": links, "what": name, "strategy": strategy}
    return [
        table
        for table in tables_of("locality")
        if all(table.place.get(key) == value for key, value in wanted.items())
    ]


def _printed_map(system: System, printed: PrintedTable, effect: Effect) -> HeatMap:
    """The printed ratios. P0213's Table 11 is local / global, and is inverted like ours."""
    turned = effect.printed_name == LOCAL_TO_GLOBAL
    ratios = {
        (key[0], int(column)): 1 / value if turned else value
        for key, line in printed.rows.items()
        for column, value in line.items()
        if value
    }

    def spot(length: int, factor: int) -> Spot:
        ratio = ratios.get((length, factor))
        if ratio is None:
            return Spot()
        return Spot((Tile(digits(ratio), printed_ratio(1 / ratio if effect.is_gain else ratio)),))

    title = f"{printed.data_paper} {printed.label}{', inverted' if turned else ''}"
    lengths = sorted({length for length, _ in ratios}, reverse=True)
    factors = sorted({factor for _, factor in ratios}, reverse=True)
    return _small_map(system, title, lengths, factors, spot)


def _onset(system: System, surface: Surface) -> Section:
    """The effect of each number of shuffles, drawn at the highest access factor, as P0089's Table 15."""
    access = surface.access_factors[0]
    lines = {
        length: {
            shuffles: ratio.median
            for shuffles in surface.shuffle_factors
            if (ratio := surface.degradation(length, access, shuffles))
        }
        for length in surface.list_lengths
    }
    printed = {
        f"{table.data_paper} {table.label}": {
            key[0]: {int(column): value for column, value in line.items() if value is not None}
            for key, line in table.rows.items()
        }
        for table in _printed_tables(surface.links, ONSET, surface.strategy)
    }
    charts = [_chart(system, title, drawn) for title, drawn in {"here": lines, **printed}.items()]

    def by_shuffles(factor: int) -> HeatMap:
        def spot(length: int, shuffles: int) -> Spot:
            ratio = surface.degradation(length, factor, shuffles)
            if ratio:
                return Spot((Tile(digits(ratio.median), ratio),), (bounds(ratio, digits) or "none",))
            failed = surface.unfinished.get(length)
            return failed_spot(*failed) if failed else Spot()

        title = f"{surface.strategy}: after n shuffles / before, af = {amount(factor)}"
        return _small_map(system, title, surface.list_lengths, surface.shuffle_factors, spot, head=str)

    about = (
        f"Time of an access after as many shuffles, relative to none; {_length(system, system.links)} links, "
        f"access factor {access}, a line for each length of a list."
    )
    return Section(
        f"{surface.strategy}: how soon a shuffle takes hold",
        (
            Paragraph(about),
            *(chart for chart in charts if chart),
            *map(by_shuffles, surface.access_factors),
        ),
        is_inner=True,
    )


def _chart(system: System, title: str, lines: Mapping[int, Mapping[int, float]]) -> Chart | None:
    series = tuple(
        Series(_length(system, length), tuple(sorted(line.items())), f"ramp-{place % LINE_STYLES}")
        for place, (length, line) in enumerate(sorted(lines.items()))
        if line
    )
    return Chart(title, "shuffle factor", "\u00d7", series, is_logarithmic=False) if series else None


OTHER_COSTS = (
    Quantity("build_ns", "build", "nanoseconds a link to make the lists", "ns"),
    Quantity("shuffle_ns", "shuffle", "nanoseconds to pop one link and push another", "ns"),
    Quantity(
        *("reallocate_ns", "re-allocation"),
        *("nanoseconds a link to fill all lists again, after the shuffle", "ns"),
    ),
    Quantity("reaccess_ns", "re-access", "nanoseconds an access to the lists that were filled again", "ns"),
    Quantity("built_bytes", "memory", "bytes a link by which the process grew in building", BYTES),
    Quantity(MEMORY, "after the shuffle", "bytes a link by which it has grown after the shuffle", BYTES),
)


def _costs_map(system: System) -> HeatMap:
    names = tuple(system.surfaces)
    rows = tuple(
        (
            (_length(system, length), _length(system, system.links // length)),
            tuple(_cost_spot(surface, system.base, length) for surface in system.surfaces.values()),
        )
        for length in system.list_lengths
    )
    layers = tuple(
        Layer(
            cost.short,
            f"{capitalised(cost.text)}. Colours: relative to {BASE}.",
            title=f"{cost.short}: {cost.text}",
        )
        for cost in OTHER_COSTS
    )
    return HeatMap(
        "other costs",
        "Costs: a row for each length of a list, a column for each strategy",
        ("|S|", "lists"),
        strategy_heads(names),
        rows,
        layers,
        tuple(f"{cost.short}, in full" for cost in OTHER_COSTS),
        style="race",
    )


def _cost_spot(surface: Surface, base: Surface | None, length: int) -> Spot:
    if length in surface.unfinished:
        return failed_spot(*surface.unfinished[length])
    tiles, facts = [], []
    for cost in OTHER_COSTS:
        spread = surface.figure(cost.figure, length)
        if spread is None:
            tiles.append(Tile())
            facts.append("")
            continue
        ratio = surface.figure_against(base, cost.figure, length) if base and base is not surface else None
        per = surface.links if cost.unit == BYTES else 1
        low, median_, high = (digits(value / per) for value in (spread.low, spread.median, spread.high))
        share = f"; {relative(ratio.median)} % of {BASE}" if ratio else ""
        tiles.append(Tile(median_, ratio))
        facts.append(f"{median_} {cost.unit} ({low}\u2013{high}){share}")
    return Spot(tuple(tiles), tuple(facts)) if any(facts) else Spot()


def _length(system: System, length: int) -> str:
    return amount(length, counted_in_tens(system.links))
