"""Each page at each width, on paper, by keyboard, and by the rules of axe-core."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from browser import Browser, Page
from looks import contrast, overflow, text, visible
from looks_of_runs import write_page
from synthetic_profile import withheld
from synthetic_run import density_rows, write_run
from synthetic_study import study

from mallard.advisor.advice.verdict import decide
from mallard.advisor.profile.document import read_profile
from mallard.advisor.view.advice import advice_report
from mallard.advisor.view.profile import profile_report
from mallard.shared.report.page import report_page

NAMES = ("report", "profile", "advice")
EVERY = (
    *NAMES,
    "density",
    "peers",
    "empty profile",
    "profile without scopes",
    "hostile profile",
    "hostile advice",
)
MANY_STOPS = 60  # of Tab; the largest page has more
# What a keyboard user sees of the stop: an outline of the element, or of the label of an invisible input.
HAS_OUTLINE = (
    "(() => { const e = document.activeElement, seen = e.matches('.choice input[type=radio]')"
    " ? document.querySelector(`label[for='${e.id}']`) : e;"
    " return getComputedStyle(seen).outlineStyle !== 'none'; })()"
)


@pytest.fixture(scope="module")
def axe() -> str:
    package = importlib.util.find_spec("axe_core_python")
    if package is None or package.origin is None:
        pytest.skip("axe-core is not installed: pip install axe-core-python")
    return (Path(package.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page, axe: str) -> list[str]:
    page.evaluate(f"{axe};0")
    complaints: list[str] = page.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then(result => result.violations"
        ".filter(rule => ['serious', 'critical'].includes(rule.impact))"
        ".flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.target}`)))"
    )
    return complaints


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
def test_axe_has_no_serious_complaint(
    browser: Browser, pages: Mapping[str, Path], axe: str, name: str, dark: bool, width: int
) -> None:
    page = Page(browser, width=width, dark=dark).open(pages[name])
    assert violations(page, axe) == []


def test_axe_complains_of_pale_text(browser: Browser, tmp_path: Path, axe: str) -> None:
    (tmp_path / "pale.html").write_text(
        "<!doctype html><html lang=en><title>t</title><main><h1>t</h1><p style='color:#bbb'>pale</p></main>"
    )
    assert [
        line.partition(":")[0] for line in violations(Page(browser).open(tmp_path / "pale.html"), axe)
    ] == ["color-contrast"]


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("width", [320, 400, 600, 768, 1280])
def test_no_page_is_wider_than_the_screen(
    browser: Browser, pages: Mapping[str, Path], name: str, width: int
) -> None:
    """With any choice of figures."""
    page = Page(browser, width=width, height=800).open(pages[name])
    page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    page.wait_until_drawn()
    assert overflow(page) <= 0
    wide = (
        "[...document.querySelectorAll('.choice label')].filter(e => { e.click();"
        " return document.documentElement.scrollWidth > window.innerWidth; }).map(e => e.htmlFor)"
    )
    assert page.evaluate(wide) == []
    assert page.errors == []
    assert page.requests == []


@pytest.mark.parametrize("name", EVERY)
def test_print_shows_complete_tables(browser: Browser, pages: Mapping[str, Path], name: str) -> None:
    page = Page(browser, width=1040, height=720).open(pages[name])
    page.media("print", dark=False)
    cut = "[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth + 1)"
    assert page.evaluate(f"{cut}.map(e => e.ariaLabel)") == []
    assert visible(page, ".filters, nav") == 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("name", "selector", "least"),
    [
        ("report", "#every-claim .word", 4.5),
        ("profile", ".flame-controls .steps li", 4.5),
        ("advice", ".lead", 7),
    ],
)
def test_words_on_colours_can_be_read(
    browser: Browser, pages: Mapping[str, Path], name: str, selector: str, least: float, dark: bool
) -> None:
    page = Page(browser, dark=dark).open(pages[name])
    pairs = page.evaluate(
        f"[...document.querySelectorAll('{selector}')].map(getComputedStyle)"
        ".map(({ color, backgroundColor }) => [backgroundColor, color])"
    )
    assert pairs
    assert min(contrast(*pair) for pair in pairs) >= least


@pytest.mark.parametrize("name", NAMES)
def test_first_stop_skips_to_the_content(browser: Browser, pages: Mapping[str, Path], name: str) -> None:
    page = Page(browser).open(pages[name])
    page.press("Tab")
    assert text(page, ":focus") == "Skip to the content"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
    page.press("Enter")
    page.wait_until("document.activeElement.id === 'main'")
    page.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


@pytest.mark.parametrize("name", NAMES)
def test_every_stop_has_a_visible_focus(browser: Browser, pages: Mapping[str, Path], name: str) -> None:
    page = Page(browser).open(pages[name])
    hidden = []
    for _ in range(MANY_STOPS):
        page.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        if not page.evaluate(HAS_OUTLINE):
            hidden.append(page.evaluate("document.activeElement.outerHTML.slice(0, 120)"))
    assert hidden == []


def test_the_answer_precedes_the_warnings(browser: Browser, tmp_path: Path) -> None:
    torn = {"trace": {"file": "x", "bytes": 9, "torn_bytes": 8}}
    case, doubtful = study(), read_profile(json.dumps(withheld() | torn))
    database = tmp_path / "mallard.db"
    write_run(database, density_rows(), notes=[("busy", "other programs keep 1.5 of 2 cores busy")])
    (tmp_path / "report.html").write_text(write_page(database), encoding="utf-8")
    (tmp_path / "profile.html").write_text(report_page(profile_report(doubtful)), encoding="utf-8")
    (tmp_path / "advice.html").write_text(
        report_page(advice_report(case, decide(case), doubtful)), encoding="utf-8"
    )
    for name in NAMES:
        page = Page(browser).open(tmp_path / f"{name}.html")
        assert page.evaluate(
            "!!(document.querySelector('.lead')"
            ".compareDocumentPosition(document.querySelector('.caution')) & Node.DOCUMENT_POSITION_FOLLOWING)"
        ), name


def test_arrow_keys_read_a_line_plot(browser: Browser, pages: Mapping[str, Path]) -> None:
    page = Page(browser).open(pages["report"])
    page.evaluate("document.querySelector('.lines svg').focus()")
    page.wait_until_drawn()
    page.press("ArrowRight")
    first = text(page, "#panel")
    page.press("ArrowRight")
    assert first not in ("", text(page, "#panel"))
    page.press("Escape")
    assert page.evaluate("document.getElementById('panel').hidden") is True


def test_arrow_keys_read_the_timeline(browser: Browser, pages: Mapping[str, Path]) -> None:
    page = Page(browser).open(pages["profile"])
    page.evaluate("document.querySelector('.timeline .drawing').focus()")
    page.wait_until_drawn()  # a scroll to the focus hides the panel
    page.press("ArrowRight")
    first = text(page, "#panel")
    assert first.startswith("after 0")
    page.press("ArrowRight")
    assert text(page, "#panel") != first
    page.press("Home")
    assert text(page, "#panel") == first


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_an_edge_shows_that_the_navigation_scrolls(
    browser: Browser, pages: Mapping[str, Path], dark: bool
) -> None:
    page = Page(browser, width=400, dark=dark).open(pages["report"])
    assert page.evaluate("(nav => nav.scrollWidth > nav.clientWidth)(document.querySelector('nav'))")
    assert (
        page.evaluate("getComputedStyle(document.querySelector('nav')).backgroundImage").count("radial") == 2
    )
