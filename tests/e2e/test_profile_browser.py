"""The parts of a profile's page that a script moves: the flame graph, the timeline, and its tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Page
from looks import count, text
from page_reader import page_data

PAGE = "profile"
NODES = ".rows i"


def names(page: Page) -> list[str]:
    names: list[str] = page.evaluate(f"[...document.querySelectorAll('{NODES}')].map(e => e.textContent)")
    return names


def test_the_flame_graph_zooms_searches_and_explains(page: Page) -> None:
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
    page.evaluate("document.querySelector('.flame-controls input[type=search]').focus()")
    page.write("parsetop level")
    page.wait_until_drawn()
    hits = page.evaluate(f"[...document.querySelectorAll('{NODES}.hit')].map(e => e.textContent)")
    assert hits
    assert {name.rpartition("::")[2] for name in hits} == {"ParseTopLevelDecl"}
    assert text(page, ".flame-controls output").endswith("% match")
    page.point_at(f"{NODES}:nth-of-type(2)")
    panel = text(page, "#panel")
    for part in ("of the graph", "allocated", "contained", "operations"):
        assert part in panel
    about = text(page, ".flame-controls p")
    page.evaluate("document.querySelector('label[for=flame-operations]').click()")
    page.wait_until_drawn()
    assert text(page, ".flame-controls p") != about
    assert names(page)[0] == "all"


def click(page: Page, selector: str) -> None:
    page.evaluate(f"document.querySelector('{selector}').click()")
    page.wait_until_drawn()


class Graph:
    """The nodes in the page's data, with their widths at the peak."""

    def __init__(self, report: Path) -> None:
        data = page_data(report.read_text(encoding="utf-8"))
        self.flame, self.names = data["flame"], data["names"]
        parents, self.widths = self.flame["parent"], list(self.flame["peak"])
        below = [0] * len(parents)
        for node in range(len(parents) - 1, 0, -1):
            self.widths[node] = max(self.widths[node], below[node])
            below[parents[node]] += self.widths[node]
        self.own = [all_ - inner for all_, inner in zip(self.widths, below, strict=True)]

    def outermost(self, name: str) -> list[int]:
        """Calls of the function that are not inside of another one."""
        inside: set[int] = set()
        calls = []
        for node in range(1, len(self.widths)):
            if self.flame["parent"][node] in inside:
                inside.add(node)
            elif self.name(node) == name:
                inside.add(node)
                calls.append(node)
        return calls

    def name(self, node: int) -> str:
        return str(self.names[self.flame["name"][node]][1]) if node else "the whole process"


def percent_by_name(amounts: list[tuple[str, int]], total: int) -> dict[str, float]:
    sums: dict[str, float] = {}
    for name, amount in amounts:
        sums[name] = sums.get(name, 0) + 100 * amount / total
    return {name: sum_ for name, sum_ in sums.items() if sum_ > 1}


def row(page: Page, top: int) -> dict[str, float]:
    """The nodes of a row of the graph, in percent, by the name that the panel shows."""
    found: dict[str, float] = page.evaluate(
        f"""Object.fromEntries([...document.querySelectorAll('{NODES}')]
        .filter(e => e.style.top === '{top}px')
        .map(e => [(e.dispatchEvent(new MouseEvent('mouseover', {{bubbles: true}})),
          document.querySelector('#panel b').textContent), parseFloat(e.style.width)])
        .filter(([, width]) => width > 1))"""
    )
    return found


def test_the_flame_graph_begins_with_the_peak(page: Page) -> None:
    assert page.evaluate("document.querySelector('[name=flame]:checked').value") == "peak"
    assert "when the process holds the most" in text(page, ".flame-controls p")


def test_callers_stand_below_on_request(page: Page, report: Path) -> None:
    graph = Graph(report)
    click(page, ".flame-controls label[for=flame-callers]")
    own = [(graph.name(node), graph.own[node]) for node in range(1, len(graph.own))]
    assert row(page, 19) == pytest.approx(percent_by_name(own, sum(graph.own[1:])), rel=1e-3)
    click(page, ".flame-controls label[for=flame-callees]")
    assert row(page, 0) == {"the whole process": 100}


def test_all_calls_of_a_function_are_one(page: Page, report: Path) -> None:
    graph = Graph(report)
    page.evaluate("document.querySelector('.flame-controls input[type=search]').focus()")
    page.write("parsetop level")
    page.press("Enter")
    page.wait_until_drawn()
    (name,) = row(page, 19)
    assert name.startswith("clang::Parser::ParseTopLevelDecl")
    calls, parents = graph.outermost(name), graph.flame["parent"]
    total = sum(graph.widths[node] for node in calls)
    inner = [
        (graph.name(node), graph.widths[node]) for node in range(1, len(parents)) if parents[node] in calls
    ]
    assert row(page, 38) == pytest.approx(percent_by_name(inner, total), rel=1e-3)
    click(page, ".flame-controls label[for=flame-callers]")
    outer = [(graph.name(parents[node]), graph.widths[node]) for node in calls if parents[node]]
    assert row(page, 38) == pytest.approx(percent_by_name(outer, total), rel=1e-3)
    click(page, ".flame-controls button")
    assert page.evaluate("document.querySelector('.flame-controls button').hidden") is True


def test_a_site_shows_its_sizes(page: Page) -> None:
    click(page, "#sites .more summary")
    assert count(page, "#sites .more [open] .histogram li") >= 12


def test_the_keyboard_goes_through_the_flame_graph(page: Page) -> None:
    page.evaluate(f"document.querySelector('{NODES}[tabindex]').focus()")
    page.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == names(page)[1]
    page.press("ArrowRight")
    assert page.evaluate("document.activeElement.style.top") == "19px"
    page.press("Enter")
    page.wait_until_drawn()
    assert count(page, f"{NODES}.outer") == 1
    page.press("Escape")
    page.wait_until_drawn()
    assert count(page, f"{NODES}.outer") == 0


def test_the_pointer_and_arrow_keys_read_the_timeline(page: Page) -> None:
    page.point_at(".drawing")
    panel = text(page, "#panel")
    assert panel.startswith("after 1.1")
    assert "the whole process" in panel
    assert "clang::ParseAST" in panel
    assert page.evaluate("document.querySelector('.cursor').hidden") is False
    page.evaluate("document.querySelector('.timeline .drawing').focus()")
    page.wait_until_drawn()  # a scroll to the focus hides the panel
    page.press("Home")
    first = text(page, "#panel")
    assert first.startswith("after 0")
    page.press("ArrowRight")
    assert text(page, "#panel") != first
    page.press("Home")
    assert text(page, "#panel") == first


def test_headings_sort_and_stacks_unfold(page: Page) -> None:
    """A scope keeps its second row; an opened stack has all levels."""
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
    page.evaluate("document.querySelector('#pairs .stack').open = true")
    page.wait_until_drawn()
    assert "main" in text(page, "#pairs .stack ol")
