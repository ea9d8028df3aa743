"""The answers of the advice: a study of each kind, and its headline."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from report_lines import screen
from synthetic_study import (
    MIB,
    aged,
    baseline,
    candidate,
    ceiling,
    effect,
    escaping,
    mallocs,
    pattern,
    result,
    study,
)

from mallard.advisor.advice.candidates import LastingSite, line_candidate
from mallard.advisor.advice.code import TypeChange
from mallard.advisor.advice.study import ScopePair, Screened
from mallard.advisor.advice.verdict import NOT_SEEN, Answer, decide
from mallard.advisor.profile.records import Amount
from mallard.advisor.trial.effect import Effect
from mallard.advisor.trial.load import Load
from mallard.advisor.trial.program import Counts
from mallard.advisor.view.advice import advice_json, advice_report
from mallard.advisor.view.sarif import advice_sarif
from mallard.shared.stats import Difference

CHANGE = TypeChange("vector", "T", "handle", "src/server.cpp:90", 1_000_000)


def facts(**changes: object) -> dict[str, str]:
    return dict(decide(study(**changes)).facts)


def test_headline_has_allocator_place_and_interval():
    verdict = decide(study())
    assert verdict.kind == "local"
    assert verdict.headline == (
        "Put a monotonic allocator, rewound on return, into handle() (server.cpp:88): 35.5 % saved, "
        "38.7 ms of 109 ms (37.4 to 40.0 ms) at 1.2 x the peak memory."
    )
    assert verdict.notes[-1] == "Measured on this program, against glibc on a young heap."


def test_facts_have_the_figures():
    sentences = facts()
    assert sentences["estimate"].startswith(
        "malloc and page faults take about 41.4 ms (38.0 %) here, with the interval 36.8 to 46.0 ms: 2.41 M"
    )
    assert sentences["estimate"].endswith("; locality is not counted")
    assert sentences["on top of mimalloc"] == (
        "a monotonic allocator, rewound on return, still saves 27.0 ms (26.0 to 28.0 ms); both are as fast "
        "as the local allocator alone, with a peak of 1.3 x"
    )
    assert sentences["memory"] == "peak 1.2 x; 0 of 1.20 M blocks escape"
    assert sentences["a never-released arena"] == "do not (peak 9.0 x)"


def test_nothing_below_two_percent():
    verdict = decide(study(ceiling=ceiling(2.0), trial=None, chosen=None))
    assert verdict.kind == "nothing"
    assert verdict.headline == (
        "Nothing worth doing: by estimate malloc and page faults take at most 1.9 % of 109 ms here, against "
        "glibc on a young heap; better locality is not counted."
    )
    assert [label for label, _ in verdict.facts] == ["estimate"]
    assert verdict.code == ""


def test_nothing_for_a_single_block():
    verdict = decide(study(ceiling=ceiling(0.01), allocations=1, trial=None, chosen=None))
    assert verdict.headline == (
        "Nothing worth doing: the program allocates 1 block, too few to save time with, against "
        "glibc on a young heap."
    )


UNSAVED = {"on_top": None, "globals": mallocs(("mimalloc", 0.1, 0.5))}
WIDE = {"trial": result(baseline(effect("heap", 0.1, 9.0))), **UNSAVED}


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("nothing", {"ceiling": ceiling(2.0), "trial": None, "chosen": None}),
        ("unresolved", {"trial": None, "chosen": None, **UNSAVED}),
        ("unresolved", WIDE),
        ("local", {}),
        ("global", {"globals": mallocs(("mimalloc", 33.0, 1.0))}),
    ],
)
def test_every_answer_of_a_server_names_its_load(kind, changes):
    verdict = decide(study(load=Load("client"), **changes))
    assert verdict.kind == kind
    if kind == "nothing" or changes is WIDE:
        assert " 109 ms of the program's CPU time under its load" in verdict.headline
    if kind != "nothing":
        note = "Measured on this program under its load, against glibc on a young heap."
        assert verdict.notes[-1] == note
    assert dict(verdict.facts)["load"] == (
        "'client'; times are the server's CPU time from its start to its end"
    )


def test_malloc_that_saves_nearly_as_much_wins():
    verdict = decide(study(globals=mallocs(("mimalloc", 33.0, 1.0)), changes=(CHANGE,)))
    assert verdict.kind == "global"
    assert verdict.headline == (
        "Use mimalloc instead of glibc: 30.3 % saved, 33.0 ms of 109 ms (32.0 to 34.0 ms) at 1.1 x the peak "
        "memory."
    )
    typed, then, *_ = verdict.facts
    assert typed[0] == "to use it"
    assert then == (
        "then",
        (
            "put a monotonic allocator, rewound on return, into handle() (server.cpp:88): that still saves "
            "27.0 ms (26.0 to 28.0 ms)"
        ),
    )
    assert verdict.answer == Answer("global", strategy="monotonic", malloc="mimalloc")
    assert "#include" in verdict.code
    assert dict(verdict.facts)["a local allocator"].startswith("put a monotonic allocator")


def test_answer_prefers_certain_over_smallest_median():
    unsure = effect("heap", 50.0, 60.0)
    verdict = decide(study(trial=result(baseline(unsure, effect("monotonic", 38.7))), on_top=None))
    assert verdict.answer == Answer("local", strategy="monotonic")


def test_region_for_main_is_a_global_allocator():
    main = candidate("main", rank=4)
    verdict = decide(study(chosen=main, changes=(CHANGE,), globals=mallocs(("mimalloc", 20.0, 1.0))))
    assert verdict.kind == "global"
    assert "then" not in dict(verdict.facts)


def test_nameless_function_has_no_code():
    nameless = candidate("jq+0x24a0", rank=2, source="jq", object="/usr/bin/jq")
    verdict = decide(study(chosen=nameless, changes=(CHANGE,), globals=mallocs(), on_top=None))
    assert verdict.headline.startswith(
        "Install the debug symbols of jq, and ask again: a monotonic allocator"
    )
    assert "35.5 % saved, 38.7 ms of 109 ms" in verdict.headline
    assert "0x24a0" not in verdict.headline
    assert any(note.startswith("Many functions of jq have addresses for names") for note in verdict.notes)
    assert verdict.code == ""
    by_malloc = decide(study(chosen=nameless, globals=mallocs(("mimalloc", 12.0, 1.0))))
    assert by_malloc.answer == Answer("global", malloc="mimalloc")
    assert "then" not in dict(by_malloc.facts)


def test_malloc_with_lower_peak_wins_where_intervals_meet(monkeypatch):
    libraries = {"mimalloc": Path("/usr/lib/libmimalloc.so.2")}
    monkeypatch.setattr("mallard.shared.mallocs.find_library", libraries.get)
    measured = mallocs(("tcmalloc", 36.0, 1.0), ("mimalloc", 35.0, 1.0), ("jemalloc", 33.0, 0.5))
    fast, light, slow = measured.effects
    double = replace(fast, peak_bytes=Difference(13.0 * MIB, 0, 0, 11))
    verdict = decide(study(globals=replace(measured, effects=(double, light, slow)), on_top=None))
    assert verdict.headline.startswith("Use mimalloc instead of glibc: 32.1 % saved, 35.0 ms of 109 ms")
    sentences = dict(verdict.facts)
    assert sentences["equal"] == (
        "tcmalloc (33.0 %, peak 2.3 x), within the intervals; mimalloc (32.1 %, peak 1.1 x) is "
        "preferred, because it has the lower peak"
    )
    assert sentences["to use it"] == (
        "LD_PRELOAD=/usr/lib/libmimalloc.so.2 ./server; the library is in Debian's package libmimalloc2.0"
    )
    light_but_slow = replace(slow, peak_bytes=Difference(0.0, 0, 0, 11))
    half_more = replace(fast, peak_bytes=Difference(5.0 * MIB, 0, 0, 11))
    apart = replace(measured, effects=(half_more, light_but_slow))
    assert decide(study(globals=apart, on_top=None)).answer.malloc == "tcmalloc"


def test_lower_peak_does_not_win_over_a_faster_malloc():
    """jemalloc's interval meets that of tcmalloc, which is wide, but not mimalloc's."""
    measured = mallocs(("tcmalloc", 40.0, 30.0), ("mimalloc", 35.0, 1.0), ("jemalloc", 20.0, 2.0))
    wide, fast, slow = measured.effects
    light = replace(slow, peak_bytes=Difference(0.0, 0, 0, 11))
    verdict = decide(study(globals=replace(measured, effects=(wide, fast, light)), on_top=None))
    assert verdict.answer.malloc != "jemalloc"


@pytest.mark.parametrize(
    ("alone", "peak_mib", "kind"),
    [
        (38.7, 0.5, "local"),  # 39.0 ms with both halves
        (38.7, 9.0, "global"),  # as fast, but takes more memory than both
        (35.0, 0.5, "global"),  # both halves are faster
    ],
)
def test_local_half_as_fast_as_both_wins(alone, peak_mib, kind):
    local = effect("monotonic", alone, peak_bytes=Difference(peak_mib * MIB, 0, 0, 21))
    halves = {"globals": mallocs(("mimalloc", 33.0, 1.0)), "on_top": baseline(effect("monotonic", 6.0, 0.5))}
    halves["on_top"] = replace(halves["on_top"], malloc="mimalloc")
    verdict = decide(study(trial=result(baseline(local)), **halves))
    assert verdict.kind == kind
    text = dict(verdict.facts).get("on top of mimalloc", "")
    assert ("both are as fast as the local allocator alone, with a peak of 1.3 x" in text) == (
        kind == "local"
    )


def test_advice_names_the_advantage_that_it_counts_on():
    region = facts()["counts on"]
    assert region.startswith(
        "winking out: 1,000 frees that do nothing, 16.7 ms; and requests that are cheaper than those of "
        "glibc: 22.0 ms, as with a multipool, which serves frees. On top: the destructors"
    )
    alone = facts(trial=result(baseline(effect("monotonic", 38.7), effect("multipool", -1.0))), on_top=None)
    assert alone["counts on"].startswith("winking out: 1,000 frees that do nothing. On top")
    assert "On top: the destructors that winking out leaves out, and inlining" in region
    pool = facts(trial=result(baseline(effect("multipool", 22.0))), on_top=None)["counts on"]
    assert pool.startswith("1,000 frees and their requests that are cheaper than those of glibc")
    assert "winking out" not in pool


def test_code_is_for_the_advised_allocator():
    local = study(changes=(CHANGE,), trial=result(baseline(effect("adaptive-pool", 38.7))), on_top=None)
    assert "mallard::resource<adaptive_pools> memory;" in decide(local).code
    by_malloc = study(changes=(CHANGE,), globals=mallocs(("mimalloc", 36.0, 1.0)), on_top=None)
    assert decide(by_malloc).code == ""


def test_costs_are_not_negative_savings():
    sentences = facts(
        aged=(aged(effect("monotonic", -0.4, 0.1)),),
        on_top=None,
    )
    assert ": costs 0.37 %, 0.40 ms of 109 ms (0.30 to 0.50 ms); 5" in sentences["on an old heap"]


@pytest.mark.parametrize(
    ("saved", "text"),
    [
        (4.0, "still saves 4.0 ms (3.0 to 5.0 ms)"),
        (-19.4, "costs 19.4 ms (18.4 to 20.4 ms)"),
        (-0.4, "has no significant effect: costs 0.40 ms (-0.60 to 1.4 ms)"),
        (0.4, "has no significant effect: 0.40 ms saved (-0.60 to 1.4 ms)"),
    ],
)
def test_effect_on_top_has_one_meaning(saved, text):
    sentences = facts(on_top=baseline(effect("monotonic", saved), malloc="mimalloc"))
    remaining, *_ = sentences["on top of mimalloc"].split("; ")
    assert remaining == f"a monotonic allocator, rewound on return, {text}"


@pytest.mark.parametrize(
    ("finding", "reported"),
    [
        (Difference(-0.004, -0.005, -0.003, 21), True),
        (Difference(-0.004, -0.009, 0.001, 21), False),  # not beyond the noise
        (Difference(-0.001, -0.0011, -0.0009, 21), False),  # less than 1 % of the time
        (Difference(0.004, 0.003, 0.005, 21), False),
    ],
)
def test_notes_a_faster_null(finding, reported):
    notes = decide(study(trial=result(baseline(effect("monotonic", 38.7), finding=finding)))).notes
    sentence = "The null run, which only finds the scope, takes 4.0 ms less than the unchanged program"
    assert sum(note.startswith(sentence) for note in notes) == reported


def test_estimate_of_the_whole_run_is_left_out():
    sentences = facts(ceiling=ceiling(109.0))
    assert sentences["estimate"].startswith(
        "the time in malloc and page faults is not known, because its interval reaches to the whole run"
    )
    assert "locality, by estimate" not in sentences["counts on"]


def test_malloc_that_changes_output_is_not_advised():
    verdict = decide(study(globals=mallocs(("mimalloc", 60.0, 1.0), differing=("mimalloc",))))
    assert verdict.kind == "local"


@pytest.mark.parametrize(
    "patterns",
    [(pattern(estimate=60.0),), (pattern("reuse", 60.0, share=0.9),), (pattern("owner", None),)],
)
def test_patterns_are_facts_whatever_their_estimate(patterns):
    verdict = decide(study(patterns=patterns))
    assert verdict.kind == "local"
    assert "Remedy, not tried: " in dict(verdict.facts)[patterns[0].kind]
    assert " ms" not in dict(verdict.facts)[patterns[0].kind], "an estimate without a trial is no figure"
    nothing = decide(study(patterns=patterns, trial=None, chosen=None, on_top=None, globals=mallocs()))
    assert nothing.kind == "unresolved"
    assert patterns[0].kind in dict(nothing.facts)


FRAME = line_candidate("frame", "src/render.cpp:41", [":1f-20"], Amount(40, 1600 * MIB))
FRAME_PATTERN = pattern("reuse", 60.0, function="frame", source=FRAME.source, code=":1f-20")


def kept(middle: float, half: float = 1.0, strategy: str = "kept-block") -> Effect:
    counts = Counts(served=36, no_room=4, freed=36, servers=1)
    return effect(strategy, middle, half, counts=counts, faults=Difference(-9000.0, -9100.0, -8900.0, 21))


def test_kept_block_of_a_line_is_a_headline():
    trial = result(baseline(kept(50.0), kept(49.8, strategy="block-cache")))
    case = study(chosen=FRAME, trial=trial, patterns=(FRAME_PATTERN,), globals=mallocs(), on_top=None)
    verdict = decide(case)
    assert verdict.answer == Answer("local", strategy="kept-block", equal=("block-cache",))
    assert verdict.headline == (
        "Keep the block of frame() (render.cpp:41) and use it again: 45.9 % saved, 50.0 ms of 109 ms "
        "(49.0 to 51.0 ms) at 1.2 x the peak memory."
    )
    assert verdict.code == ""
    sentences = dict(verdict.facts)
    assert sentences["equal"].endswith("is preferred, because it changes least")
    assert sentences["counts on"].startswith(
        "36 frees and their requests that no allocator serves, and 9,000 page faults less. On top: "
    )
    assert sentences["memory"] == "peak 1.2 x; the trial kept the blocks of 90.0 % of 40 requests"
    assert "a trial with a kept block there: 50.0 ms saved (49.0 to 51.0 ms)." in sentences["reuse"]
    cache = decide(replace(case, trial=result(baseline(kept(50.0, strategy="block-cache")))))
    assert cache.headline.startswith("Keep a cache of eight blocks for frame() (render.cpp:41): 45.9 % saved")


def test_final_size_of_an_array_is_a_headline():
    array = line_candidate("push", "src/push.c:18", [":1f-20"], Amount(8000, 8 * MIB), 3200)
    growing = pattern("reserve", 60.0, function="push", source=array.source, code=array.code)
    counts = Counts(served=7920, too_large=80, servers=1)
    trial = result(baseline(effect("reserve", 50.0, 1.0, counts=counts), kept(49.8)))
    case = study(chosen=array, trial=trial, patterns=(growing,), globals=mallocs(), on_top=None)
    verdict = decide(case)
    assert verdict.answer == Answer("local", strategy="reserve", equal=("kept-block",))
    assert verdict.headline.startswith("Reserve 3.12 KiB for the first block of push() (push.c:18): 45.9 %")
    sentences = dict(verdict.facts)
    assert sentences["counts on"] == "7,920 requests of one block for each array, which grows where it is"
    assert sentences["memory"] == (
        "peak 1.2 x; 99.0 % of 8,000 requests fit into 3.12 KiB, the final size of 99 % of the arrays"
    )
    assert "a trial with room for the final size there: 50.0 ms saved" in sentences["reserve"]
    (finding, _) = json.loads(advice_sarif(case, verdict))["runs"][0]["results"]
    assert (finding["ruleId"], finding["level"]) == ("reserve", "warning")
    second = decide(replace(case, globals=mallocs(("mimalloc", 49.5, 1.0))))
    assert dict(second.facts)["a reserve"].startswith("reserve 3.12 KiB for the first block of push()")


def test_malloc_is_followed_by_a_kept_block():
    on_top = baseline(kept(20.0), malloc="mimalloc")
    case = study(
        chosen=FRAME,
        trial=result(baseline(kept(50.0))),
        globals=mallocs(("mimalloc", 49.0, 1.0)),
        on_top=on_top,
    )
    verdict = decide(case)
    assert verdict.headline.startswith("Use mimalloc instead of glibc")
    sentences = dict(verdict.facts)
    assert sentences["then"] == (
        "keep the block of frame() (render.cpp:41) and use it again: that still saves 20.0 ms "
        "(19.0 to 21.0 ms)"
    )
    assert sentences["a kept block"].startswith("keep the block of frame() (render.cpp:41)")


@pytest.mark.parametrize(
    ("tried", "sentence"),
    [
        (
            kept(9.0),
            "before it is filled; a trial with a kept block there: 9.0 ms saved (8.0 to 10.0 ms).",
        ),
        (kept(0.5), "a kept block there: 0.50 ms saved (-0.50 to 1.5 ms), which is not significant."),
        (kept(-3.0), "a kept block there: costs 3.0 ms (2.0 to 4.0 ms)."),
    ],
)
def test_tried_pattern_is_measured_below_the_answer(tried, sentence):
    screened = (Screened(FRAME, result(baseline(tried), rounds=3)), Screened(candidate(), None, "it failed"))
    case = study(patterns=(FRAME_PATTERN, pattern()), screened=screened)
    verdict = decide(case)
    assert verdict.headline.startswith("Put a monotonic allocator")
    assert dict(verdict.facts)["reuse"].endswith(sentence)
    assert "Remedy, not tried: " in dict(verdict.facts)["reserve"]
    (run,) = json.loads(advice_sarif(case, verdict))["runs"]
    found = {each["ruleId"]: each for each in run["results"]}
    assert found["reuse"]["level"] == ("warning" if tried.saves else "note")
    assert found["reuse"]["properties"]["saved_seconds"] == -tried.time.median
    assert not found["reserve"]["properties"]["measured"]


TRIM = pattern(
    "call", 24.0, call="malloc_trim", reason="measured in 200 calls", remedy="call it once, after a peak"
)


def test_control_call_is_a_measured_fact():
    case = study(patterns=(TRIM,))
    verdict = decide(case)
    assert dict(verdict.facts)["call"] == (
        "malloc_trim at collect (list.cpp:40): 24.0 ms of 109 ms, measured in 200 calls. "
        "Remedy, not tried: call it once, after a peak."
    )
    assert "malloc_trim" not in verdict.headline
    assert "24.0 ms of all threads of 109 ms" in facts(patterns=(TRIM,), threads=2)["call"]
    (_, finding) = json.loads(advice_sarif(case, verdict))["runs"][0]["results"]
    assert (finding["ruleId"], finding["level"]) == ("call", "note")
    assert finding["properties"] == {"measured": True, "cost_seconds": 0.024}
    assert finding["locations"][0]["physicalLocation"]["region"]["startLine"] == 40


@pytest.mark.parametrize("high", [2.0, 46.0])
def test_nothing_to_change_still_names_a_costly_call(high):
    nothing = {"trial": None, "chosen": None, "on_top": None, "globals": mallocs(("mimalloc", 0.1, 0.5))}
    verdict = decide(study(ceiling=ceiling(high), patterns=(TRIM,), **nothing))
    assert verdict.kind in ("nothing", "unresolved")
    assert verdict.headline.endswith(". But malloc_trim at collect (list.cpp:40) takes 24.0 ms of 109 ms.")
    assert [label for label, _ in verdict.facts][:2] == ["estimate", "call"]


def test_negligible_pattern_is_not_reported():
    assert "reuse" not in facts(patterns=(pattern("reuse", 0.7),))


def test_unresolved_if_nothing_saves_time():
    trial = result(baseline(effect("monotonic", 0.3), effect("multipool", -4.0)))
    assert _headline(trial, mallocs(("mimalloc", 0.1, 1.0))) == (
        "Not resolved: no strategy and no malloc saves 1.0 % of 109 ms beyond its interval, but a "
        "monotonic allocator, rewound on return, may save up to 1.3 ms: its interval is "
        "2.0 ms wide after 21 rounds, and --rounds 84 halves it, in about 55 seconds."
    )
    trial = result(baseline(effect("monotonic", 0.3, 0.4), effect("multipool", -4.0)))
    verdict = decide(study(trial=trial, globals=mallocs(("mimalloc", 0.1, 0.4)), on_top=None))
    assert verdict.kind == "unresolved"
    assert verdict.headline == (
        "Nothing that was tried is worth a change: no strategy and no malloc saves 1.0 % of 109 ms beyond "
        "its interval."
    )
    assert NOT_SEEN in verdict.notes


def _headline(trial, globals_) -> str:
    return decide(study(trial=trial, chosen=None, globals=globals_, on_top=None)).headline


def test_no_bound_exceeds_the_time_of_the_program():
    """Three rounds of a program of 69 ms on a busy machine."""
    busy = mallocs(("mimalloc", -40.0, 404.0))
    headline = _headline(None, busy)
    assert "but the saving of mimalloc is not known, because after 21 rounds its interval reaches to the" in (
        headline
    )
    assert "364 ms" not in headline


def test_wide_interval_is_unresolved_without_a_trial():
    wide, narrow = mallocs(("mimalloc", 0.5, 11.0)), mallocs(("mimalloc", -20.0, 11.0))
    assert "but mimalloc may save up to 12 ms: its interval is 22 ms wide after" in _headline(None, wide)
    assert _headline(None, narrow).startswith("No advice: no scope")


def test_nothing_measured_is_not_nothing_to_gain():
    """A program that calls glibc's free() with blocks of another allocator."""
    broken = baseline(effect("heap", 1.0), differing=("heap",), failed={"monotonic": "ended by SIGABRT"})
    failed = mallocs(failed={"mimalloc": "ended by SIGABRT"})
    verdict = decide(study(trial=result(broken), globals=failed, on_top=None))
    assert verdict.kind == "unmeasured"
    assert verdict.headline.startswith(
        "Nothing could be measured: under mimalloc and monotonic the program ended by SIGABRT and under heap "
        "it printed another output (for addresses in it, give --ignore-output); with glibc alone it does "
        "not. Such a program often calls the free()"
    )
    assert not any("excluded" in note for note in verdict.notes)
    assert verdict.code == ""
    measured = mallocs(("jemalloc", 0.1, 0.1), failed={"mimalloc": "ended by SIGABRT"})
    verdict = decide(study(trial=result(broken), globals=measured, on_top=None))
    assert verdict.kind == "unresolved"
    assert any(note.startswith("Under mimalloc and monotonic the program ended") for note in verdict.notes)
    screened = study(trial=None, chosen=None, globals=failed, on_top=None)
    assert decide(screened).headline.startswith("Nothing could be measured: under mimalloc the program ended")


