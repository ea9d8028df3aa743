"""A figure on the colour of its ratio."""

from __future__ import annotations

from mallard.shared.stats import Ratio
from mallard.shared.view.html.figures import ratio_step
from mallard.shared.view.html.markup import Markup, element, joined


def chip(text: str, ratio: Ratio, small: str | None = None) -> Markup:
    """A figure on the colour of its ratio, and a small text beside it."""
    coloured = element("span", text, class_=f"chip {ratio_step(ratio)}")
    return coloured if small is None else joined(coloured, element("small", small))
