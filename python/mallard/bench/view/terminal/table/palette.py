"""Colour by the logarithm of a ratio: blue is faster than new-delete, orange slower, pale no different.

Blue and orange differ in every common kind of colour blindness. The text on them is black or white, with
the higher contrast. The figures are complete without colour.
"""

from __future__ import annotations

import math

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.style import Style

FASTER = (8, 69, 148)
EVEN = (247, 247, 247)
SLOWER = (204, 85, 0)
BLACK, WHITE = (0, 0, 0), (255, 255, 255)
# Above this luminance black has more contrast than white, below it white has.
MIDDLE_LUMINANCE = 0.179
# The limits of the scale: five times faster is the darkest blue, three times slower the darkest orange.
FASTEST_LOG2 = -2.3
SLOWEST_LOG2 = 1.6
# The limit for a shuffle's effect on accesses: twenty times slower.
SCATTERED_LOG2 = 4.3


def ratio_style(ratio: float, *, bold: bool = False, slowest_log2: float = SLOWEST_LOG2) -> Style:
    log = math.log2(ratio)
    end, share = (FASTER, log / FASTEST_LOG2) if log < 0 else (SLOWER, log / slowest_log2)
    share = min(1.0, share)
    red, green, blue = (round(even + (limit - even) * share) for even, limit in zip(EVEN, end, strict=True))
    ground = ColorTriplet(red, green, blue)
    return Style(
        color=Color.from_rgb(*(BLACK if _luminance(ground) > MIDDLE_LUMINANCE else WHITE)),
        bgcolor=Color.from_triplet(ground),
        bold=bold,
    )


def _luminance(colour: ColorTriplet) -> float:
    """Relative luminance as defined in WCAG 2."""
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in colour.normalized
    )
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)