def test_certain_but_small_saving_is_not_advised():
    trial = result(baseline(effect("monotonic", 0.5, 0.1)))
    assert decide(study(trial=trial, globals=mallocs(), on_top=None)).kind == "unresolved"


def test_no_advice_with_incomplete_stacks():
    reason = "Scopes are withheld: 61 % of the stacks are complete."
    verdict = decide(study(trial=None, chosen=None, withheld=reason, globals=mallocs()))
    assert verdict.headline.startswith("No advice: scopes are withheld: 61 % of the stacks are complete;")


def test_broken_strategy_is_reported_and_excluded():
    bad = baseline(
        effect("monotonic", 50.0),
        effect("multipool", 22.0),
        differing=("monotonic",),
        failed={"heap": "ended by SIGSEGV"},
    )
    verdict = decide(study(trial=result(bad), on_top=None))
    assert verdict.headline.startswith("Put a multipool into handle()")
    assert (
        "Under heap the program ended by SIGSEGV and under monotonic it printed another output (for "
        "addresses in it, give --ignore-output); without them, it does not; they were excluded."
        in verdict.notes
    )


def test_strategy_that_served_nothing_is_not_advised():
    unserved = effect("small-object-pool", 50.0, counts=Counts())
    assert (
        decide(study(trial=result(baseline(unserved)), on_top=None, globals=mallocs())).kind == "unresolved"
    )


