"""The figure that an advice promised: the JSON of `mallard advise --json` or `mallard try --json`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from mallard.errors import UsageError
from mallard.profile.decode import WrongDocumentError, decode
from mallard.stats import Difference

TRIAL, ADVICE = "mallard trial", "mallard advice"


@dataclass(frozen=True)
class Figure:
    """A strategy for a scope, as it was tried on the unchanged program."""

    scope: str
    strategy: str
    against: str  # the global allocator, and its heap
    time: Difference  # seconds; less than 0 is saved
    program_seconds: float


@dataclass(frozen=True)
class Advice:
    headline: str  # empty for a trial
    figure: Figure | None  # None if no local allocator was tried


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


@dataclass(frozen=True)
class _Ground:
    malloc: str
    litter: int
    trial: _Trial
    differing: tuple[str, ...] = ()

    @property
    def effects(self) -> list[_Effect]:
        """Of strategies that can be advised."""
        return [
            each for each in self.trial.effects if each.counts.served and each.strategy not in self.differing
        ]


@dataclass(frozen=True)
class _Scope:
    name: str


@dataclass(frozen=True)
class _TrialDocument:
    scope: _Scope
    grounds: tuple[_Ground, ...]


@dataclass(frozen=True)
class _Study:
    trial: _TrialDocument | None


@dataclass(frozen=True)
class _AdviceDocument:
    headline: str
    study: _Study


def read_advice(file: Path) -> Advice:
    """Raises a UsageError if the file is no advice."""
    try:
        document = json.loads(file.read_bytes())
    except OSError as error:
        raise UsageError(f"--advice {file} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise UsageError(
            f"--advice {file} is no JSON; 'mallard try --json' and 'mallard advise --json' write it"
        ) from None
    kind = document.get("format") if isinstance(document, dict) else None
    if kind not in (TRIAL, ADVICE):
        raise UsageError(
            f"--advice {file} is no advice: its format is {kind!r}; allowed are {TRIAL!r} and {ADVICE!r}, "
            "which 'mallard try --json' and 'mallard advise --json' write"
        )
    try:
        if kind == TRIAL:
            return Advice("", _figure(decode(_TrialDocument, document)))
        advice = decode(_AdviceDocument, document)
    except WrongDocumentError as error:
        raise UsageError(f"--advice {file}: {error}; write it again, by this version of mallard") from None
    return Advice(advice.headline, _figure(advice.study.trial) if advice.study.trial else None)


def _figure(trial: _TrialDocument) -> Figure | None:
    """Against the first global allocator that was tried: the strategy that saved most."""
    ground = next((each for each in trial.grounds if each.effects), None)
    if ground is None:
        return None
    best = min(ground.effects, key=lambda effect: effect.time.median)
    against = ground.malloc + (" on a littered heap" if ground.litter else "")
    return Figure(trial.scope.name, best.strategy, against, best.time, ground.trial.program_seconds)
