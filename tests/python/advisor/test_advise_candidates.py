"""The scopes of a profile that are worth a trial."""

from __future__ import annotations

import json
from typing import Any

from profile_rows import amount, figures, scope
from synthetic_profile import document, empty, withheld

from mallard.advice.candidates import disjoint, find_candidates
from mallard.profile.document import Profile, read_profile

NAMES = ("main", "handle(request const&)", "parse(text)", "std::string::_M_append(char const*)", "render()")


def profile(scopes: list[dict[str, Any]], **changes: Any) -> Profile:
    functions = [{"name": name, "object": "/srv/server", "file": "s.cpp", "line": 9} for name in NAMES]
    made = document(functions=functions, scopes=scopes, figures=figures(1000, 64_000, 1.0), **changes)
    return read_profile(json.dumps(made))


def names(of: Profile) -> list[str]:
    return [each.name for each in find_candidates(of)]


def test_of_scopes_that_make_the_same_blocks_the_one_that_owns_them():
    main = scope(0, 0, 1000, 64_000, 1.0, owned=amount(5, 300))
    handle = scope(1, 1, 990, 63_000, 1.0, owned=amount(980, 62_000))
    assert names(profile([main, handle])) == ["handle"]


def test_main_is_a_candidate_if_there_is_no_other():
    assert names(profile([scope(0, 0, 1000, 64_000, 1.0)])) == ["main"]


def test_a_function_that_makes_blocks_for_others_is_none():
    parse = scope(2, 2, 500, 30_000, 0.002, owned=amount(1, 10))
    assert names(profile([parse])) == []


def test_the_library_comes_after_the_program():
    append = scope(3, 3, 700, 40_000, 1.0, owned=amount(700, 40_000))
    render = scope(4, 4, 200, 9_000, 1.0, owned=amount(200, 9_000))
    assert names(profile([append, render])) == ["render", "std::string::_M_append"]


def test_marked_scopes_come_first():
    handle = scope(1, 1, 990, 63_000, 1.0)
    marked = scope(9, 1, 300, 20_000, 1.0) | {"name": "request", "kind": "marker", "function": None}
    found = find_candidates(profile([handle], markers=document()["markers"] | {"scopes": [marked]}))
    assert [each.title for each in found] == ['the scope "request"', "handle()"]


def test_a_candidate_has_what_a_region_needs():
    handle = scope(
        1,
        1,
        990,
        63_000,
        0.9,
        rewind={"returns": 400, "peak_bytes": 4096},
        escape_sites=[{"site": 4, **amount(9, 90)}],
    )
    (found,) = find_candidates(profile([handle]))
    assert found.asked_as == "handle(request const&)"
    assert found.with_source == "handle() (s.cpp:9)"
    assert (found.returns, found.region_bytes) == (400, 4096)
    assert found.escaped == handle["figures"]["escaped"]["allocations"]
    assert found.escape_sites[0].allocations == 9


def test_a_candidate_has_the_price_of_its_escapes():
    handle = scope(1, 1, 990, 63_000, 0.9)
    even = {"share": 0.42, "saved_ns_per_block": 51.0, "cost_ns_per_activation": 2600.0}
    almost = {"scope": 1, "containment": 0.9, "escapes_from": [], "break_even": even}
    (found,) = find_candidates(profile([handle], almost_contained=[almost]))
    assert found.break_even == 0.42
    (other,) = find_candidates(profile([handle], almost_contained=[almost | {"scope": 7}]))
    assert other.break_even is None


def test_no_scope_no_candidate():
    assert find_candidates(read_profile(json.dumps(empty()))) == []
    assert find_candidates(read_profile(json.dumps(withheld()))) == []


def test_at_most_five():
    scopes = [scope(n, 1 + n % 2, 900 - 100 * n, 9_000, 1.0) for n in range(8)]
    assert len(find_candidates(profile(scopes))) == 5


def test_scopes_are_disjoint_if_neither_was_seen_in_the_other():
    def node(parent: int | None, function: int | None) -> dict[str, Any]:
        counts = ("allocations", "bytes", "contained_allocations", "contained_bytes", "operations")
        return {"parent": parent, "function": function, **dict.fromkeys(counts, 10)}

    handle = scope(1, 1, 600, 63_000, 1.0)
    render = scope(4, 4, 300, 9_000, 1.0)
    beside = [node(None, None), node(0, 0), node(1, 1), node(1, 4)]
    inside = [*beside, node(2, 4)]
    apart = profile([handle, render], flame={"nodes": beside, "pruned": 0})
    nested = profile([handle, render], flame={"nodes": inside, "pruned": 0})
    one, other = find_candidates(apart)
    assert disjoint(apart, one, other)
    assert not disjoint(nested, one, other)
