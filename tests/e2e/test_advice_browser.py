"""The page of an advice in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, Page
from looks import contrast, count, overflow, text
from synthetic_profile import document, hostile
from synthetic_study import study

from mallard.advisor.advice.code import TypeChange
from mallard.advisor.advice.verdict import decide
from mallard.advisor.profile.document import read_profile
from mallard.advisor.view.advice import advice_report
from mallard.shared.report.page import report_page

CHANGE = TypeChange("vector", "T", "handle", "src/server.cpp:90", 1_000_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pages = tmp_path_factory.mktemp("advice")
    of = study(changes=(CHANGE,))
    for name, content in {"all": document(), "hostile": hostile()}.items():
        page = report_page(advice_report(of, decide(of), read_profile(json.dumps(content))))
        (pages / f"{name}.html").write_text(page, encoding="utf-8")
    return pages


@pytest.fixture
def page(browser: Browser, folder: Path) -> Iterator[Page]:
    opened = Page(browser).open(folder / "all.html")
    opened.wait_until_drawn()
    yield opened
    assert opened.errors == []
    assert opened.requests == []


@pytest.mark.parametrize("kind", ["all", "hostile"])
@pytest.mark.parametrize("width", [320, 600, 1280])
def test_no_page_is_wider_than_the_screen(browser: Browser, folder: Path, kind: str, width: int) -> None:
    opened = Page(browser, width=width, height=800).open(folder / f"{kind}.html")
    opened.wait_until_drawn()
    assert overflow(opened) <= 0
    assert opened.errors == []
    assert opened.requests == []


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


@pytest.mark.parametrize("dark", [False, True])
def test_the_answer_can_be_read(browser: Browser, folder: Path, dark: bool) -> None:
    opened = Page(browser, dark=dark).open(folder / "all.html")
    colours = opened.evaluate(
        "(({ color, backgroundColor }) => [color, backgroundColor])"
        "(getComputedStyle(document.querySelector('.lead')))"
    )
    assert contrast(*colours) >= 7


def test_the_panel_shows_the_savings_of_a_call(page: Page) -> None:
    page.point_at(".rows i:nth-of-type(2)")
    assert "saved, by its operations" in text(page, "#panel")


def test_shows_all_sections_without_scripts(browser: Browser, folder: Path) -> None:
    plain = Page(browser, script=False).open(folder / "all.html")
    for part in ("#figures", "#before-and-after", "#tried", "#flame-graph", "#code-to-paste"):
        assert text(plain, part)
