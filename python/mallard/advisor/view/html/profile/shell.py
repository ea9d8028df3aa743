"""The frame of a page about a program: head, navigation, sections, and the data of its scripts."""

from __future__ import annotations

import os
from collections.abc import Sequence

from mallard.advisor.profile import sentences
from mallard.advisor.profile.document import Profile
from mallard.advisor.view.html.profile.content import Content, Limits, Part
from mallard.advisor.view.html.profile.data import packed
from mallard.shared.view.html.markup import Markup, element, empty_element, joined
from mallard.shared.view.html.static_files import static_text

MOST_BYTES = 5_000_000
MIDDLE_DOT = "\N{MIDDLE DOT}"
STYLES = ("report.css", "maps.css", "profile/profile.css", "profile/figures.css", "print.css")
SCRIPTS = (
    *("panel.js", "profile/data.js", "profile/flame.js", "profile/timeline.js", "profile/tables.js"),
    "sections.js",
)
# Tried in order, until the page is small enough.
LIMITS = (
    Limits(rows=200, letters=600, nodes=3000),
    Limits(rows=80, letters=200, nodes=2000),
    Limits(rows=20, letters=80, nodes=500),
)


def render_page(
    title: str,
    header: Markup,
    parts: Sequence[Part],
    content: Content | None,
    styles: Sequence[str] = STYLES,
) -> str:
    """`content` is the profile whose names and stacks the scripts show, if there is one."""
    data = packed(content, parts) if content else None
    body = joined(
        header,
        element(
            "nav", *(element("a", part.title, href=f"#{part.name}") for part in parts), aria_label="Sections"
        ),
        element("main", *(_section(part) for part in parts)),
        element("div", class_="panel", id="panel", role="status", hidden=True),
        element("script", Markup(data), id="profile-data", type="application/octet-stream") if data else None,
        element("script", Markup("".join(static_text(name) for name in SCRIPTS))) if data else None,
    )
    head = joined(
        empty_element("meta", charset="utf-8"),
        empty_element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        empty_element("meta", name="color-scheme", content="light dark"),
        empty_element("link", rel="icon", href="data:,"),
        element("title", f"mallard: {title}"),
        element("style", Markup("".join(static_text(name) for name in styles))),
    )
    return f'<!doctype html>\n<html lang="en">{element("head", head)}{element("body", body)}</html>\n'


def page_header(title: str, command: str, facts: Sequence[str], doubts: Sequence[str]) -> Markup:
    return element(
        "header",
        element("p", "mallard", class_="brand"),
        element("h1", title),
        element("p", element("code", command), class_="command"),
        element("p", f" {MIDDLE_DOT} ".join(filter(None, facts)), class_="conditions"),
        element("aside", element("ul", *(element("li", text) for text in doubts))) if doubts else None,
    )


def list_doubts(profile: Profile) -> list[str]:
    return [text for text in (sentences.withheld(profile), *sentences.losses(profile)) if text]


def program_name(words: Sequence[str]) -> str:
    return os.path.basename(words[0] if words else "") or "a program"


def _section(part: Part) -> Markup:
    return element("section", element("h2", part.heading), part.body, id=part.name, class_="part")
