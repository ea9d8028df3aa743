"""Elements with escaped text and attributes, which are safe to insert into a page. Control characters are
shown as escapes.
"""

from __future__ import annotations

import re
from html import escape

from mallard.shared.prose import printable


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
