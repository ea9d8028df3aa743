"""Advice for heaps with a past, with fake runs: what is measured there, and the reasons where nothing is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fake_program import Aging, FakeProgram
from synthetic_study import ceiling

from mallard.advisor.advice import runner
from mallard.advisor.advice.aged_sentences import measured_change
from mallard.advisor.advice.plan import Request
from mallard.advisor.advice.verdict import decide
from mallard.advisor.trial.program import Arm, RunResult, Scope
from mallard.advisor.view.sarif import advice_sarif
from mallard.shared.age import levels, young
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import title
from mallard.shared.stats import Difference

OLD = levels()["old"]


def test_mallocs_run_at_each_age(advise, monkeypatch):
    monkeypatch.setattr("mallard.shared.mallocs.find_library", lambda name: Path(f"/lib/{name}.so"))
    case, _, _ = advise(Aging, Request(("glibc", "mimalloc"), ages=(young(), OLD)))
    (aged,) = case.aged
    assert (case.globals.heap, aged.heap, aged.globals.heap) == ("a young heap", "an old heap", "an old heap")
    assert [baseline.age for baseline in case.trial.baselines] == [young()]
    (scope,) = aged.scopes
    assert (scope.baseline.malloc, scope.on_top.malloc) == ("glibc", "mimalloc")
    assert aged.slower.median == pytest.approx(2.0)
    text = dict(decide(case).facts)["on an old heap"]
    assert ": 65.0 % saved, 130 ms of 200 ms (130 to 130 ms); on top of mimalloc it still saves" in text
    assert "; mimalloc instead of glibc: no significant effect: " in text


def test_the_best_malloc_and_the_best_tunable_run_at_each_age(advise, monkeypatch):
    """A scope is tried under the faster one alone."""
    monkeypatch.setattr("mallard.shared.mallocs.find_library", lambda name: Path(f"/lib/{name}.so"))
    mallocs = ("glibc", "mimalloc", "jemalloc", "glibc:arena_max=1", "glibc:tcache_count=1000")
    case, _, _ = advise(Aging, Request(mallocs, ages=(young(), OLD)))
    names = {effect.malloc for effect in case.aged[0].globals.effects}
    assert len(names) == 2
    assert len([name for name in names if name.startswith("glibc:")]) == 1
    (scope,) = case.aged[0].scopes
    assert scope.on_top.malloc == next(iter(case.globals.allowed)).malloc
    text = dict(decide(case).facts)["on an old heap"]
    assert all(f"{title(name)} instead of glibc: " in text for name in names)


def test_a_change_whose_interval_contains_zero_is_no_saving():
    saved = measured_change(Difference(-0.72e-3, -2.1e-3, 0.65e-3, 4), 3.5e-3)
    assert saved.startswith("no significant effect: 20.6 % saved, 0.72 ms of 3.5 ms")
    assert measured_change(Difference(-0.72e-3, -0.9e-3, -0.5e-3, 4), 3.5e-3).startswith("20.6 % saved")


def test_the_default_omits_ages_without_time(advise, monkeypatch):
    """What --age asks for is measured all the same."""
    monkeypatch.setattr("mallard.shared.mallocs.find_library", lambda name: Path(f"/lib/{name}.so"))
    monkeypatch.setattr("mallard.advisor.advice.aged.timed_run", lambda *words: (Aging.result(), 40.0))
    (omitted,) = advise(Aging, Request(("glibc",), ages=(young(), OLD), may_omit_ages=True))[0].aged
    assert (
        omitted.reason
        == "3 runs with their history take 120 s, and 45 s are left; --age young,old takes the time"
    )
    case, _, _ = advise(Aging, Request(("glibc",), ages=(young(), OLD)))
    assert (case.aged[0].reason, case.aged[0].rounds) == ("", 3)
    verdict = decide(replace(case, aged=(omitted,)))
    assert dict(verdict.facts)["on an old heap"].startswith("not measured, because 3 runs with their history")


def test_programs_that_cannot_be_aged_are_answered(advise):
    class Static(FakeProgram):
        def run(self, arm: Arm, scope: Scope) -> RunResult:
            done = super().run(arm, scope)
            return done if arm.strategy else replace(done, counts=None)

    class Differs(FakeProgram):
        def run(self, arm: Arm, scope: Scope) -> RunResult:
            done = super().run(arm, scope)
            return done if arm.age.is_young else replace(done, output="addresses")

    default = Request(("glibc",), ages=(young(), OLD), may_omit_ages=True)
    for program, reason in (
        (Static, "server cannot be aged: it ended, or became another program, before a preloaded library"),
        (Differs, "the run on an old heap printed another output than the first run"),
    ):
        case, _, _ = advise(program, default)
        assert case.aged[0].reason.startswith(reason)
        assert decide(case).kind == "local"
        with pytest.raises(UsageError, match=reason):
            advise(program, replace(default, may_omit_ages=False))


def test_a_quiet_program_that_ages_is_tried(advise, monkeypatch):
    """It spends no time in malloc, and reads blocks that an old heap scatters."""
    monkeypatch.setattr(runner, "estimate_ceiling", lambda *words: ceiling(0.1))
    case, _, _ = advise(Aging, Request(("glibc",), ages=(young(), OLD)))
    assert case.trial is None
    verdict = decide(case)
    assert (verdict.answer.kind, verdict.answer.strategy, verdict.answer.age) == ("local", "multipool", "old")
    assert verdict.headline.startswith(
        "On an old heap, put a multipool into handle() (s.cpp:9): 55.0 % saved"
    )
    assert "; on a young heap malloc and page faults take at most 0.1 % of " in verdict.headline
    even, _, _ = advise(FakeProgram, Request(("glibc",), ages=(young(), OLD)))
    assert even.aged[0].scopes == ()
    assert decide(even).kind == "nothing"
    assert dict(decide(even).facts)["on an old heap"] == "the program is even; 3 rounds"


def test_an_old_heap_alone_gives_the_answer(advise):
    class OnlyOld(Aging):
        saved_ms: dict[str, float] = {}  # noqa: RUF012

    case, _, _ = advise(OnlyOld, Request(("glibc",), ages=(young(), OLD)))
    assert case.best is None
    verdict = decide(case)
    assert (verdict.answer.kind, verdict.answer.age) == ("local", "old")
    (finding,) = json.loads(advice_sarif(case, verdict))["runs"][0]["results"]
    assert (finding["ruleId"], finding["message"]["text"]) == ("local-allocator", verdict.headline)
    assert finding["locations"][0]["physicalLocation"]["region"] == {"startLine": 9}
    assert finding["properties"]["at_least"] > 0
    assert verdict.headline.startswith("On an old heap, put a ")
    assert verdict.headline.endswith("; on a young heap nothing that was tried is worth a change.")


def test_forecast_has_the_time_of_histories(advise, monkeypatch):
    monkeypatch.setattr("mallard.advisor.advice.aged.timed_run", lambda *words: (Aging.result(), 2.5))
    advise(Aging, Request(("glibc",), ages=(young(), OLD)))
    message = Aging.messages[1]
    assert message.startswith("A run takes 0.1 s, and 2.5 s on an old heap; up to ")
    advise(Aging, Request(("glibc",), ages=(OLD,)))
    assert Aging.messages[1].startswith("A run takes 2.5 s; up to ")
    monkeypatch.setattr("mallard.advisor.advice.aged.timed_run", lambda *words: (Aging.result(), 800.0))
    with pytest.raises(UsageError, match=r"a run takes 0\.1 s, and 800 s on an old heap, so "):
        advise(Aging, Request(("glibc",), ages=(young(), OLD)))
