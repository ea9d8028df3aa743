"""Patterns of synthetic sites, and the estimate of the time in allocation."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import replace
from typing import Any

import pytest
from profile_rows import amount, figures, scope
from synthetic_profile import document, empty
from synthetic_study import ceiling as synthetic_ceiling

from mallard.advisor.advice.ceiling import (
    CLOCK_NS,
    PAGES_TOUCHED,
    Ceiling,
    estimate_ceiling,
    fault_nanoseconds,
    width,
)
from mallard.advisor.advice.patterns import Pattern, find_control_calls, find_patterns
from mallard.advisor.profile.document import Profile, read_profile
from mallard.advisor.profile.records import Growth
from mallard.advisor.trial.scope_code import reserved_bytes

FUNCTIONS = (
    "collect(int)",
    "std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(int*)",
    "std::string::_M_mutate(unsigned long)",
    "std::operator+<char>(char const*)",
    "std::_Sp_counted_ptr_inplace<widget>::_M_create()",
    "std::map<int, int>::emplace(int)",
    "std::vector<int, std::allocator<int> >::vector(std::vector<int, std::allocator<int> > const&)",
    "order::operator=(order const&)",
    "std::_Rb_tree<int, int>::_M_copy<false>(std::_Rb_tree_node<int>*)",
    "std::vector<int, std::allocator<int> >::push_back(int const&)",
)
NO_FINDINGS: dict[str, Any] = {
    "sites": [],
    "pairs": [],
    "owners": [],
    "already_pooled": [],
    "scopes": [],
    "almost_contained": [],
}


GROWN: dict[str, Any] = {
    "allocated": 0,
    "container": None,
    "thread": "same",
    "alive": False,
    "mean_lifetime_seconds": 1e-6,
    "mean_lifetime_bytes": 10.0,
}


def profile(inner: int, allocations: int, returns: int, steps: int = 8, **changes: Any) -> Profile:
    """One site in collect(), with one function of the library inside."""
    sizes = [[8 << step, allocations // steps, 64 * allocations // steps] for step in range(steps)]
    site_figures = figures(
        allocations, 64 * allocations, 1.0, sizes=sizes, size_classes=steps, largest=8 << (steps - 1)
    )
    site = {
        "place": 0,
        "figures": site_figures,
        "stacks": [{"stack": 0, **amount(allocations, 64 * allocations)}],
        "contexts": 1,
        "owners": [],
        "peak_bytes": 1 << 20,
        "returns": returns,
    }
    fields = NO_FINDINGS | {
        "functions": [{"name": name, "object": "/srv/x", "file": "x.cpp", "line": 1} for name in FUNCTIONS],
        "places": [
            {"function": index, "file": "x.cpp", "line": 40, "inlined": False}
            for index in range(len(FUNCTIONS))
        ],
        "stacks": [[inner, 0]],
        "sites": [site],
        "pairs": [GROWN | {"freed": 0, **amount(allocations, 64 * allocations)}],
        "figures": figures(10_000, 640_000, 1.0),
    }
    return read_profile(json.dumps(document(**fields | changes)))


def only(recorded: Profile) -> Pattern:
    (pattern,) = find_patterns(recorded)
    return pattern


def test_growing_vector_is_a_reserve_pattern():
    pattern = only(profile(inner=1, allocations=8000, returns=1000))
    assert (pattern.kind, pattern.where) == ("reserve", "collect (x.cpp:40)")
    assert pattern.reason == "std::vector grows in 8.0 steps, 1,000 times, up to 1.00 KiB"
    # 7,000 blocks less, two operations of 71 ns each, and half of the bytes are copied.
    assert pattern.estimated_seconds == pytest.approx(7000 * 2 * 71e-9 + 8000 * 32 * 0.05e-9)


def grown(allocations: int, from_bytes: int, to_bytes: int, **changes: Any) -> Profile:
    recorded = profile(inner=0, allocations=8000, returns=8000, **changes)
    (site,) = recorded.sites
    growth = Growth(allocations, from_bytes, to_bytes, 8000 - allocations, 1000)
    return replace(recorded, sites=(replace(site, growth=growth),))


def test_array_of_c_has_its_factor_of_growth():
    pattern = only(grown(7500, 400_000, 450_000))
    assert (pattern.kind, pattern.where) == ("reserve", "collect (x.cpp:40)")
    assert pattern.reason == (
        "an array grows by realloc in 16.0 steps by a factor of 1.12, 500 times, up to 1.00 KiB"
    )
    assert pattern.remedy.startswith("a capacity that is doubled, not multiplied by 1.12, or the final size")
    assert pattern.estimated_seconds == pytest.approx(7500 * 2 * 71e-9 + 400_000 * 0.05e-9)
    assert pattern.reserved_bytes == 1000
    assert only(grown(7500, 400_000, 800_000)).remedy.startswith("the final size before the array is filled")


def test_array_that_grows_on_at_other_lines_has_its_largest_size():
    (site,) = grown(7500, 400_000, 450_000).sites
    assert site.growth
    assert reserved_bytes([site]) == 1000
    assert reserved_bytes([replace(site, growth=replace(site.growth, final_p99_bytes=0))]) == 1024
    assert reserved_bytes([replace(site, growth=None)]) == 0
    assert reserved_bytes([replace(site, growth=replace(site.growth, allocations=0))]) == 0


@pytest.mark.parametrize(("allocations", "from_bytes"), [(3000, 400_000), (0, 0)])
def test_few_growing_blocks_are_no_array(allocations: int, from_bytes: int):
    assert only(grown(allocations, from_bytes, 2 * from_bytes)).kind == "reuse"


def test_chain_of_concatenations_is_reserved_and_appended():
    one = profile(inner=3, allocations=2000, returns=2000)
    assert only(one).kind == "reuse", "a single one needs its block"
    (site,) = one.sites
    chain = only(replace(one, sites=(site, replace(site, instruction=0x2F))))
    assert (chain.kind, chain.where) == ("reserve", "collect (x.cpp:40)")
    assert chain.remedy == "one string with reserve() for all lengths, then append() for each part"
    assert chain.estimated_seconds is None
    growing = profile(
        inner=3,
        allocations=2000,
        returns=2000,
        stacks=[[3, 0], [2, 3, 0]],
        pairs=[GROWN | {"freed": 1, **amount(1500, 64_000)}],
    )
    assert only(growing).kind == "reserve"
    assert only(growing).estimated_seconds == pytest.approx(1500 * 2 * 71e-9)


@pytest.mark.parametrize(
    "body", ["collect(collect(int)::_Z7collecti.Frame*)", "collect(int) [clone .resume]"]
)
def test_frames_of_coroutines_want_an_operator_new(body):
    names = (*FUNCTIONS, body)
    functions = [{"name": name, "object": "/srv/x", "file": "x.cpp", "line": 1} for name in names]
    places = [{"function": at, "file": "x.cpp", "line": 40, "inlined": False} for at in range(len(functions))]

    def frames(made: list[int], bodies: int, smallest: int = 128) -> list[Pattern]:
        known = {"functions": functions[: len(FUNCTIONS) + bodies], "places": places[: len(FUNCTIONS)]}
        recorded = profile(inner=0, allocations=2000, returns=3, stacks=[made], **known)
        (site,) = recorded.sites
        figures = replace(site.figures, smallest=smallest, largest=128)
        found = replace(site, figures=figures, file="", instruction=0x1F, peak_bytes=128)
        return find_patterns(replace(recorded, sites=(found,)))

    (pattern,) = frames([0], 1)
    assert pattern.code == "", "a frame is not tried as a kept block"
    assert (pattern.kind, pattern.where) == ("coroutine", "collect (x.cpp:40)")
    assert pattern.reason == "its 2,000 blocks of 128 B are frames of the coroutine"
    assert pattern.remedy.startswith("an operator new of its promise type")
    for made, bodies, smallest in (([0], 0, 128), ([1, 0], 1, 128), ([0], 1, 64)):
        (other,) = frames(made, bodies, smallest)
        assert other.kind != "coroutine"
        assert other.code == ":1f-20"


def test_vectors_growing_side_by_side_count_separately():
    """A map of 50 vectors: no block is live 100 times, and 5,000 vectors grow in four steps each."""
    side_by_side = profile(
        inner=1, allocations=20_000, returns=100, steps=4, figures=figures(40_000, 640_000, 1.0)
    )
    pattern = only(side_by_side)
    assert pattern.reason == "std::vector grows in 4.0 steps, 5,000 times, up to 64 B"
    assert pattern.estimated_seconds == pytest.approx(15_000 * 2 * 71e-9 + 20_000 * 32 * 0.05e-9)


@pytest.mark.parametrize(
    "site",
    [
        {"inner": 1, "allocations": 8000, "returns": 100, "steps": 2},  # side by side, two steps each
        {"inner": 1, "allocations": 2000, "returns": 1000},  # two steps
        {"inner": 1, "allocations": 8000, "returns": 1},  # never empty again
        {"inner": 1, "allocations": 400, "returns": 50},  # a small share of all blocks
        {"inner": 1, "allocations": 8000, "returns": 1000, "steps": 1},  # one size
        {"inner": 5, "allocations": 8000, "returns": 1000},  # nodes of a map
    ],
)
def test_rejects_sites_without_a_ladder(site):
    assert find_patterns(profile(**site)) == []


def test_block_freed_at_once_is_reused():
    pattern = only(profile(inner=3, allocations=2000, returns=2000))
    assert pattern.kind == "reuse"
    assert "a buffer of 1.00 KiB on the stack, or one object that is cleared" in pattern.remedy
    large = only(profile(inner=3, allocations=2000, returns=2000, steps=12))
    assert large.remedy == "one buffer that is cleared and used again"


def test_strings_filled_once_are_no_ladder():
    """Their blocks are freed by destructors, and those of a growing string by the next step."""
    for freed_by_grower, is_ladder in ((3900, False), (4100, True)):
        pairs = [
            GROWN | {"freed": 0, **amount(freed_by_grower, 64_000)},
            GROWN | {"freed": 1, **amount(8000 - freed_by_grower, 64_000)},
        ]
        recorded = profile(inner=2, allocations=8000, returns=1000, stacks=[[2, 0], [0]], pairs=pairs)
        assert [each.kind for each in find_patterns(recorded)] == ["reserve"] * is_ladder


def test_unpaired_blocks_are_no_ladder():
    assert find_patterns(profile(inner=1, allocations=8000, returns=1000, pairs=[])) == []


@pytest.mark.parametrize(
    ("made_by", "grows"),
    [
        ([1, 0], True),
        ([10, 1, 0], True),  # through the allocator of the container
        ([5, 1, 0], False),  # an element that is made inside
        ([1, 3, 0], False),  # inside an operator+
    ],
)
def test_only_blocks_of_the_grower_itself_count(made_by: list[int], grows: bool):
    """Three quarters of the listed ones."""
    names = (*FUNCTIONS, "std::_Vector_base<int, std::allocator<int> >::_M_allocate(unsigned long)")
    known = {
        "functions": [{"name": name, "object": "/srv/x", "file": "x.cpp", "line": 1} for name in names],
        "places": [
            {"function": at, "file": "x.cpp", "line": 40, "inlined": False} for at in range(len(names))
        ],
    }
    recorded = profile(inner=1, allocations=8000, returns=1000, stacks=[made_by, [5, 0], [1, 0]], **known)
    (site,) = recorded.sites
    stacks = tuple(
        replace(site.stacks[0], stack=stack, allocations=blocks, bytes=64 * blocks)
        for stack, blocks in ((0, 3000), (1, 1000))
    )
    pairs = tuple(replace(pair, freed=2) for pair in recorded.pairs)
    found = find_patterns(replace(recorded, sites=(replace(site, stacks=stacks),), pairs=pairs))
    steps = [each.allocations for each in found if " grows in 6.0 steps, " in each.reason]
    assert steps == [6000] * grows


def line_profile(allocations: int, contexts: int = 1, **changes: Any) -> Profile:
    """The line asks again and again for blocks of up to 40 MiB, next to many small ones."""
    bytes_ = allocations * (40 << 20)
    sizes = [[40 << 20, allocations, bytes_]]
    site = {
        "place": 0,
        "file": "",
        "instruction": 0x1F,
        "figures": figures(allocations, bytes_, 1.0, sizes=sizes, size_classes=1, largest=40 << 20),
        "stacks": [{"stack": 0, **amount(allocations, bytes_)}],
        "contexts": contexts,
        "owners": [],
        "peak_bytes": 40 << 20,
        "returns": allocations,
    }
    return profile(
        inner=0,
        allocations=allocations,
        returns=0,
        sites=[site | changes],
        figures=figures(80_000, bytes_ + 640_000, 1.0),
    )


def with_faults(seconds: float) -> Ceiling:
    return synthetic_ceiling(faults=round(seconds * 1e9 / 200.0))  # of 109 ms


def test_large_blocks_count_by_their_page_faults():
    frame = line_profile(40)
    assert find_patterns(frame, with_faults(0.0)) == []
    assert find_patterns(frame, with_faults(0.002)) == [], "less than 2 % of the time"
    (pattern,) = find_patterns(frame, with_faults(0.090))
    assert (pattern.kind, pattern.code) == ("reuse", ":1f-20")
    assert pattern.reason == (
        "each of its 40 blocks, of up to 40.0 MiB, is freed before it makes the next one"
    )
    assert pattern.estimated_seconds == pytest.approx(0.090 * 39 / 40, rel=0.01)


def test_time_of_few_operations_does_not_count():
    """One of the timed ones may have been interrupted."""
    frame = line_profile(40)
    few = replace(frame, process=replace(frame.process, events=830))
    (counted,), (not_counted,) = (find_patterns(each, with_faults(0.090)) for each in (frame, few))
    assert counted.estimated_seconds - not_counted.estimated_seconds == pytest.approx(40 * 2 * 71e-9)


def test_few_live_blocks_are_temporary():
    pattern = only(line_profile(20_000, returns=7000, peak_bytes=100 << 20))
    assert (pattern.kind, pattern.code) == ("temporary", ":1f-20")
    assert pattern.reason == "of its 20,000 blocks of up to 40.0 MiB few are live at a time"
    assert find_patterns(line_profile(20_000, returns=7000, peak_bytes=400 << 20)) == []
    assert only(line_profile(20_000, returns=7000, peak_bytes=400 << 20, contexts=2)).kind == "temporary"


def test_sites_of_a_line_are_tried_together():
    first, second = (line_profile(each).sites[0] for each in (30_000, 20_000))
    both = replace(line_profile(30_000), sites=(first, replace(second, instruction=0x2F)))
    assert only(both).code == ":1f-20;:2f-30"
    assert only(both).allocations == 30_000
    apart = replace(line_profile(30_000), sites=(replace(first, file=None),))
    assert only(apart).code == ""


@pytest.mark.parametrize(("inner", "type_name"), [(6, "std::vector"), (7, "order"), (8, "a map or a set")])
def test_copies_are_a_move_pattern(inner, type_name):
    kept = only(profile(inner=inner, allocations=2000, returns=3))
    assert (kept.kind, kept.where) == ("move", "collect (x.cpp:40)")
    assert kept.reason == f"its 2,000 blocks are copies of {type_name}"
    assert kept.estimated_seconds is None
    at_once = only(profile(inner=inner, allocations=2000, returns=2000))
    assert at_once.estimated_seconds == pytest.approx(2000 * 2 * 71e-9 + 2000 * 64 * 0.05e-9)


def test_const_reference_parameter_is_not_a_copy():
    assert find_patterns(profile(inner=9, allocations=2000, returns=3)) == []


def test_one_block_per_call_is_single():
    calls = {"seen": 2000, "allocating": 2000, "contained": 2000, "open": 0, "seconds": 1.0}
    alone = scope(0, 0, 2000, 64_000, 1.0, activations=calls)
    pattern = only(profile(inner=5, allocations=2000, returns=3, scopes=[alone]))
    assert (pattern.kind, pattern.function) == ("single", "collect")
    assert pattern.reason.startswith("makes one block a call, 2,000 in all")
    several = scope(0, 0, 2000, 64_000, 1.0, activations=calls | {"allocating": 100})
    assert find_patterns(profile(inner=5, allocations=2000, returns=3, scopes=[several])) == []
    escaping = scope(0, 0, 2000, 64_000, 0.5, activations=calls)
    assert find_patterns(profile(inner=5, allocations=2000, returns=3, scopes=[escaping])) == []


def test_shared_pointers_are_a_shared_pattern():
    pattern = only(profile(inner=4, allocations=2000, returns=3))
    assert pattern.kind == "shared"
    assert pattern.estimated_seconds is None


def test_blocks_freed_by_other_threads_are_shared():
    freed = figures(10_000, 640_000, 1.0, freed_by_other_thread=amount(3000, 90_000))
    pattern = only(profile(inner=5, allocations=2000, returns=3, figures=freed))
    assert pattern.reason == "3,000 blocks are freed by another thread than their maker"


def test_finds_owner_classes_and_existing_pools():
    profile_document = document(
        sites=[],
        figures=figures(200_000, 60_000_000, 1.0),
        owners=[document()["owners"][0] | {"class": "clang::ASTContext"}],
    )
    kinds = {pattern.kind: pattern for pattern in find_patterns(read_profile(json.dumps(profile_document)))}
    assert kinds["owner"].function == "clang::ASTContext"
    assert "a pool or an arena is there already" in kinds["pooled"].reason


def trims(*seconds: float, name: str = "malloc_trim") -> list[dict[str, Any]]:
    """Calls of several sites of one line."""
    return [{"name": name, "place": 0, "calls": 200, "seconds": each, "stack": 0} for each in seconds]


def test_control_calls_are_named_by_line_from_one_percent_on():
    quiet = profile(inner=5, allocations=2000, returns=3, control_calls=trims(0.0005, 0.0005))
    assert find_patterns(quiet, synthetic_ceiling()) == [], "1.0 of 109 ms"
    calls = [*trims(0.001, 0.001), *trims(0.030, name="mallinfo2")]
    costly = profile(inner=5, allocations=2000, returns=3, control_calls=calls)
    for find in (find_patterns, find_control_calls):
        figures_first, trim = find(costly, synthetic_ceiling())
        assert (trim.kind, trim.where) == ("call", "malloc_trim at collect (x.cpp:40)")
        assert trim.reason == "measured in 400 calls"
        assert trim.estimated_seconds == pytest.approx(0.002)
        assert (figures_first.call, figures_first.reason) == ("mallinfo2", "measured in 200 calls")
    assert trim.times(0.5) == trim, "they are timed in elapsed time"


def test_empty_profile_has_no_patterns():
    assert find_patterns(read_profile(json.dumps(empty()))) == []


def test_estimate_adds_operations_and_faults():
    recorded = read_profile(json.dumps(document()))
    estimate = estimate_ceiling(recorded, cpu_seconds=2.0, wall_seconds=2.0, faults=1000, fault_ns=200.0)
    inside = 2_400_000 * 71e-9
    assert estimate.seconds == pytest.approx(inside + 1000 * 200e-9)
    by_clock = 2_400_000 * CLOCK_NS * 1e-9
    assert estimate.low == pytest.approx(inside * 0.079 / 0.084 - by_clock)
    assert estimate.high == pytest.approx(inside * 0.089 / 0.084 + by_clock + 1000 * 200e-9)
    assert estimate.worth_a_trial
    assert estimate_ceiling(recorded, 20.0, 1.0, 1000, 200.0).worth_a_trial  # of the wall time of many cores
    assert not estimate_ceiling(recorded, 20.0, 20.0, 1000, 200.0).worth_a_trial


def test_estimate_is_capped_by_program_time():
    estimate = estimate_ceiling(read_profile(json.dumps(document())), 0.001, 0.001, 10, 200.0)
    assert estimate.share_high == 1.0
    assert estimate.high == 0.001


@pytest.mark.parametrize(("faults", "is_worth"), [(90, False), (110, True)])
def test_few_operations_are_tried_for_their_faults_alone(faults, is_worth):
    """Their timed ones were interrupted: the estimate would be the whole run."""
    process = document()["process"] | {"events": 141}
    big = document(figures=figures(70, 40 << 20, 1.0), process=process)
    big["figures"]["D"] |= {"ns_per_operation": 1e6}
    estimate = estimate_ceiling(read_profile(json.dumps(big)), 0.001, 0.001, faults, 200.0)
    assert estimate.share_high == 1.0
    assert estimate.worth_a_trial is is_worth


def test_faults_beyond_the_blocks_do_not_count():
    few = document(figures=figures(3, 8192, 1.0))
    assert estimate_ceiling(read_profile(json.dumps(few)), 1.0, 1.0, 900, 200.0).faults == 5
    assert estimate_ceiling(read_profile(json.dumps(empty())), 1.0, 1.0, 900, 200.0).high == 0.0


def test_measures_fault_price_and_recording_width(monkeypatch):
    assert 0 <= fault_nanoseconds() < 1e6
    times = itertools.cycle((0.0, 0.003, 0.004, 0.005))  # the first touch takes 3 ms, the next one 1 ms
    monkeypatch.setattr(time, "thread_time", lambda: next(times))
    assert fault_nanoseconds() == pytest.approx(2e6 / PAGES_TOUCHED), "not the time of other processes"
    assert width(read_profile(json.dumps(document()))) == pytest.approx(0.01 / 0.084)
    assert width(read_profile(json.dumps(empty()))) == float("inf")
