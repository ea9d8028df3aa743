"""The definition of each figure, in a sentence."""

from __future__ import annotations

from mallard.advisor.profile import sentences
from mallard.advisor.profile.dimensions import DIMENSIONS
from mallard.advisor.view.html.profile.content import Content, Part
from mallard.shared.view.html.markup import element, joined

TERMS = (
    (
        "scope",
        "one activation of a function, with all calls inside; or a part of a program between two markers",
    ),
    ("contained", "share of the freed blocks that are freed before the activation that made them ends"),
    (
        "alive",
        "blocks that are not freed when the recording ends; they count neither as contained nor as escaped",
    ),
    (
        "bytes of an activation",
        "all bytes that one activation allocates; half of the activations need at most p50",
    ),
    (
        "drag",
        "bytes that a region would hold until the activation's end, over the live bytes, both over time",
    ),
    ("told apart", "share of the activations that the stacks allow and that an event separates"),
    (
        "back to zero",
        "times that the last live block of a scope or site is freed, and the next is a new beginning",
    ),
    ("break even", "containment from which a region saves more than its pages cost"),
)


def definitions_part(content: Content) -> Part:
    rows = [*TERMS, *((f"{dimension.letter}, {dimension.name}", dimension.text) for dimension in DIMENSIONS)]
    items = [part for term, text in rows for part in (element("dt", term), element("dd", f"{text}."))]
    body = joined(element("dl", *items, class_="terms"), element("p", sentences.BOUND))
    return Part("definitions", "Definitions", "Meaning of the figures", body, {})
