"""The answers of the advice: a study of each kind, and its headline."""

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

from mallard.advisor.advice.candidates import LastingSite
from mallard.advisor.advice.code import TypeChange
from mallard.advisor.advice.study import ScopePair, Screened
from mallard.advisor.advice.verdict import NOT_SEEN, Answer, decide
from mallard.advisor.trial.program import Counts
from mallard.advisor.view.terminal.advice import advice_json, show_advice
from mallard.shared.stats import Difference

CHANGE = TypeChange("vector", "T", "handle", "src/server.cpp:90", 1_000_000)


def facts(**changes: object) -> dict[str, str]:
    return dict(decide(study(**changes)).facts)


def test_headline_has_allocator_place_and_interval():
    verdict = decide(study())
    assert verdict.kind == "local"
    assert verdict.headline == (
        "Put a monotonic allocator, rewound on return, into handle() (server.cpp:88): 38.7 ms of 109 ms "
        "saved (37.4 to 40.0 ms), measured on this program, against glibc on a clean heap."
    )


def test_facts_have_the_figures():
    sentences = facts()
    assert sentences["estimate"].startswith(
        "malloc and page faults take at most 46.0 ms (43 %) here: 2.41 M operations"
    )
    assert sentences["estimate"].endswith("; with its interval, 36.8 to 46.0 ms; locality is not counted")
    assert sentences["mimalloc instead of glibc"] == (
        "12.0 ms saved (11.0 to 13.0 ms); peak 1.1 x; on top of it a monotonic allocator, rewound on return, "
        "still saves 27.0 ms (26.0 to 28.0 ms)"
    )
    assert sentences["memory"] == "peak 1.2 x; 0 of 1.20 M blocks escape"
    assert (
        sentences["other strategies"] == "a multipool: 22.0 ms; a never-released arena: do not (peak 9.0 x)"
    )
    assert "tcmalloc instead of glibc" not in sentences


def test_nothing_below_two_percent():
    verdict = decide(study(ceiling=ceiling(2.0), trial=None, chosen=None))
    assert verdict.kind == "nothing"
    assert verdict.headline == (
        "Nothing worth doing: by estimate malloc and page faults take at most 1.9 % of 109 ms here, against "
        "glibc on a clean heap; better locality is not counted."
    )
    assert [label for label, _ in verdict.facts] == ["estimate"]
    assert verdict.code == ""


def test_nothing_for_a_single_block():
    verdict = decide(study(ceiling=ceiling(0.01), allocations=1, trial=None, chosen=None))
    assert verdict.headline == (
        "Nothing worth doing: the program allocates 1 block, too few to save time with, against "
        "glibc on a clean heap."
    )


def test_malloc_that_saves_nearly_as_much_wins():
    verdict = decide(study(globals=mallocs(("mimalloc", 33.0, 1.0)), changes=(CHANGE,)))
    assert verdict.kind == "global"
    assert verdict.headline == (
        "Use mimalloc instead of glibc: 33.0 ms of 109 ms saved (32.0 to 34.0 ms), measured on this program, "
        "on a clean heap, with nothing changed in it. Then put a monotonic allocator, rewound on return, "
        "into handle() (server.cpp:88): that still saves 27.0 ms."
    )
    assert verdict.answer == Answer("global", strategy="monotonic", malloc="mimalloc")
    assert "#include" in verdict.code
    assert dict(verdict.facts)["a local allocator"].startswith("put a monotonic allocator")


def test_answer_prefers_certain_over_smallest_median():
    unsure = effect("heap", 50.0, 60.0)
    verdict = decide(study(trial=result(ground(unsure, effect("monotonic", 38.7))), on_top=None))
    assert verdict.answer == Answer("local", strategy="monotonic")


def test_region_for_main_is_a_global_allocator():
    main = candidate("main", rank=4)
    verdict = decide(study(chosen=main, changes=(CHANGE,), globals=mallocs(("mimalloc", 20.0, 1.0))))
    assert verdict.kind == "global"
    assert "Then put" not in verdict.headline


def test_nameless_function_has_no_code():
    nameless = candidate("jq+0x24a0", rank=2, source="jq")
    verdict = decide(study(chosen=nameless, changes=(CHANGE,)))
    assert "into the function at jq+0x24a0 (jq): 38.7 ms" in verdict.headline
    assert verdict.code == ""


def test_malloc_that_changes_output_is_not_advised():
    verdict = decide(study(globals=mallocs(("mimalloc", 60.0, 1.0), differing=("mimalloc",))))
    assert verdict.kind == "local"


def test_pattern_that_saves_most_is_the_answer():
    verdict = decide(study(patterns=(pattern(estimate=60.0),)))
    assert verdict.answer == Answer("pattern", pattern="reserve")
    assert verdict.headline.startswith(
        "collect (list.cpp:40): reserve() before it is filled. By estimate that saves 60.0 ms of 109 ms "
        "against glibc on a clean heap, copies included, and saves more than any allocator; not tried"
    )


