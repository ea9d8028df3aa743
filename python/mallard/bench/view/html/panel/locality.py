"""Benchmark II: access times after the memory of subsystems has diffused."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.names import BASE, reuse_variants
from mallard.bench.analysis.panel.locality import (
    Surface,
    System,
    best_local,
    locality_sentences,
    locality_systems,
)
from mallard.bench.papers.catalogue import strategy_text
from mallard.bench.papers.locality import (
    DEGRADATION,
    IMPROVEMENT,
    LOCAL,
    LOCAL_TO_GLOBAL,
    ONSET,
    locality_tables,
)
from mallard.bench.papers.printed import PrintedTable
from mallard.bench.view.html.cells.heat_map import (
    EMPTY,
    NOTHING,
    Cell,
    Choice,
    Column,
    Form,
    HeatMap,
    folded,
    maps,
    strategy_columns,
)
from mallard.bench.view.html.contents import Measured, Section, experiment_section, introduction, unmeasured
from mallard.shared.stats import Ratio, mean_ratio
from mallard.shared.view.html.figures import (
    LEGEND,
    RAISED,
    interval,
    percent,
    ratio_step,
    step_beside,
    three_digits,
    times,
)
from mallard.shared.view.html.line_plot import LinePlot, Series
from mallard.shared.view.html.markup import Markup, element, joined
from mallard.shared.view.html.says import render_sentences
from mallard.shared.view.html.tables import chip, data_table, figure_cell, scrolled, table_row

NAME = "locality"


def sections(measured: Measured | None) -> list[Section]:
    if measured is None:
        return [unmeasured(NAME)]
    systems = locality_systems(measured.rows)
    blocks = [_system(system, number) for number, system in enumerate(systems)]
    body = joined(introduction(NAME), *blocks)
    return [experiment_section(NAME, body, _answer(systems))]


def _system(system: System, number: int) -> Markup:
    setting = ", ".join(f"{name} {value}" for name, value in system.setting)
    heading = element("h3", f"{power(system.links)} links", element("small", setting) if setting else None)
    scattered = len(system.access_factors) > 1
    onsets = [onset_block(surface) for surface in system.surfaces.values()]
    return element(
        "div",
        heading,
        render_sentences(locality_sentences(system)),
        strategies_table(system),
        *onsets,
        *(_surfaces(system) if scattered else []),
        costs_map(system, f"{NAME}-costs-{number}"),
        class_="system",
    )


def _surfaces(system: System) -> list[Markup | None]:
    """new-delete and the papers' local allocator beside the printed tables, then the others."""
    surfaces, base = system.surfaces, system.base
    local = surfaces.get(LOCAL)
    blocks: list[Markup | None] = [
        quantity_block(system, degradation(surface)) for surface in (base, local) if surface
    ]
    if base and local:
        blocks += [quantity_block(system, relief(local, base)), quantity_block(system, speed(local, base))]
    variants = [surfaces[name] for name in reuse_variants(surfaces)]
    others = [
        surface for surface in surfaces.values() if surface not in (base, local) and surface not in variants
    ]
    return [
        *blocks,
        _together(
            "Orders of reuse side by side", variants, system, reuse_text([s.strategy for s in variants])
        ),
        _together("The other strategies: shuffled \u00f7 unshuffled", others, system),
        _speeds(system, [surface for surface in (*variants, *others) if surface is not local]),
    ]


def _together(
    title: str, surfaces: list[Surface], system: System, text: Markup | None = None
) -> Markup | None:
    if not surfaces:
        return None
    blocks = small_blocks(system, [degradation(surface) for surface in surfaces])
    return element("section", element("h4", title), text, blocks)


def _speeds(system: System, surfaces: list[Surface]) -> Markup | None:
    """The others against new-delete, folded, because there may be many."""
    base = system.base
    if base is None or not surfaces:
        return None
    blocks = small_blocks(system, [speed(surface, base) for surface in surfaces], folded=True)
    return folded(f"{BASE} \u00f7 each of the others, both shuffled", blocks)


def _answer(systems: list[System]) -> Markup | None:
    """The answer from the largest system that has both new-delete and a local allocator."""
    for system in reversed(systems):
        base, best = system.base, best_local(system)
        if base is None or best is None:
            continue
        slowest, least, mean = worst(base, 1), worst(best, 1), to_base(best, base)
        if slowest and least and mean:
            return joined(
                element(
                    "strong",
                    f"Shuffled, {BASE} takes up to {three_digits(slowest[0].median)} times as long",
                ),
                f" ({power(system.links)} links, |S| = {power(slowest[1])}); {best.strategy} at most ",
                f"{three_digits(least[0].median)} times, then {times(mean.median)} as fast on average.",
            )
    return None


