"""Test equipment: the looks of a page, in numbers."""

from __future__ import annotations

import re

from browser import Page


def overflow(page: Page) -> int:
    wide: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return wide


def cut_tables(page: Page) -> list[str]:
    """Those that are wider than their frames."""
    cut: list[str] = page.evaluate(
        "[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth + 1)"
        ".map(e => e.ariaLabel)"
    )
    return cut


def too_pale(page: Page, selector: str, least: float, ink: str = "color") -> list[tuple[str, float]]:
    """The words on a colour of less contrast. An element without a colour has that behind it."""
    found: list[tuple[str, str, str]] = page.evaluate(
        f"[...document.querySelectorAll({selector!r})].map(element => {{ let behind = element;"
        " while (behind && getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)')"
        "   behind = behind.parentElement;"
        " const back = behind ? getComputedStyle(behind).backgroundColor : 'rgb(255, 255, 255)';"
        " return [element.className.baseVal ?? element.className, back,"
        f"   getComputedStyle(element).{ink}]; }})"
    )
    assert found, selector
    contrasts = [(name, round(contrast(back, front), 2)) for name, back, front in found]
    return [(name, value) for name, value in contrasts if value < least]


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
        f"mallard.maps.then(({{ of }}) => of(document.querySelector({table!r})).heads.indexOf({head!r}) + 1)"
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
