"""Figures of locality beside the access times: the strategies in one table, and the costs of building,
shuffling, refilling and holding the links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.locality import Surface, System
from mallard.bench.papers.catalogue import strategy_text
from mallard.bench.view.html.cells.controls import maps
from mallard.bench.view.html.cells.form import Choice, Form
from mallard.bench.view.html.cells.heat_map import EMPTY, Cell, HeatMap, strategy_columns
from mallard.bench.view.html.panel.locality.surface import power
from mallard.shared.stats import Ratio, mean_ratio
from mallard.shared.view.html.figures import LEGEND, interval, percent, ratio_step, three_digits
from mallard.shared.view.html.markup import Markup, element

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
        "r",
        "reallocate_ns",
        "re-allocation",
        "Nanoseconds a link to fill all lists again, after the shuffle.",
        NS,
    ),
    Cost("a", "reaccess_ns", "re-access", "Nanoseconds an access to the lists that were filled again.", NS),
    Cost("u", "built_bytes", "memory", "Bytes a link by which the process grew in building.", BYTES),
    Cost(
        "v",
        "shuffled_bytes",
        "after the shuffle",
        "Bytes a link by which it has grown after the shuffle.",
        BYTES,
    ),
)
FORM = Form(
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
    columns = (
        "strategy",
        f"worst, |S| \u2265 {power(LONG)}",
        f"worst, |S| < {power(LONG)}",
        f"after the shuffle, % of {BASE}",
    )
    rows = [_strategy(surface, system.base) for surface in system.surfaces.values()]
    table = element(
        "table",
        element("caption", "The effect of a shuffle on each strategy", class_="unseen"),
        element("thead", element("tr", *(element("th", name) for name in columns))),
        element("tbody", *rows),
        class_="plain-table",
    )
    return element("div", table, class_="wide", role="region", aria_label="Strategies", tabindex="0")


def _strategy(surface: Surface, base: Surface | None) -> Markup:
    mean = to_base(surface, base)
    return element(
        "tr",
        element("th", surface.strategy, element("small", strategy_text(surface.strategy))),
        _worst(worst(surface, LONG)),
        _worst(worst(surface, 1, LONG)),
        element("td", _chip(percent(mean.median), mean), element("small", interval(mean)), class_="figure")
        if mean
        else element("td", "100" if surface is base else "\u2013"),
    )


def _worst(point: tuple[Ratio, int, int] | None) -> Markup:
    if point is None:
        return element("td", "\u2013")
    ratio, length, factor = point
    where = f"|S| = {power(length)}, af = {power(factor)}"
    return element(
        "td", _chip(f"{three_digits(ratio.median)}\u00d7", ratio), element("small", where), class_="figure"
    )


def _chip(text: str, ratio: Ratio) -> Markup:
    return element("span", text, class_=f"chip {ratio_step(ratio)}")


def costs_map(system: System, name: str) -> Markup:
    """The map of costs. `name` identifies the system's buttons."""
    surfaces = system.surfaces
    table = HeatMap(
        "beside the accesses",
        "Costs: a row for each length of a list, a column for each strategy",
        "|S|",
        strategy_columns(list(surfaces)),
        FORM,
    )
    lines = [
        (power(length), [_cost_cell(table, surface, system.base, length) for surface in surfaces.values()])
        for length in system.list_lengths
    ]
    return maps(name, FORM, table.markup(lines), head=element("h4", "Other costs"))


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
