"""The parts of the report that a script moves: layers of heat maps, the panel, filters, and lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from browser import Browser, Page
from looks import cell_selector, count, text, visible
from panels import find_map, report_of, spot
from synthetic_run import density_rows

PAGE = "report"
MAP = find_map(report_of(density_rows()), "DS2")
CELL = "#DS2 tbody tr:nth-child(2) td:nth-of-type(5)"  # monotonic at 2^10
OTHER = "#utilization .heat td"
PHONE, DESK = 360, 1280


def choose(page: Page, identity: str) -> None:
    page.evaluate(f"document.querySelector('label[for={identity}]').click()")


def test_a_choice_shows_another_layer_of_its_section(page: Page) -> None:
    tiles = spot(MAP, "2^10", "monotonic").tiles
    unrelated = text(page, OTHER)
    (name,) = page.evaluate(
        "[...new Set([...document.querySelector('#DS2').closest('.maps').querySelectorAll('.choice input')]"
        ".map(e => e.name))]"
    )
    for place, tile in enumerate(tiles):
        choose(page, f"{name}-{place}")
        assert text(page, CELL) == tile.text.replace("\n", " ")
        assert visible(page, ".maps:has(#DS2) > .controls .legend") == 1
    assert text(page, OTHER) == unrelated
    page.evaluate(f"document.getElementById('{name}-0').focus()")
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert text(page, CELL) == tiles[2].text, "by keyboard"


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_the_panel_shows_all_figures_of_a_cell(page: Page, width: int) -> None:
    page.resize(width, 740)
    assert page.evaluate("document.getElementById('panel').hidden") is True
    page.point_at(CELL)
    panel = text(page, "#panel")
    assert panel.startswith("monotonic \u00b7 DS2 vector<string> \u00b7 2\u00b9\u2070")
    cell = spot(MAP, "2^10", "monotonic")
    for layer, tile in zip(MAP.layers, cell.tiles, strict=True):
        assert f"{layer.label} {tile.text.replace(chr(10), '; ')}" in panel
    for term, fact in zip(MAP.terms, cell.facts, strict=True):
        assert not fact or f"{term} {fact}" in panel
    left, right, top = page.evaluate(
        "(b => [b.left, b.right, b.top])(document.getElementById('panel').getBoundingClientRect())"
    )
    assert (left >= 0, right <= width, top >= 0) == (True, True, True)


def test_the_panel_explains_cells_of_all_tables(page: Page) -> None:
    for table, column, words in (
        ("#locality .heat.small", None, "ratio 1.00"),
        ("#fragmentation .maps .heat", "multipool", "D = N/2"),
        ("#contention .heat", "concurrent-multipool", "% of new-delete 20"),
    ):
        page.point_at(cell_selector(page, table, column) if column else f"{table} td")
        assert words in text(page, "#panel")


def test_arrow_keys_go_through_a_map(page: Page) -> None:
    page.evaluate("document.querySelector('#DS2 .heat tbody td').focus()")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown"):
        page.press(key)
    assert page.evaluate(f"document.activeElement === document.querySelector('{CELL}')")
    assert "monotonic" in text(page, "#panel")
    assert count(page, '#DS2 td[tabindex="0"]') == 1
    for _ in MAP.rows:
        page.press("ArrowDown")
    last = "document.activeElement.closest('tr').matches(':last-child')"
    assert page.evaluate(last), "the last row ends the way"
    page.press("Escape")
    assert page.evaluate("document.getElementById('panel').hidden") is True


def test_claims_are_filtered_by_verdict_document_and_words(page: Page) -> None:
    rows = "#every-claim tbody tr"
    everything = count(page, rows)
    assert visible(page, rows) == everything
    choose(page, "every-claim-verdict-reproduced")
    reproduced = count(page, f"{rows}[data-verdict=reproduced]")
    assert 0 < visible(page, rows) == reproduced < everything
    choose(page, "every-claim-document-p0213")
    both = count(page, f"{rows}[data-verdict=reproduced][data-document=p0213]")
    assert 0 < visible(page, rows) == both < reproduced
    assert text(page, ".filters output") == f"{both} of {everything} rows"
    page.evaluate("document.getElementById('every-claim-search').focus()")
    page.write("no such words")
    assert visible(page, rows) == 0
    assert text(page, ".filters output") == f"0 of {everything} rows"


def test_the_pointer_and_arrow_keys_read_a_line(page: Page) -> None:
    plot = "#contention .lines svg"
    x, y, name = page.evaluate(
        f"(svg => {{ svg.scrollIntoView({{block: 'center'}}); const line = svg.querySelector('.series');"
        " const [x, y] = line.querySelector('polyline').getAttribute('points').split(' ')[0].split(',');"
        " const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;"
        " return [box.left + x * scale, box.top + y * scale, line.querySelector('text').textContent]; })"
        f"(document.querySelector({plot!r}))"
    )
    page.wait_until_drawn()
    page.point(x, y)
    first = text(page, "#panel")
    assert first.startswith(f"{name} threads 1 ns a pair ")
    page.point(x, y - 400)
    assert page.evaluate("document.getElementById('panel').hidden") is True
    page.evaluate(f"document.querySelector({plot!r}).focus()")
    page.wait_until_drawn()  # a scroll to the focus hides the panel
    page.press("ArrowRight")
    assert text(page, "#panel") == first
    page.press("ArrowRight")
    assert first not in ("", text(page, "#panel"))
    page.press("Escape")
    assert page.evaluate("document.getElementById('panel').hidden") is True
    marker = f"getComputedStyle(document.querySelector('{plot} polyline')).markerMid"
    assert page.evaluate(marker) == 'url("#dot")', "the points can be seen"


def test_folded_maps_are_made_on_opening(browser: Browser, pages: Mapping[str, Path]) -> None:
    """With a choice of their own."""
    page = Page(browser).open(pages["peers"])
    folded = "#peers-small-objects"
    cell = f"{folded} tbody tr:nth-child(3) td:nth-of-type(5)"  # objects of 16 bytes of Loki
    overview = "#peers > .maps > .wide tbody tr:nth-child(2) td:nth-of-type(1)"
    assert count(page, f"{folded} tbody tr") == 0
    page.evaluate(f"document.querySelector('{folded} summary').click()")
    page.wait_until_drawn()
    assert count(page, f"{folded} tbody tr") > 4
    assert text(page, cell) == "2.00"
    choose(page, "peers-small-objects-cells-2")
    assert text(page, cell) == "multipool loki"
    assert text(page, overview) == "0.25"
    failed = f"{folded} tbody tr:nth-child(4) td:nth-of-type(5)"
    assert text(page, failed) == "time", "for every choice"
    page.point_at(cell)
    assert "figures 4.08 ns; 2.04 ns mallard is slower" in text(page, "#panel")
    page.point_at(failed)
    assert "timed out" in text(page, "#panel")
    assert page.errors == []
