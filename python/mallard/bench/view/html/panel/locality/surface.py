"""Surfaces over the access factor and the length of a list. The script draws them from the figures of the
table below. Surfaces in one row have one scale of heights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mallard.shared.view.html.figures import RAISED, three_digits
from mallard.shared.view.html.markup import Markup, element

Heights = dict[tuple[int, int], float]  # (list length, access factor) -> ratio


@dataclass(frozen=True)
class Surface:
    name: str  # the source of the figures: here, P0089
    caption: str
    heights: Heights
    table: Markup  # the figures as text
    gain: bool = False  # true if more is better

    @property
    def drawable(self) -> bool:
        """A surface needs two points in both directions."""
        return len({length for length, _ in self.heights}) > 1 and len({f for _, f in self.heights}) > 1


def surface_row(surfaces: Sequence[Surface]) -> Markup:
    return element("div", *(_figure(surface) for surface in surfaces), class_="surfaces")


def _figure(surface: Surface) -> Markup:
    kind = "gain" if surface.gain else "loss"
    return element(
        "figure",
        element("figcaption", element("b", surface.name), " ", surface.caption),
        surface.table,
        class_="surface",
        data_surface=kind if surface.drawable else None,
        data_x=" ".join(map(str, descending(factor for _, factor in surface.heights))),
        data_y=" ".join(map(str, descending(length for length, _ in surface.heights))),
    )


def power(value: int) -> str:
    """A number. Powers of two and ten are written as powers."""
    for base in (2, 10):
        exponent = round(math.log(value, base))
        if base**exponent == value:
            return f"{base}{str(exponent).translate(RAISED)}"
    return three_digits(value)


def descending(values: Iterable[int]) -> list[int]:
    """The order of the rows and columns in a surface's table."""
    return sorted(set(values), reverse=True)
