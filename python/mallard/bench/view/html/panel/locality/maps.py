"""The effect of a shuffle, as surfaces and as tables of their figures, beside the published ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.locality import Surface as Measured
from mallard.bench.analysis.panel.locality import System
from mallard.bench.papers.locality import DEGRADATION, IMPROVEMENT, LOCAL_TO_GLOBAL, locality_tables
from mallard.bench.papers.printed import PrintedTable
from mallard.bench.view.html.cells.form import Choice, Form
from mallard.bench.view.html.cells.heat_map import EMPTY, Cell, Column, HeatMap
from mallard.bench.view.html.panel.locality.surface import Heights, Surface, descending, power, surface_row
from mallard.shared.stats import Ratio
from mallard.shared.view.html.figures import LEGEND, ratio_step, step_beside, three_digits
from mallard.shared.view.html.markup import Markup, element

Value = Callable[[int, int], Ratio | None]
FORM = Form(
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
    """A row of surfaces."""

    title: str
    text: str
    printed_name: str  # its name in the printed tables
    strategy: str
    gain: bool
    value: Value


def degradation(surface: Measured) -> Quantity:
    return Quantity(
        f"{surface.strategy}: shuffled \u00f7 unshuffled",
        "How many times as long an access takes once the links were shuffled.",
        DEGRADATION,
        surface.strategy,
        False,
        surface.degradation,
    )


def relief(local: Measured, base: Measured) -> Quantity:
    return Quantity(
        f"Degradation of {base.strategy} \u00f7 degradation of {local.strategy}",
        "How much of the slowdown a local allocator for each list avoids, as in P0089's Tables 20 and 21.",
        IMPROVEMENT,
        local.strategy,
        True,
        lambda length, factor: local.relief(base, length, factor),
    )


def speed(local: Measured, base: Measured) -> Quantity:
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
    """Our surfaces and the published ones, each also as a table."""
    surfaces = [
        _measured_surface(system, quantity),
        *(_printed(table, quantity) for table in _tables(system, quantity)),
    ]
    return element(
        "section", element("h4", quantity.title), element("p", quantity.text), surface_row(surfaces)
    )


def small_blocks(system: System, quantities: Sequence[Quantity], *, folded: bool = False) -> Markup:
    """Our surfaces only, several in a row."""
    return surface_row(
        [_measured_surface(system, quantity, quantity.strategy, folded) for quantity in quantities]
    )


def _measured_surface(
    system: System, quantity: Quantity, name: str = "here", folded: bool = False
) -> Surface:
    ratios = {
        (length, factor): ratio
        for length in system.list_lengths
        for factor in system.access_factors
        if (ratio := quantity.value(length, factor)) is not None
    }
    heights = {place: ratio.median for place, ratio in ratios.items()}
    measured = system.surfaces[quantity.strategy]
    table = _map(f"{quantity.title}, here", heights)

    def cell(length: int, factor: int) -> Cell:
        ratio = ratios.get((length, factor))
        if ratio is None:
            return _missing(table, measured, length)
        values = {"ratio": three_digits(ratio.median), "interval": _interval(ratio)}
        colour = ratio_step(_inverse(ratio) if quantity.gain else ratio)
        return table.cell(values | _times(system, measured, length, factor), {"r": colour})

    return Surface(name, "", heights, _markup(table, heights, cell, folded), quantity.gain)


def _inverse(ratio: Ratio) -> Ratio:
    low = 1 / ratio.high  # 0 for an infinite ratio
    return Ratio(1 / ratio.median, low, 1 / ratio.low if ratio.low else math.inf, ratio.n)


def _missing(table: HeatMap, measured: Measured, length: int) -> Cell:
    return table.broken(*measured.unfinished[length]) if length in measured.unfinished else EMPTY


def _interval(ratio: Ratio) -> str:
    return f"{three_digits(ratio.low)}\u2013{three_digits(ratio.high)}" if ratio.bounded else "none"


def _times(system: System, measured: Measured, length: int, factor: int) -> dict[str, str]:
    base = system.base
    spreads = {
        "before": measured.unshuffled(length, factor),
        "after": measured.shuffled(length, factor),
        "base": base.shuffled(length, factor) if base and base is not measured else None,
    }
    return {name: three_digits(spread.median) for name, spread in spreads.items() if spread}


def _tables(system: System, quantity: Quantity) -> list[PrintedTable]:
    wanted = {"links": system.links, "what": quantity.printed_name, "strategy": quantity.strategy}
    return [
        table
        for table in locality_tables().values()
        if all(table.place.get(key) == value for key, value in wanted.items())
    ]


def _printed(printed: PrintedTable, quantity: Quantity) -> Surface:
    """The printed surface. P0213's Table 11 is local / global, and is inverted like ours."""
    turned = quantity.printed_name == LOCAL_TO_GLOBAL
    heights = {
        (key[0], int(column)): 1 / value if turned else value
        for key, line in printed.rows.items()
        for column, value in line.items()
        if value
    }
    table = _map(f"{printed.data_paper} {printed.label}", heights)

    def cell(length: int, factor: int) -> Cell:
        ratio = heights.get((length, factor))
        if ratio is None:
            return EMPTY
        colour = step_beside(1 / ratio if quantity.gain else ratio)
        return table.cell({"ratio": three_digits(ratio)}, {"r": colour})

    caption = f"{printed.label}, inverted" if turned else printed.label
    return Surface(printed.data_paper, caption, heights, _markup(table, heights, cell), quantity.gain)


def _map(title: str, heights: Heights) -> HeatMap:
    factors = descending(factor for _, factor in heights)
    columns = [Column(power(factor)) for factor in factors]
    return HeatMap(
        title,
        title,
        "|S|",
        columns,
        FORM,
        "small",
    )


def _markup(
    table: HeatMap, heights: Heights, cell: Callable[[int, int], Cell], folded: bool = False
) -> Markup:
    lengths = descending(length for length, _ in heights)
    factors = descending(factor for _, factor in heights)
    lines = [(power(length), [cell(length, factor) for factor in factors]) for length in lengths]
    return table.markup(lines, folded)