def test_saving_beyond_estimate_comes_from_locality():
    sentences = facts(ceiling=ceiling(30.0))
    assert "and locality, by estimate 8.7 ms" in sentences["counts on"]


def test_memory_reports_escapes_and_break_even():
    sentences = facts(chosen=escaping())
    assert sentences["memory"] == (
        "peak 1.2 x; 84,331 of 1.20 M blocks escape: 80,000 from remember (src/cache.cpp:12) and 4,331 from "
        "elsewhere; leave those global"
    )
    site = LastingSite("keep", "src/cache.cpp:9", 40)
    stays = replace(candidate(), alive=100, alive_sites=(site, replace(site, code=":1-2")))
    assert facts(chosen=stays)["memory"].endswith(
        "0 of 1.20 M blocks escape; 100 stay to the end: 80 from keep (src/cache.cpp:9) and 20 from "
        "elsewhere; leave those global"
    )
    price = facts(chosen=replace(escaping(), break_even=0.6))["memory"]
    assert price.endswith("leave those global; a region pays from 60.0 % contained on, and 93.0 % are")
    never = facts(chosen=replace(escaping(), break_even=1.4))["memory"]
    assert never.endswith("; by the price of its operations a region never pays here")


def test_region_that_never_empties_is_not_rewound():
    kept = effect("monotonic", 38.7, counts=Counts(served=10, freed=5, started_again=1))
    verdict = decide(study(trial=result(baseline(kept)), on_top=None))
    assert verdict.headline.startswith("Put a monotonic allocator, released at the end, into handle()")


