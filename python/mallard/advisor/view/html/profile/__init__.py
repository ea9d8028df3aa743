"""A profile as one self-contained page: no requests, readable without scripts, at most MOST_BYTES long."""

from __future__ import annotations

import os

from mallard.advisor.profile import sentences
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.view.html.profile.charts import lifetimes_part, timeline_part
from mallard.advisor.view.html.profile.diffusion import diffusion_part
from mallard.advisor.view.html.profile.flame import flame_part
from mallard.advisor.view.html.profile.page import (
    LIMITS,
    MOST_BYTES,
    Content,
    list_doubts,
    page_header,
    program_name,
    render_page,
)
from mallard.advisor.view.html.profile.scopes import marked_part, one_scope_part, scopes_part
from mallard.advisor.view.html.profile.sites import pairs_part, sites_part
from mallard.advisor.view.html.profile.summary import answers, definitions_part, summary_part
from mallard.advisor.view.html.profile.unowned import unowned_part
from mallard.shared.errors import UsageError
from mallard.shared.report.figures import size

PARTS = (
    *(summary_part, one_scope_part, flame_part, scopes_part, marked_part, timeline_part, lifetimes_part),
    *(unowned_part, diffusion_part, pairs_part, sites_part, definitions_part),
)


def profile_page(profile: Profile) -> str:
    """Raises UsageError if the shortest page is longer than MOST_BYTES."""
    bytes_ = 0
    names = Names(profile)
    for limits in LIMITS:
        page = _page(Content(profile, names, limits))
        bytes_ = len(page.encode())
        if bytes_ <= MOST_BYTES:
            return page
    raise UsageError(
        f"The page would have {size(bytes_)}, and at most {size(MOST_BYTES)} are allowed; "
        "leave --html out, or take --json"
    )


def _page(content: Content) -> str:
    profile = content.profile
    parts = [part for make in PARTS if (part := make(content))]
    process = profile.process
    others = sentences.other_processes(profile)
    title = f"How the memory of {program_name(process.command or [process.executable or ''])} lives"
    facts = [
        sentences.process_facts(profile),
        f"beside {others}" if others else "",
        os.path.basename(profile.trace.file),
    ]
    header = page_header(title, sentences.command(profile), facts, answers(content), list_doubts(profile))
    return render_page(title, header, parts, content)
