"""The report in a real browser: figures, choices, keyboard, phone, dark mode, paper, and without script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import Browser, Page
from looks import cell_selector, contrast, luminance, overflow, text, visible
from synthetic_page import full_run_page

PAGE = "density"
LAYERS = range(7)
MOST_BYTES, MOST_ELEMENTS = 400_000, 10_000


CELL = "#DS2 tbody tr:nth-child(2) td:nth-of-type(5)"  # monotonic at 2^10


def shown(page: Page, selector: str) -> str:
    """The text of a cell in one line; small text apart by a space."""
    cell_text: str = page.evaluate(
        f"document.querySelector('{selector}').innerText.replace(/\\s+/g, ' ').trim()"
    )
    return cell_text


def choose(page: Page, layer: int) -> None:
    page.evaluate(f"document.querySelector('label[for=density-1-{layer}]').click()")


def test_the_page_opens_without_errors_or_requests(page: Page) -> None:
    assert page.evaluate("document.title") == "mallard: Which allocation strategy is fastest here?"
    assert "monotonic/wink is fastest overall" in page.evaluate("document.querySelector('header').innerText")


def test_a_request_would_have_been_seen(browser: Browser, tmp_path: Path) -> None:
    """The check above can fail: a page that asks for something and complains is caught."""
    (tmp_path / "bad.html").write_text(
        "<img src='missing.png'><script>console.error('bad'); undefined.x</script>"
    )
    bad = Page(browser).open(tmp_path / "bad.html")
    assert any("missing.png" in url for url in bad.requests)
    assert any("bad" in error for error in bad.errors)
    assert any("TypeError" in error for error in bad.errors)


def test_heat_maps_cover_all_sizes_and_strategies(page: Page) -> None:
    assert page.evaluate("document.querySelectorAll('.heat').length") == 3
    assert page.evaluate("document.querySelectorAll('#DS2 .heat tbody td').length") == 2 * 16
    assert page.evaluate("document.querySelectorAll('#DS2 .heat thead tr:nth-child(2) th').length") == 16


def test_the_choice_changes_the_figure_of_cells(page: Page) -> None:
    seen = []
    for layer in LAYERS:
        choose(page, layer)
        seen.append(shown(page, CELL))
        assert (
            page.evaluate("[...document.querySelectorAll('.legend')].filter(e => e.offsetHeight > 0).length")
            == 1
        )
    assert seen == ["30", "30\u201330", "18.4", "0.47 30 / 64", "1.66 30 / 18", "5", "14.0"]


def test_a_crashed_cell_is_marked_for_every_choice(page: Page) -> None:
    cell = cell_selector(page, "#DS12 .heat", "multipool+monotonic/base", row=2)
    for layer in LAYERS:
        choose(page, layer)
        assert shown(page, cell) == "died"
    page.point_at(cell)
    assert "crashed: signal 11" in page.evaluate("document.getElementById('panel').innerText")


def test_the_pointer_brings_up_all_figures(page: Page) -> None:
    assert page.evaluate("document.getElementById('panel').hidden") is True
    page.point_at(CELL)
    panel = page.evaluate("document.getElementById('panel').innerText.replace(/\\s+/g, ' ')")
    for part in (
        "monotonic \u00b7 DS2 vector<string> \u00b7 2\u00b9\u2070",
        "bound by type parameter, destroyed normally",
        "% of new-delete 30",
        "interval 30\u201330",
        "ns a leaf 18.4",
        "lowest to highest 18.0\u201318.7 ns; 3 repetitions",
        "beside P0213 0.47; 30 / 64",
        "beside P0089 1.66; 30 / 18",
        "page faults 5",
        "peak memory 14.0",
        "in the kernel 10 % of the time",
    ):
        assert part in panel, part
    box = page.evaluate(
        "(b => [b.left, b.right, b.top])(document.getElementById('panel').getBoundingClientRect())"
    )
    assert box[0] >= 0
    assert box[1] <= 1280
    assert box[2] >= 0


def test_the_keyboard_goes_through_a_heat_map(page: Page) -> None:
    page.evaluate("document.querySelector('#DS2 .heat tbody td').focus()")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown"):
        page.press(key)
    assert page.evaluate(f"document.activeElement === document.querySelector('{CELL}')")
    assert "monotonic" in page.evaluate("document.getElementById('panel').innerText")
    assert page.evaluate("document.querySelectorAll('#DS2 td[tabindex=\"0\"]').length") == 1
    page.press("ArrowDown")
    assert page.evaluate(f"document.activeElement === document.querySelector('{CELL}')"), (
        "the last row ends the way"
    )
    page.press("Escape")
    assert page.evaluate("document.getElementById('panel').hidden") is True


def test_the_keyboard_changes_the_choice(page: Page) -> None:
    page.evaluate("document.getElementById('density-1-0').focus()")
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert page.evaluate("document.querySelector('input[name=density-1]:checked').value") == "2"
    assert shown(page, CELL) == "18.4"
    outline = page.evaluate("getComputedStyle(document.querySelector('label[for=density-1-2]')).outlineStyle")
    assert outline == "solid", "the focus can be seen"


def test_a_phone_scrolls_tables_but_not_the_page(browser: Browser, report: Path) -> None:
    phone = Page(browser, width=360, height=740).open(report)
    for layer in LAYERS:
        choose(phone, layer)
        assert overflow(phone) <= 0, layer
    assert phone.evaluate("document.querySelector('#DS2 .wide').scrollWidth") > 360
    texts = "[...document.querySelectorAll('h1,p,pre,dl')].map(e => e.getBoundingClientRect().right)"
    assert max(phone.evaluate(texts)) <= 360
    assert phone.evaluate("parseFloat(getComputedStyle(document.querySelector('.lead')).fontSize)") >= 16
    phone.point_at(CELL)
    box = phone.evaluate("(b => [b.left, b.right])(document.getElementById('panel').getBoundingClientRect())")
    assert box[0] >= 0
    assert box[1] <= 360
    assert phone.errors == []


def colours(page: Page) -> dict[str, str]:
    colours: dict[str, str] = page.evaluate(
        "Object.fromEntries(Object.entries({body: 'body', faster: '#DS2 td.f3', slower: '#DS2 td.s1'})"
        ".map(([k, s]) => [k, getComputedStyle(document.querySelector(s)).backgroundColor]))"
    )
    return colours | {"ink": page.evaluate("getComputedStyle(document.body).color")}


def test_dark_mode_has_separate_colours(browser: Browser, report: Path) -> None:
    light, dark = colours(Page(browser).open(report)), colours(Page(browser, dark=True).open(report))
    assert luminance(light["body"]) > 0.9
    assert luminance(dark["body"]) < 0.05
    assert all(light[name] != dark[name] for name in light)
    assert contrast(dark["body"], dark["ink"]) > 7
    assert contrast(light["body"], light["ink"]) > 7


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_can_be_read_on_every_colour(browser: Browser, report: Path, dark: bool) -> None:
    page = Page(browser, dark=dark).open(report)
    pairs: list[list[Any]] = page.evaluate(
        "['f6','f5','f4','f3','f2','f1','eq','s1','s2','s3','s4','s5','s6','z1','z2','z3','z4'].map(c => {"
        " const e = document.createElement('span'); e.className = c; document.body.append(e);"
        " const s = getComputedStyle(e); return [c, s.backgroundColor, s.color]; })"
    )
    low = {name: round(contrast(back, ink), 2) for name, back, ink in pairs if contrast(back, ink) < 4.5}
    assert low == {}


def test_paper_has_neither_controls_nor_cut_tables(browser: Browser, report: Path, tmp_path: Path) -> None:
    paper = Page(browser, width=1040, height=720).open(report)
    paper.media("print", dark=True)
    assert paper.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert paper.evaluate("getComputedStyle(document.querySelector('.choice')).display") == "none"
    assert luminance(colours(paper)["body"]) > 0.9, "paper stays white in dark mode"
    tables = "[...document.querySelectorAll('.wide')]"
    assert (
        paper.evaluate(f"{tables}.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.ariaLabel)") == []
    )
    paper.pdf(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


def test_shows_only_the_first_choice_without_script(browser: Browser, report: Path) -> None:
    plain = Page(browser, script=False).open(report)
    assert shown(plain, CELL) == "30"
    assert luminance(colours(plain)["faster"]) < luminance(colours(plain)["body"])
    assert visible(plain, "#density .choice") == 0
    assert visible(plain, "#density .legend") == 1
    assert "percent of new-delete" in text(plain, "#density .legend")
    assert plain.evaluate("document.getElementById('panel').hidden") is True


def test_a_page_of_a_full_run_stays_small(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "all.html").write_text(full_run_page(tmp_path), encoding="utf-8")
    full_page = Page(browser).open(tmp_path / "all.html")
    # Both decide how long it takes to open.
    assert (tmp_path / "all.html").stat().st_size < MOST_BYTES
    assert full_page.evaluate("document.getElementsByTagName('*').length") < MOST_ELEMENTS
    assert full_page.evaluate("document.querySelectorAll('.heat tbody td').length") == 12 * 11 * 16