def test_the_old_heap_is_the_fact_below_what_to_type():
    old = aged(effect("monotonic", 90.0), malloc=("mimalloc", 60.0, 1.0))
    (scope,) = old.scopes
    on_top = baseline(effect("monotonic", 20.0), malloc="mimalloc", age=old.age)
    both = study(aged=(replace(old, scopes=(replace(scope, on_top=on_top),)),))
    assert decide(both).headline == decide(study()).headline
    label, text = decide(both).facts[0]
    assert label == "on an old heap"
    assert "; on top of mimalloc it still saves 20.0 ms (19.0 to 21.0 ms)" in text
    by_malloc = study(globals=mallocs(("mimalloc", 36.0, 1.0)), aged=(old,), on_top=None)
    by_malloc = replace(by_malloc, trial=result(baseline(effect("monotonic", 1.0))))
    assert [label for label, _ in decide(by_malloc).facts[:2]] == ["to use it", "on an old heap"]


def test_facts_name_both_heaps():
    old = aged(effect("monotonic", 90.0), malloc=("mimalloc", 60.0, 1.0))
    sentences = facts(aged=(old,))
    assert sentences["on an old heap"] == (
        "the program is 2 times slower (1.9 to 2.1); mimalloc instead of glibc: 55.0 % saved, 60.0 ms of "
        "109 ms (59.0 to 61.0 ms); a monotonic allocator, rewound on return in handle() (server.cpp:88): "
        "82.6 % saved, 90.0 ms of 109 ms (89.0 to 91.0 ms); 5 rounds"
    )
    assert (
        facts(aged=(aged(reason="it is static"),))["on an old heap"] == "not measured, because it is static"
    )


