"""The page of a profile in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, Page
from looks import contrast, count, overflow, text
from synthetic_profile import document, empty, hostile, in_depth, withheld

from mallard.advisor.profile.document import read_profile
from mallard.advisor.view.profile import profile_report
from mallard.shared.report.page import report_page

NODES = ".rows i"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pages = tmp_path_factory.mktemp("profile")
    documents = {
        "all": document(scope=in_depth()),
        "empty": empty(),
        "withheld": withheld(),
        "hostile": hostile() | {"scope": in_depth()},
    }
    for name, content in documents.items():
        (pages / f"{name}.html").write_text(
            report_page(profile_report(read_profile(json.dumps(content)))), encoding="utf-8"
        )
    return pages


@pytest.fixture
def page(browser: Browser, folder: Path) -> Iterator[Page]:
    opened = Page(browser).open(folder / "all.html")
    opened.wait_until_drawn()
    yield opened
    assert opened.errors == []
    assert opened.requests == []


def names(page: Page) -> list[str]:
    names: list[str] = page.evaluate(f"[...document.querySelectorAll('{NODES}')].map(e => e.textContent)")
    return names


def choose(page: Page, mode: str) -> None:
    page.evaluate(f"document.querySelector('label[for=flame-{mode}]').click()")
    page.wait_until_drawn()


@pytest.mark.parametrize("kind", ["all", "empty", "withheld", "hostile"])
@pytest.mark.parametrize("width", [320, 600, 1280])
def test_no_page_is_wider_than_the_screen(browser: Browser, folder: Path, kind: str, width: int) -> None:
    opened = Page(browser, width=width, height=800).open(folder / f"{kind}.html")
    opened.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    opened.wait_until_drawn()
    assert overflow(opened) <= 0
    assert opened.errors == []
    assert opened.requests == []


def test_a_click_zooms_and_the_button_resets(page: Page) -> None:
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


def test_the_switch_changes_the_widths(page: Page) -> None:
    about = text(page, ".flame-controls p")
    choose(page, "operations")
    assert text(page, ".flame-controls p") != about
    assert names(page)[0] == "all"


def test_a_search_marks_functions_and_shows_shares(page: Page) -> None:
    page.evaluate("document.querySelector('.flame-controls input[type=search]').focus()")
    page.write("parsetop level")
    page.wait_until_drawn()
    hits = page.evaluate(f"[...document.querySelectorAll('{NODES}.hit')].map(e => e.textContent)")
    assert hits
    assert {name.rpartition("::")[2] for name in hits} == {"ParseTopLevelDecl"}
    assert text(page, ".flame-controls output").endswith("% match")


def test_the_panel_shows_figures_and_full_name(page: Page) -> None:
    page.point_at(f"{NODES}:nth-of-type(2)")
    panel = text(page, "#panel")
    for part in ("of the graph", "allocated", "contained", "operations"):
        assert part in panel


def test_the_keyboard_walks_the_graph(page: Page) -> None:
    page.evaluate(f"document.querySelector('{NODES}[tabindex]').focus()")
    page.press("ArrowDown")
    first = page.evaluate("document.activeElement.textContent")
    assert first == names(page)[1]
    page.press("ArrowRight")
    assert page.evaluate("document.activeElement.style.top") == "19px"
    page.press("Enter")
    page.wait_until_drawn()
    assert count(page, f"{NODES}.outer") == 1
    page.press("Escape")
    page.wait_until_drawn()
    assert count(page, f"{NODES}.outer") == 0


def test_the_script_draws_the_static_graph_again(browser: Browser, folder: Path) -> None:
    """Both lay a node out in one way, so that a page without scripts shows what one with scripts does."""
    place = (
        f"[...document.querySelectorAll('{NODES}')].filter(e => parseFloat(e.style.width) >= 0.5)"
        ".map(e => [e.textContent, e.className.trim(), parseFloat(e.style.left).toFixed(1), e.style.top])"
    )
    plain = Page(browser, script=False).open(folder / "all.html")
    live = Page(browser).open(folder / "all.html")
    live.wait_until_drawn()
    assert sorted(plain.evaluate(place)) == sorted(live.evaluate(place))


def test_the_timeline_reads_all_lines_at_the_pointer(page: Page) -> None:
    page.point_at(".drawing")
    panel = text(page, "#panel")
    assert panel.startswith("after 1.1")
    assert "the whole process" in panel
    assert "clang::ParseAST" in panel
    assert page.evaluate("document.querySelector('.cursor').hidden") is False


def test_a_heading_sorts_scopes_with_their_second_rows(page: Page) -> None:
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


def test_an_opened_stack_has_all_levels(page: Page) -> None:
    page.evaluate("document.querySelector('#pairs .stack').open = true")
    page.wait_until_drawn()
    assert "main" in text(page, "#pairs .stack ol")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_names_can_be_read_on_their_colours(browser: Browser, folder: Path, dark: bool) -> None:
    opened = Page(browser, dark=dark).open(folder / "all.html")
    seen = opened.evaluate(
        "[...document.querySelectorAll('.flame-controls .steps li')].map(e => {"
        " const s = getComputedStyle(e); return [e.className, s.backgroundColor, s.color]; })"
    )
    assert len(seen) == 6
    assert [name for name, back, ink in seen if contrast(back, ink) < 4.5] == []


def test_shows_figures_and_tables_without_script(browser: Browser, folder: Path) -> None:
    plain = Page(browser, script=False).open(folder / "all.html")
    assert count(plain, NODES) > 10
    assert count(plain, ".drawing polyline") == 3
    assert count(plain, "#scopes > .wide > table > tbody") == 3
    assert "clang::ParseAST" in text(plain, "#scopes")


def test_print_shows_complete_tables(browser: Browser, folder: Path) -> None:
    paper = Page(browser, width=1040, height=720).open(folder / "all.html")
    paper.media("print", dark=False)
    cut = "[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth + 1)"
    assert paper.evaluate(f"{cut}.map(e => e.ariaLabel)") == []
