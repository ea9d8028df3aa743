"""Lines over a few points, as a drawing: times against threads, an effect against its cause."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mallard.shared.report.figures import digits
from mallard.shared.report.markup import Markup, element, joined, leaf
from mallard.shared.report.picture import RAISED, Chart, Series, with_raised_exponents

WIDTH, HEIGHT = 440, 300
LEFT, RIGHT, TOP, BOTTOM = 46, 138, 22, 40  # RIGHT: for names of usual length
NAME_WIDTH = 6.4  # of a letter, in pixels
LABEL_HEIGHT = 13
DIGIT_WIDTH = 6.5  # of a tick on the x axis
DOT = element(
    "svg",
    element(
        "marker",
        leaf("circle", r="3.2"),
        id="dot",
        viewBox="-4 -4 8 8",
        markerWidth="8",
        markerHeight="8",
        markerUnits="userSpaceOnUse",
    ),
    class_="unseen",
)  # the style sheet puts it on each point of a line
STRAIGHT = 2  # a name that moved by less needs no line to its end
LARGE = 1e5  # larger numbers have too many digits for a tick


def plot_data(chart: Chart) -> list[list[tuple[str, str]]]:
    """For the script: the points of each series as texts."""
    return [[(_number(x), digits(y)) for x, y in line.points] for line in _by_height(chart.series)]


def line_plot(chart: Chart) -> Markup:
    """The drawing. Heights are logarithmic, so that a factor has one height everywhere."""
    ys = [y for line in chart.series for _, y in line.points]
    low, high = _enclosing_powers(min(ys), max(ys))
    place = _Place(chart.places, chart.is_logarithmic, low, high, _right(chart.series))
    drawing = element(
        "svg",
        _frame(chart, place, low, high),
        *_lines(chart.series, place),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=f"{chart.title}: {chart.y_name} by {chart.x_name}",
    )
    return element(
        "figure", element("figcaption", with_raised_exponents(chart.title)), drawing, class_="lines"
    )


def _frame(chart: Chart, place: _Place, low: float, high: float) -> Markup:
    rungs = [(place.y(tick), f"{tick:.3g}") for tick in _ticks(low, high)]
    grid = "".join(f"M{LEFT},{y:.1f}H{place.right:.0f}" for y, _ in rungs)
    heights = [element("text", text, y=f"{y:.1f}") for y, text in rungs]
    shown = _without_overlaps([(x, place.x(x)) for x in chart.places])
    places = [element("text", _number(x), x=f"{where:.1f}") for x, where in shown]
    middle = f"{(LEFT + place.right) / 2:.1f}"
    return joined(
        leaf("path", d=grid, class_="grid"),
        element("g", *heights, class_="tick y", transform=f"translate({LEFT - 6} 4)"),
        element("g", *places, class_="tick", transform=f"translate(0 {HEIGHT - BOTTOM + 16})"),
        _limit(chart.mark, place) if chart.mark else None,
        element("text", chart.x_name, x=middle, y=str(HEIGHT - 6), class_="axis-name"),
        element("text", chart.y_name, x="2", y="10", class_="axis-name y"),
    )


def _limit(mark: tuple[float, str], place: _Place) -> Markup:
    at = f"{place.x(mark[0]):.1f}"
    return joined(
        leaf("path", d=f"M{at},{TOP}V{HEIGHT - BOTTOM}", class_="limit"),
        element("text", mark[1], x=at, dx="4", y=str(TOP + 8), class_="limit-name"),
    )


class _Place:
    def __init__(self, xs: Sequence[float], logarithmic: bool, low: float, high: float, right: float) -> None:
        self.right = right  # the end of the axes, where the names begin
        self._scale = math.log if logarithmic else float
        self._first, self._last = self._scale(xs[0]), self._scale(xs[-1])
        self._low, self._high = math.log(low), math.log(high)

    def x(self, value: float) -> float:
        width = self._last - self._first
        share = (self._scale(value) - self._first) / width if width else 0.5
        return LEFT + 8 + share * (self.right - LEFT - 16)

    def y(self, value: float) -> float:
        share = (math.log(value) - self._low) / (self._high - self._low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _lines(series: Sequence[Series], place: _Place) -> list[Markup]:
    """The lines, with names at their ends. Names that would overlap are moved apart."""
    ends = [(place.y(line.points[-1][1]), line) for line in _by_height(series)]
    tops = _spread_out([y for y, _ in ends], HEIGHT - BOTTOM)
    return [_line(line, place, y, moved) for (y, line), moved in zip(ends, tops, strict=True)]


def _by_height(series: Sequence[Series]) -> list[Series]:
    """The series from the top name to the lowest."""
    return sorted(series, key=lambda line: -line.points[-1][1])


def _line(series: Series, place: _Place, end: float, label: float) -> Markup:
    x = place.right + 6
    last = place.x(series.points[-1][0]) + 4
    lead = leaf("path", d=f"M{last:.1f},{end:.1f}L{x - 2:.1f},{label:.1f}")
    points = [f"{_short(place.x(x))},{_short(place.y(y))}" for x, y in series.points]
    return element(
        "g",
        leaf("polyline", points=" ".join(points)),
        lead if abs(label - end) > STRAIGHT else None,
        element("text", with_raised_exponents(series.name), x=f"{x:g}", y=f"{label + 4:.1f}"),
        class_=f"series {series.style}",
    )


def _short(place: float) -> str:
    return f"{place:.1f}".removesuffix(".0")


def _right(series: Sequence[Series]) -> float:
    """The end of the lines. Long names take their room from them."""
    return WIDTH - max(RIGHT, NAME_WIDTH * max(len(line.name) for line in series) + 10)


def _spread_out(wanted: Sequence[float], lowest: float) -> list[float]:
    """Places near the wanted ones (in ascending order), a label's height apart, none below `lowest`."""
    places: list[float] = []
    for y in wanted:
        places.append(max(y, places[-1] + LABEL_HEIGHT) if places else y)
    limit = lowest
    for index in reversed(range(len(places))):
        places[index] = min(places[index], limit)
        limit = places[index] - LABEL_HEIGHT
    return places


def _without_overlaps(ticks: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Values and their places, without those whose text would touch its left neighbour."""
    shown: list[tuple[float, float]] = []
    for value, at in ticks:
        if not shown or at - shown[-1][1] >= DIGIT_WIDTH * (len(_number(value)) + 0.5):
            shown.append((value, at))
    return shown


def _number(value: float) -> str:
    """A number. Large powers of ten are written as powers."""
    power = round(math.log10(value)) if value >= LARGE else 0
    return f"10{str(power).translate(RAISED)}" if power and value == 10.0**power else f"{value:g}"


def _enclosing_powers(low: float, high: float) -> tuple[float, float]:
    """Powers of two around both, at least two apart."""
    first, last = math.floor(math.log2(low)), math.ceil(math.log2(high))
    return 2.0**first, 2.0 ** max(last, first + 2)


def _ticks(low: float, high: float) -> list[float]:
    first, last = round(math.log2(low)), round(math.log2(high))
    step = max(1, math.ceil((last - first) / 7))
    return [2.0**power for power in range(first, last + 1, step)]
