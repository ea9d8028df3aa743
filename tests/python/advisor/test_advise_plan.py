"""The rounds of the advice: planned for the time of a run, and from warm runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_program import FakeProgram, with_launcher

from mallard.advisor.advice.plan import Request, plan_for
from mallard.advisor.trial.program import Arm, RunResult, Scope


def test_slow_programs_get_fewer_rounds():
    request = Request(("glibc", "mimalloc", "jemalloc", "tcmalloc"))
    short, second, long = (plan_for(seconds, request) for seconds in (0.02, 1.0, 60.0))
    assert short.full_rounds == 41
    assert len(short.strategies) == 6
    assert second.full_rounds == 21
    assert second.strategies == ()
    assert (long.full_rounds, long.global_rounds, long.screening_rounds, long.candidates) == (5, 3, 3, 2)
    assert all(
        plan_for(seconds, request).runs * seconds < 150
        for seconds in (0.002, 0.02, 0.1, 0.2, 0.35, 0.36, 0.5)
    )
    assert second.runs < 245
    assert (second.further_runs, long.further_runs) == (0, 0)
    tenth = plan_for(0.1, request)
    assert 700 < tenth.further_runs < tenth.runs == 1400
    for asked in ({"rounds": 21}, {"quick": True}):
        assert plan_for(0.1, replace(request, **asked)).further_runs == 0
    assert plan_for(1.0, Request(("glibc",), rounds=33)).full_rounds == 33
    assert plan_for(0.5, Request(("glibc",), quick=True)).full_rounds < 21


def test_quick_mallocs_have_five_rounds_before_scopes():
    request = Request(("glibc", "mimalloc", "jemalloc", "tcmalloc"), quick=True)
    plans = [plan_for(seconds, request) for seconds in (0.1, 0.22, 0.5, 2.0)]
    assert [plan.global_rounds for plan in plans] == [11, 5, 5, 5]
    assert [plan.candidates for plan in plans] == [5, 5, 1, 1]
    assert plan_for(2.0, replace(request, scopes=("f", "g"))).candidates == 2


@pytest.mark.parametrize("options", [{}, with_launcher()])
def test_rounds_are_planned_from_warm_runs(advise, monkeypatch, options):
    """The first run reads files that later ones find in memory. Of a launcher all processes count."""
    monkeypatch.setattr("mallard.shared.mallocs.find_library", lambda name: Path(f"/lib/{name}"))
    request = Request(("glibc", "mimalloc"))
    warm = plan_for(0.06, request)

    class Cold(FakeProgram):
        saved_ms = FakeProgram.saved_ms | {"mimalloc": 20.0}

        def run(self, arm: Arm, scope: Scope) -> RunResult:
            done = super().run(arm, scope)
            if self.process:
                return replace(done, all_seconds=0.06)
            seconds = 2.0 if len(self.runs) == 1 else 0.6 * done.cpu_seconds
            return replace(done, cpu_seconds=seconds, wall_seconds=seconds)

    case, _, _ = advise(Cold, request, **options)
    assert (case.globals.rounds, case.trial.rounds) == (warm.global_rounds, warm.full_rounds)
    assert [message.partition(";")[0] for message in Cold.messages[1:]] == [
        "A run takes 2 s",
        "A run takes 0.06 s",
    ]


@pytest.mark.parametrize(("second", "announced"), [(0.098, ["0.1 s"]), (0.08, ["0.1 s", "0.08 s"])])
def test_announces_again_if_a_tenth_more(advise, second, announced):
    class Warm(FakeProgram):
        def run(self, arm: Arm, scope: Scope) -> RunResult:
            seconds = 0.1 if len(self.runs) == 0 else second
            done = super().run(arm, scope)
            return replace(done, cpu_seconds=seconds, wall_seconds=seconds)

    advise(Warm)
    texts = [message.partition(";")[0] for message in Warm.messages[1:]]
    assert texts == [f"A run takes {seconds}" for seconds in announced]