Value = Callable[[int, int], Ratio | None]
RATIO_FORM = Form(
    (Choice("r", "ratio", "The ratio.", LEGEND, "{ratio}"),),
    (
        ("ratio", "{ratio} \u00d7"),
        ("95 % interval", "{interval}"),
        ("before the shuffle", "{before} ns an access"),
        ("after the shuffle", "{after} ns an access"),
        (f"{BASE} after it", "{base} ns an access"),
    ),
)


@dataclass(frozen=True)
class Quantity:
    """A ratio over the length of a list and the access factor."""

    title: str
    text: str
    printed_name: str  # its name in the printed tables
    strategy: str
    gain: bool  # true if more is better
    value: Value


def degradation(surface: Surface) -> Quantity:
    return Quantity(
        f"{surface.strategy}: shuffled \u00f7 unshuffled",
        "How many times as long an access takes once the links were shuffled.",
        DEGRADATION,
        surface.strategy,
        False,
        surface.degradation,
    )


def relief(local: Surface, base: Surface) -> Quantity:
    return Quantity(
        f"Degradation of {base.strategy} \u00f7 degradation of {local.strategy}",
        "How much of the slowdown a local allocator for each list avoids, as in P0089's Tables 20 and 21.",
        IMPROVEMENT,
        local.strategy,
        True,
        lambda length, factor: local.relief(base, length, factor),
    )


def speed(local: Surface, base: Surface) -> Quantity:
    return Quantity(
        f"{base.strategy} \u00f7 {local.strategy}, both shuffled",
        "How many times as fast an access is with a local allocator for each list, after the shuffle: the "
        "inverse of P0213's Table 11.",
        LOCAL_TO_GLOBAL,
        local.strategy,
        True,
        lambda length, factor: base.against(local, length, factor),
    )


def quantity_block(system: System, quantity: Quantity) -> Markup:
    """Our map beside the published ones."""
    printed = (_printed_map(table, quantity) for table in _printed_tables(system, quantity))
    return element(
        "section",
        element("h4", quantity.title),
        element("p", quantity.text),
        element("div", _measured_map(system, quantity, "here"), *printed, class_="side-by-side"),
    )


def small_blocks(system: System, quantities: Sequence[Quantity], *, folded: bool = False) -> Markup:
    """Our maps only, several in a row."""
    blocks = (_measured_map(system, quantity, quantity.strategy, folded) for quantity in quantities)
    return element("div", *blocks, class_="side-by-side")


def _measured_map(system: System, quantity: Quantity, name: str, folded: bool = False) -> Markup:
    ratios = {
        (length, factor): ratio
        for length in system.list_lengths
        for factor in system.access_factors
        if (ratio := quantity.value(length, factor)) is not None
    }
    measured = system.surfaces[quantity.strategy]

    def cell(table: HeatMap, length: int, factor: int) -> Cell:
        ratio = ratios.get((length, factor))
        if ratio is None:
            failed = measured.unfinished.get(length)
            return table.broken(*failed) if failed else EMPTY
        values = {"ratio": three_digits(ratio.median), "interval": _interval(ratio)}
        colour = ratio_step(_inverse(ratio) if quantity.gain else ratio)
        return table.cell(values | _times(system, measured, length, factor), {"r": colour})

    return _figure(name, "", f"{quantity.title}, here", ratios, cell, folded)


def _inverse(ratio: Ratio) -> Ratio:
    low = 1 / ratio.high  # 0 for an infinite ratio
    return Ratio(1 / ratio.median, low, 1 / ratio.low if ratio.low else math.inf, ratio.n)


def _interval(ratio: Ratio) -> str:
    return f"{three_digits(ratio.low)}\u2013{three_digits(ratio.high)}" if ratio.bounded else "none"


def _times(system: System, measured: Surface, length: int, factor: int) -> dict[str, str]:
    base = system.base
    spreads = {
        "before": measured.unshuffled(length, factor),
        "after": measured.shuffled(length, factor),
        "base": base.shuffled(length, factor) if base and base is not measured else None,
    }
    return {name: three_digits(spread.median) for name, spread in spreads.items() if spread}


def _printed_tables(system: System, quantity: Quantity) -> list[PrintedTable]:
    return _tables(system.links, quantity.printed_name, quantity.strategy)


def _tables(links: int, name: str, strategy: str) -> list[PrintedTable]:
    wanted = {"links": links, "what": name, "strategy": strategy}
    return [
        table
        for table in locality_tables().values()
        if all(table.place.get(key) == value for key, value in wanted.items())
    ]


