"""The scope of the advice: six dimensions as parts of a duck, and the figures of the profile."""

from __future__ import annotations

from mallard.advisor.advice.candidates import Candidate
from mallard.advisor.advice.study import Study
from mallard.advisor.profile.dimensions import DIMENSIONS
from mallard.advisor.profile.figures import Figures
from mallard.advisor.profile.scopes import Scope
from mallard.advisor.profile.words import UNKNOWN
from mallard.advisor.view.html.profile.content import Content, Part
from mallard.advisor.view.html.profile.flame import colour
from mallard.advisor.view.html.profile.scopes import lifetime_details
from mallard.advisor.view.html.profile.summary import dimensions
from mallard.shared.view.html.markup import Markup, element, joined, leaf

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


def scope_part(study: Study, content: Content) -> Part | None:
    chosen = study.chosen
    if chosen is None:
        return None
    row = find_row(chosen, content)
    if row is None:
        return None
    body = joined(
        element(
            "div",
            element("figure", duck(row.figures), element("figcaption", "The darker, the nearer to 1.")),
            dimensions(row.figures),
            class_="duck-and-bars",
        ),
        element("div", *lifetime_details(content, row), class_="columns in-depth"),
    )
    return Part("scope", "Scope", f"How the memory of {chosen.title} lives", body, {})


def find_row(chosen: Candidate, content: Content) -> Scope | None:
    markers = content.profile.markers
    scopes = (*content.profile.scopes, *(markers.scopes if markers else ()))
    if chosen.function is not None:
        return next((scope for scope in scopes if scope.function == chosen.function), None)
    return next(
        (scope for scope in scopes if scope.kind == chosen.kind and scope.name == chosen.asked_as), None
    )


def duck(figures: Figures) -> Markup:
    """DVLUC: density its head, variation its wing, locality its breast, utilization its body, contention its
    beak; and fragmentability its tail."""
    words = []
    drawn = []
    for dimension in DIMENSIONS:
        value = figures.dimension(dimension.letter).scaled
        text = UNKNOWN if value is None else f"{value:.2f}"
        words.append(f"{dimension.name} {text}")
        outline, (left, top) = PARTS[dimension.letter]
        drawn.append(
            (
                list(PARTS).index(dimension.letter),
                element(
                    "g",
                    element("title", f"{dimension.name}: {text}"),
                    leaf("path", d=outline),
                    element("text", dimension.letter, x=str(left), y=str(top)),
                    class_="unknown" if value is None else colour(min(max(value, 0.0), 1.0)),
                ),
            )
        )
    return element(
        "svg",
        *(part for _, part in sorted(drawn, key=lambda part: part[0])),
        leaf("circle", cx="276", cy="56", r="5", class_="eye"),
        viewBox="0 20 368 224",
        role="img",
        aria_label=f"The duck of {', '.join(words)}",
        class_="duck",
    )