@pytest.mark.parametrize(
    "patterns",
    [
        (pattern(estimate=40.0),),  # not clearly more than the measured saving
        (pattern("reuse", 60.0, share=0.2),),  # a small share of the blocks
        (pattern("owner", None),),
    ],
)
def test_smaller_patterns_are_facts(patterns):
    verdict = decide(study(patterns=patterns))
    assert verdict.kind == "local"
    assert patterns[0].kind in dict(verdict.facts)


def test_negligible_pattern_is_not_reported():
    assert "reuse" not in facts(patterns=(pattern("reuse", 0.7),))


def test_unresolved_if_nothing_saves_time():
    trial = result(ground(effect("monotonic", 0.3), effect("multipool", -4.0)))
    verdict = decide(study(trial=trial, globals=mallocs(("mimalloc", 0.1, 1.0)), on_top=None))
    assert verdict.kind == "unresolved"
    assert verdict.headline == (
        "Nothing that was tried is worth a change: no strategy and no malloc saves 1.0 % of 109 ms beyond "
        "its interval, against glibc on a clean heap."
    )
    sentences = dict(verdict.facts)
    assert sentences["mimalloc instead of glibc"].startswith(
        "0.10 ms saved (-0.90 to 1.1 ms), which is not significant"
    )
    assert sentences["other strategies"].startswith("a multipool: costs 4.0 ms")


def test_certain_but_small_saving_is_not_advised():
    trial = result(ground(effect("monotonic", 0.5, 0.1)))
    assert decide(study(trial=trial, globals=mallocs(), on_top=None)).kind == "unresolved"


def test_no_advice_with_incomplete_stacks():
    reason = "Scopes are withheld: 61 % of the stacks are complete."
    verdict = decide(study(trial=None, chosen=None, withheld=reason, globals=mallocs()))
    assert verdict.headline.startswith("No advice: scopes are withheld: 61 % of the stacks are complete;")


def test_broken_strategy_is_reported_and_excluded():
    bad = ground(
        effect("monotonic", 50.0),
        effect("multipool", 22.0),
        differing=("monotonic",),
        failed={"heap": "ended by SIGSEGV"},
    )
    verdict = decide(study(trial=result(bad), on_top=None))
    assert verdict.headline.startswith("Put a multipool into handle()")
    assert "Under monotonic the program's output differs. It was excluded." in verdict.notes
    assert any("Under heap the program ended by SIGSEGV" in note for note in verdict.notes)


def test_strategy_that_served_nothing_is_not_advised():
    unserved = effect("small-object-pool", 50.0, counts=Counts())
    assert decide(study(trial=result(ground(unserved)), on_top=None, globals=mallocs())).kind == "unresolved"


def test_saving_beyond_estimate_comes_from_locality():
    sentences = facts(ceiling=ceiling(30.0))
    assert "8.7 ms more than that: by this estimate it comes from locality" in sentences["estimate"]


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
    verdict = decide(study(trial=result(ground(kept)), on_top=None))
    assert verdict.headline.startswith("Put a monotonic allocator, released at the end, into handle()")


def test_facts_name_both_heaps():
    littered = ground(effect("monotonic", 90.0), litter=400_000)
    sentences = facts(trial=result(ground(effect("monotonic", 38.7)), littered))
    assert sentences["on a littered heap"] == "90.0 ms of 109 ms saved (89.0 to 91.0 ms), against glibc"


def test_disjoint_scopes_are_measured_together():
    pair = ScopePair(candidate("render", source="src/page.cpp:9"), ground(effect("monotonic", 50.0)))
    sentences = facts(both=pair)
    assert sentences["and also"] == (
        "into render() (page.cpp:9): both together save 50.0 ms (49.0 to 51.0 ms), against glibc "
        "on a clean heap"
    )
    smaller = ScopePair(candidate("render"), ground(effect("monotonic", 30.0)))
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
    assert verdict.notes[-1] == NOT_SEEN


def test_one_round_is_unresolved():
    unbounded = effect("monotonic", 38.7)
    once = Difference(-0.0387, float("-inf"), float("inf"), 1)
    trial = result(ground(type(unbounded)(**{**unbounded.__dict__, "time": once})))
    assert decide(study(trial=trial, on_top=None, globals=mallocs())).kind == "unresolved"


def test_screen_begins_with_answer_and_ends_with_code():
    case = study(changes=(CHANGE,))
    verdict = decide(case)
    console = Console(width=80, highlight=False, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    show_advice(console, case, verdict)
    lines = console.export_text().splitlines()
    assert lines[1].startswith("Put a monotonic allocator, rewound on return, into handle()")
    assert max(map(len, lines[: lines.index("Code to paste:")])) <= 80
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
        "pattern": None,
    }
    assert document["wall"] is False
    assert document["headline"].startswith("Put a monotonic")
    assert document["facts"][0]["label"] == "estimate"
    assert document["study"]["trial"]["grounds"][0]["trial"]["effects"][0]["strategy"] == "monotonic"
    assert document["study"]["ceiling"]["operations"] == 2_408_662
