"""Lines over a few points, as a drawing: times against threads, an effect against its cause."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mallard.view.html.figures import RAISED, three_digits
from mallard.view.html.markup import Markup, element, joined

WIDTH, HEIGHT = 440, 300
LEFT, RIGHT, TOP, BOTTOM = 46, 138, 22, 40  # RIGHT: for names of usual length
NAME_WIDTH = 6.4  # of a letter
LABEL_HEIGHT = 13
DIGIT_WIDTH = 6.5  # of a tick on the x axis
LARGE = 1e5  # from here on a number has too many digits for a tick


@dataclass(frozen=True)
class Series:
    name: str
    points: Sequence[tuple[float, float]]  # in ascending order of x, both above 0
    class_: str  # its colour, and whether it is dashed


@dataclass(frozen=True)
class LinePlot:
    title: str
    x_name: str
    y_name: str
    series: Sequence[Series]
    logarithmic_x: bool = True
    mark: tuple[float, str] | None = None  # a place on the x axis that needs a word

    def markup(self) -> Markup:
        """Heights are logarithmic: a factor is as high everywhere."""
        ys = [y for each in self.series for _, y in each.points]
        low, high = _whole_powers(min(ys), max(ys))
        place = _Place(self._xs(), self.logarithmic_x, low, high, _right(self.series))
        parts = [
            self._frame(place, low, high),
            *(_line(each, place) for each in self.series),
            *_labels(self.series, place),
        ]
        drawing = element(
            "svg",
            *parts,
            viewBox=f"0 0 {WIDTH} {HEIGHT}",
            role="img",
            aria_label=f"{self.title}: {self.y_name} by {self.x_name}",
        )
        return element("figure", element("figcaption", self.title), drawing, class_="lines")

    def _xs(self) -> list[float]:
        return sorted({x for each in self.series for x, _ in each.points})

    def _frame(self, place: _Place, low: float, high: float) -> Markup:
        parts = []
        for tick in _ticks(low, high):
            y = f"{place.y(tick):.1f}"
            parts.append(element("line", x1=str(LEFT), x2=f"{place.right:.0f}", y1=y, y2=y, class_="grid"))
            parts.append(element("text", f"{tick:g}", x=str(LEFT - 6), y=y, dy="4", class_="tick y"))
        for x, where in _apart_enough([(x, place.x(x)) for x in self._xs()]):
            text = _number(x)
            parts.append(element("text", text, x=f"{where:.1f}", y=str(HEIGHT - BOTTOM + 16), class_="tick"))
        if self.mark:
            at = f"{place.x(self.mark[0]):.1f}"
            parts.append(element("line", x1=at, x2=at, y1=str(TOP), y2=str(HEIGHT - BOTTOM), class_="limit"))
            parts.append(element("text", self.mark[1], x=at, dx="4", y=str(TOP + 8), class_="limit-name"))
        middle = f"{(LEFT + place.right) / 2:.1f}"
        parts.append(element("text", self.x_name, x=middle, y=str(HEIGHT - 6), class_="axis-name"))
        parts.append(element("text", self.y_name, x="2", y="10", class_="axis-name y"))
        return joined(*parts)


class _Place:
    def __init__(self, xs: Sequence[float], logarithmic: bool, low: float, high: float, right: float) -> None:
        self.right = right  # where the axes end and the names begin
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


def _line(series: Series, place: _Place) -> Markup:
    points = [(place.x(x), place.y(y)) for x, y in series.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = [
        element(
            "circle",
            element("title", f"{series.name} at {_number(x)}: {three_digits(y)}"),
            cx=f"{cx:.1f}",
            cy=f"{cy:.1f}",
            r="3.2",
        )
        for (x, y), (cx, cy) in zip(series.points, points, strict=True)
    ]
    return element("g", element("polyline", points=path), *dots, class_=f"series {series.class_}")


def _labels(series: Sequence[Series], place: _Place) -> list[Markup]:
    """Names at the ends of their lines, pushed apart where they would cover each other."""
    ends = sorted(((place.y(each.points[-1][1]), each) for each in series), key=lambda end: end[0])
    tops = _apart([y for y, _ in ends], HEIGHT - BOTTOM)
    x = place.right + 6
    labels = []
    for (y, each), moved in zip(ends, tops, strict=True):
        labels.append(
            element(
                "g",
                element(
                    "line",
                    x1=f"{place.x(each.points[-1][0]) + 4:.1f}",
                    y1=f"{y:.1f}",
                    x2=f"{x - 2:.1f}",
                    y2=f"{moved:.1f}",
                    class_="lead-line",
                ),
                element("text", each.name, x=f"{x:g}", y=f"{moved:.1f}", dy="4"),
                class_=f"series {each.class_}",
            )
        )
    return labels


def _right(series: Sequence[Series]) -> float:
    """Long names take their room from the lines."""
    return WIDTH - max(RIGHT, NAME_WIDTH * max(len(each.name) for each in series) + 10)


def _apart(wanted: Sequence[float], lowest: float) -> list[float]:
    """Places near the wanted ones (in ascending order), a label's height apart, none below `lowest`."""
    places: list[float] = []
    for y in wanted:
        places.append(max(y, places[-1] + LABEL_HEIGHT) if places else y)
    limit = lowest
    for index in reversed(range(len(places))):
        places[index] = min(places[index], limit)
        limit = places[index] - LABEL_HEIGHT
    return places


def _apart_enough(ticks: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Values and their places, without those whose text would touch the one before."""
    shown: list[tuple[float, float]] = []
    for value, at in ticks:
        if not shown or at - shown[-1][1] >= DIGIT_WIDTH * (len(_number(value)) + 0.5):
            shown.append((value, at))
    return shown


def _number(value: float) -> str:
    """Large powers of ten as such."""
    power = round(math.log10(value)) if value >= LARGE else 0
    return f"10{str(power).translate(RAISED)}" if power and value == 10.0**power else f"{value:g}"


def _whole_powers(low: float, high: float) -> tuple[float, float]:
    """Powers of two that hold both, at least two apart."""
    first, last = math.floor(math.log2(low)), math.ceil(math.log2(high))
    return 2.0**first, 2.0 ** max(last, first + 2)


def _ticks(low: float, high: float) -> list[float]:
    first, last = round(math.log2(low)), round(math.log2(high))
    step = max(1, math.ceil((last - first) / 7))
    return [2.0**power for power in range(first, last + 1, step)]
