"""Each page in a real browser: at each width, on paper, in the dark, by keyboard, without a script, by the
rules of axe-core. It must not report errors or request other resources.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from browser import Browser, Page
from looks import cut_tables, overflow, text, too_pale, visible

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
WIDTHS = (1280, 768, 600, 400, 320)  # the narrowest last
MANY_STOPS = 60  # of Tab; the largest page has more
# What a keyboard user sees of the stop: an outline of the element, or of the label of an invisible input.
HAS_OUTLINE = (
    "(() => { const e = document.activeElement, seen = e.matches('.choice input[type=radio]')"
    " ? document.querySelector(`label[for='${e.id}']`) : e;"
    " return getComputedStyle(seen).outlineStyle !== 'none'; })()"
)
PALETTE = [
    "f6",
    "f5",
    "f4",
    "f3",
    "f2",
    "f1",
    "eq",
    "s1",
    "s2",
    "s3",
    "s4",
    "s5",
    "s6",
    "z1",
    "z2",
    "z3",
    "z4",
]
LINES = ["global", "monotonic", "multipool", "both", "lock", "concurrent"]
# Words on a colour of their own, by page, with the least contrast.
ON_COLOURS = (
    ("report", "body", 7),
    ("report", "#every-claim .word", 4.5),
    ("report", ".sample", 4.5),
    ("profile", ".flame-controls .steps li", 4.5),
    ("advice", ".lead", 7),
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


def test_the_checks_notice_faults(browser: Browser, tmp_path: Path, axe: str) -> None:
    (tmp_path / "bad.html").write_text(
        "<!doctype html><html lang=en><title>t</title><main><h1>t</h1><p style='color:#bbb'>pale</p>"
        "<img alt='' src='missing.png'><div style='width:2000px'>wide</div></main>"
        "<script>console.error('bad'); undefined.x</script>"
    )
    bad = Page(browser).open(tmp_path / "bad.html")
    assert overflow(bad) > 0
    assert any("missing.png" in url for url in bad.requests)
    assert any("bad" in error for error in bad.errors)
    assert any("TypeError" in error for error in bad.errors)
    assert [line.partition(":")[0] for line in violations(bad, axe)] == ["color-contrast"]
    assert too_pale(bad, "p", 4.5) != []


@pytest.mark.parametrize("name", NAMES)
def test_axe_has_no_serious_complaint(
    browser: Browser, pages: Mapping[str, Path], axe: str, name: str
) -> None:
    for dark, width in ((False, 400), (True, 1280)):
        page = Page(browser, width=width, dark=dark).open(pages[name])
        assert violations(page, axe) == [], (dark, width)


@pytest.mark.parametrize("name", EVERY)
def test_fits_every_screen_and_paper(browser: Browser, pages: Mapping[str, Path], name: str) -> None:
    """The narrowest one with any choice of figures; paper has no controls, and cuts no table."""
    wide = (
        "[...document.querySelectorAll('.choice label')].filter(e => { e.click();"
        " return document.documentElement.scrollWidth > window.innerWidth; }).map(e => e.htmlFor)"
    )
    page = Page(browser).open(pages[name])
    page.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    for width in WIDTHS:
        page.resize(width, 800)
        page.wait_until_drawn()
        assert overflow(page) <= 0, width
    assert page.evaluate(wide) == []
    page.resize(1040, 720)
    page.media("print", dark=True)
    assert cut_tables(page) == []
    assert visible(page, ".filters, .choice, nav") == 0
    assert too_pale(page, "body", 7) == []
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.errors == []
    assert page.requests == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_words_on_colours_can_be_read(browser: Browser, pages: Mapping[str, Path], dark: bool) -> None:
    backgrounds = []
    for name, selector, least in ON_COLOURS:
        page = Page(browser, dark=dark).open(pages[name])
        page.evaluate(
            f"document.body.append(...{json.dumps(PALETTE)}.map(c => "
            "Object.assign(document.createElement('span'), {className: `sample ${c}`})))"
        )
        assert too_pale(page, selector, least) == [], selector
        backgrounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    lines = ", ".join(f"#contention .series.{name} text" for name in LINES)
    assert too_pale(Page(browser, dark=dark).open(pages["report"]), lines, 4.5, ink="fill") == []
    assert set(backgrounds) == {"rgb(21, 24, 27)" if dark else "rgb(252, 252, 250)"}


@pytest.mark.parametrize("name", NAMES)
def test_the_keyboard_skips_to_the_content_and_sees_every_stop(
    browser: Browser, pages: Mapping[str, Path], name: str
) -> None:
    page = Page(browser).open(pages[name])
    page.press("Tab")
    assert text(page, ":focus") == "Skip to the content"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
    page.press("Enter")
    page.wait_until("document.activeElement.id === 'main'")
    hidden = []
    for stop in range(MANY_STOPS):
        page.press("Tab")
        if not stop:
            assert page.evaluate("document.querySelector('main').contains(document.activeElement)")
        if page.evaluate("document.activeElement === document.body"):
            break
        if not page.evaluate(HAS_OUTLINE):
            hidden.append(page.evaluate("document.activeElement.outerHTML.slice(0, 120)"))
    assert hidden == []


def test_pages_can_be_read_without_scripts(browser: Browser, pages: Mapping[str, Path]) -> None:
    """A table of rows that a script makes says so; filters are made by styles."""
    needed = {
        "report": ("#every-claim tbody tr", "#locality .heat.small td", ".lines polyline"),
        "density": ("#DS2 td.f3", "#density .legend"),
        "peers": ("#peers .maps .heat td", "#peers-small-objects noscript p"),
        "profile": (
            ".flame-controls .legend, noscript p",
            ".drawing polyline",
            "#scopes tbody",
            "#pairs .stack",
        ),
        "advice": ("#figures dt", "#before-and-after i", "#tried td", "#code-to-paste code"),
    }
    for name, selectors in needed.items():
        plain = Page(browser, script=False).open(pages[name])
        plain.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
        assert [selector for selector in selectors if not visible(plain, selector)] == [], name
        assert visible(plain, ".maps .choice, .flame-controls .choice, .panel") == 0, name
    rows = "#every-claim tbody tr"
    plain = Page(browser, script=False).open(pages["report"])
    everything = visible(plain, rows)
    plain.evaluate("document.getElementById('every-claim-verdict-not-measured').checked = true")
    assert 0 < visible(plain, rows) < everything


def test_the_navigation_scrolls_and_marks_the_section(browser: Browser, pages: Mapping[str, Path]) -> None:
    page = Page(browser, width=400).open(pages["report"])
    page.evaluate("document.getElementById('contention').scrollIntoView()")
    page.wait_until("document.querySelector('nav [aria-current]')?.textContent === 'Contention'")
    tops = page.evaluate(
        "['nav', '#contention'].map(e => document.querySelector(e).getBoundingClientRect().top)"
    )
    assert tops[0] == 0
    assert tops[1] >= 0, "no heading is hidden behind it"
    assert page.evaluate("(nav => nav.scrollWidth > nav.clientWidth)(document.querySelector('nav'))")
    edges = page.evaluate("getComputedStyle(document.querySelector('nav')).backgroundImage")
    assert edges.count("radial") == 2, "edges show that it scrolls"
