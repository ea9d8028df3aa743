"""The code of the advice, to paste."""

from __future__ import annotations

from mallard.advice.verdict import Verdict
from mallard.view.html.markup import element
from mallard.view.html.profile.content import Part


def paste_part(verdict: Verdict) -> Part | None:
    if not verdict.code:
        return None
    body = element(
        "pre", element("code", verdict.code), tabindex="0", role="region", aria_label="Code to paste"
    )
    return Part("code", "Code", "Code to paste", body, {})