def _printed_map(printed: PrintedTable, quantity: Quantity) -> Markup:
    """The printed ratios. P0213's Table 11 is local / global, and is inverted like ours."""
    turned = quantity.printed_name == LOCAL_TO_GLOBAL
    ratios = {
        (key[0], int(column)): 1 / value if turned else value
        for key, line in printed.rows.items()
        for column, value in line.items()
        if value
    }

    def cell(table: HeatMap, length: int, factor: int) -> Cell:
        ratio = ratios.get((length, factor))
        if ratio is None:
            return EMPTY
        colour = step_beside(1 / ratio if quantity.gain else ratio)
        return table.cell({"ratio": three_digits(ratio)}, {"r": colour})

    caption = f"{printed.label}, inverted" if turned else printed.label
    return _figure(printed.data_paper, caption, f"{printed.data_paper} {printed.label}", ratios, cell)


def _figure(
    name: str,
    caption: str,
    title: str,
    points: Iterable[tuple[int, int]],
    cell: Callable[[HeatMap, int, int], Cell],
    folded: bool = False,
) -> Markup:
    """A map of the points: a row for each length of a list, a column for each access factor."""
    places = list(points)
    lengths = sorted({length for length, _ in places}, reverse=True)
    factors = sorted({factor for _, factor in places}, reverse=True)
    table = HeatMap(title, title, "|S|", [Column(power(factor)) for factor in factors], RATIO_FORM, "small")
    lines = [(power(length), [cell(table, length, factor) for factor in factors]) for length in lengths]
    heading = element("figcaption", element("b", name), " ", caption)
    return element("figure", heading, table.markup(lines, folded))


def power(value: int) -> str:
    """A number. Powers of two and ten are written as powers."""
    for base in (2, 10):
        exponent = round(math.log(value, base))
        if base**exponent == value:
            return f"{base}{str(exponent).translate(RAISED)}"
    return three_digits(value)


LONG = 1 << 9  # for lists as long as this, a local allocator is expected to keep degradation low

NS, BYTES = "ns", "bytes"


@dataclass(frozen=True)
class Cost:
    kind: str
    name: str  # of the figure
    label: str
    text: str
    unit: str


COSTS = (
    Cost("b", "build_ns", "build", "Nanoseconds a link to make the lists.", NS),
    Cost("s", "shuffle_ns", "shuffle", "Nanoseconds to pop one link and push another.", NS),
    Cost(
        *("r", "reallocate_ns", "re-allocation"),
        *("Nanoseconds a link to fill all lists again, after the shuffle.", NS),
    ),
    Cost("a", "reaccess_ns", "re-access", "Nanoseconds an access to the lists that were filled again.", NS),
    Cost("u", "built_bytes", "memory", "Bytes a link by which the process grew in building.", BYTES),
    Cost(
        *("v", "shuffled_bytes", "after the shuffle"),
        *("Bytes a link by which it has grown after the shuffle.", BYTES),
    ),
)
COST_FORM = Form(
    tuple(
        Choice(cost.kind, cost.label, f"{cost.text} Colours: relative to {BASE}.", LEGEND, f"{{{cost.name}}}")
        for cost in COSTS
    ),
    tuple(
        (
            cost.label,
            f"{{{cost.name}}} {cost.unit} ({{{cost.name} range}})[; {{{cost.name} percent}} % of {BASE}]",
        )
        for cost in COSTS
    ),
)


def worst(surface: Surface, least: int, below: int | None = None) -> tuple[Ratio, int, int] | None:
    """The highest degradation of lists of that length, with list length and access factor."""
    candidates = [
        (ratio, length, factor)
        for length, factor in surface.points
        if length >= least
        and (below is None or length < below)
        and (ratio := surface.degradation(length, factor)) is not None
    ]
    return max(candidates, key=lambda point: point[0].median, default=None)


def to_base(surface: Surface, base: Surface | None) -> Ratio | None:
    """The mean over all points of the shuffled time, relative to new-delete's."""
    if base is None or base is surface:
        return None
    pairings = surface.pairings_with(base)
    return mean_ratio(list(pairings.values())) if pairings else None


def strategies_table(system: System) -> Markup:
    heads = (
        "strategy",
        f"worst, |S| \u2265 {power(LONG)}",
        f"worst, |S| < {power(LONG)}",
        f"after the shuffle, % of {BASE}",
    )
    rows = [_strategy(surface, system.base) for surface in system.surfaces.values()]
    return scrolled(data_table(heads, rows, caption="The effect of a shuffle on each strategy"), "Strategies")


