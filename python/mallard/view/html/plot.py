"""Drawings of one value with its interval on a shared axis. Positions are in percent of the drawing's
width, sizes in pixels, so that a drawing follows its column without its strokes and dots being
stretched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mallard.view.html.markup import Markup, element, joined

HEIGHT = 22
MARGIN = 3.0  # percent at both ends, so that a dot at the end is drawn whole


@dataclass(frozen=True)
class Axis:
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    neutral: float  # where there is no difference
    logarithmic: bool = False
    less_is_faster: bool = True

    def place(self, value: float) -> float:
        """Percent from the left; what lies outside is drawn at the end."""
        clamped = min(max(value, self.low), self.high)
        if self.logarithmic:
            share = math.log(clamped / self.low) / math.log(self.high / self.low)
        else:
            share = (clamped - self.low) / (self.high - self.low)
        return MARGIN + share * (100 - 2 * MARGIN)


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
    """The axis itself, to stand in the head of a column."""
    labels = [
        element("text", text, x=_percent(axis.place(value)), y="14", text_anchor="middle")
        for value, text in axis.ticks
    ]
    return element("svg", *labels, class_="axis", width="100%", height="18", aria_hidden="true")


def interval(
    axis: Axis, value: float, low: float, high: float, label: str, marks: Sequence[tuple[float, str]] = ()
) -> Markup:
    """A dot at the value, a bar from where there is no difference, a line over the interval, diamonds."""
    middle = HEIGHT / 2
    grid = [_line(axis.place(tick), axis.place(tick), 0, HEIGHT, "grid") for tick, _ in axis.ticks]
    neutral = _line(axis.place(axis.neutral), axis.place(axis.neutral), 0, HEIGHT, "neutral")
    bounded = math.isfinite(low) and math.isfinite(high) and not (axis.logarithmic and low <= 0)
    whole = [_line(axis.place(low), axis.place(high), middle, middle, "range")] if bounded else []
    side = _side(axis, low, high)
    left, right = sorted((axis.place(axis.neutral), axis.place(value)))
    bar = element(
        "rect", class_=f"bar {side}", x=_percent(left), width=_percent(right - left), y="7.5", height="7"
    )
    diamonds = [_mark(axis.place(at), middle, f"mark {kind}") for at, kind in marks]
    dot = element(
        "circle",
        class_=f"dot {side}",
        cx=_percent(axis.place(value)),
        cy=f"{middle:g}",
        r="4.5",
    )
    return element(
        "svg",
        joined(*grid),
        bar,
        neutral,
        joined(*whole),
        joined(*diamonds),
        dot,
        class_="interval",
        width="100%",
        height=str(HEIGHT),
        role="img",
        aria_label=label,
    )


def _side(axis: Axis, low: float, high: float) -> str:
    if low <= axis.neutral <= high:
        return "equal"
    return "faster" if (high < axis.neutral) == axis.less_is_faster else "slower"


def _mark(at: float, middle: float, class_: str) -> Markup:
    """A path knows no percents, so it stands in a drawing of its own that is placed in percent."""
    diamond = element("path", class_=class_, d="M0 -5L5 0L0 5L-5 0Z")
    return element("svg", diamond, x=_percent(at), y=f"{middle:g}", overflow="visible")


def _line(x1: float, x2: float, y1: float, y2: float, class_: str) -> Markup:
    return element("line", class_=class_, x1=_percent(x1), x2=_percent(x2), y1=f"{y1:g}", y2=f"{y2:g}")


def _percent(value: float) -> str:
    return f"{value:.2f}%"
