"""The report's sections in a real browser: filters, the decision chart, words on colours, paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Browser, Page
from looks import cell_selector, contrast, count, text, visible

PAGE = "report"


def test_a_choice_affects_only_its_section(page: Page) -> None:
    cell = cell_selector(page, "#utilization .heat", "multipool")
    unrelated = cell_selector(page, "#DS1 .heat", "multipool")
    unrelated_text = text(page, unrelated)
    page.evaluate("document.querySelector('label[for=utilization-1-2]').click()")
    assert text(page, cell) == "8.16"
    assert text(page, unrelated) == unrelated_text
    page.evaluate("document.querySelector('label[for=utilization-1-3]').click()")
    assert text(page, cell).startswith("0.90")


def test_the_panel_explains_cells_of_all_tables(page: Page) -> None:
    page.point_at("#locality .heat.small td")
    assert "ratio 1.00" in text(page, "#panel")
    page.point_at(cell_selector(page, "#fragmentation .maps .heat", "multipool"))
    assert "D = N/2" in text(page, "#panel")
    page.point_at(cell_selector(page, "#contention .heat", "concurrent-multipool"))
    assert "% of new-delete 20" in text(page, "#panel")


def test_the_pointer_reads_the_points_of_a_line(page: Page) -> None:
    plot = "#contention .lines svg"
    x, y, name = page.evaluate(
        f"(svg => {{ svg.scrollIntoView({{block: 'center'}}); const line = svg.querySelector('.series');"
        " const [x, y] = line.querySelector('polyline').getAttribute('points').split(' ')[0].split(',');"
        " const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;"
        " return [box.left + x * scale, box.top + y * scale, line.querySelector('text').textContent]; })"
        f"(document.querySelector({plot!r}))"
    )
    page.wait_until_drawn()
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    panel = text(page, "#panel")
    assert panel.startswith(f"{name} threads 1 ns a pair ")
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y - 400)
    assert page.evaluate("document.getElementById('panel').hidden") is True
    marker = f"getComputedStyle(document.querySelector('{plot} polyline')).markerMid"
    assert page.evaluate(marker) == 'url("#dot")', "the points can be seen"


def test_claims_are_filtered_by_verdict_document_and_words(page: Page) -> None:
    rows = "#every-claim tbody tr"
    everything = count(page, rows)
    assert visible(page, rows) == everything
    page.evaluate("document.querySelector('label[for=every-claim-verdict-reproduced]').click()")
    reproduced = count(page, f"{rows}[data-verdict=reproduced]")
    assert 0 < visible(page, rows) == reproduced < everything
    page.evaluate("document.querySelector('label[for=every-claim-document-p0213]').click()")
    both = count(page, f"{rows}[data-verdict=reproduced][data-document=p0213]")
    assert 0 < visible(page, rows) == both < reproduced
    assert text(page, ".filters output") == f"{both} of {everything} rows"
    page.evaluate("document.getElementById('every-claim-search').focus()")
    page.write("no such words")
    assert visible(page, rows) == 0
    assert text(page, ".filters output") == f"0 of {everything} rows"


def test_claims_are_filtered_without_script_too(browser: Browser, report: Path) -> None:
    plain = Page(browser, script=False).open(report)
    everything = count(plain, "#every-claim tbody tr")
    plain.evaluate("document.getElementById('every-claim-verdict-not-measured').checked = true")
    assert 0 < visible(plain, "#every-claim tbody tr") < everything
    assert visible(plain, "#locality .heat.small") > 10


def places(page: Page, selector: str) -> list[float]:
    bounds: list[float] = page.evaluate(
        "(b => [b.left, b.top, b.right, b.bottom])"
        f"(document.querySelector({selector!r}).getBoundingClientRect())"
    )
    return bounds


def test_the_navigation_stays_and_marks_where_one_is(page: Page) -> None:
    page.evaluate("document.getElementById('contention').scrollIntoView()")
    page.wait_until("document.querySelector('nav [aria-current]')?.textContent === 'Contention'")
    assert places(page, "nav")[1] == 0
    assert places(page, "#contention")[1] >= 0, "no heading is hidden behind it"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_names_of_lines_can_be_read(browser: Browser, report: Path, dark: bool) -> None:
    page = Page(browser, dark=dark).open(report)
    lines = page.evaluate(
        "['global', 'monotonic', 'multipool', 'both', 'lock', 'concurrent'].map(c =>"
        " getComputedStyle(document.querySelector(`#contention .series.${c} text`)).fill)"
    )
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert [round(contrast(paper, line), 1) for line in lines if contrast(paper, line) < 4.5] == []
