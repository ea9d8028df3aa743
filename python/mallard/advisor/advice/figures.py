"""The figures of a verdict as data: of the answer, of what comes on top, and of the best other change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mallard.advisor.advice.answer import (
    Answer,
    find_aged,
    local_follow_up,
    local_promise,
    peak_of_both,
    promises,
)
from mallard.advisor.advice.memory import find_promise, resident
from mallard.advisor.advice.study import Study
from mallard.advisor.trial.campaign import Promise


@dataclass(frozen=True, kw_only=True)
class Figure(Promise):
    """A measured change. What it saves is of the goal: time or resident memory."""

    unit: Literal["seconds", "bytes"]
    saved: float  # less than 0 is a cost
    at_least: float
    at_most: float
    share: float  # of the unchanged program's
    peak_ratio: float | None  # to the unchanged program's peak memory; None if not known


@dataclass(frozen=True)
class Figures:
    figure: Figure | None  # of the answer; None if that is not a change
    then: Figure | None  # of the local allocator on top of the answer's malloc
    rival: Figure | None  # of the best other change on the same heap


def find_figures(study: Study, answer: Answer) -> Figures:
    promised = find_promise(study, answer)
    others = [other for other in promises(study, answer.age) if other != promised]
    rivals = filter(None, (_figure(study, answer, other) for other in others))
    return Figures(
        _figure(study, answer, promised) if promised else None,
        _find_then(study, answer),
        max(rivals, key=lambda rival: rival.at_least, default=None),
    )


def _find_then(study: Study, answer: Answer) -> Figure | None:
    effect = local_follow_up(study) if answer.kind == "global" and answer.strategy else None
    if effect is None or study.on_top is None or study.best_malloc is None:
        return None
    more_bytes = peak_of_both(study.best_malloc, effect)
    return _figure(study, answer, local_promise(study, study.on_top, effect), more_bytes)


def _figure(
    study: Study, answer: Answer, promised: Promise, more_bytes: float | None = None
) -> Figure | None:
    """`more_bytes` are those at the peak, if not the change's own. None if its memory is not known."""
    change, total = promised.time, promised.program_seconds
    if answer.goal == "memory":
        bytes_ = promised.end_bytes if answer.at_end else promised.peak_bytes
        if bytes_ is None:
            return None
        change, total = bytes_, resident(study, at_end=answer.at_end)
    if more_bytes is None and promised.peak_bytes:
        more_bytes = promised.peak_bytes.median
    aged = find_aged(study, answer.age)
    mallocs = aged.globals if aged else study.globals
    peak = mallocs.peak_bytes if mallocs else 0.0
    return Figure(
        **vars(promised),
        unit="bytes" if answer.goal == "memory" else "seconds",
        saved=-change.median,
        at_least=-change.high,
        at_most=-change.low,
        share=-change.median / total if total > 0 else 0.0,
        peak_ratio=(peak + more_bytes) / peak if peak > 0 and more_bytes is not None else None,
    )
