"""The answer of the advice: what to do, and the part of the study that says so.

A saving of a local allocator is measured against the null of its trial. A malloc for the whole program needs
no change of code, so it is advised wherever it saves nearly as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mallard.advice.patterns import Pattern
from mallard.advice.study import LEAST_EFFECT, Study
from mallard.trial.verdict import Effect

Kind = Literal["nothing", "local", "global", "pattern", "unresolved"]

GLOBAL_IS_ENOUGH = 0.8  # of a local allocator's saving
MAIN_IS_ENOUGH = 0.5
PATTERN_IS_MORE = 1.2  # times the best that was measured: an estimate is less sure
PATTERN_SHARE = 0.02  # of the program's time
PATTERN_ALONE = 0.5  # of the program's allocations, for an answer without a ladder


@dataclass(frozen=True)
class Answer:
    """The names of what the first sentence advises."""

    kind: Kind
    strategy: str | None = None  # for the chosen scope
    malloc: str | None = None  # instead of the base
    pattern: str | None = None  # the kind of a pattern that is no allocator


def answer_of(study: Study) -> Answer:
    kind = _kind(study)
    if kind == "local":
        assert study.best
        return Answer(kind, strategy=study.best.strategy)
    if kind == "global":
        assert study.globals.best
        then = then_locally(study)
        return Answer(kind, strategy=then.strategy if then else None, malloc=study.globals.best.malloc)
    if kind == "pattern":
        found = heaviest(study)
        assert found
        return Answer(kind, pattern=found.kind)
    return Answer(kind)


def _kind(study: Study) -> Kind:
    if not study.ceiling.worth_a_trial:
        return "nothing"
    local, whole = _saved_locally(study), _saved_globally(study)
    pattern = heaviest(study)
    measured = max(local, whole)
    if pattern and (pattern.estimated_seconds or 0.0) > PATTERN_IS_MORE * measured:
        return "pattern"
    if measured <= 0:
        return "unresolved"
    # What serves the whole program is a global allocator, and one that exists needs no work.
    enough = MAIN_IS_ENOUGH if study.chosen and study.chosen.is_main else GLOBAL_IS_ENOUGH
    return "global" if whole >= enough * local else "local"


def _saved_locally(study: Study) -> float:
    return -study.best.time.median if study.best else 0.0


def _saved_globally(study: Study) -> float:
    best = study.globals.best
    return -best.time.median if best and -best.time.median >= LEAST_EFFECT * study.globals.seconds else 0.0


def heaviest(study: Study) -> Pattern | None:
    """The pattern whose estimate is worth the first sentence."""
    least = PATTERN_SHARE * study.ceiling.program_seconds
    return next(
        (
            each
            for each in study.patterns
            if (each.estimated_seconds or 0.0) >= least
            and (each.kind == "reserve" or each.share >= PATTERN_ALONE)
        ),
        None,
    )


def same_on_top(study: Study) -> Effect | None:
    """The best strategy, under the best of the other mallocs."""
    wanted = study.best.strategy if study.best else None
    effects = study.on_top.trial.effects if study.on_top else ()
    return next((each for each in effects if each.strategy == wanted), None)


def then_locally(study: Study) -> Effect | None:
    """The local allocator that is worth its change beside the other malloc."""
    on_top = same_on_top(study)
    if on_top is None or study.chosen is None or study.chosen.is_main or not on_top.saves:
        return None
    return on_top
