"""Elements and names with escaped text, which are safe to insert into a page. Control characters are shown
as escapes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from mallard.shared.prose import printable
from mallard.shared.report.model import Name
from mallard.shared.report.names import ELLIPSIS, last_parts


class Markup(str):
    """Text in HTML."""


Content = str | Markup | None
OPTION = re.compile(r"((?<![\w-])--[a-z][\w-]*)")
ENDS_BY_ITSELF = ("td", "th", "tr")  # end tags that HTML does not require


def element(name: str, /, *contents: Content, **attributes: str | bool | None) -> Markup:
    """An element. `class_` and `for_` lose their underscore, other names turn it into a hyphen. None and
    False are left out."""
    end = "" if name in ENDS_BY_ITSELF else f"</{name}>"
    return Markup(f"<{name}{_attributes(attributes)}>{joined(*contents)}{end}")


def empty_element(name: str, /, **attributes: str | bool | None) -> Markup:
    return Markup(f"<{name}{_attributes(attributes)}>")


def leaf(name: str, /, **attributes: str | bool | None) -> Markup:
    """An element of a drawing without contents."""
    return Markup(f"<{name}{_attributes(attributes)}/>")


def joined(*contents: Content) -> Markup:
    return Markup("".join(map(_safe, contents)))


def breakable(names: str) -> Markup:
    """Names of strategies. A narrow column may break them behind a slash or a plus."""
    return Markup(_escaped(names).replace("/", "/<wbr>").replace("+", "+<wbr>"))


def with_whole_options(text: str) -> Markup:
    """A command, or a sentence with one. Browsers break a line behind each hyphen, even in `--html`."""
    pieces = OPTION.split(text)
    return joined(
        *(element("span", piece, class_="option") if odd % 2 else piece for odd, piece in enumerate(pieces))
    )


def slug(text: str) -> str:
    """The text as a part of an id: `not-measured`."""
    return re.sub(r"\W+", "-", text.lower()).strip("-")


def _safe(content: Content) -> str:
    if content is None:
        return ""
    return content if isinstance(content, Markup) else _escaped(content)


def _escaped(text: str) -> str:
    return escape(printable(text), quote=False)


def _attributes(attributes: dict[str, str | bool | None]) -> str:
    parts = []
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        plain = name.removesuffix("_").replace("_", "-")
        parts.append(f" {plain}" if value is True else f' {plain}="{escape(printable(str(value)))}"')
    return "".join(parts)


WIDEST = 80  # letters of a short name


@dataclass(frozen=True)
class Limits:
    rows: int  # of a table
    letters: int  # of a name
    calls: int  # of a flame graph


# Tried in order, until the page is small enough.
LIMITS = (
    Limits(rows=200, letters=600, calls=3000),
    Limits(rows=80, letters=200, calls=2000),
    Limits(rows=20, letters=80, calls=500),
)


class PageNames:
    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._numbers: dict[Name, int] = {}
        self._stacks: dict[tuple[int, ...], int] = {}

    @property
    def data(self) -> dict[str, Any]:
        """For the scripts, of all names and stacks that were numbered."""
        names = [[self.short(name), self.cut(name.full), self.cut(name.source)] for name in self._numbers]
        return {"names": names, "stacks": list(self._stacks)}

    def number(self, name: Name) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def stack_number(self, levels: Sequence[Name]) -> int:
        return self._stacks.setdefault(tuple(map(self.number, levels)), len(self._stacks))

    def short(self, name: Name) -> str:
        return name.within(min(WIDEST, self.limits.letters))

    def last(self, name: Name) -> Markup:
        """The last parts of a name, for a narrow column."""
        return breakable_name(last_parts(self.short(name)))

    def cut(self, text: str) -> str:
        most = self.limits.letters
        return text if len(text) <= most else f"{text[: most - 1]}{ELLIPSIS}"

    def markup(self, name: Name, *, narrow: bool = False) -> Markup:
        """The short name over its source, the full name on hover."""
        source = self.cut(name.source)
        return element(
            "span",
            element("b", self.last(name) if narrow else breakable_name(self.short(name))),
            element("small", breakable_name(source)) if source else None,
            class_="fn",
            title=self.cut(name.full) or None,
        )


def breakable_name(text: str) -> Markup:
    """A name that a narrow column may break behind `::` and `/`."""
    return Markup(breakable(text).replace("::", "::<wbr>"))
