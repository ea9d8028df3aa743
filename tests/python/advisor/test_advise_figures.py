"""The figures of the answer, of its second half and of its rival, as fields of the JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from synthetic_study import MIB, aged, baseline, effect, mallocs, result, study

from mallard.advisor.advice.study import Study
from mallard.advisor.advice.verdict import decide
from mallard.advisor.trial.load import Load
from mallard.advisor.trial.program import MemoryAtEnd
from mallard.advisor.view.advice import advice_json
from mallard.shared.stats import Difference


def fields(case: Study) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(advice_json(case, decide(case)))
    return document


def test_answer_and_rival_have_their_figures():
    document = fields(study(globals=mallocs(("mimalloc", 12.0, 2.0), ("jemalloc", 9.0, 1.0)), on_top=None))
    assert document["kind"] == "local"
    figure, rival = document["figure"], document["rival"]
    assert (figure["strategy"], figure["scope"], figure["source"]) == (
        "monotonic",
        "handle",
        "src/server.cpp:88",
    )
    saved = {"unit": "seconds", "saved": 0.0387, "at_least": 0.0374, "at_most": 0.0400}
    assert {name: figure[name] for name in saved} == pytest.approx(saved)
    assert figure["share"] == pytest.approx(0.0387 / 0.109)
    assert figure["peak_ratio"] == pytest.approx(1.2)
    assert (figure["age"], figure["against"]) == ("young", "glibc on a young heap")
    assert (rival["strategy"], rival["saved"]) == ("multipool", pytest.approx(0.022))
    assert document["then"] is None


def test_rival_may_be_a_malloc():
    alone = result(baseline(effect("monotonic", 38.7)))
    fast = mallocs(("mimalloc", 12.0, 5.0), ("jemalloc", 9.0, 1.0))
    rival = fields(study(trial=alone, globals=fast, on_top=None))["rival"]
    assert (rival["strategy"], rival["scope"]) == ("jemalloc", ""), "the most that is certain"
    assert rival["at_least"] == pytest.approx(0.008)


def test_second_half_is_on_top_of_the_first():
    on_top = baseline(effect("monotonic", 5.0), malloc="mimalloc")
    document = fields(study(globals=mallocs(("mimalloc", 37.0, 1.0)), on_top=on_top))
    assert document["figure"]["strategy"] == "mimalloc"
    then = document["then"]
    assert (then["strategy"], then["scope"]) == ("monotonic", "handle")
    assert then["against"] == "mimalloc on a young heap"
    assert then["saved"] == pytest.approx(0.005)
    assert then["peak_ratio"] == pytest.approx(1.3), "of both, against the unchanged program"


def test_answer_of_an_old_heap_has_its_age_and_rival():
    level = study(trial=None, chosen=None, on_top=None, globals=mallocs(("mimalloc", 0.1, 1.0)))
    old = aged(effect("monotonic", 20.0), malloc=("mimalloc", 30.0, 1.0))
    document = fields(replace(level, aged=(old,)))
    assert document["figure"]["age"] == "old"
    assert (document["figure"]["strategy"], document["figure"]["peak_ratio"]) == (
        "mimalloc",
        pytest.approx(1.1),
    )
    assert (document["rival"]["strategy"], document["rival"]["age"]) == ("monotonic", "old")


def test_no_change_has_no_figure():
    document = fields(study(trial=None, chosen=None, on_top=None, globals=mallocs(("mimalloc", 0.1, 1.0))))
    assert (document["kind"], document["figure"], document["then"]) == ("unresolved", None, None)
    assert document["rival"]["strategy"] == "mimalloc"
    assert fields(study(trial=None, chosen=None, on_top=None, globals=mallocs()))["rival"] is None


def test_goal_memory_saves_bytes():
    lean = replace(mallocs(("mimalloc", 1.0, 1.0), ("jemalloc", 1.0, 1.0)), peak_bytes=40.0 * MIB)
    peaks = {"mimalloc": -30.0, "jemalloc": -10.0}
    effects = [
        replace(
            each,
            peak_bytes=Difference(peaks[each.malloc] * MIB, (peaks[each.malloc] - 1) * MIB, 0.0, 11),
            end_bytes=Difference(-5.0 * MIB, -6.0 * MIB, -4.0 * MIB, 11),
        )
        for each in lean.effects
    ]
    at_end = MemoryAtEnd(resident_bytes=20 * MIB)
    whole = replace(lean, effects=tuple(effects), at_end=at_end)
    case = study(goal="memory", trial=None, chosen=None, on_top=None, globals=whole, load=Load("client"))
    figure = fields(case)["figure"]
    assert (figure["unit"], figure["saved"], figure["share"]) == ("bytes", 5.0 * MIB, 0.25), "at the end"
