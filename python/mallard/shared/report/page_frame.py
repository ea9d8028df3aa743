"""The frame of a page: head, skip link, header, navigation, and the main part that the link leads to."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

from mallard.shared.report.markup import Markup, element, empty_element, joined

MAIN = "main"


def body_frame(header: Markup, links: Sequence[Markup], *sections: Markup | None) -> Markup:
    """The visible body. The panel at its end shows the figures of the element under pointer or focus."""
    return joined(
        element("a", "Skip to the content", href=f"#{MAIN}", class_="skip"),
        header,
        element("nav", *links, aria_label="Sections"),
        element("main", *sections, id=MAIN, tabindex="-1"),
        element("div", class_="panel", id="panel", role="status", hidden=True),
    )


def html_document(title: str, styles: Sequence[str], *body: Markup | None) -> str:
    head = joined(
        empty_element("meta", charset="utf-8"),
        empty_element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        empty_element("meta", name="color-scheme", content="light dark"),
        empty_element("link", rel="icon", href="data:,"),
        element("title", f"mallard: {title}"),
        element("style", _static_text(styles)),
    )
    return f'<!doctype html>\n<html lang="en">{element("head", head)}{element("body", *body)}</html>\n'


def caution(texts: Sequence[str]) -> Markup | None:
    """A box for what a reader must know of the figures; it follows the answer."""
    if not texts:
        return None
    items = (element("li", text) for text in texts)
    return element(
        "div", element("b", "Read with care"), element("ul", *items), class_="caution", role="note"
    )


def inline_scripts(names: Sequence[str]) -> Markup:
    return element("script", _static_text(names))


def _static_text(names: Sequence[str]) -> Markup:
    """Files of static/, without indents and comment lines."""
    folder = resources.files("mallard.shared.report") / "static"
    texts = ((folder / name).read_text(encoding="utf-8").splitlines() for name in names)
    lines = ([line for line in map(str.strip, text) if line and not line.startswith("//")] for text in texts)
    return Markup("".join(map("\n".join, lines)))
