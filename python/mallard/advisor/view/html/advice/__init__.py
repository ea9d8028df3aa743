"""Advice as one self-contained page: the answer, the picture of before and after, the trial, the scope, code.

It shares the flame graph, the frame and the styles with a profile's page.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from mallard.advisor.advice.study import Study
from mallard.advisor.advice.verdict import Verdict
from mallard.advisor.profile import sentences
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.view.html.advice.answer import answer_part, doubts_part
from mallard.advisor.view.html.advice.before_and_after import before_and_after_part
from mallard.advisor.view.html.advice.paste import paste_part
from mallard.advisor.view.html.advice.saved import saved_part
from mallard.advisor.view.html.advice.scope import scope_part
from mallard.advisor.view.html.advice.tried import tried_part
from mallard.advisor.view.html.profile.content import Content, Part
from mallard.advisor.view.html.profile.shell import (
    LIMITS,
    MOST_BYTES,
    STYLES,
    list_doubts,
    page_header,
    program_name,
    render_page,
)

OWN_STYLES = (*STYLES[:-1], "advice.css", STYLES[-1])


@dataclass(frozen=True)
class Advice:
    """The input of the page. `content` is of the recording; None if the program does not allocate."""

    study: Study
    verdict: Verdict
    content: Content | None


def advice_page(study: Study, verdict: Verdict, profile: Profile | None) -> str:
    page = ""
    names = Names(profile) if profile else None
    for limits in LIMITS:
        content = Content(profile, names, limits) if profile and names else None
        page = _page(Advice(study, verdict, content))
        if len(page.encode()) <= MOST_BYTES:
            break
    return page


def _page(advice: Advice) -> str:
    study, verdict, content = advice.study, advice.verdict, advice.content
    parts: list[Part | None] = [
        answer_part(verdict),
        before_and_after_part(study),
        tried_part(study),
        scope_part(study, content) if content else None,
        saved_part(study, content) if content else None,
        paste_part(verdict),
        doubts_part(verdict),
    ]
    profile = content.profile if content else None
    facts = [sentences.process_facts(profile)] if profile else []
    header = page_header(
        f"Which allocator for {program_name(study.words)}?",
        shlex.join(study.words),
        facts,
        list_doubts(profile) if profile else [],
    )
    shown_parts = [part for part in parts if part]
    return render_page(f"advice for {program_name(study.words)}", header, shown_parts, content, OWN_STYLES)
