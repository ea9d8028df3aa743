"""A page about a program: its parts, the frame around them, and the data for its scripts.

The data is one JSON, compressed and base64-encoded:

functions  [short name, full name, source] of the functions that are named by number
places     [function, source, inlined]
stacks     lists of places, the innermost first
and the data of each part by its name
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from mallard.advisor.profile import sentences
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import ELLIPSIS, SKIPPED_LEVELS, Names, last_parts
from mallard.shared.view.html.document import body_frame, caution, html_document, inline_scripts
from mallard.shared.view.html.markup import Markup, breakable, element

Row = TypeVar("Row")
WIDEST = 80  # letters of a short name


@dataclass(frozen=True)
class Limits:
    rows: int  # of a table
    letters: int  # of a name
    nodes: int  # of the flame graph


@dataclass(frozen=True)
class Part:
    """A section of the page. `data` is what its script needs, by name."""

    name: str  # the anchor
    title: str  # in the navigation
    heading: str
    body: Markup
    data: dict[str, Any]


class Content:
    """A profile, with its names shortened for the page."""

    def __init__(self, profile: Profile, names: Names, limits: Limits) -> None:
        self.profile = profile
        self.names = names
        self.limits = limits

    def short(self, function: int | None) -> str:
        return self.names.within(function, min(WIDEST, self.limits.letters))

    def last(self, function: int | None) -> Markup:
        """The last parts of a name, for a narrow column."""
        return name(last_parts(self.short(function)))

    def full(self, function: int | None) -> str:
        return self.cut(self.names.full(function))

    def source(self, function: int | None) -> str:
        return self.cut(self.names.source(function))

    def cut(self, text: str) -> str:
        most = self.limits.letters
        return text if len(text) <= most else f"{text[: most - 1]}{ELLIPSIS}"

    def rows(self, rows: Sequence[Row]) -> Sequence[Row]:
        return rows[: self.limits.rows]

    def function(self, function: int | None) -> Markup:
        """A function in a table: its short name over its source, the full name on hover."""
        source = self.source(function)
        return element(
            "span",
            element("b", name(self.short(function))),
            element("small", name(source)) if source else None,
            class_="fn",
            title=self.full(function),
        )

    def place(self, place: int | None, *, narrow: bool = False) -> Markup:
        """A line of code in a table."""
        if place is None:
            return element("span", SKIPPED_LEVELS, class_="setting")
        function = self.names.place(place).function
        return element(
            "span",
            element("b", self.last(function) if narrow else name(self.short(function))),
            element("small", name(self.cut(self.names.place_source(place)))),
            class_="fn",
            title=self.full(function),
        )


def name(text: str) -> Markup:
    """A name that a narrow column may break behind `::` and `/`."""
    return Markup(breakable(text).replace("::", "::<wbr>"))


def table(caption: str, heads: Sequence[str | Markup], rows: Sequence[Markup], class_: str = "") -> Markup:
    """A table with one body. A text head becomes a left-aligned element, a Markup head is used unchanged."""
    head = [cell if isinstance(cell, Markup) else element("th", cell) for cell in heads]
    grid = element(
        "table",
        element("caption", caption, class_="unseen"),
        element("thead", element("tr", *head)),
        element("tbody", *rows),
        class_=f"facts-table {class_}".strip(),
    )
    return element("div", grid, class_="wide", role="group", aria_label=caption, tabindex="0")


def number_head(text: str, about: str = "") -> Markup:
    return element("th", text, class_="n", title=about or None)


def number(text: str, label: str = "", value: float | None = None) -> Markup:
    """A right-aligned figure. `label` names it in narrow layouts; `value` sorts it."""
    return element(
        "td", text, class_="n", data_label=label or None, data_v=None if value is None else f"{value:.6g}"
    )


def unlisted(text: str) -> Markup | None:
    return element("p", text, class_="setting") if text else None


def packed(content: Content, parts: Sequence[Part]) -> str:
    profile, names = content.profile, content.names
    payload = {
        "functions": [
            [content.short(number), content.full(number), content.source(number)]
            for number in range(len(profile.functions))
        ],
        "places": [
            [place.function, content.cut(names.place_source(number)), int(place.inlined)]
            for number, place in enumerate(profile.places)
        ],
        "stacks": profile.stacks,
        **{key: value for part in parts for key, value in part.data.items()},
    }
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 7)).decode()


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
    links = [element("a", part.title, href=f"#{part.name}") for part in parts]
    body = body_frame(header, links, *map(_section, parts))
    return html_document(
        title,
        styles,
        body,
        element("script", Markup(data), id="profile-data", type="application/octet-stream") if data else None,
        inline_scripts(SCRIPTS) if data else None,
    )


def page_header(
    title: str, command: str, facts: Sequence[str], answers: Sequence[str] = (), doubts: Sequence[str] = ()
) -> Markup:
    return element(
        "header",
        element("p", "mallard", class_="brand"),
        element("h1", title),
        element("p", element("code", command), class_="command"),
        element("p", f" {MIDDLE_DOT} ".join(filter(None, facts)), class_="conditions"),
        *(element("p", answer, class_="lead") for answer in answers),
        caution(doubts),
    )


def list_doubts(profile: Profile) -> list[str]:
    return [text for text in (sentences.withheld(profile), *sentences.losses(profile)) if text]


def program_name(words: Sequence[str]) -> str:
    return os.path.basename(words[0] if words else "") or "a program"


def _section(part: Part) -> Markup:
    return element("section", element("h2", part.heading), part.body, id=part.name, class_="part")
