"""A profile as one self-contained page: no requests, readable without scripts, at most MOST_BYTES long."""

from __future__ import annotations

import os
from collections.abc import Sequence

from mallard.profile import sentences
from mallard.profile.document import Profile
from mallard.profile.names import Names
from mallard.view.html.markup import Markup, element, empty_element, joined
from mallard.view.html.profile.content import Content, Limits, Part
from mallard.view.html.profile.data import packed
from mallard.view.html.profile.definitions import definitions_part
from mallard.view.html.profile.flame import flame_part
from mallard.view.html.profile.lifetimes import lifetimes_part
from mallard.view.html.profile.one_scope import one_scope_part
from mallard.view.html.profile.pairs import pairs_part
from mallard.view.html.profile.scopes import marked_part, scopes_part
from mallard.view.html.profile.sites import sites_part
from mallard.view.html.profile.summary import summary_part
from mallard.view.html.profile.timeline import timeline_part
from mallard.view.html.profile.unowned import unowned_part
from mallard.view.html.static_files import static_text

MOST_BYTES = 5_000_000
MIDDLE_DOT = "\N{MIDDLE DOT}"
STYLES = ("report.css", "maps.css", "profile/profile.css", "profile/figures.css", "print.css")
SCRIPTS = (
    *("panel.js", "profile/data.js", "profile/flame.js", "profile/timeline.js", "profile/tables.js"),
    "sections.js",
)
# The page of a hostile profile becomes small enough with one of the later ones.
LIMITS = (
    Limits(rows=200, letters=600, nodes=3000),
    Limits(rows=80, letters=200, nodes=2000),
    Limits(rows=20, letters=80, nodes=500),
)
PARTS = (
    *(summary_part, one_scope_part, flame_part, scopes_part, marked_part, timeline_part, lifetimes_part),
    *(unowned_part, pairs_part, sites_part, definitions_part),
)


def profile_page(profile: Profile) -> str:
    page = ""
    names = Names(profile)
    for limits in LIMITS:
        page = _page(Content(profile, names, limits))
        if len(page.encode()) <= MOST_BYTES:
            break
    return page


def _page(content: Content) -> str:
    parts = [part for make in PARTS if (part := make(content))]
    title = f"How the memory of {_program(content.profile)} lives"
    body = joined(
        _header(content.profile, title),
        element(
            "nav", *(element("a", each.title, href=f"#{each.name}") for each in parts), aria_label="Sections"
        ),
        element("main", *(_section(each) for each in parts)),
        element("div", class_="panel", id="panel", role="status", hidden=True),
        element("script", Markup(packed(content, parts)), id="profile-data", type="application/octet-stream"),
        element("script", Markup("".join(static_text(name) for name in SCRIPTS))),
    )
    head = joined(
        empty_element("meta", charset="utf-8"),
        empty_element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        empty_element("meta", name="color-scheme", content="light dark"),
        empty_element("link", rel="icon", href="data:,"),
        element("title", f"mallard: {title}"),
        element("style", Markup("".join(static_text(name) for name in STYLES))),
    )
    return f'<!doctype html>\n<html lang="en">{element("head", head)}{element("body", body)}</html>\n'


def _program(profile: Profile) -> str:
    process = profile.process
    words: Sequence[str] = process.command or ()
    return os.path.basename(words[0] if words else process.executable or "") or "a program"


def _header(profile: Profile, title: str) -> Markup:
    doubts = [text for text in (sentences.withheld(profile), *sentences.losses(profile)) if text]
    others = sentences.other_processes(profile)
    facts = [
        sentences.process_facts(profile),
        f"beside {others}" if others else "",
        os.path.basename(profile.trace.file),
    ]
    return element(
        "header",
        element("p", "mallard", class_="brand"),
        element("h1", title),
        element("p", element("code", sentences.command(profile)), class_="command"),
        element("p", f" {MIDDLE_DOT} ".join(filter(None, facts)), class_="conditions"),
        element("aside", element("ul", *(element("li", text) for text in doubts))) if doubts else None,
    )


def _section(part: Part) -> Markup:
    return element("section", element("h2", part.heading), part.body, id=part.name, class_="part")
