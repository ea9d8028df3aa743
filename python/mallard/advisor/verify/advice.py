"""Reads the promised figure from the JSON of `mallard advise --json` or `mallard try --json`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from mallard.advisor.profile.decode import WrongDocumentError, decode
from mallard.shared.errors import UsageError
from mallard.shared.stats import Difference

TRIAL, ADVICE = "mallard trial", "mallard advice"


@dataclass(frozen=True)
class Figure:
    """The allocator of the answer, as tried on the unchanged program."""

    scope: str  # empty for a malloc, which serves the whole program
    strategy: str  # or the malloc
    against: str  # the global allocator, and its heap
    time: Difference  # seconds; less than 0 is saved
    program_seconds: float  # more than 0

    @property
    def title(self) -> str:
        return f"{self.strategy} in {self.scope}" if self.scope else self.strategy


@dataclass(frozen=True)
class Advice:
    headline: str  # empty for a trial
    figure: Figure | None  # None if the answer is not an allocator
    wall: bool  # its times are wall time


@dataclass(frozen=True)
class _Counts:
    served: int


@dataclass(frozen=True)
class _Effect:
    strategy: str
    time: Difference
    counts: _Counts


@dataclass(frozen=True)
class _Trial:
    effects: tuple[_Effect, ...]
    program_seconds: float
    wall: bool


@dataclass(frozen=True)
class _Ground:
    malloc: str
    litter: int
    trial: _Trial
    differing: tuple[str, ...] = ()

    @property
    def best(self) -> _Effect | None:
        """The answer of a trial: the first strategy that saves time and can be advised."""
        return next(
            (
                effect
                for effect in self.trial.effects
                if effect.counts.served and effect.strategy not in self.differing and effect.time.high < 0
            ),
            None,
        )

    def find_effect(self, strategy: str) -> _Effect | None:
        return next((effect for effect in self.trial.effects if effect.strategy == strategy), None)


@dataclass(frozen=True)
class _Scope:
    name: str


@dataclass(frozen=True)
class _TrialDocument:
    scope: _Scope
    grounds: tuple[_Ground, ...]


@dataclass(frozen=True)
class _GlobalEffect:
    malloc: str
    time: Difference


@dataclass(frozen=True)
class _Globals:
    base: str
    heap: str
    seconds: float
    effects: tuple[_GlobalEffect, ...]


@dataclass(frozen=True)
class _Study:
    trial: _TrialDocument | None
    globals: _Globals


@dataclass(frozen=True)
class _Answer:
    kind: str
    strategy: str | None
    malloc: str | None


@dataclass(frozen=True)
class _AdviceDocument:
    headline: str
    answer: _Answer
    wall: bool
    study: _Study


def read_advice(file: Path) -> Advice:
    """Raises a UsageError if the file is not an advice."""
    try:
        document = json.loads(file.read_bytes())
    except OSError as error:
        raise UsageError(f"--advice {file} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise UsageError(
            f"--advice {file} is not JSON; 'mallard try --json' and 'mallard advise --json' write it"
        ) from None
    kind = document.get("format") if isinstance(document, dict) else None
    if not isinstance(kind, str) or kind not in (TRIAL, ADVICE):
        raise UsageError(
            f"--advice {file} is not an advice: its format is {kind!r}; allowed are {TRIAL!r} and "
            f"{ADVICE!r}, which 'mallard try --json' and 'mallard advise --json' write"
        )
    try:
        if kind == TRIAL:
            trial = decode(_TrialDocument, document)
            wall = any(ground.trial.wall for ground in trial.grounds)
            return Advice("", _checked(_trial_figure(trial)), wall)
        advice = decode(_AdviceDocument, document)
        return Advice(advice.headline, _checked(_answer_figure(advice)), advice.wall)
    except WrongDocumentError as error:
        raise UsageError(f"--advice {file}: {error}; write it again, by this version of mallard") from None


def _checked(figure: Figure | None) -> Figure | None:
    if figure and figure.program_seconds <= 0:
        raise WrongDocumentError(f"the program's time is {figure.program_seconds} s; it must be more than 0")
    return figure


def _trial_figure(trial: _TrialDocument) -> Figure | None:
    """The first global allocator under which a strategy saved time."""
    ground = next((ground for ground in trial.grounds if ground.best), None)
    return _figure(trial, ground, ground.best) if ground else None


def _answer_figure(advice: _AdviceDocument) -> Figure | None:
    """The figure of the headline, whose strategy need not be the one that saved most."""
    answer, trial, mallocs = advice.answer, advice.study.trial, advice.study.globals
    if answer.kind == "local" and trial and trial.grounds:
        ground = trial.grounds[0]
        return _figure(trial, ground, ground.find_effect(answer.strategy or ""))
    if answer.kind == "global":
        against = f"{mallocs.base} on a {mallocs.heap} heap"
        for effect in mallocs.effects:
            if effect.malloc == answer.malloc:
                return Figure("", effect.malloc, against, effect.time, mallocs.seconds)
    return None


def _figure(trial: _TrialDocument, ground: _Ground, effect: _Effect | None) -> Figure | None:
    if effect is None:
        return None
    against = f"{ground.malloc} on a {'littered' if ground.litter else 'clean'} heap"
    return Figure(trial.scope.name, effect.strategy, against, effect.time, ground.trial.program_seconds)
