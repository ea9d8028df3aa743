"""The choice between changes that were measured: equals get one answer, whatever the noise."""

from __future__ import annotations

import gzip
import json
import random
import re
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from synthetic_study import MIB, baseline, candidate, effect, mallocs, result, study

from mallard.advisor.advice.choice import EQUAL_PEAK, Choice, Saving, choose, preferred, saving
from mallard.advisor.advice.global_mallocs import GlobalEffect, Globals
from mallard.advisor.advice.study import Study
from mallard.advisor.advice.verdict import decide
from mallard.advisor.trial.campaign import LEAST_EFFECT
from mallard.advisor.trial.load import Load
from mallard.shared.stats import Difference

RESULTS = Path(__file__).resolve().parents[3] / "advisor/case_studies/results"
SWITCH = "glibc:arena_max=1"
# Percent of the time that three runs of one server save, each within the intervals of the others.
RUNS = (
    {"monotonic": 28.9, "multipool": 25.0, "mimalloc": 22.5},
    {"monotonic": 27.0, "multipool": 25.5, "mimalloc": 25.4},
    {"monotonic": 25.0, "multipool": 26.4, "mimalloc": 21.0},
)


def malloc(name: str, middle: float, half: float = 3.0, peak: float = 1.1) -> Choice:
    return Choice(name, is_local=False, time=Saving(middle / 100, half / 100), memory=Saving(1 - peak, 0.01))


def strategy(name: str, middle: float, half: float = 3.0, peak: float = 1.1) -> Choice:
    return replace(malloc(name, middle, half, peak), is_local=True)


def server(half: float = 5.5, **percent: float) -> Study:
    """The saving of each strategy and malloc in percent of the time."""
    by_name = {name: 1.09 * share for name, share in percent.items()}
    strategies = [effect(name, by_name.pop(name), half) for name in ("monotonic", "multipool")]
    return study(
        trial=result(baseline(*strategies)),
        globals=mallocs(*((name, middle, half) for name, middle in by_name.items())),
        on_top=None,
    )


@pytest.mark.parametrize("run", RUNS)
def test_three_runs_have_one_answer(run):
    verdict = decide(server(**run))
    assert (verdict.kind, verdict.answer.malloc) == ("global", "mimalloc")
    assert set(verdict.answer.equal) == {"monotonic", "multipool"}


def test_screen_names_the_equals():
    sentence = dict(decide(server(**RUNS[0])).facts)["equal"]
    assert sentence == (
        "a monotonic allocator, rewound on return (28.9 %, peak 1.2 x) and a multipool (25.0 %, peak 1.2 x), "
        "within the intervals; mimalloc (22.5 %, peak 1.1 x) is preferred, because it changes no source"
    )
    assert "equal" not in dict(decide(server(half=0.2, **RUNS[0])).facts)


def test_noise_within_intervals_changes_no_answer():
    draw = random.Random(3)
    answers = {
        decide(server(half=6.0, **{name: draw.gauss(27.0, 1.5) for name in RUNS[0]})).answer.malloc
        for _ in range(200)
    }
    assert answers == {"mimalloc"}


@pytest.mark.parametrize(
    ("choices", "name"),
    [
        ([malloc("tcmalloc", 20.0, peak=1.2), malloc("mimalloc", 19.0, peak=1.0)], "mimalloc"),
        ([malloc("mimalloc", 21.0), malloc(SWITCH, 19.0)], SWITCH),  # needs no library
        ([malloc("mimalloc", 21.0), malloc(SWITCH, 19.0, peak=1.3)], "mimalloc"),
        ([malloc("jemalloc", 21.0), malloc("mimalloc", 20.0)], "mimalloc"),
        ([malloc("tcmalloc", 21.0), malloc("jemalloc", 20.0)], "jemalloc"),
        ([strategy("multipool", 21.0), strategy("monotonic", 20.0)], "monotonic"),  # omits destructors, too
        ([strategy("multipool", 20.0), strategy("monotonic", 21.0, peak=1.2)], "multipool"),
        ([strategy("monotonic", 24.0), malloc("mimalloc", 20.0)], "mimalloc"),
        ([strategy("monotonic", 26.0), malloc("mimalloc", 20.0)], "monotonic"),  # surely more
        ([strategy("monotonic", 24.0), malloc("tcmalloc", 24.0, peak=2.2)], "monotonic"),
        ([malloc("jemalloc", 20.0, 19.0, peak=1.0), malloc("mimalloc", 30.0, 1.0)], "jemalloc"),
        # An interval that wide says nothing.
        ([malloc("jemalloc", 14.0, 13.9, peak=1.0), malloc("mimalloc", 30.0, 1.0)], "mimalloc"),
    ],
)
def test_equals_have_an_order(choices, name):
    for order in (choices, choices[::-1]):
        assert preferred(order).name == name
        strategies = [choice for choice in order if choice.is_local]
        assert choose([choice for choice in order if not choice.is_local], strategies, 1.0).name == name


