"""The parts of a profile's page that a script moves: the flame graph, the timeline, and its tables."""

from __future__ import annotations

from pathlib import Path

from browser import Browser, Page
from looks import count, text

PAGE = "profile"
NODES = ".rows i"


def names(page: Page) -> list[str]:
    names: list[str] = page.evaluate(f"[...document.querySelectorAll('{NODES}')].map(e => e.textContent)")
    return names


def test_the_flame_graph_zooms_searches_and_explains(page: Page) -> None:
    nodes = count(page, NODES)
    page.evaluate(f"[...document.querySelectorAll('{NODES}')].find(e => e.style.top === '38px').click()")
    page.wait_until_drawn()
    assert count(page, f"{NODES}.outer") == 2
    widths = page.evaluate(f"[...document.querySelectorAll('{NODES}')].slice(0, 3).map(e => e.style.width)")
    assert widths == ["100%"] * 3
    page.evaluate("document.querySelector('.flame-controls button').click()")
    page.wait_until_drawn()
    assert count(page, NODES) == nodes
    assert page.evaluate("document.querySelector('.flame-controls button').hidden") is True
    page.evaluate("document.querySelector('.flame-controls input[type=search]').focus()")
    page.write("parsetop level")
    page.wait_until_drawn()
    hits = page.evaluate(f"[...document.querySelectorAll('{NODES}.hit')].map(e => e.textContent)")
    assert hits
    assert {name.rpartition("::")[2] for name in hits} == {"ParseTopLevelDecl"}
    assert text(page, ".flame-controls output").endswith("% match")
    page.point_at(f"{NODES}:nth-of-type(2)")
    panel = text(page, "#panel")
    for part in ("of the graph", "allocated", "contained", "operations"):
        assert part in panel
    about = text(page, ".flame-controls p")
    page.evaluate("document.querySelector('label[for=flame-operations]').click()")
    page.wait_until_drawn()
    assert text(page, ".flame-controls p") != about
    assert names(page)[0] == "all"


def test_the_keyboard_goes_through_the_flame_graph(page: Page) -> None:
    page.evaluate(f"document.querySelector('{NODES}[tabindex]').focus()")
    page.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == names(page)[1]
    page.press("ArrowRight")
    assert page.evaluate("document.activeElement.style.top") == "19px"
    page.press("Enter")
    page.wait_until_drawn()
    assert count(page, f"{NODES}.outer") == 1
    page.press("Escape")
    page.wait_until_drawn()
    assert count(page, f"{NODES}.outer") == 0


def test_the_script_draws_the_static_graph_again(browser: Browser, report: Path) -> None:
    """Both lay a node out in one way, so that a page without scripts shows what one with scripts does."""
    place = (
        f"[...document.querySelectorAll('{NODES}')].filter(e => parseFloat(e.style.width) >= 0.5)"
        ".map(e => [e.textContent, e.className.trim(), parseFloat(e.style.left).toFixed(1), e.style.top])"
    )
    plain = Page(browser, script=False).open(report)
    live = Page(browser).open(report)
    live.wait_until_drawn()
    assert sorted(plain.evaluate(place)) == sorted(live.evaluate(place))


def test_the_pointer_and_arrow_keys_read_the_timeline(page: Page) -> None:
    page.point_at(".drawing")
    panel = text(page, "#panel")
    assert panel.startswith("after 1.1")
    assert "the whole process" in panel
    assert "clang::ParseAST" in panel
    assert page.evaluate("document.querySelector('.cursor').hidden") is False
    page.evaluate("document.querySelector('.timeline .drawing').focus()")
    page.wait_until_drawn()  # a scroll to the focus hides the panel
    page.press("Home")
    first = text(page, "#panel")
    assert first.startswith("after 0")
    page.press("ArrowRight")
    assert text(page, "#panel") != first
    page.press("Home")
    assert text(page, "#panel") == first


def test_headings_sort_and_stacks_unfold(page: Page) -> None:
    """A scope keeps its second row; an opened stack has all levels."""
    head = "#scopes > .wide > table > thead th:nth-child(2)"
    cells = "#scopes > .wide > table > tbody > tr:first-child > td:nth-child(2)"
    figures = f"[...document.querySelectorAll('{cells}')].map(e => e.innerText.trim())"
    page.evaluate(f"document.querySelector('{head}').click()")
    assert page.evaluate(figures) == ["\u2264 98 %", "\u2264 61 %", "\u2264 4.0 %"]
    page.evaluate(f"document.querySelector('{head}').focus()")
    page.press("Enter")
    assert page.evaluate(figures) == ["\u2264 4.0 %", "\u2264 61 %", "\u2264 98 %"]
    assert page.evaluate(f"document.querySelector('{head}').ariaSort") == "ascending"
    bodies = "#scopes > .wide > table > tbody"
    assert count(page, bodies) == count(page, f"{bodies} > .more") == 3
    page.evaluate("document.querySelector('#pairs .stack').open = true")
    page.wait_until_drawn()
    assert "main" in text(page, "#pairs .stack ol")
