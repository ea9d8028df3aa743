"""The code of the advice, to paste."""

from __future__ import annotations

from mallard.advisor.advice.verdict import Verdict
from mallard.advisor.view.html.profile.content import Part
from mallard.shared.view.html.markup import element


def paste_part(verdict: Verdict) -> Part | None:
    if not verdict.code:
        return None
    body = element(
        "pre", element("code", verdict.code), tabindex="0", role="region", aria_label="Code to paste"
    )
    return Part("code", "Code", "Code to paste", body, {})
