"""The answer of the advice and its figures, and, at the end of the page, its doubts."""

from __future__ import annotations

from mallard.advisor.advice.verdict import Verdict
from mallard.advisor.view.html.profile.content import Part
from mallard.shared.view.html.markup import Markup, element, joined


def answer_part(verdict: Verdict) -> Part:
    body = joined(
        element("p", verdict.headline, class_=f"verdict {verdict.kind}"),
        element("dl", *(_fact(label, text) for label, text in verdict.facts), class_="terms")
        if verdict.facts
        else None,
    )
    return Part("answer", "Answer", "The answer", body, {})


def _fact(label: str, text: str) -> Markup:
    return joined(element("dt", label), element("dd", text))


def doubts_part(verdict: Verdict) -> Part | None:
    if not verdict.notes:
        return None
    body = element("ul", *(element("li", note) for note in verdict.notes), class_="notes")
    return Part("doubts", "Doubts", "Reasons for doubt", body, {})