def _strategy(surface: Surface, base: Surface | None) -> Markup:
    mean = to_base(surface, base)
    return table_row(
        joined(surface.strategy, element("small", strategy_text(surface.strategy))),
        _worst(worst(surface, LONG)),
        _worst(worst(surface, 1, LONG)),
        figure_cell(chip(percent(mean.median), mean, interval(mean)))
        if mean
        else element("td", "100" if surface is base else NOTHING),
    )


def _worst(point: tuple[Ratio, int, int] | None) -> Markup:
    if point is None:
        return element("td", NOTHING)
    ratio, length, factor = point
    where = f"|S| = {power(length)}, af = {power(factor)}"
    return figure_cell(chip(f"{three_digits(ratio.median)}\u00d7", ratio, where))


def costs_map(system: System, name: str) -> Markup:
    """The map of costs. `name` identifies the system's buttons."""
    surfaces = system.surfaces
    table = HeatMap(
        "beside the accesses",
        "Costs: a row for each length of a list, a column for each strategy",
        "|S|",
        strategy_columns(list(surfaces)),
        COST_FORM,
    )
    lines = [
        (power(length), [_cost_cell(table, surface, system.base, length) for surface in surfaces.values()])
        for length in system.list_lengths
    ]
    return maps(name, COST_FORM, table.markup(lines), head=element("h4", "Other costs"))


def _cost_cell(table: HeatMap, surface: Surface, base: Surface | None, length: int) -> Cell:
    if length in surface.unfinished:
        return table.broken(*surface.unfinished[length])
    values: dict[str, str] = {}
    steps: dict[str, str] = {}
    for cost in COSTS:
        spread = surface.figure(cost.name, length)
        if spread is None:
            continue
        ratio = surface.figure_against(base, cost.name, length) if base and base is not surface else None
        per = surface.links if cost.unit == BYTES else 1
        values |= {
            cost.name: three_digits(spread.median / per),
            f"{cost.name} range": f"{three_digits(spread.low / per)}\u2013{three_digits(spread.high / per)}",
            f"{cost.name} percent": percent(ratio.median) if ratio else "",
        }
        steps[cost.kind] = ratio_step(ratio) if ratio else ""
    return table.cell(values, steps) if values else EMPTY


def reuse_text(names: Sequence[str]) -> Markup:
    return element(
        "p",
        f"{', '.join(names)} differ in one thing: which of the freed blocks of its size a pool gives out "
        "first. The last freed, the first freed, the one of the lowest address, a few pointers at hand and "
        "then the lowest (hybrid), or any (random: the worst case, for the benchmark only).",
    )


FEWEST = 3  # shuffle factors that make a line
STEPS = 8  # colours of lines

Lines = dict[int, dict[int, float]]  # list length -> shuffle factor -> ratio to no shuffle


def onset_block(surface: Surface) -> Markup | None:
    """A plot for a surface with several shuffle factors, at its highest access factor."""
    factor = surface.access_factors[0]
    lines = _measured_lines(surface, factor)
    if len(surface.shuffle_factors) < FEWEST or not lines:
        return None
    printed = _tables(surface.links, ONSET, surface.strategy)
    plots = [_plot("here", lines), *map(_printed_plot, printed)]
    return joined(
        element("h4", f"{surface.strategy}: how soon a shuffle takes hold"),
        element(
            "p",
            f"Time of an access after as many shuffles, relative to none; {power(surface.links)} links, "
            f"access factor {factor}, a line for each length of a list.",
        ),
        element("div", *plots, class_="plots"),
    )


def _measured_lines(surface: Surface, access_factor: int) -> Lines:
    lines = {
        length: {
            factor: ratio.median
            for factor in surface.shuffle_factors
            if (ratio := surface.degradation(length, access_factor, factor)) is not None
        }
        for length in surface.list_lengths
    }
    return {length: line for length, line in lines.items() if line}


def _printed_plot(table: PrintedTable) -> Markup:
    lines = {
        key[0]: {int(column): value for column, value in line.items() if value is not None}
        for key, line in table.rows.items()
    }
    return _plot(f"{table.data_paper} {table.label}", lines)


def _plot(title: str, lines: Lines) -> Markup:
    series = [
        Series(power(length), sorted(line.items()), f"ramp-{place % STEPS}")
        for place, (length, line) in enumerate(sorted(lines.items()))
    ]
    return LinePlot(title, "shuffle factor", "\u00d7", series, logarithmic_x=False).markup()
