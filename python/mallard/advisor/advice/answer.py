"""Chooses the answer of the advice from the measurements of the study.

A saving of a local allocator is measured against the null of its trial. A malloc for the whole program needs
no change of code, so it is advised wherever it saves nearly as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mallard.advisor.advice.patterns import Pattern
from mallard.advisor.advice.study import LEAST_EFFECT, Study
from mallard.advisor.trial.verdict import Effect

Kind = Literal["nothing", "local", "global", "pattern", "unresolved"]

GLOBAL_IS_ENOUGH = 0.8  # of a local allocator's saving
MAIN_IS_ENOUGH = 0.5
PATTERN_IS_MORE = 1.2  # times the best measured saving: an estimate is less certain
PATTERN_SHARE = 0.02  # of the program's time
PATTERN_ALONE = 0.5  # of the program's allocations, for an answer without a ladder


@dataclass(frozen=True)
class Answer:
    """The change that the headline advises."""

    kind: Kind
    strategy: str | None = None  # for the chosen scope
    malloc: str | None = None  # instead of the base
    pattern: str | None = None  # kind of a pattern whose remedy is not an allocator


def choose_answer(study: Study) -> Answer:
    kind = _kind(study)
    if kind == "local":
        assert study.best
        return Answer(kind, strategy=study.best.strategy)
    if kind == "global":
        assert study.globals.best
        follow_up = local_follow_up(study)
        return Answer(
            kind, strategy=follow_up.strategy if follow_up else None, malloc=study.globals.best.malloc
        )
    if kind == "pattern":
        pattern = heaviest(study)
        assert pattern
        return Answer(kind, pattern=pattern.kind)
    return Answer(kind)


def _kind(study: Study) -> Kind:
    if not study.ceiling.worth_a_trial:
        return "nothing"
    local_saving, global_saving = _saved_locally(study), _saved_globally(study)
    pattern = heaviest(study)
    measured = max(local_saving, global_saving)
    if pattern and (pattern.estimated_seconds or 0.0) > PATTERN_IS_MORE * measured:
        return "pattern"
    if measured <= 0:
        return "unresolved"
    # An allocator that serves all of main is a global allocator, and an existing one needs no work.
    enough = MAIN_IS_ENOUGH if study.chosen and study.chosen.is_main else GLOBAL_IS_ENOUGH
    return "global" if global_saving >= enough * local_saving else "local"


def _saved_locally(study: Study) -> float:
    return -study.best.time.median if study.best else 0.0


def _saved_globally(study: Study) -> float:
    best = study.globals.best
    return -best.time.median if best and -best.time.median >= LEAST_EFFECT * study.globals.seconds else 0.0


def heaviest(study: Study) -> Pattern | None:
    """The pattern with the largest estimate, if it is large enough for the headline."""
    least = PATTERN_SHARE * study.ceiling.program_seconds
    return next(
        (
            pattern
            for pattern in study.patterns
            if (pattern.estimated_seconds or 0.0) >= least
            and (pattern.kind == "reserve" or pattern.share >= PATTERN_ALONE)
        ),
        None,
    )


def best_strategy_on_top(study: Study) -> Effect | None:
    """The effect of the best strategy when it runs under the best of the other mallocs."""
    wanted = study.best.strategy if study.best else None
    effects = study.on_top.trial.effects if study.on_top else ()
    return next((effect for effect in effects if effect.strategy == wanted), None)


def local_follow_up(study: Study) -> Effect | None:
    """The local allocator that still saves time once the program uses the other malloc."""
    on_top = best_strategy_on_top(study)
    if on_top is None or study.chosen is None or study.chosen.is_main or not on_top.saves:
        return None
    return on_top
