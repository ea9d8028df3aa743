"""Scopes whose blocks are scattered: which have a row, and its figures."""

from __future__ import annotations

import json
from typing import Any

import pytest
from profile_rows import scope
from synthetic_profile import document

from mallard.advisor.profile.database import Database
from mallard.advisor.profile.diffusion import describe, diffused_scopes
from mallard.advisor.profile.document import Profile, read_profile, stored_profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.records import PageFigures
from mallard.advisor.view.profile.scopes import diffusion_sections
from mallard.shared.report.figures import cell_text

KIB = 1024


def pages(live: int, held: int, needed: int, shared: int = 0, seconds: float = 1.0) -> dict[str, Any]:
    names = ("seconds", "live_bytes", "pages", "pages_needed", "pages_shared")
    return dict(zip(names, (seconds, live, held, needed, shared), strict=True))


def diffusion(peak: dict[str, Any], *over_time: dict[str, Any]) -> dict[str, Any]:
    return {"peak": peak, "over_time": list(over_time)}


def profile(*scopes: dict[str, Any]) -> Profile:
    return read_profile(json.dumps(document(scopes=list(scopes))))


SCATTERED = diffusion(
    pages(400 * KIB, 400, 100, 300),
    pages(4 * KIB, 2, 1),
    pages(100 * KIB, 30, 25),
    pages(200 * KIB, 200, 50),
)


def row(number: int, allocations: int, figures: dict[str, Any] | None) -> dict[str, Any]:
    return scope(number, number, allocations, 64_000, 1.0, diffusion=figures)


def test_lists_scattered_scopes_with_most_superfluous_pages_first() -> None:
    packed = diffusion(pages(400 * KIB, 101, 100))
    small = diffusion(pages(4 * KIB, 15, 1))
    most = diffusion(pages(4000 * KIB, 1600, 1000))
    listed = profile(
        row(0, 9, SCATTERED), row(1, 9, packed), row(2, 9, small), row(3, 9, most), row(4, 9, None)
    )
    assert [row.scope.function for row in diffused_scopes(listed)] == [3, 0]
    (section,) = diffusion_sections(listed, Names(listed), all_rows=True)
    texts = [[cell_text(cell) for cell in row.cells[1:]] for row in section.blocks[0].rows]
    assert texts[1] == ["400 KiB", "400", "100", "4.00", "1.20", "4.00", "75 %"]
    assert texts[0][4:6] == ["-", "-"]
    packed_only = profile(row(1, 9, packed))
    assert diffusion_sections(packed_only, Names(packed_only), all_rows=True) == []


def test_names_the_innermost_of_equal_scopes() -> None:
    rows = diffused_scopes(profile(row(0, 90, SCATTERED), row(1, 30, SCATTERED), row(2, 60, SCATTERED)))
    assert [listed.scope.function for listed in rows] == [1]


def test_describes_one_scope() -> None:
    text = describe(PageFigures(1.0, 400 * KIB, 400, 100, 300))
    assert text == "400 hold 400 KiB, which would fill 100; 75 % of them also hold blocks of others"


@pytest.mark.parametrize("order", [1, -1])
def test_a_merge_has_the_highest_peak(order: int) -> None:
    larger = diffusion(pages(800 * KIB, 900, 200))
    database = Database()
    for one in [profile(row(0, 9, SCATTERED)), profile(row(0, 9, larger))][::order]:
        database.add(one.rows)
    (merged,) = stored_profile(database).scopes
    assert merged.diffusion.peak == PageFigures(1.0, 800 * KIB, 900, 200, 0)