@pytest.mark.parametrize(
    ("malloc", "kind", "advice"),
    [
        (None, "local", "put a multipool into build() (server.cpp:88): 45.9 % saved, 50.0 ms of 109 ms"),
        (("jemalloc", 48.0, 1.0), "global", "use jemalloc instead of glibc: 44.0 % saved, 48.0 ms of 109 ms"),
        (
            ("jemalloc", 30.0, 21.0),
            "global",
            "use jemalloc instead of glibc: 27.5 % saved, 30.0 ms of 109 ms",
        ),
        (("jemalloc", 9.0, 1.0), "local", "put a multipool into build() (server.cpp:88): 45.9 % saved"),
        (("jemalloc", 0.2, 1.0), "local", "put a multipool into build() (server.cpp:88): 45.9 % saved"),
    ],
)
def test_names_what_saves_on_an_old_heap_alone(malloc, kind, advice):
    old = aged(effect("multipool", 50.0), malloc=malloc, chosen=candidate("build"))
    nothing = study(
        trial=result(baseline(effect("monotonic", 0.1))), globals=mallocs(), on_top=None, aged=(old,)
    )
    verdict = decide(nothing)
    assert (verdict.kind, verdict.answer.age) == (kind, "old")
    assert verdict.headline.startswith(f"On an old heap, {advice}")
    assert verdict.headline.endswith("; on a young heap nothing that was tried is worth a change.")
    assert (verdict.facts[0][0] == "to use it") == (kind == "global")
    assert verdict.notes[-1].endswith(", against glibc on a young heap and an old heap.")
    assert verdict.code == ""
    small = aged(effect("multipool", 0.4, 0.1), chosen=candidate("build"))
    assert decide(replace(nothing, aged=(small,))).kind == "unresolved"


