"""Colour by the logarithm of a ratio: blue is faster than AS1, orange slower, pale no different.

Blue and orange stay apart in every common kind of colour blindness; the text on them is black or white,
whichever stands out more. The figures say the same without any colour.
"""

from __future__ import annotations

import math

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.style import Style

FASTER = (8, 69, 148)
EVEN = (247, 247, 247)
SLOWER = (204, 85, 0)
# Five times faster is as blue, and three times slower as orange, as it gets.
FASTEST_LOG2 = -2.3
SLOWEST_LOG2 = 1.6


def ratio_style(ratio: float, *, bold: bool = False) -> Style:
    log = math.log2(ratio)
    end, share = (FASTER, log / FASTEST_LOG2) if log < 0 else (SLOWER, log / SLOWEST_LOG2)
    share = min(1.0, share)
    red, green, blue = (round(even + (limit - even) * share) for even, limit in zip(EVEN, end, strict=True))
    dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 140
    return Style(
        color=Color.from_rgb(255, 255, 255) if dark else Color.from_rgb(0, 0, 0),
        bgcolor=Color.from_triplet(ColorTriplet(red, green, blue)),
        bold=bold,
    )
