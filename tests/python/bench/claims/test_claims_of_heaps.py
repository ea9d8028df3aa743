"""The claims of allocplus about vectors that grow and shrink in place and about bursts, from rows with known
figures.
"""

from __future__ import annotations

import pytest
from synthetic_heaps import PUSH_NS, burst_rows, calls_of, growth_rows, range_ns, shrink_ns, shrink_rows
from synthetic_rows import to_rows

from mallard.bench.claims import Entry, ledger
from mallard.bench.claims.ledger import NOT_MEASURED, NOT_REPRODUCED, REPRODUCED
from mallard.bench.result import Row

VECTORS = [
    *growth_rows(types=("myint",)),
    *shrink_rows(types=("myint",)),
]


def find_entry(rows: list[Row], section: str, text: str) -> Entry:
    return next(
        entry for entry in ledger(rows) if entry.section.startswith(section) and entry.text.startswith(text)
    )


def test_judges_allocator_calls_for_ten_elements() -> None:
    rows = to_rows(VECTORS)
    ours = find_entry(rows, "1 forward (WinXP", "V2 allocator calls vs others for 10 push_backs: V2")
    assert (ours.verdict, ours.ours, ours.cells) == (REPRODUCED, "4 calls", 2)
    assert sum(calls_of("boost-allocator-v2", 10)) == sum(calls_of("boost-allocator-v2-masked", 10)) == 4.0
    remaining = find_entry(rows, "1 forward (WinXP", "V2 allocator calls vs others for 10 push_backs: others")
    assert (remaining.verdict, remaining.ours, remaining.cells) == (REPRODUCED, "5 calls", 2)


def test_compares_growth_in_place_with_copying() -> None:
    """Ten thousand elements, by Boost's allocator, which is the author's."""
    rows = to_rows(VECTORS)
    base, share = PUSH_NS["boost-allocator-v2"]
    ratios = {
        name: PUSH_NS[name][0] * PUSH_NS[name][1] / (base * share)
        for name in ("boost-allocator-v2-masked", "boost-allocator-v1")
    }
    assert ratios == {"boost-allocator-v2-masked": 2.0, "boost-allocator-v1": 2.5}
    masked = find_entry(rows, "1 forward (WinXP", "10000 push_backs: expanding V2 vs V2 without expansion")
    assert (masked.verdict, masked.ours) == (REPRODUCED, "2 x")
    plain = find_entry(rows, "1 forward (WinXP", "10000 push_backs: expanding V2 vs plain dlmalloc V1")
    assert (plain.verdict, plain.ours) == (REPRODUCED, "2.5 x")
    linux = find_entry(rows, "1 forward (Linux", "expanding V2 vs V1")
    assert (linux.verdict, linux.ours) == (REPRODUCED, "2.5 x")


def test_judges_shrinking_by_its_largest_gain() -> None:
    entry = find_entry(to_rows(VECTORS), "1 shrink", "in-place shrink_to_fit")
    most = shrink_ns("boost-allocator-v1", 10_000) / shrink_ns("boost-allocator-v2", 10_000)
    assert entry.verdict == NOT_REPRODUCED, "151 times is more than a quarter above 90"
    assert entry.figures[0].value == pytest.approx(most)
    assert entry.cells == 3, "not a million elements, which the article has not"


def test_class_of_the_article_decides() -> None:
    entry = find_entry(to_rows(growth_rows()), "1 forward (Linux", "expanding V2 vs V1")
    assert (entry.verdict, entry.figures) == (NOT_MEASURED, [])
    assert entry.command == (
        "mallard bench expansion-forward --elements 10,10000 --type myint --strategy new-delete,boost"
    )


def test_nothing_is_decided_without_boost() -> None:
    rows = to_rows(growth_rows(strategies=("new-delete", "heap-v1", "heap-v2"), types=("myint",)))
    entry = find_entry(rows, "1 forward (WinXP", "V2 allocator calls vs others for 10 push_backs: others")
    assert (entry.verdict, entry.cells) == (NOT_MEASURED, 0)


def test_judges_bursts_by_the_burst_experiment() -> None:
    rows = to_rows(burst_rows())
    assert range_ns("boost-allocator")[0] == 2.0 * range_ns("boost-allocator-burst")[0]
    windows = find_entry(rows, "2 burst (WinXP", "burst range insertion vs node-by-node V1, big ranges")
    assert (windows.ours, windows.cells) == ("2 x", 2)
    linux = find_entry(rows, "2 burst (Linux", "burst insertion vs V1, big ranges, up to")
    assert (linux.verdict, linux.ours) == (REPRODUCED, "2 x")
    erasure = find_entry(rows, "2 burst (Linux", "burst erasure vs V1, big ranges")
    assert (erasure.verdict, erasure.ours) == (NOT_REPRODUCED, "100 %")
