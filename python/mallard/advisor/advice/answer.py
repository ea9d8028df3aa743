"""The answer: the change that the measurements of a study advise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from mallard.advisor.advice.aged import AgedHeap
from mallard.advisor.advice.aged_sentences import best_aged_malloc, best_aged_scope
from mallard.advisor.advice.choice import (
    GLOBAL_IS_ENOUGH,
    NOT_EXCLUDED,
    Goal,
    choose,
    saving,
)
from mallard.advisor.advice.global_mallocs import GlobalEffect
from mallard.advisor.advice.study import Study
from mallard.advisor.trial.campaign import Baseline, Promise, is_wide
from mallard.advisor.trial.effect import Effect

Kind = Literal["nothing", "local", "global", "unresolved", "unmeasured"]

MAIN_IS_ENOUGH = 0.5


@dataclass(frozen=True)
class Answer:
    """The change that the headline advises."""

    kind: Kind
    strategy: str | None = None  # for the chosen scope
    malloc: str | None = None  # instead of the base
    age: str | None = None  # of the only heap on which it saves time; None if that is the first one
    equal: tuple[str, ...] = ()  # mallocs and strategies whose saving cannot be told from the answer's
    goal: Goal = "time"
    at_end: bool = False  # the answer for memory lowers only what is resident at the end


def choose_answer(study: Study) -> Answer:
    kind = first_kind(study)
    if open_malloc(study) and kind == "unresolved":
        return Answer(kind)
    if kind in ("nothing", "unresolved"):
        return _choose_aged_answer(study) or Answer(kind)
    if kind == "local":
        assert study.best
        name = study.best.strategy
        return Answer(kind, strategy=name, equal=_equals(study, name))
    if kind == "global":
        best = study.best_malloc
        assert best
        follow_up = local_follow_up(study)
        strategy = follow_up.strategy if follow_up else None
        return Answer(kind, strategy, best.malloc, equal=_equals(study, best.malloc))
    return Answer(kind)


def promise(study: Study, answer: Answer) -> Promise | None:
    """The time of the headline; None if that is not an allocator, or of memory."""
    if answer.goal == "memory":
        return None
    aged = find_aged(study, answer.age)
    mallocs = aged.globals if aged else study.globals
    if answer.kind == "global" and mallocs:
        effect = next(effect for effect in mallocs.effects if effect.malloc == answer.malloc)
        return mallocs.promise(effect)
    if answer.kind != "local":
        return None
    scope = best_aged_scope(aged) if aged else None
    if scope:
        return scope.promise
    assert study.baseline
    assert study.best
    return local_promise(study, study.baseline, study.best)


def local_promise(study: Study, baseline: Baseline, effect: Effect) -> Promise:
    """Of a strategy in the chosen scope."""
    assert study.trial
    source = study.chosen.source if study.chosen else ""
    return baseline.promise(study.trial.scope.name, effect, source)


def promises(study: Study, age: str | None) -> list[Promise]:
    """Of all changes that were tried on that heap, and that the program tolerates."""
    if aged := find_aged(study, age):
        of_mallocs = map(aged.globals.promise, aged.globals.allowed) if aged.globals else ()
        return [*of_mallocs, *filter(None, (scope.promise for scope in aged.scopes))]
    of_mallocs = map(study.globals.promise, study.globals.allowed)
    baseline = study.baseline
    strategies = baseline.allowed if baseline else []
    return [*of_mallocs, *(local_promise(study, baseline, effect) for effect in strategies if baseline)]


def find_aged(study: Study, age: str | None) -> AgedHeap | None:
    """None for the first heap."""
    return next((aged for aged in study.aged if aged.age.name == age), None)


def _choose_aged_answer(study: Study) -> Answer | None:
    """The change that saves time on a heap with a past alone; None if there is none."""
    for aged in study.aged:
        scope, malloc = best_aged_scope(aged), best_aged_malloc(aged)
        local = (
            saving(scope.effect.time, scope.baseline.trial.program_seconds)
            if scope and scope.effect
            else None
        )
        if malloc and aged.globals:
            time = saving(malloc.time, aged.globals.seconds)
            if local is None or time.is_enough(local, GLOBAL_IS_ENOUGH):
                return Answer("global", malloc=malloc.malloc, age=aged.age.name)
        if scope and scope.effect:
            return Answer("local", strategy=scope.effect.strategy, age=aged.age.name)
    return None


def first_kind(study: Study) -> Kind:
    """The kind of the answer for the first heap alone."""
    if not study.ceiling.worth_a_trial:
        return "unmeasured" if study.linked_malloc else "nothing"
    if is_unmeasured(study):
        return "unmeasured"
    # An allocator that serves all of main is a global allocator, and an existing one needs no work.
    enough = MAIN_IS_ENOUGH if study.chosen and study.chosen.is_main else GLOBAL_IS_ENOUGH
    mallocs, strategies = study.globals.choices, study.strategies
    if study.chosen and study.chosen.is_unnamed and mallocs:
        strategies = []  # nobody can change the function before its symbols are installed
    best = choose(mallocs, strategies, enough)
    if best is None:
        return "unmeasured" if study.linked_malloc and not study.trial else "unresolved"
    if best.is_local:
        return "unresolved" if open_malloc(study) else "local"
    return "local" if local_is_as_good_as_both(study) and not open_malloc(study) else "global"


def open_malloc(study: Study) -> GlobalEffect | None:
    """A malloc that may save much more than the local allocator, because its interval is too wide. It changes
    no source, so it is measured before a change is advised.
    """
    best, baseline = study.best, study.baseline
    if best is None or baseline is None:
        return None
    least = NOT_EXCLUDED * saving(best.time, baseline.trial.program_seconds).middle * study.globals.seconds
    wide = (effect for effect in study.globals.allowed if is_wide(effect.time, study.globals.seconds))
    return next((effect for effect in wide if -effect.time.low >= least), None)


def _equals(study: Study, answer: str) -> tuple[str, ...]:
    every = [*study.globals.choices, *study.strategies]
    best = next(choice for choice in every if choice.name == answer)
    return tuple(choice.name for choice in every if choice != best and choice.time.is_as_good(best.time))


def is_unmeasured(study: Study) -> bool:
    """True if the program tolerated nothing that was tried."""
    return not study.globals.allowed and not tried(study) and bool(failures(study))


def failures(study: Study) -> dict[str, str]:
    return study.globals.failures | (study.baseline.failures if study.baseline else {})


def tried(study: Study) -> list[Effect]:
    return study.baseline.allowed if study.baseline else []


def best_strategy_on_top(study: Study) -> Effect | None:
    """The effect of the best strategy when it runs under the best of the other mallocs."""
    wanted = study.best.strategy if study.best else None
    effects = study.on_top.trial.effects if study.on_top else ()
    return next((effect for effect in effects if effect.strategy == wanted), None)


def local_follow_up(study: Study) -> Effect | None:
    """The local allocator that still saves time once the program uses the other malloc."""
    on_top, chosen = best_strategy_on_top(study), study.chosen
    if on_top is None or chosen is None or chosen.is_main or chosen.is_unnamed or not on_top.saves:
        return None
    return on_top


def local_is_as_good_as_both(study: Study) -> bool:
    """True if the local allocator alone saves more than the other malloc beyond their intervals, is as fast,
    as far as measured, as that allocator under the malloc, and takes less memory.
    """
    best, malloc, on_top = study.best, study.best_malloc, local_follow_up(study)
    if best is None or malloc is None or on_top is None:
        return False
    if malloc.malloc in _equals(study, best.strategy):
        return False
    middle = malloc.time.median + on_top.time.median
    half = math.hypot(malloc.time.high - malloc.time.median, on_top.time.high - on_top.time.median)
    is_as_fast = best.time.low <= middle + half
    return is_as_fast and best.peak_bytes.median < peak_of_both(malloc, on_top)


def peak_of_both(malloc: GlobalEffect, on_top: Effect) -> float:
    """The bytes by which the peak grows with both halves of the advice."""
    return malloc.peak_bytes.median + on_top.peak_bytes.median
