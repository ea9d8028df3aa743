"""The input of a profile's page, and its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import SKIPPED_LEVELS, Names
from mallard.advisor.profile.short_name import ELLIPSIS, last_parts
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
    return element("div", grid, class_="wide", role="region", aria_label=caption, tabindex="0")


def number_head(text: str, about: str = "") -> Markup:
    return element("th", text, class_="n", title=about or None)


def number(text: str, label: str = "", value: float | None = None) -> Markup:
    """A right-aligned figure. `label` names it in narrow layouts; `value` sorts it."""
    return element(
        "td", text, class_="n", data_label=label or None, data_v=None if value is None else f"{value:.6g}"
    )


def unlisted(text: str) -> Markup | None:
    return element("p", text, class_="setting") if text else None
