"""The page of an advice in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Browser, Page
from looks import count, text

PAGE = "advice"


def test_bars_are_as_long_as_their_times(page: Page) -> None:
    widths = page.evaluate(
        "[...document.querySelectorAll('.time-bar i')].map(e => e.getBoundingClientRect().width)"
    )
    assert len(widths) == 5
    baseline, best = widths[0], widths[3]
    assert best / baseline == pytest.approx(70.3 / 109, abs=0.01)
    assert count(page, ".time-bar u") == 5


def test_the_duck_has_six_visible_parts(page: Page) -> None:
    sizes = page.evaluate(
        "[...document.querySelectorAll('.duck g path')].map(e => e.getBoundingClientRect().width)"
    )
    assert len(sizes) == 6
    assert min(sizes) > 20


def test_the_panel_shows_the_savings_of_a_call(page: Page) -> None:
    page.point_at(".rows i:nth-of-type(2)")
    assert "saved, by its operations" in text(page, "#panel")


def test_shows_all_sections_without_scripts(browser: Browser, report: Path) -> None:
    plain = Page(browser, script=False).open(report)
    for part in ("#figures", "#before-and-after", "#tried", "#flame-graph", "#code-to-paste"):
        assert text(plain, part)
