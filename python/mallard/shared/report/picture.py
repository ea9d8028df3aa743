"""Pictures as data: heat maps, whose places hold several kinds of figures, and charts of lines; and the
palette of ratios."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mallard.shared.stats import Ratio

# Upper ends of the steps, as ratios. "f" is faster, "s" slower, and "eq" has 1 in its interval.
STEPS = (
    (1 / 32, "f6"),
    (1 / 8, "f5"),
    (1 / 4, "f4"),
    (1 / 2, "f3"),
    (0.8, "f2"),
    (1.0, "f1"),
    (1.25, "s1"),
    (2.0, "s2"),
    (4.0, "s3"),
    (8.0, "s4"),
    (32.0, "s5"),
    (math.inf, "s6"),
)
PALETTE = ("", *(name for _, name in STEPS), "eq", "z0", "z1", "z2", "z3", "z4")  # without a colour at first
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
Legend = tuple[tuple[str, str], ...]  # (step of the palette, its text)
RATIOS: Legend = (
    ("f6", "under ¹\u2044₃₂"),
    ("f5", "¹\u2044₃₂\u2013⅛"),
    ("f4", "⅛\u2013¼"),
    ("f3", "¼\u2013½"),
    ("f2", "½\u20130.8"),
    ("f1", "0.8\u20131"),
    ("eq", "no difference"),
    ("s1", "1\u20131.25"),
    ("s2", "1.25\u20132"),
    ("s3", "2\u20134"),
    ("s4", "4\u20138"),
    ("s5", "8\u201332"),
    ("s6", "over 32"),
)
AMOUNT_ENDS = (1.1, 1.5, 2.0, 4.0)  # of the steps of an amount, relative to the least one
MISSING = "\u2013"

Shade = Ratio | int | None  # a colour: that of a ratio, or a step of five


def step(ratio: float) -> str:
    return next(name for end, name in STEPS if ratio <= end)


def ratio_step(ratio: Ratio) -> str:
    return "eq" if ratio.verdict == "no difference" else step(ratio.median)


def with_raised_exponents(text: str) -> str:
    """2^27 and 10^6 with a raised exponent."""
    return re.sub(r"\b(2|10)\^(\d+)", lambda match: match[1] + match[2].translate(RAISED), text)


def amount_legend(axis: str) -> Legend:
    """`axis`: the row or the column whose least amount is the first step."""
    texts = (f"least of the {axis}", "over 1.1 times", "over 1.5", "over 2", "over 4")
    return tuple((f"z{place}", text) for place, text in enumerate(texts))


def amount_step(amount: float, least: float) -> int:
    return sum(amount > least * end for end in AMOUNT_ENDS)


@dataclass(frozen=True)
class Layer:
    """One kind of figures of a map. A page shows one at a time, by the reader's choice."""

    label: str  # of its button
    about: str
    legend: Legend = RATIOS
    title: str = ""  # of its block in a terminal, `{}` being the map's; without one, only pages have it
    missing: str = MISSING


@dataclass(frozen=True)
class Tile:
    """A figure of one kind. The text below a line break is small, and for pages only."""

    text: str = ""
    shade: Shade = None
    is_best: bool = False
    mark: str = ""  # behind the figure in a terminal


@dataclass(frozen=True)
class Spot:
    """A place of a map: a tile for each layer and a fact for each term, or a failure, short and in full, or
    nothing, if it was not measured.
    """

    tiles: tuple[Tile, ...] = ()
    facts: tuple[str, ...] = ()
    failure: tuple[str, str] | None = None


@dataclass(frozen=True)
class Head:
    """The head of a column: words below each other, under the name of its family."""

    words: tuple[str, ...]
    name: str = ""  # in full
    family: tuple[str, ...] = ("",)  # and shorter, for few columns

    @property
    def full_name(self) -> str:
        return self.name or " ".join(self.words)


@dataclass(frozen=True)
class HeatMap:
    title: str
    caption: str  # names the map where a medium asks for a name
    corner: tuple[str, ...]  # the heads of the labels
    columns: tuple[Head, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[Spot, ...]], ...]  # labels, and a spot for each column
    layers: tuple[Layer, ...]
    terms: tuple[str, ...] = ()  # of the facts
    style: str = ""  # a class of the page
    is_folded: bool = False  # a page makes its rows when the section around it is opened

    @property
    def is_small(self) -> bool:
        """True if several stand side by side."""
        return self.style == "small"


@dataclass(frozen=True)
class Series:
    name: str
    points: tuple[tuple[float, float], ...]  # in ascending order of x, both above 0
    style: str  # its colour, and its dashes


def drawn_series(
    names: Iterable[str],
    points: Callable[[str], Iterable[tuple[float, float]]],
    style: Callable[[str], str],
) -> tuple[Series, ...]:
    """Those that have points."""
    series = (Series(name, tuple(points(name)), style(name)) for name in names)
    return tuple(line for line in series if line.points)


@dataclass(frozen=True)
class Chart:
    """Lines over a few points: times by threads, an effect by its cause. Heights are logarithmic.

    Only pages have charts: other media have their figures in a table or map next to them.
    """

    title: str
    x_name: str
    y_name: str
    series: tuple[Series, ...]
    is_logarithmic: bool = True  # by x
    mark: tuple[float, str] | None = None  # a place on the x axis with a word

    @property
    def places(self) -> list[float]:
        return sorted({x for line in self.series for x, _ in line.points})
