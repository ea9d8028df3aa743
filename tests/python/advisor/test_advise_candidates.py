"""The scopes of a profile that are worth a trial."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from profile_rows import amount, figures, scope
from synthetic_profile import document, empty, withheld

from mallard.advisor.advice.candidates import LastingSite, disjoint, find_candidates
from mallard.advisor.profile.document import Profile, read_profile

NAMES = ("main", "handle(request const&)", "parse(text)", "std::string::_M_append(char const*)", "render()")


def profile(scopes: list[dict[str, Any]], **changes: Any) -> Profile:
    functions = [{"name": name, "object": "/srv/server", "file": "s.cpp", "line": 9} for name in NAMES]
    profile_document = document(
        functions=functions, scopes=scopes, figures=figures(1000, 64_000, 1.0), **changes
    )
    return read_profile(json.dumps(profile_document))


def names(recorded: Profile) -> list[str]:
    return [candidate.name for candidate in find_candidates(recorded)]


def test_keeps_the_scope_that_owns_the_blocks():
    main = scope(0, 0, 1000, 64_000, 1.0, owned=amount(5, 300))
    handle = scope(1, 1, 990, 63_000, 1.0, owned=amount(980, 62_000))
    assert names(profile([main, handle])) == ["handle"]


def test_main_is_the_last_resort():
    assert names(profile([scope(0, 0, 1000, 64_000, 1.0)])) == ["main"]


@pytest.mark.parametrize(
    "name", ["clone3", "__clone", "start_thread", "libc.so.6+0x89134", "libstdc++.so.6+0xd44a3"]
)
def test_the_start_of_a_thread_is_the_last_resort(name):
    functions = [{"name": each, "object": "/srv/server", "file": "s.cpp", "line": 9} for each in NAMES]
    library = "libstdc++.so.6" if name.startswith("libstdc++") else "libc.so.6"
    functions.append({"name": name, "object": f"/lib/{library}", "file": None, "line": None})
    thread = scope(0, len(NAMES), 1000, 64_000, 1.0, owned=amount(900, 60_000))
    handle = scope(1, 1, 500, 30_000, 1.0, owned=amount(400, 25_000))
    recorded = document(functions=functions, scopes=[thread, handle], figures=figures(1000, 64_000, 1.0))
    (found,) = find_candidates(read_profile(json.dumps(recorded)))
    assert found.name == "handle"
    assert not found.is_main


def test_function_that_allocates_for_callers_is_rejected():
    parse = scope(2, 2, 500, 30_000, 0.002, owned=amount(1, 10))
    assert names(profile([parse])) == []


def test_library_functions_come_after_program_functions():
    append = scope(3, 3, 700, 40_000, 1.0, owned=amount(700, 40_000))
    render = scope(4, 4, 200, 9_000, 1.0, owned=amount(200, 9_000))
    assert names(profile([append, render])) == ["render", "std::string::_M_append"]


def test_marked_scopes_come_first():
    handle = scope(1, 1, 990, 63_000, 1.0)
    marked = scope(9, 1, 300, 20_000, 1.0) | {"name": "request", "kind": "marker", "function": None}
    candidates = find_candidates(profile([handle], markers=document()["markers"] | {"scopes": [marked]}))
    assert [candidate.title for candidate in candidates] == ['the scope "request"', "handle()"]


def test_candidate_has_the_sizes_of_a_region():
    handle = scope(
        1,
        1,
        990,
        63_000,
        0.9,
        rewind={"returns": 400, "peak_bytes": 4096},
        escape_sites=[{"site": 4, **amount(9, 90)}],
    )
    (candidate,) = find_candidates(profile([handle]))
    assert candidate.asked_as == "handle(request const&)"
    assert candidate.with_source == "handle() (s.cpp:9)"
    assert (candidate.returns, candidate.region_bytes) == (400, 4096)
    assert candidate.escaped == handle["figures"]["escaped"]["allocations"]
    assert candidate.escape_sites[0].allocations == 9


def test_scope_excludes_lines_and_never_itself():
    (candidate,) = find_candidates(profile([scope(1, 1, 990, 63_000, 0.9)]))
    sites = (
        LastingSite("handle", "src/s.cpp:12", 9),
        LastingSite("handle", "src/s.cpp:12", 2),
        LastingSite("handle", "server", 5),
        LastingSite("keep", "libkeep.so", 4),
    )
    assert replace(candidate, left_out=sites[:2]).with_source == (
        "handle() (s.cpp:9), but not for the blocks of s.cpp:12"
    )
    assert replace(candidate, left_out=sites).with_source.endswith(
        ", but not for the blocks of s.cpp:12, some of its own calls and keep()"
    )
    one_line = replace(candidate, source="src/s.cpp:12", left_out=sites[:3])
    assert one_line.with_source == "handle() (s.cpp:12), but not for the blocks of some of its own calls"


def test_candidate_has_its_break_even_share():
    handle = scope(1, 1, 990, 63_000, 0.9)
    break_even = {"share": 0.42, "saved_ns_per_block": 51.0, "cost_ns_per_activation": 2600.0}
    almost = {"scope": 1, "containment": 0.9, "escapes_from": [], "break_even": break_even}
    (priced,) = find_candidates(profile([handle], almost_contained=[almost]))
    assert priced.break_even == 0.42
    (unpriced,) = find_candidates(profile([handle], almost_contained=[almost | {"scope": 7}]))
    assert unpriced.break_even is None


def test_no_candidates_without_scopes():
    assert find_candidates(read_profile(json.dumps(empty()))) == []
    assert find_candidates(read_profile(json.dumps(withheld()))) == []


def test_returns_at_most_five_candidates():
    scopes = [scope(n, 1 + n % 2, 900 - 100 * n, 9_000, 1.0) for n in range(8)]
    assert len(find_candidates(profile(scopes))) == 5


def test_scopes_are_disjoint_unless_nested():
    def node(parent: int | None, function: int | None) -> dict[str, Any]:
        counts = ("allocations", "bytes", "contained_allocations", "contained_bytes", "operations")
        return {"parent": parent, "function": function, **dict.fromkeys(counts, 10)}

    handle = scope(1, 1, 600, 63_000, 1.0)
    render = scope(4, 4, 300, 9_000, 1.0)
    siblings = [node(None, None), node(0, 0), node(1, 1), node(1, 4)]
    inside = [*siblings, node(2, 4)]
    separate = profile([handle, render], flame={"nodes": siblings, "pruned": 0})
    nested = profile([handle, render], flame={"nodes": inside, "pruned": 0})
    first, second = find_candidates(separate)
    assert disjoint(separate, first, second)
    assert not disjoint(nested, first, second)


def inlined_profile(*stacks: list[int]) -> Profile:
    places = [
        {"function": 1, "file": "s.cpp", "line": 12, "inlined": True},
        {"function": 0, "file": "src/s.cpp", "line": 30, "inlined": False},
        {"function": 0, "file": "src/s.cpp", "line": 31, "inlined": False},
        {"function": 1, "file": "s.cpp", "line": 12, "inlined": False},
    ]
    sites = [
        {
            "place": stack[0],
            "figures": figures(10, 64, 1.0),
            "stacks": [{"stack": number, "allocations": 10, "bytes": 64}],
        }
        for number, stack in enumerate(stacks)
    ]
    handle = scope(1, 1, 990, 63_000, 1.0)
    return profile([handle], places=places, stacks=list(stacks), sites=sites)


@pytest.mark.parametrize(
    ("stacks", "inlined"),
    [
        ([[0, 1]], "inlined into main at s.cpp:30"),
        ([[0, 1], [0, 2], [0, 1]], "inlined into main at s.cpp:30 and 1 other place"),
        ([[0, 1], [3, 2]], ""),
        ([[3, 1]], ""),
        ([[1]], ""),
    ],
)
def test_an_inlined_candidate_names_its_caller(stacks, inlined):
    (candidate,) = find_candidates(inlined_profile(*stacks))
    assert candidate.inlined == inlined
    comma = ", " if inlined else ""
    assert candidate.with_source == f"handle() (s.cpp:9{comma}{inlined})"


@pytest.mark.parametrize(
    ("activations", "distinguished", "returns", "expected"),
    [
        (1, 1, 1, True),
        (400, 400, 900, True),
        (400, 900, 900, False),
        (1, 900, 900, False),
        (1, 1, 900, False),
    ],
)
def test_a_scope_returns_if_its_calls_are_distinguished(activations, distinguished, returns, expected):
    handle = scope(1, 1, 990, 63_000, 1.0, rewind={"returns": returns, "peak_bytes": 4096})
    handle["activations"] |= {"seen": activations, "allocating": activations}
    handle["separations"] = {"seen": activations, "at_most": distinguished}
    (candidate,) = find_candidates(profile([handle]))
    assert candidate.returns_each_time == expected
