"""The report's comparison with other libraries in a real browser."""

from __future__ import annotations

from pathlib import Path

from browser import Browser, Page
from looks import count, text

PAGE = "peers"
OVERVIEW = "#peers > .maps"  # the map of all experiments
CELLS = "#peers-small-objects details"


def test_all_experiments_stand_in_one_map(page: Page) -> None:
    heads = page.evaluate(f"[...document.querySelectorAll('{OVERVIEW} thead th')].map(e => e.innerText)")
    assert heads[1:] == ["glibc", "jemalloc", "std::pmr", "Boost.Pool", "Loki"]
    rows = page.evaluate(f"[...document.querySelectorAll('{OVERVIEW} tbody th')].map(e => e.innerText)")
    assert rows[:3] == ["utilization", "small-objects", "small-objects, allocate"]


def test_the_choice_changes_the_map(page: Page) -> None:
    cell = f"{OVERVIEW} tbody tr:nth-child(2) td:nth-of-type(1)"
    assert text(page, cell) == "0.25"
    page.evaluate("document.querySelector('label[for=peers-2]').click()")
    assert text(page, cell) == "4 \u00b7 0 \u00b7 0 \u00b7 0"
    page.evaluate("document.querySelector('label[for=peers-1]').click()")
    assert text(page, cell) == "0.25\u20130.25"


def test_the_panel_shows_both_sides_of_a_cell(page: Page) -> None:
    page.evaluate(f"document.querySelector('{CELLS}').open = true")
    page.point_at(f"{CELLS} tbody tr:nth-child(3) td:nth-of-type(5)")
    panel = text(page, "#panel")
    assert "Loki" in panel
    assert "who multipool; loki" in panel
    assert "figures 4.08 ns; 2.04 ns" in panel
    assert "slower" in panel
    page.point_at(f"{CELLS} tbody tr:nth-child(4) td:nth-of-type(5)")
    assert "timed out" in text(page, "#panel")


def test_a_choice_of_cells_leaves_the_overview(page: Page) -> None:
    page.evaluate(f"document.querySelector('{CELLS}').open = true")
    page.evaluate("document.querySelector('label[for=peers-small-objects-cells-2]').click()")
    assert text(page, f"{CELLS} tbody tr:nth-child(3) td:nth-of-type(5)") == "multipool loki"
    assert text(page, f"{OVERVIEW} tbody tr:nth-child(2) td:nth-of-type(1)") == "0.25"


def test_folded_cells_are_built_on_opening(page: Page) -> None:
    assert count(page, f"{CELLS} tbody tr") == 0
    page.evaluate(f"document.querySelector('{CELLS} summary').click()")
    page.wait_until_drawn()
    assert count(page, f"{CELLS} tbody tr") > 4
    assert text(page, f"{CELLS} tbody tr:nth-child(3) td:nth-of-type(5)") == "2.00"
    page.point_at(f"{CELLS} tbody tr:nth-child(3) td:nth-of-type(5)")
    assert "Loki" in text(page, "#panel")


def test_folded_tables_explain_themselves_without_script(browser: Browser, report: Path) -> None:
    plain = Page(browser, script=False).open(report)
    plain.evaluate(f"document.querySelector('{CELLS}').open = true")
    assert "A script fills these tables." in text(plain, CELLS)
    assert text(plain, f"{OVERVIEW} tbody tr:nth-child(2) td:nth-of-type(1)") == "0.25"
