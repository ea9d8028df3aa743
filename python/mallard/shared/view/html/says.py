"""The analysis's sentences about measured figures, as HTML."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.shared.view.html.figures import with_raised_exponents
from mallard.shared.view.html.markup import Markup, element


def render_sentences(sentences: Sequence[str]) -> Markup | None:
    if not sentences:
        return None
    items = [element("li", with_raised_exponents(sentence)) for sentence in sentences]
    return element("ul", *items, class_="says")


def answer(sentences: Sequence[str]) -> Markup | None:
    """The first sentence, as HTML: it is the answer."""
    return element("span", with_raised_exponents(sentences[0])) if sentences else None
