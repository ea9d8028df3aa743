"""Surfaces in a real browser: they are drawn, they turn together, the pointer reads them."""

from __future__ import annotations

from pathlib import Path

from browser import Browser, Page
from looks import count, text

SURFACE = "figure[data-surface]"


def corners(page: Page, number: int) -> list[str]:
    """The places of a surface's patches, in any order of the drawing."""
    patches: list[str] = page.evaluate(
        f"[...document.querySelectorAll('{SURFACE}')[{number}].querySelectorAll('g:nth-of-type(2) polygon')]"
        ".map(e => e.getAttribute('points')).sort()"
    )
    return patches


def test_draws_a_patch_between_four_points(page: Page) -> None:
    assert count(page, SURFACE) > 20
    assert count(page, f"{SURFACE} svg") == count(page, SURFACE)
    assert len(corners(page, 0)) == (6 - 1) * (3 - 1)
    assert len(corners(page, 1)) == (22 - 1) * (9 - 1)
    assert page.evaluate(
        "[...document.querySelectorAll('.surface polygon')].every(e => !/NaN/.test(e.getAttribute('points')))"
    )


def test_surfaces_of_a_row_have_one_scale(page: Page) -> None:
    heights = page.evaluate(
        "[...document.querySelector('.surfaces').querySelectorAll('svg')]"
        ".map(e => [...e.querySelectorAll('.height')].map(t => t.textContent).join(' '))"
    )
    assert len(heights) == 3
    assert len(set(heights)) == 1


def test_dragging_turns_all_surfaces_alike(page: Page) -> None:
    initial, beside = corners(page, 0), corners(page, 1)
    page.drag(f"{SURFACE} svg", 80, -30)
    assert corners(page, 0) != initial
    assert corners(page, 1) != beside
    turns = page.evaluate(
        f"[...document.querySelectorAll('{SURFACE} svg')].slice(0, 3).map(e => e.dataset.turn)"
    )
    assert len(set(turns)) == 1
    last = f"{SURFACE}:last-of-type svg"
    page.point_at(last)
    page.wait_until_drawn()
    assert page.evaluate(f"document.querySelector('{last}').dataset.turn") == turns[0], (
        "drawn anew when it is seen"
    )


def test_arrow_keys_turn_surfaces_and_home_resets(page: Page) -> None:
    page.evaluate(f"document.querySelector('{SURFACE} svg').focus()")
    page.wait_until_drawn()
    initial = corners(page, 0)
    for key in ("ArrowLeft", "ArrowUp"):
        held = corners(page, 0)
        page.press(key)
        page.wait_until_drawn()
        assert corners(page, 0) != held, key
    page.press("Home")
    page.wait_until_drawn()
    assert corners(page, 0) == initial
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_heights_can_be_linear(page: Page) -> None:
    ticks = "[...document.querySelector('.surface').querySelectorAll('.height')].map(e => e.textContent)"
    initial = corners(page, 0)
    assert page.evaluate(ticks) == ["1", "2", "4", "8", "16", "32"]
    page.evaluate("document.querySelector('label[for=heights-linear]').click()")
    page.evaluate("document.querySelector('.surface').scrollIntoView()")
    # It is drawn when it comes into view.
    page.wait_until(f"{ticks}.join() === '5,10,15,20,25'")
    page.wait_until_drawn()
    assert corners(page, 0) != initial


def test_the_pointer_reads_one_point_on_all_surfaces(page: Page) -> None:
    page.point_at(f"{SURFACE} svg")
    panel = text(page, "#panel")
    assert panel.startswith("|S| = 2")
    for name in ("here", "P0089", "P0213"):
        assert name in panel
    marks = (
        "[...document.querySelector('.surfaces').querySelectorAll('.here')]"
        ".map(e => e.getAttribute('visibility'))"
    )
    assert page.evaluate(marks) == ["visible"] * 3
    page.point_at("h1")
    assert page.evaluate("document.getElementById('panel').hidden") is True
    assert page.evaluate(marks) == ["hidden"] * 3


def test_surfaces_follow_the_theme(browser: Browser, report: Path) -> None:
    fill = "getComputedStyle(document.querySelectorAll('.surface g:nth-of-type(2) polygon')[100]).fill"
    light, dark = Page(browser).open(report), Page(browser, dark=True).open(report)
    assert light.evaluate(fill) != dark.evaluate(fill)
    dark.media("print", dark=True)
    assert dark.evaluate(fill) == light.evaluate(fill), "paper is white"
