"""Elements with escaped text and attributes; what is built here is already safe to put into a page."""

from __future__ import annotations

from html import escape


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Content = str | Markup | None


def element(name: str, /, *contents: Content, **attributes: str | bool | None) -> Markup:
    """`class_`, `for_` lose their underscore, others turn it into a hyphen; None and False leave it out."""
    return Markup(f"<{name}{_attributes(attributes)}>{joined(*contents)}</{name}>")


def empty_element(name: str, /, **attributes: str | bool | None) -> Markup:
    return Markup(f"<{name}{_attributes(attributes)}>")


def joined(*contents: Content) -> Markup:
    return Markup("".join(_safe(content) for content in contents))


def _safe(content: Content) -> str:
    if content is None:
        return ""
    return content if isinstance(content, Markup) else escape(content, quote=False)


def _attributes(attributes: dict[str, str | bool | None]) -> str:
    parts = []
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        plain = name.removesuffix("_").replace("_", "-")
        parts.append(f" {plain}" if value is True else f' {plain}="{escape(str(value))}"')
    return "".join(parts)
