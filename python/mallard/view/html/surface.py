"""Surfaces over the access factor and the length of a list: what the script draws, in an attribute of a
figure. Figures in one row have one scale of heights.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from mallard.view.html.figures import RAISED, three_digits
from mallard.view.html.markup import Markup, element

Heights = dict[tuple[int, int], float]  # (list length, access factor) -> ratio


@dataclass(frozen=True)
class Surface:
    name: str  # whose figures: here, P0089
    caption: str
    heights: Heights
    table: Markup  # the same figures, to be read
    gain: bool = False  # whether more is better

    @property
    def drawable(self) -> bool:
        """A surface needs two points in both directions."""
        return len({length for length, _ in self.heights}) > 1 and len({f for _, f in self.heights}) > 1


def surface_row(surfaces: Sequence[Surface]) -> Markup:
    drawn = [surface for surface in surfaces if surface.drawable]
    heights = [height for surface in drawn for height in surface.heights.values()] or [1.0]
    figures = [_figure(surface, min(heights), max(heights)) for surface in surfaces]
    return element("div", *figures, class_="surfaces")


def _figure(surface: Surface, least: float, greatest: float) -> Markup:
    lengths = sorted({length for length, _ in surface.heights})
    factors = sorted({factor for _, factor in surface.heights})
    told = {
        "name": surface.name,
        "x": [math.log2(factor) for factor in factors],
        "factors": [power(factor) for factor in factors],
        "y": [math.log2(length) for length in lengths],
        "lengths": [power(length) for length in lengths],
        "z": [[_rounded(surface.heights.get((length, factor))) for factor in factors] for length in lengths],
        "least": _rounded(least),
        "greatest": _rounded(greatest),
        "gain": surface.gain,
    }
    data = json.dumps(told, ensure_ascii=False, separators=(",", ":")) if surface.drawable else None
    caption = element("figcaption", element("b", surface.name), " ", surface.caption)
    return element("figure", caption, surface.table, class_="surface", data_surface=data)


def power(value: int) -> str:
    """A power of two or ten as such."""
    for base in (2, 10):
        exponent = round(math.log(value, base))
        if base**exponent == value:
            return f"{base}{str(exponent).translate(RAISED)}"
    return three_digits(value)


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.3g}")
