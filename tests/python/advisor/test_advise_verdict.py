"""The answers of the advice: a study of each kind, and its first sentence."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from rich.console import Console
from synthetic_study import (
    candidate,
    ceiling,
    effect,
    escaping,
    ground,
    mallocs,
    pattern,
    result,
    study,
)

from mallard.advice.answer import Answer
from mallard.advice.bonus import Bonus
from mallard.advice.candidates import LastingSite
from mallard.advice.code import TypeChange
from mallard.advice.study import ScopePair, Screened
from mallard.advice.verdict import NOT_SEEN, decide
from mallard.stats import Difference
from mallard.trial.report import Counts
from mallard.view.terminal.findings.advice import advice_json, show_advice

CHANGE = TypeChange("vector", "T", "handle", "src/server.cpp:90", 1_000_000)


def facts(**changes: object) -> dict[str, str]:
    return dict(decide(study(**changes)).facts)


def test_a_scope_with_its_allocator_its_place_and_its_interval():
    found = decide(study())
    assert found.kind == "local"
    assert found.headline == (
        "Put a monotonic allocator, rewound on return, into handle() (server.cpp:88): 38.7 ms of 109 ms "
        "saved (37.4 to 40.0 ms), measured on this program, against glibc on a clean heap."
    )


def test_the_figures_below_the_answer():
    told = facts()
    assert told["estimate"].startswith(
        "malloc and page faults take at most 46.0 ms (43 %) here: 2.41 M operations"
    )
    assert told["estimate"].endswith("; with its interval, 36.8 to 46.0 ms; locality is not counted")
    assert told["mimalloc instead of glibc"] == (
        "12.0 ms saved (11.0 to 13.0 ms); peak 1.1 x; on top of it a monotonic allocator, rewound on return, "
        "still saves 27.0 ms (26.0 to 28.0 ms)"
    )
    assert told["memory"] == "peak 1.2 x; 0 of 1.20 M blocks escape"
    assert told["other strategies"] == "a multipool: 22.0 ms; a never-released arena: do not (peak 9.0 x)"
    assert "tcmalloc instead of glibc" not in told


def test_what_comes_on_top_has_its_source_and_is_not_added():
    bonus = Bonus(
        "monotonic", 0.6, 0.66, 0.771, None, "86 rows of 12 data structures", 7, "2026-11-24", "Z80"
    )
    found = decide(study(bonus=bonus))
    assert found.headline == decide(study()).headline
    assert dict(found.facts)["on top of the trial"] == (
        "in density (run 7, 2026-11-24, Z80: 86 rows of 12 data structures) monotonic served as in this "
        "trial saves 60 % of the time of new-delete; bound by type 66 %, winked out 77 %. These are other "
        "programs, so the figures above do not include it"
    )
    assert "'./mallard bench density' measures them" in facts()["on top of the trial"]


def test_nothing_is_tried_below_two_percent():
    found = decide(study(ceiling=ceiling(2.0), trial=None, chosen=None))
    assert found.kind == "nothing"
    assert found.headline == (
        "Nothing worth doing: by estimate malloc and page faults take at most 1.9 % of 109 ms here, against "
        "glibc on a clean heap; better locality is not counted."
    )
    assert [label for label, _ in found.facts] == ["estimate"]
    assert found.code == ""


def test_a_program_that_allocates_nothing():
    found = decide(study(ceiling=ceiling(0.01), allocations=1, trial=None, chosen=None))
    assert found.headline == (
        "Nothing worth doing: the program allocates 1 block, too few to save time with, against "
        "glibc on a clean heap."
    )


def test_a_malloc_that_saves_nearly_as_much_needs_no_change_of_code():
    found = decide(study(globals=mallocs(("mimalloc", 33.0, 1.0)), changes=(CHANGE,)))
    assert found.kind == "global"
    assert found.headline == (
        "Use mimalloc instead of glibc: 33.0 ms of 109 ms saved (32.0 to 34.0 ms), measured on this program, "
        "on a clean heap, with nothing changed in it. Then put a monotonic allocator, rewound on return, "
        "into handle() (server.cpp:88): that still saves 27.0 ms."
    )
    assert found.answer == Answer("global", strategy="monotonic", malloc="mimalloc")
    assert "#include" in found.code
    assert dict(found.facts)["a local allocator"].startswith("put a monotonic allocator")


def test_the_answer_is_the_strategy_that_is_sure_and_not_the_smallest_median():
    unsure = effect("heap", 50.0, 60.0)
    found = decide(study(trial=result(ground(unsure, effect("monotonic", 38.7))), on_top=None))
    assert found.answer == Answer("local", strategy="monotonic")


def test_a_region_for_the_whole_program_is_a_global_allocator():
    whole = candidate("main", rank=4)
    found = decide(study(chosen=whole, changes=(CHANGE,), globals=mallocs(("mimalloc", 20.0, 1.0))))
    assert found.kind == "global"
    assert "Then put" not in found.headline


def test_a_function_without_a_name_has_no_code():
    nameless = candidate("jq+0x24a0", rank=2, source="jq")
    found = decide(study(chosen=nameless, changes=(CHANGE,)))
    assert "into the function at jq+0x24a0 (jq): 38.7 ms" in found.headline
    assert found.code == ""


def test_a_malloc_under_which_the_output_differs_is_not_advised():
    found = decide(study(globals=mallocs(("mimalloc", 60.0, 1.0), differing=("mimalloc",))))
    assert found.kind == "local"


def test_a_ladder_that_costs_more_than_any_allocator_saves():
    found = decide(study(patterns=(pattern(estimate=60.0),)))
    assert found.answer == Answer("pattern", pattern="reserve")
    assert found.headline.startswith(
        "collect (list.cpp:40): reserve() before it is filled. By estimate that saves 60.0 ms of 109 ms "
        "against glibc on a clean heap, copies included, and saves more than any allocator; not tried"
    )


@pytest.mark.parametrize(
    "patterns",
    [
        (pattern(estimate=40.0),),  # not surely more than what was measured
        (pattern("reuse", 60.0, share=0.2),),  # a part of the blocks
        (pattern("owner", None),),
    ],
)
def test_patterns_that_do_not_come_first_stand_below(patterns):
    found = decide(study(patterns=patterns))
    assert found.kind == "local"
    assert patterns[0].kind in dict(found.facts)


def test_a_pattern_that_would_save_next_to_nothing_is_not_told():
    assert "reuse" not in facts(patterns=(pattern("reuse", 0.7),))


def test_strategies_that_save_nothing():
    trial = result(ground(effect("monotonic", 0.3), effect("multipool", -4.0)))
    found = decide(study(trial=trial, globals=mallocs(("mimalloc", 0.1, 1.0)), on_top=None))
    assert found.kind == "unresolved"
    assert found.headline == (
        "Nothing that was tried is worth a change: no strategy and no malloc saves 1.0 % of 109 ms beyond "
        "its interval, against glibc on a clean heap."
    )
    told = dict(found.facts)
    assert told["mimalloc instead of glibc"].startswith(
        "0.10 ms saved (-0.90 to 1.1 ms), which is no difference"
    )
    assert told["other strategies"].startswith("a multipool: costs 4.0 ms")


def test_a_saving_that_is_sure_and_too_small_is_no_advice():
    trial = result(ground(effect("monotonic", 0.5, 0.1)))
    assert decide(study(trial=trial, globals=mallocs(), on_top=None)).kind == "unresolved"


def test_a_program_whose_stacks_are_incomplete():
    reason = "Scopes are withheld: 61 % of the stacks are complete."
    found = decide(study(trial=None, chosen=None, withheld=reason, globals=mallocs()))
    assert found.headline.startswith("No advice: scopes are withheld: 61 % of the stacks are complete;")


def test_a_strategy_that_breaks_the_program_is_said_and_left_out():
    bad = ground(
        effect("monotonic", 50.0),
        effect("multipool", 22.0),
        differing=("monotonic",),
        failed={"heap": "ended by SIGSEGV"},
    )
    found = decide(study(trial=result(bad), on_top=None))
    assert found.headline.startswith("Put a multipool into handle()")
    assert "Under monotonic the program's output differs. It was excluded." in found.notes
    assert any("Under heap the program ended by SIGSEGV" in note for note in found.notes)


def test_a_strategy_that_served_nothing_is_no_advice():
    none = effect("small-object-pool", 50.0, counts=Counts())
    assert decide(study(trial=result(ground(none)), on_top=None, globals=mallocs())).kind == "unresolved"


def test_more_than_the_estimate_comes_from_locality():
    told = facts(ceiling=ceiling(30.0))
    assert "8.7 ms more than that: by this estimate it comes from locality" in told["estimate"]


def test_escapes_are_a_price():
    told = facts(chosen=escaping())
    assert told["memory"] == (
        "peak 1.2 x; 84,331 of 1.20 M blocks escape: 80,000 from remember (src/cache.cpp:12) and 4,331 from "
        "elsewhere; leave those global"
    )
    site = LastingSite("keep", "src/cache.cpp:9", 40)
    stays = replace(candidate(), alive=100, alive_sites=(site, replace(site, code=":1-2")))
    assert facts(chosen=stays)["memory"].endswith(
        "0 of 1.20 M blocks escape; 100 stay to the end: 80 from keep (src/cache.cpp:9) and 20 from "
        "elsewhere; leave those global"
    )
    even = facts(chosen=replace(escaping(), break_even=0.6))["memory"]
    assert even.endswith("leave those global; a region pays from 60.0 % contained on, and 93.0 % are")
    never = facts(chosen=replace(escaping(), break_even=1.4))["memory"]
    assert never.endswith("; by the price of its operations a region never pays here")


def test_a_region_that_is_never_without_a_live_block_is_not_rewound():
    kept = effect("monotonic", 38.7, counts=Counts(served=10, freed=5, started_again=1))
    found = decide(study(trial=result(ground(kept)), on_top=None))
    assert found.headline.startswith("Put a monotonic allocator, released at the end, into handle()")


def test_both_heaps_are_named():
    littered = ground(effect("monotonic", 90.0), litter=400_000)
    told = facts(trial=result(ground(effect("monotonic", 38.7)), littered))
    assert told["on a littered heap"] == "90.0 ms of 109 ms saved (89.0 to 91.0 ms), against glibc"


def test_two_disjoint_scopes_are_measured_together_and_not_added():
    both = ScopePair(candidate("render", source="src/page.cpp:9"), ground(effect("monotonic", 50.0)))
    told = facts(both=both)
    assert told["and also"] == (
        "into render() (page.cpp:9): both together save 50.0 ms (49.0 to 51.0 ms), against glibc "
        "on a clean heap"
    )
    less = ScopePair(candidate("render"), ground(effect("monotonic", 30.0)))
    assert "and also" not in facts(both=less)


def test_doubts():
    inexact = candidate(exact=False, returns=0)
    found = decide(
        study(
            chosen=inexact,
            screened=(Screened(candidate("parse"), None, "no block was allocated inside of parse"),),
            notes=("The program's output differs from run to run, so it was not compared.",),
        )
    )
    assert found.notes[0].startswith("The program's output differs")
    assert "parse() was not tried: no block was allocated inside of parse." in found.notes
    assert any("MALLARD_SCOPE in the function makes it exact" in note for note in found.notes)
    assert found.notes[-1] == NOT_SEEN


def test_an_interval_of_one_round_is_not_known():
    unbounded = effect("monotonic", 38.7)
    once = Difference(-0.0387, float("-inf"), float("inf"), 1)
    trial = result(ground(type(unbounded)(**{**unbounded.__dict__, "time": once})))
    assert decide(study(trial=trial, on_top=None, globals=mallocs())).kind == "unresolved"


def test_the_screen_begins_with_the_answer_and_ends_with_code():
    found = study(changes=(CHANGE,))
    verdict = decide(found)
    console = Console(width=80, highlight=False, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    show_advice(console, found, verdict)
    lines = console.export_text().splitlines()
    assert lines[1].startswith("Put a monotonic allocator, rewound on return, into handle()")
    assert max(map(len, lines[: lines.index("Code to paste:")])) <= 80
    assert any("#include <mallard/local/monotonic.hpp>" in line for line in lines)


def test_the_json_has_the_answer_and_all_that_it_rests_on():
    found = study(patterns=(pattern("reuse", 2.0),))
    document = json.loads(advice_json(found, decide(found)))
    assert document["format"] == "mallard advice"
    assert document["kind"] == "local"
    assert document["answer"] == {
        "kind": "local",
        "strategy": "monotonic",
        "malloc": None,
        "pattern": None,
    }
    assert document["wall"] is False
    assert document["headline"].startswith("Put a monotonic")
    assert document["facts"][0]["label"] == "estimate"
    assert document["study"]["trial"]["grounds"][0]["trial"]["effects"][0]["strategy"] == "monotonic"
    assert document["study"]["ceiling"]["operations"] == 2_408_662