def test_disjoint_scopes_are_measured_together():
    pair = ScopePair(candidate("render", source="src/page.cpp:9"), baseline(effect("monotonic", 50.0)))
    sentences = facts(both=pair)
    assert sentences["and also"] == (
        "into render() (page.cpp:9): both together save 50.0 ms (49.0 to 51.0 ms), against glibc "
        "on a young heap"
    )
    smaller = ScopePair(candidate("render"), baseline(effect("monotonic", 30.0)))
    assert "and also" not in facts(both=smaller)


def test_notes_report_doubts():
    inexact = candidate(exact=False, returns=0)
    verdict = decide(
        study(
            chosen=inexact,
            screened=(Screened(candidate("parse"), None, "no block was allocated inside of parse"),),
            notes=("The program's output differs from run to run, so it was not compared.",),
        )
    )
    assert verdict.notes[0].startswith("The program's output differs")
    assert "parse() was not tried: no block was allocated inside of parse." in verdict.notes
    assert any("MALLARD_SCOPE in the function makes it exact" in note for note in verdict.notes)
    assert NOT_SEEN not in verdict.notes


def test_one_round_is_unresolved():
    unbounded = effect("monotonic", 38.7)
    once = Difference(-0.0387, float("-inf"), float("inf"), 1)
    trial = result(baseline(type(unbounded)(**{**unbounded.__dict__, "time": once})))
    assert decide(study(trial=trial, on_top=None, globals=mallocs())).kind == "unresolved"