def test_malloc_with_a_fat_one_precedes_an_unsure_strategy():
    """The fat one is the best, the strategy cannot be told from the lean one."""
    lean, fat = malloc("mimalloc", 13.4, 0.6), malloc("tcmalloc", 16.5, 1.1, peak=2.0)
    assert preferred([fat, lean, strategy("monotonic", 18.4, 12.0, peak=1.0)]).name == "mimalloc"


def test_malloc_precedes_its_equal_with_a_better_strategy():
    """The malloc surely saves less than the multipool, but the answer would be the monotonic allocator."""
    strategies = [strategy("multipool", 30.0, 1.0), strategy("monotonic", 27.0, 6.0)]
    assert preferred(strategies).name == "monotonic"
    assert choose([malloc("mimalloc", 21.0)], strategies, 0.8).name == "mimalloc"
    assert choose([malloc("mimalloc", 20.0)], strategies, 0.8).name == "monotonic"


def fat(middle: float, half: float, peak: float) -> Globals:
    measured = mallocs(("tcmalloc", middle, half))
    more = Difference((peak - 1) * 10 * MIB, 0, 0, 11)
    return replace(measured, effects=(replace(measured.effects[0], peak_bytes=more),))


@pytest.mark.parametrize(("peak", "kind"), [(1.5, "global"), (1.6, "local")])
def test_fat_malloc_is_not_enough(peak, kind):
    """It saves nine tenths of the strategy's saving, whose peak is 1.2 x."""
    trial = result(baseline(effect("monotonic", 38.7, 0.5)))
    assert decide(study(trial=trial, globals=fat(35.0, 0.5, peak), on_top=None)).kind == kind


def test_narrow_interval_of_a_malloc_withholds_nothing():
    """The malloc may save twice as much, but further rounds would not change that."""
    trial = result(baseline(effect("monotonic", 1.6, 1.5)))
    verdict = decide(study(trial=trial, globals=fat(2.83, 0.5, 2.2), on_top=None))
    assert verdict.headline.startswith("Put a monotonic allocator")


@pytest.mark.parametrize(
    ("middle", "half", "kind"),
    [(3.0, 7.1, "unresolved"), (3.0, 6.9, "local"), (3.0, 200.0, "unresolved"), (-30.0, 35.0, "local")],
)
def test_wide_interval_of_a_malloc_withholds_a_strategy(middle, half, kind):
    """The strategy saves 5 ms, and the malloc may save twice as much, without a change of the sources."""
    case = study(
        trial=result(baseline(effect("monotonic", 5.0, 0.5))),
        globals=mallocs(("mimalloc", middle, half)),
        on_top=None,
    )
    verdict = decide(case)
    assert verdict.kind == kind
    if kind == "unresolved":
        open_saving = "mimalloc may save up to 10 ms" if half < 100 else "the saving of mimalloc is not known"
        assert verdict.headline.startswith(f"Not resolved: {open_saving}")
        assert verdict.headline.endswith(
            "mimalloc would change no source, and so is worth those runs before a monotonic allocator, "
            "rewound on return, in handle() (server.cpp:88): 4.6 % saved, 5.0 ms of 109 ms (4.5 to 5.5 ms)."
        )
        assert verdict.code == ""


def lean(middle: float, half: float, share: float) -> GlobalEffect:
    """One arena, which needs this share of 10 MiB."""
    (effect,) = mallocs((SWITCH, middle, half)).effects
    bytes_ = (share - 1) * 10 * MIB
    return replace(effect, peak_bytes=Difference(bytes_, bytes_ - MIB, bytes_ + MIB, 11))


@pytest.mark.parametrize(
    ("effect", "sentence"),
    [
        (lean(-2.0, 0.5, 0.21), "costs 1.8 %, 2.0 ms of 109 ms (1.5 to 2.5 ms)"),
        (
            lean(0.3, 0.5, 0.21),
            "0.28 % saved, 0.30 ms of 109 ms (-0.20 to 0.80 ms), which is not significant",
        ),
        (lean(-2.0, 0.5, 0.91), None),  # within its interval
        (lean(30.0, 0.5, 0.21), None),  # the answer
    ],
)
def test_least_memory_is_with_the_answer(effect, sentence):
    measured = mallocs(("mimalloc", 22.0, 0.5))
    measured = replace(measured, effects=(*measured.effects, effect))
    facts = dict(decide(study(trial=None, chosen=None, globals=measured, on_top=None)).facts)
    assert facts.get("for memory") == (
        sentence
        and "glibc with arena_max=1: resident at the peak 79.0 % less, 2.10 MiB of 10.0 MiB (1.10 to "
        f"3.10 MiB); time: {sentence}; GLIBC_TUNABLES=glibc.malloc.arena_max=1 ./server"
    )


