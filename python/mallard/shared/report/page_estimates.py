"""Estimates on a page: coloured figures with their intervals, drawn on an axis that a table shares.

Positions are in percent of the drawing's width, sizes in pixels. A drawing follows the width of its column,
and its strokes and dots are not stretched.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mallard.shared.report.figures import estimate_text, interval_text
from mallard.shared.report.markup import Markup, element, joined, leaf
from mallard.shared.report.model import Cell, Column, Estimate, Table
from mallard.shared.report.picture import ratio_step
from mallard.shared.stats import Ratio

MARGIN = 3.0  # percent at both ends, so that a dot at the end is drawn completely


@dataclass(frozen=True)
class Axis:
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    neutral: float  # the value of no difference
    logarithmic: bool = False
    less_is_faster: bool = True

    def place(self, value: float) -> float:
        """Percent from the left. A value outside the axis is drawn at its end."""
        clamped = min(max(value, self.low), self.high)
        if self.logarithmic:
            share = math.log(clamped / self.low) / math.log(self.high / self.low)
        else:
            share = (clamped - self.low) / (self.high - self.low)
        return MARGIN + share * (100 - 2 * MARGIN)

    @property
    def style(self) -> str:
        """The style of a table with drawings on this axis: its lines, as their background."""
        places = [(self.neutral, "soft"), *((tick, "line") for tick, _ in self.ticks)]
        lines = [
            f"linear-gradient(var(--{colour}) 0 0) {_percent(self.place(value))} 0/1px 100% no-repeat"
            for value, colour in places
        ]
        return f"--grid:{','.join(lines)}"


RATIOS = (
    (1 / 64, "¹\u2044₆₄"),
    (1 / 32, "¹\u2044₃₂"),
    (1 / 16, "¹\u2044₁₆"),
    (1 / 8, "⅛"),
    (1 / 4, "¼"),
    (1 / 2, "½"),
    (1.0, "1"),
    (2.0, "2"),
    (4.0, "4"),
    (8.0, "8"),
)


def ratio_axis(values: Sequence[float]) -> Axis:
    """Powers of two from below the least value to above the greatest; 1 is always on it."""
    known = [value for value in values if 0 < value < math.inf]
    low = max(1 / 64, 2 ** math.floor(math.log2(min([*known, 0.5]))))
    high = min(8.0, 2 ** math.ceil(math.log2(max([*known, 1.25]))))
    ticks = tuple(tick for tick in RATIOS if low <= tick[0] <= high)
    return Axis(low, high, ticks, 1.0, logarithmic=True)


def percent_axis(values: Sequence[float], less_is_faster: bool) -> Axis:
    """Round percents around the values; 0 is always on it."""
    known = [value for value in values if math.isfinite(value)]
    least, greatest = min([*known, 0.0]), max([*known, 1.0])
    unit = 10 ** math.floor(math.log10(greatest - least))
    step = next(
        unit * factor for factor in (0.2, 0.5, 1, 2, 5, 10) if (greatest - least) / (unit * factor) <= 6
    )
    low, high = math.floor(least / step) * step, math.ceil(greatest / step) * step
    count = round((high - low) / step)
    ticks = tuple((low + step * n, f"{low + step * n:g}".replace("-", "\u2212")) for n in range(count + 1))
    return Axis(low, high, ticks, 0.0, less_is_faster=less_is_faster)


def scale(axis: Axis) -> Markup:
    """The axis itself, for the head of a column, with a text for readers of the screen."""
    labels = [element("text", text, x=_percent(axis.place(value)), y="14") for value, text in axis.ticks]
    drawing = element("svg", *labels, class_="axis", aria_hidden="true")
    text = "drawn, log scale" if axis.logarithmic else "drawn"
    return joined(element("span", text, class_="unseen"), drawing)


def interval(
    axis: Axis, value: float, low: float, high: float, marks: Sequence[tuple[float, str]] = ()
) -> Markup:
    """A dot at the value, a bar from the place of no difference, a line over the interval, and diamonds.
    The figures are in the cell next to it.
    """
    bounded = math.isfinite(low) and math.isfinite(high) and not (axis.logarithmic and low <= 0)
    side = _side(axis, low, high)
    return element(
        "svg",
        _bar("bar", axis.place(axis.neutral), axis.place(value)),
        _bar("range", axis.place(low), axis.place(high)) if bounded else None,
        *(_mark(axis.place(at), kind) for at, kind in marks),
        leaf("circle", cx=_percent(axis.place(value))),
        class_=f"interval {side}",
    )


def _side(axis: Axis, low: float, high: float) -> str:
    if low <= axis.neutral <= high:
        return "equal"
    return "faster" if (high < axis.neutral) == axis.less_is_faster else "slower"


def _bar(class_: str, start: float, end: float) -> Markup:
    low, high = sorted((start, end))
    return leaf("rect", class_=class_, x=_percent(low), width=_percent(high - low))


def _mark(at: float, kind: str) -> Markup:
    """A mark. A path cannot use percents, so it is in a nested drawing, which is placed in percent."""
    diamond = leaf("path", class_=f"mark {kind}", d="M0 -5L5 0L0 5L-5 0Z")
    return element("svg", diamond, x=_percent(at), y="50%")


def _percent(value: float) -> str:
    return f"{value:.1f}%"


def estimate_axes(table: Table) -> Mapping[Column, Axis]:
    """Of the drawn columns."""
    drawn = {place: column for place, column in enumerate(table.columns) if column.less_is_better is not None}
    cells = [row.cells[place] for row in table.rows for place in drawn]
    estimates = [cell for cell in cells if isinstance(cell, Estimate)]
    values = [
        value
        for cell in estimates
        for value in (cell.value.median, cell.value.low, cell.value.high, *(at for at, _ in cell.marks))
    ]
    if all(isinstance(cell.value, Ratio) for cell in estimates):
        return dict.fromkeys(drawn.values(), ratio_axis(values))
    return {column: percent_axis(values, bool(column.less_is_better)) for column in drawn.values()}


def drawing(cell: Cell, axis: Axis) -> Markup:
    """A cell of its own."""
    drawn = None
    if isinstance(cell, Estimate):
        drawn = interval(axis, cell.value.median, cell.value.low, cell.value.high, cell.marks)
    return element("td", drawn, class_="drawn")


def estimate_markup(estimate: Estimate) -> Markup:
    text = estimate_text(estimate)
    if isinstance(estimate.value, Ratio):
        figure = element("span", text, class_=f"chip {ratio_step(estimate.value)}")
    else:
        figure = element("b", text)
    return joined(figure, element("small", interval_text(estimate)))