def test_screen_begins_with_answer_and_ends_with_code():
    case = study(changes=(CHANGE,))
    verdict = decide(case)
    lines = screen(advice_report(case, verdict, None))
    assert lines[1].startswith("Put a monotonic allocator, rewound on return, into handle()")
    assert max(map(len, lines[: lines.index("Code to paste:")])) <= 80
    head = next(place for place, line in enumerate(lines) if line.startswith("program "))
    assert lines[head].split() == ["program", "effect,", "of", "109", "ms", "peak", "memory"]
    first = [line.split()[0] for line in lines[head + 1 : head + 6]]
    assert first == ["as", "monotonic", "multipool", "mimalloc", "tcmalloc"], "the fastest first"
    assert lines[head + 2].split()[1:7] == ["in", "handle()", "38.7", "ms", "saved", "(37.4"]
    assert any("#include <mallard/local/monotonic.hpp>" in line for line in lines)


def test_json_has_answer_facts_and_study():
    case = study(patterns=(pattern("reuse", 2.0),))
    document = json.loads(advice_json(case, decide(case)))
    assert document["format"] == "mallard advice"
    assert document["kind"] == "local"
    assert document["answer"] == {
        "kind": "local",
        "strategy": "monotonic",
        "malloc": None,
        "age": None,
        "equal": [],
        "goal": "time",
        "at_end": False,
    }
    assert document["wall"] is False
    assert document["headline"].startswith("Put a monotonic")
    assert document["facts"][0]["label"] == "estimate"
    assert document["study"]["trial"]["baselines"][0]["trial"]["effects"][0]["strategy"] == "monotonic"
    assert document["study"]["ceiling"]["operations"] == 2_408_662
    assert document["figure"]["source"] == "src/server.cpp:88"


def test_a_call_that_ends_with_live_blocks_is_no_rewind():
    assert "rewound on return" in decide(study(chosen=candidate(activations=100))).headline
    headline = decide(study(chosen=candidate(activations=20_000))).headline
    assert "rewound when none of its blocks is live, into handle()" in headline


def test_an_inlined_scope_is_named_with_its_caller():
    chosen = candidate(returns_each_time=False, inlined="inlined into main at server.cpp:120")
    verdict = decide(study(chosen=chosen))
    assert verdict.headline.startswith(
        "Put a monotonic allocator, rewound when none of its blocks is live, into handle() (server.cpp:88, "
        "inlined into main at server.cpp:120): "
    )
    assert any("do not distinguish calls of handle()" in note for note in verdict.notes)
