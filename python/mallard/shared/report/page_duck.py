"""DVLUC, the duck of the papers, on a page: density its head, variation its wing, locality its breast,
utilization its body, contention its beak; and fragmentability its tail.
"""

from __future__ import annotations

from mallard.shared.report.figures import level
from mallard.shared.report.markup import Markup, element, leaf
from mallard.shared.report.model import Duck
from mallard.shared.report.page_flame import colour

# For each dimension the outline of its part of the duck, which looks right, and the position of its letter.
PARTS = {
    "F": ("M46 150C30 136 20 112 14 84C40 96 70 112 92 131C74 136 60 142 46 150Z", (48, 124)),
    "U": (
        "M46 150c6 64 62 86 122 86c64 0 114 -28 120 -84c-38 16 -74 -2 -108 -12c-50 -14 -96 -6 -134 10Z",
        (222, 208),
    ),
    "V": ("M96 158C130 146 178 152 206 178C180 204 128 206 92 186C104 178 104 168 96 158Z", (146, 185)),
    "L": (
        "M288 152c6 -20 2 -36 4 -56c-22 20 -48 16 -62 -4c-4 28 -16 46 -50 48c34 10 70 28 108 12Z",
        (256, 139),
    ),
    "D": ("M220 66a42 42 0 1 0 84 0a42 42 0 1 0 -84 0Z", (256, 82)),
    "C": ("M301 50C322 50 342 60 354 72C338 84 318 88 300 84C305 72 305 62 301 50Z", (322, 75)),
}


def duck(drawing: Duck) -> Markup:
    dimensions = {letter: (name, value) for letter, name, value in drawing.dimensions.items}
    parts = []
    for letter, (outline, (left, top)) in PARTS.items():
        name, value = dimensions[letter]
        parts.append(
            element(
                "g",
                element("title", f"{name}: {level(value)}"),
                leaf("path", d=outline),
                element("text", letter, x=str(left), y=str(top)),
                class_="unknown" if value is None else colour(min(max(value, 0.0), 1.0)),
            )
        )
    words = ", ".join(f"{name} {level(value)}" for name, value in dimensions.values())
    drawn = element(
        "svg",
        *parts,
        leaf("circle", cx="276", cy="56", r="5", class_="eye"),
        viewBox="0 20 368 224",
        role="img",
        aria_label=f"The duck of {words}",
        class_="duck",
    )
    return element("figure", drawn, element("figcaption", "The darker, the nearer to 1."))
