"""Test equipment: the looks of a page, in numbers."""

from __future__ import annotations

import re

from browser import Page


def overflow(page: Page) -> int:
    wide: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return wide


def luminance(colour: str) -> float:
    channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def cell_selector(page: Page, table: str, head: str, row: int = 1) -> str:
    """The selector of a cell of the first such table, by the name of its column and the number of its row."""
    place = page.evaluate(
        f"mallard.ready.then(({{ of }}) => of(document.querySelector({table!r})).heads.indexOf({head!r}) + 1)"
    )
    assert place, f"no column {head}"
    return f"{table} tbody tr:nth-child({row}) td:nth-of-type({place})"


def count(page: Page, selector: str) -> int:
    """The number of elements."""
    result: int = page.evaluate(f"document.querySelectorAll({selector!r}).length")
    return result


def visible(page: Page, selector: str) -> int:
    """The number of elements that take room."""
    result: int = page.evaluate(
        f"[...document.querySelectorAll({selector!r})]"
        ".filter(e => e.getBoundingClientRect().height > 0).length"
    )
    return result


def text(page: Page, selector: str) -> str:
    """The text of an element, in one line."""
    result: str = page.evaluate(
        f"document.querySelector({selector!r}).innerText.replace(/\\s+/g, ' ').trim()"
    )
    return result