def test_strategy_may_have_the_least_memory():
    saves_memory = replace(
        effect("multipool", -1.5), peak_bytes=Difference(-5.0 * MIB, -6.0 * MIB, -4.0 * MIB, 11)
    )
    few = study(trial=result(baseline(saves_memory)), globals=mallocs(), on_top=None)
    assert dict(decide(few).facts)["for memory"] == (
        "a multipool in handle() (server.cpp:88): resident at the peak 50.0 % less, 5.00 MiB of 10.0 MiB "
        "(4.00 to 6.00 MiB); time: costs 1.4 %, 1.5 ms of 109 ms (0.50 to 2.5 ms)"
    )


def test_main_and_nameless_functions_give_way_to_mallocs():
    nameless = candidate("jq+0x24a0", rank=2, source="jq", object="/usr/bin/jq")
    few = {"globals": mallocs(("mimalloc", 5.0, 1.0)), "on_top": None}
    assert decide(study(chosen=nameless, **few)).kind == "global"
    assert decide(study(chosen=candidate("main", rank=4), **few)).kind == "local"


# ---- stored results


def stored_advice() -> list[tuple[str, dict[str, Any]]]:
    files = sorted(chain(RESULTS.glob("foreign/advice/*"), RESULTS.glob("advice/*")))
    texts = [gzip.decompress(file.read_bytes()) for file in files]
    return [
        (f"{file.name.partition('.')[0]}-{name}", cell)
        for file, text in zip(files, texts, strict=True)
        for name, cell in json.loads(text)["cells"].items()
    ]


def stored_choices(cell: dict[str, Any]) -> list[Choice]:
    """The peaks are in the facts, as they were shown."""
    texts = {fact["label"].partition(" instead of ")[0]: fact["text"] for fact in cell["facts"]}
    peaks = {name: re.search(r"peak ([\d.]+) x", text) for name, text in texts.items()}
    measured = [(name, "memory", True, time) for name, time in cell["strategies"].items()]
    measured += [(name, name, False, time) for name, time in cell["mallocs"].items()]
    choices = []
    for name, label, is_local, time in measured:
        difference = Difference(time["median"], time["low"], time["high"], 21)
        share, peak = saving(difference, cell["program_seconds"]), peaks.get(label)
        if difference.high < 0 and share.middle >= LEAST_EFFECT and peak:
            choices.append(Choice(name, is_local, share, Saving(1 - float(peak[1]), 0.0)))
    return choices


STORED = [(name, choices) for name, cell in stored_advice() if (choices := stored_choices(cell))]


def test_many_stored_results_have_choices():
    assert len(STORED) > 50
    assert any(choice.is_local for _, choices in STORED for choice in choices)


@pytest.mark.parametrize(("name", "choices"), STORED, ids=[name for name, _ in STORED])
def test_stored_results_prefer_lean_mallocs_among_equals(name, choices):
    draw = random.Random(name)
    mallocs_, strategies = (
        [choice for choice in choices if choice.is_local is kind] for kind in (False, True)
    )
    answer = choose(mallocs_, strategies, 0.8)
    for _ in range(5):
        for part in (mallocs_, strategies):
            draw.shuffle(part)
        assert choose(mallocs_, strategies, 0.8) == answer
    equals = [choice for choice in choices if choice.time.is_as_good(answer.time)]
    lean = [choice for choice in equals if choice.peak <= answer.peak]
    if answer.is_local:
        assert all(choice.is_local for choice in lean)
    assert answer.peak <= EQUAL_PEAK * min(
        (choice.peak for choice in equals if choice.time.certain >= answer.time.certain), default=answer.peak
    )


@pytest.mark.parametrize(
    ("low", "milliseconds", "sentence"),
    [
        (1.0, 3.0, None),
        (-1.0, 40.0, None),
        (4.0, 5.0, "it costs 5.0 ms (4.0 to 6.0 ms) when a process starts and ends, which no trial counts"),
        (39.0, 40.0, " counts; that is more than it saves in a run as short as this one"),
    ],
)
def test_malloc_that_is_slow_to_start(low, milliseconds, sentence):
    measured = mallocs(("mimalloc", 33.0, 1.0))
    start = Difference(milliseconds / 1e3, low / 1e3, (2 * milliseconds - low) / 1e3, 11)
    slow = replace(measured, effects=(replace(measured.effects[0], start=start),))
    said = dict(decide(study(globals=slow)).facts).get("start")
    assert said is None if sentence is None else said and said.endswith(sentence)
    assert "start" not in dict(decide(study(globals=slow, load=Load("client"))).facts)
