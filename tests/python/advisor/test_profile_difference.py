"""The difference of two profiles: rows match by name and line, and the largest difference comes first."""

from __future__ import annotations

import json
from typing import Any

from profile_rows import figures, scope
from report_lines import screen
from synthetic_profile import document, withheld

from mallard.advisor.profile.difference import Difference, Sums, compare
from mallard.advisor.profile.document import read_profile
from mallard.advisor.view.profile.difference import difference_report
from mallard.shared.report.figures import cell_text
from mallard.shared.report.model import Report, Row


def difference(before: dict[str, Any], after: dict[str, Any]) -> Difference:
    return compare(read_profile(json.dumps(before)), read_profile(json.dumps(after)))


def report(before: dict[str, Any], after: dict[str, Any], *, all_rows: bool = False) -> Report:
    return difference_report(difference(before, after), all_rows=all_rows)


def rows(shown: Report, title: str) -> tuple[Row, ...]:
    (block,) = next(section for section in shown.sections if section.title == title).blocks
    return block.rows


def with_sites(*rows: tuple[str, int | None, int, int]) -> dict[str, Any]:
    """A profile of sites: function, line, allocations and bytes."""
    profile = document(scopes=[], scopes_not_listed=None, sites_not_listed=None)
    template = profile["sites"][0]
    profile["functions"] = [{"name": name} for name, _, _, _ in rows]
    profile["places"] = [
        {"function": at, "file": line and "/build/1/f.cpp", "line": line}
        for at, (_, line, _, _) in enumerate(rows)
    ]
    profile["sites"] = [
        template | {"place": at, "figures": figures(allocations, bytes_)}
        for at, (_, _, allocations, bytes_) in enumerate(rows)
    ]
    return profile


def test_equal_profiles_do_not_differ() -> None:
    result = difference(document(), document())
    assert not result.sites
    assert not result.scopes
    shown = report(document(), document())
    assert shown.answer.text == "The allocations are the same."
    assert [section.about for section in shown.sections[1:]] == ["no difference"] * 2


def test_matches_sites_by_name_and_line() -> None:
    before = with_sites(("f(int)", 3, 10, 100), ("g()", 8, 5, 50))
    after = with_sites(("g()", 8, 5, 50), ("f(int)", 3, 40, 400))
    after["places"][1]["file"] = "/build/2/f.cpp"
    (site,) = difference(before, after).sites
    assert (site.name, site.differences()) == ("f(int)", (30, 300, 0))


def test_lists_new_and_removed_sites() -> None:
    before, after = with_sites(("gone()", 1, 10, 100)), with_sites(("new()", 1, 10, 100))
    changes = {change.name: change for change in difference(before, after).sites}
    assert changes["gone()"].after is None
    assert changes["new()"].before is None
    states = {str(row.cells[-1]) for row in rows(report(before, after), "Sites")}
    assert states == {"gone", "new"}


def test_moved_lines_match_in_order() -> None:
    before = with_sites(("f()", 3, 10, 100), ("f()", 9, 20, 200), ("f()", 20, 1, 1))
    after = with_sites(("f()", 20, 1, 1), ("f()", 10, 27, 200), ("f()", 4, 10, 100))
    (site,) = difference(before, after).sites
    assert site.differences() == (7, 0, 0)
    assert site.after == Sums(27, 200, 9000)


def test_an_added_line_matches_no_other() -> None:
    before = with_sites(("f()", 3, 10, 100))
    after = with_sites(("f()", 4, 10, 100), ("f()", 5, 10, 100))
    assert [change.before is None for change in difference(before, after).sites].count(True) == 2


def test_sites_without_lines_are_summed() -> None:
    before = with_sites(("f", None, 10, 100), ("f", None, 20, 200))
    after = with_sites(("f", None, 31, 300))
    (site,) = difference(before, after).sites
    assert site.before == Sums(30, 300, 18_000)
    assert site.difference("allocations") == 1


def test_largest_share_of_any_figure_leads() -> None:
    before = with_sites(("many", 1, 0, 0), ("large", 2, 0, 0), ("small", 3, 0, 0))
    after = with_sites(("many", 1, 120_000, 10), ("large", 2, 1, 200_000_000), ("small", 3, 5, 5))
    assert [change.name for change in difference(before, after).sites] == ["large", "many", "small"]


def test_scopes_with_one_difference_are_one_row() -> None:
    inner, outer = scope(1, 1, 1000, 9000, 0.5), scope(2, 2, 5000, 50_000, 0.5)
    more = [scope(1, 1, 1100, 9600, 0.5), scope(2, 2, 5100, 50_600, 0.5)]
    after = document(scopes=more)
    for row, old in zip(after["scopes"], (inner, outer), strict=True):
        row["figures"]["L"]["footprint_bytes"] = old["figures"]["L"]["footprint_bytes"]
    (row,) = rows(report(document(scopes=[outer, inner]), after), "Scopes")
    assert cell_text(row.cells[1]) == "+100 \N{RIGHTWARDS ARROW} 1,100"
    assert row.note == "the same in 1 function around or in it"
    assert len(difference(document(scopes=[inner, outer]), after).scopes) == 2


def test_marked_scopes_are_compared_by_name() -> None:
    def marked(allocations: int) -> dict[str, Any]:
        row = scope(0, 0, allocations, 9000, 1.0) | {"name": "request", "function": None}
        return document(markers={"scopes": [row]})

    (change,) = difference(marked(500), marked(700)).scopes
    assert (change.name, change.difference("allocations")) == ("request", 200)


def test_lists_reasons_against_a_comparison() -> None:
    other = document()
    other["process"] |= {"executable": "/usr/bin/ld", "sampled_one_in": 8}
    text = " ".join(report(document(), other).doubts)
    assert "These are two programs: /usr/bin/clang-16 and /usr/bin/ld." in text
    assert "one activation in 1 and in 8: their counts cannot be compared" in text
    assert "clang.trace lacks 443 rows, which count as new or gone: " in text
    assert "write it with --export sqlite." in text
    assert "clang.trace has no scopes: " in " ".join(report(document(), withheld()).doubts)


def test_lines_fit_the_terminal() -> None:
    before = with_sites(*((f"ns::f{at}<{'int, ' * 30}>()", at + 1, 10, 100) for at in range(30)))
    after = with_sites(("g", None, 1, 1))
    for width in (40, 80, 120):
        lines = screen(report(before, after), width)
        assert all(len(line) <= width for line in lines)
        assert any("Sites  8 of 31 (--all): " in line for line in lines)
    lines = screen(report(before, after, all_rows=True))
    assert any("Sites  the largest difference first" in line for line in lines)
