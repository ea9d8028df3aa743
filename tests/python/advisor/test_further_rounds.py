"""Further rounds: their number, and a simulation of how often arms without effect end in advice."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_study import ceiling, saved, study

from mallard.advisor.advice import global_mallocs
from mallard.advisor.advice.global_mallocs import Globals, run_globals
from mallard.advisor.advice.notes import dropped_note, further_note
from mallard.advisor.advice.plan import Request, plan_for
from mallard.advisor.advice.runner import _plan_trials
from mallard.advisor.advice.verdict import choose_answer
from mallard.advisor.trial.campaign import Campaign, run_campaign
from mallard.advisor.trial.further_rounds import (
    LEAST_GROWTH,
    MOST_ROUNDS,
    SURE,
    further_rounds,
    possible_answers,
)
from mallard.advisor.trial.program import NULL, Arm, Counts, Program, RunResult, Scope
from mallard.shared.age import Age, young_only
from mallard.shared.stats import CONFIDENCE, Difference, paired_difference

MIB = 1 << 20
LEAST = 1.0  # millisecond


def planned(runs: int = 10_000, others: int = 1, **times: tuple[float, float]) -> tuple[int, list[str]]:
    """`times` has the saving and half its interval, in milliseconds, after 21 rounds."""
    arms = {name: saved(*time) for name, time in times.items()}
    return further_rounds(arms, LEAST / 1e3, runs, others)


@pytest.mark.parametrize(
    ("times", "arms"),
    [
        ({"a": (0.1, 0.4), "b": (-0.2, 0.4)}, []),  # narrow
        ({"a": (-3.0, 2.0)}, []),  # cannot be worth a change
        ({"a": (-1.0, 3.0)}, ["a"]),
        ({"a": (1.0, 3.0), "b": (-5.0, 1.0)}, ["a"]),
        ({"a": (3.0, 2.9)}, ["a"]),  # significant, but not surely so
        ({"a": (30.0, 2.9)}, []),  # sure, and alone
        ({"a": (30.0, 2.9), "b": (12.0, 4.0)}, []),  # surely the best
        ({"a": (30.0, 2.9), "b": (28.0, 3.0), "c": (0.0, 3.0)}, ["a", "b"]),  # two to tell apart
    ],
)
def test_only_wide_intervals_get_rounds(times, arms):
    assert planned(**times)[1] == arms


def test_number_follows_from_the_width_alone():
    """An interval without zero gets as many rounds as one with zero."""
    numbers = {planned(a=(middle, 0.6))[0] for middle in (0.41, 0.59, 0.61, 1.1)}
    assert len(numbers) == 1
    assert 0 < numbers.pop() < MOST_ROUNDS - 21
    assert planned(a=(0.0, 3.0))[0] == MOST_ROUNDS - 21


def test_runs_are_within_the_budget():
    assert planned(runs=199, a=(0.0, 3.0), b=(0.0, 3.0))[0] == 199 // 3
    assert planned(runs=199, others=2, a=(0.0, 3.0), b=(0.0, 3.0))[0] == 199 // 4
    too_few = 3 * 21 * (LEAST_GROWTH - 1) - 1
    assert planned(runs=too_few, a=(0.0, 3.0), b=(0.0, 3.0)) == (0, [])
    assert planned(runs=too_few + 1, a=(0.0, 3.0), b=(0.0, 3.0))[0] == 21 * (LEAST_GROWTH - 1)


def test_single_round_is_not_extended():
    unbounded = Difference(-1.0, float("-inf"), float("inf"), 1)
    assert further_rounds({"a": unbounded}, 0.01, 10_000, 1) == (0, [])
    assert further_rounds({}, 0.01, 10_000, 1) == (0, [])


def test_program_without_cpu_time_is_not_extended():
    assert further_rounds({"a": saved(1.0, 3.0)}, 0.0, 10_000, 1) == (0, [])


def test_interval_of_another_confidence_has_the_same_centre():
    time = paired_difference([1.0, 2.0, 4.0, 8.0, 9.0], [0.0] * 5)
    wide = time.at(SURE)
    assert (wide.median, wide.n, wide.confidence) == (time.median, 5, SURE)
    assert wide.low < time.low < time.high < wide.high
    back = wide.at(CONFIDENCE)
    assert (back.low, back.high) == pytest.approx((time.low, time.high))
    assert paired_difference([1.0], [0.0]).at(SURE).high == float("inf")


@pytest.mark.parametrize(
    ("times", "arms"),
    [
        ({"a": (0.1, 0.4), "b": (-0.2, 0.4)}, []),  # cannot be worth a change
        ({"a": (0.8, 0.4), "b": (-0.2, 0.4)}, ["a"]),
        ({"a": (-1.0, 3.0)}, ["a"]),
        ({"a": (30.0, 2.0), "b": (27.0, 2.0), "c": (20.0, 2.0)}, ["a", "b"]),
        ({"a": (30.0, 2.0), "b": (10.0, 20.0)}, ["a", "b"]),
        ({}, []),
    ],
)
def test_arms_that_may_be_the_answer_stay(times, arms):
    changes = {name: saved(*time) for name, time in times.items()}
    assert possible_answers(changes, LEAST / 1e3) == arms


def test_dropped_arm_has_no_further_rounds():
    dropped = replace(saved(30.0, 9.0), n=3)
    assert further_rounds({"a": saved(30.0, 2.9), "b": dropped}, LEAST / 1e3, 10_000, 1) == (0, [])


# ---- runs


def run_result(seconds: float, counts: Counts | None = None) -> RunResult:
    return RunResult(seconds, seconds, 10 * MIB, 500, 0, "same", counts)


def compare(
    monkeypatch: pytest.MonkeyPatch,
    seconds: Callable[[str], float],
    runs: int,
    mallocs: int = 4,
    *,
    drops: bool = False,
) -> tuple[Globals, list[str]]:
    """Eleven rounds of mallocs, and the further ones. Returns also the malloc of each run."""
    names = ("glibc", *(f"malloc-{number}" for number in range(1, mallocs)))
    log: list[str] = []

    def run_once(_program: Program, name: str, _age: Age | None) -> RunResult:
        log.append(name)
        return run_result(seconds(name))

    def tick(done: int, total: int) -> None:
        assert done == len(log) < total

    monkeypatch.setattr(global_mallocs, "run_once", run_once)
    monkeypatch.setattr(global_mallocs, "is_available", lambda _: True)
    monkeypatch.setattr(Program, "brings", lambda *_: False)
    return run_globals(Program(["x"], Path("x")), names, 11, 1, tick, further_runs=runs, drops=drops), log


def test_mallocs_that_may_be_the_answer_run_again(monkeypatch):
    draw = random.Random(1)
    slower = {"malloc-3": 0.2}
    compared, log = compare(
        monkeypatch, lambda name: draw.gauss(0.1 + slower.get(name, 0.0), 0.003), runs=150
    )
    assert compared.rounds == 11 + 150 // 3
    assert {effect.malloc: effect.time.n for effect in compared.effects} == {
        "malloc-1": compared.rounds,
        "malloc-2": compared.rounds,
        "malloc-3": 11,
    }
    for effect in compared.effects:
        confidence = CONFIDENCE if effect.malloc == "malloc-3" else SURE
        assert {effect.time.confidence, effect.wall_time.confidence} == {confidence}
    assert len(log) == 4 * 11 + 3 * 50
    assert len(compare(monkeypatch, lambda _: draw.gauss(0.1, 0.003), runs=0)[1]) == 4 * 11


@pytest.mark.parametrize(("drops", "rounds"), [(True, 3), (False, 11)])
def test_mallocs_that_cannot_be_the_answer_leave(monkeypatch, drops, rounds):
    draw = random.Random(1)
    slower = {"malloc-1": -0.02, "malloc-2": -0.019}

    def seconds(name: str) -> float:
        return draw.gauss(0.1 + slower.get(name, 0.0), 0.0005)

    compared, log = compare(monkeypatch, seconds, 0, drops=drops)
    times = {effect.malloc: effect.time for effect in compared.effects}
    assert {name: time.n for name, time in times.items()} == {
        "malloc-1": 11,
        "malloc-2": 11,
        "malloc-3": rounds,
    }
    assert len(log) == 3 * 11 + rounds
    note = ["Malloc-3 had 3 of 11 rounds, after which it could not be the answer."]
    assert dropped_note(times, 11) == (note if drops else [])


def test_rounds_end_without_a_possible_answer(monkeypatch):
    draw = random.Random(1)
    compared, log = compare(monkeypatch, lambda _: draw.gauss(0.1, 0.00005), 400, drops=True)
    assert (compared.rounds, len(log)) == (3, 4 * 3)
    assert not advises(compared)


def test_note_names_rounds_and_confidence(monkeypatch):
    draw = random.Random(1)
    compared, _ = compare(monkeypatch, lambda _: draw.gauss(0.1, 0.003), 400, mallocs=2)
    times = {effect.malloc: effect.time for effect in compared.effects}
    (note,) = further_note(times, 11)
    assert note == (
        f"malloc-1 had {compared.rounds - 11} further rounds, because 11 left intervals that are too wide "
        "for an answer; as more looks need more certainty, its interval is at 99.95 %."
    )
    assert further_note(times, compared.rounds) == []


def test_trial_takes_what_the_mallocs_leave(monkeypatch):
    draw = random.Random(1)
    compared, log = compare(monkeypatch, lambda _: draw.gauss(0.1, 0.003), runs=300)
    request = Request(("glibc", "a", "b", "c"))
    announced = plan_for(0.1, request)
    for seconds in (0.05, 0.1, 0.3):
        plan = _plan_trials(request, announced, announced, replace(compared, run_seconds=seconds))
        again = plan_for(seconds, request)
        planned_runs = again.runs - again.further_runs
        assert 0 <= plan.further_runs <= again.further_runs
        assert planned_runs + (len(log) - 44) + plan.further_runs <= announced.runs


@pytest.mark.parametrize(("runs", "rounds"), [(0, 5), (100, 5 + 100 // 4)])
def test_trial_extends_open_strategies(runs, rounds):
    draw = random.Random(2)

    class Noisy(Program):
        def run(self, arm: Arm, scope: Scope) -> RunResult:
            served = Counts(served=900, freed=900, elsewhere=50, servers=1)
            counts = None if arm.strategy is None else served
            if arm.strategy == NULL:
                counts = Counts(in_null=900, elsewhere=50, servers=1)
            return run_result(draw.gauss(0.2 if arm.strategy == "heap" else 0.1, 0.002), counts)

    strategies = ("monotonic", "multipool", "heap")
    campaign = Campaign(strategies, ("glibc",), young_only(), 5, 1, further_runs=runs)
    trial = (
        run_campaign(Noisy(["x"], Path("x")), Scope("f", ()), campaign, lambda *_: None).baselines[0].trial
    )
    assert {effect.strategy: effect.time.n for effect in trial.effects} == {
        "monotonic": rounds,
        "multipool": rounds,
        "heap": 5,
    }
    for effect in trial.effects:
        assert effect.time.confidence == (SURE if effect.time.n > 5 else CONFIDENCE)
    assert trial.finding.n == rounds
    few = replace(campaign, drops=True)
    result = run_campaign(Noisy(["x"], Path("x")), Scope("f", ()), few, lambda *_: None)
    assert [effect.time.n for effect in result.baselines[0].trial.effects if effect.strategy == "heap"] == [3]
    assert result.rounds == 5


# ---- simulation


def noise(kind: str, size: float, draw: random.Random) -> float:
    """Of a run, as a share of its time."""
    outlier = 5 * size if kind == "outliers" and draw.random() < 0.15 else 0.0
    return draw.gauss(outlier, size)


def advises(compared: Globals) -> bool:
    case = study(globals=compared, trial=None, chosen=None, on_top=None, ceiling=ceiling(60.0))
    return choose_answer(case).kind == "global"


def share_advised(monkeypatch: pytest.MonkeyPatch, runs: int, saving: float, comparisons: int) -> float:
    """Over comparisons of three mallocs, one of which saves this share, with noise of 2 to 10 %."""
    draw = random.Random(7)
    advised = 0
    for number in range(comparisons):
        kind, size = ("normal", "outliers")[number % 2], (0.02, 0.04, 0.1)[number // 2 % 3]

        def seconds(name: str, kind: str = kind, size: float = size) -> float:
            return 0.1 * (1.0 - saving * (name == "malloc-1") + noise(kind, size, draw))

        advised += advises(compare(monkeypatch, seconds, runs)[0])
    return advised / comparisons


def test_further_rounds_hardly_advise_nothing(monkeypatch):
    """Mallocs that save nothing. Rounds until significance would be worse than the planned ones."""
    with_further = share_advised(monkeypatch, 352, 0.0, 240)
    assert with_further <= 0.01
    assert share_advised(monkeypatch, 0, 0.0, 240) > 3 * with_further


@pytest.mark.parametrize("savings", [{}, {"malloc-1": 0.03}, {"malloc-1": 0.3, "malloc-2": 0.2}])
@pytest.mark.parametrize("size", [0.003, 0.03, 0.1])
def test_dropped_arms_were_no_answer(monkeypatch, savings, size):
    """With the same noise, all rounds and fewer have the same answer."""

    def seconds_of(seed: int) -> Callable[[str], float]:
        kind = ("normal", "outliers")[seed % 2]
        draws = {
            name: random.Random(f"{seed} {name}") for name in ("glibc", *map("malloc-{}".format, (1, 2, 3)))
        }
        return lambda name: 0.1 * (1.0 - savings.get(name, 0.0) + noise(kind, size, draws[name]))

    runs = 0
    for seed in range(60):
        every, few = (compare(monkeypatch, seconds_of(seed), 0, drops=drops) for drops in (False, True))
        assert every[0].best == few[0].best, seed
        runs += len(few[1])
    assert (runs < 0.9 * 60 * 4 * 11) is (size < 0.01), "noise leaves the answer open"


def test_further_rounds_find_more(monkeypatch):
    further, alone = (share_advised(monkeypatch, runs, 0.03, 120) for runs in (352, 0))
    assert further > alone + 0.2
