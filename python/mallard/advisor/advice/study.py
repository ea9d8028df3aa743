"""The measurements on which the verdict is based: figures, trials and patterns."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from mallard.advisor.advice.aged import AgedHeap
from mallard.advisor.advice.candidates import Candidate
from mallard.advisor.advice.ceiling import Ceiling
from mallard.advisor.advice.choice import Choice, Goal, preferred, saving
from mallard.advisor.advice.code import TypeChange
from mallard.advisor.advice.global_mallocs import GlobalEffect, Globals
from mallard.advisor.advice.patch import NO_PATCHES, Patches
from mallard.advisor.advice.patterns import Pattern
from mallard.advisor.advice.processes import Processes
from mallard.advisor.profile.document import Profile
from mallard.advisor.trial.campaign import LEAST_EFFECT, Baseline, Result
from mallard.advisor.trial.effect import Effect
from mallard.advisor.trial.load import Load
from mallard.advisor.trial.rounds import GivenUp
from mallard.shared.mallocs import title


@dataclass(frozen=True)
class Screened:
    """A candidate after its short trial, with a result or the reason for having none."""

    candidate: Candidate
    result: Result | None
    reason: str = ""

    @property
    def best(self) -> Effect | None:
        """The strategy that saves most or costs least."""
        return next(iter(self.result.baselines[0].allowed), None) if self.result else None

    @property
    def given_up(self) -> dict[str, GivenUp]:
        """The strategies that were too slow."""
        return self.result.baselines[0].trial.given_up if self.result else {}

    @property
    def is_given_up(self) -> bool:
        """Nothing remains to be tried."""
        return bool(self.given_up) and self.best is None

    @property
    def peak_bytes(self) -> float:
        """The change of the peak under the strategy that needs least; infinite without a result."""
        effects = self.result.baselines[0].allowed if self.result else []
        return min((effect.peak_bytes.median for effect in effects), default=math.inf)

    @property
    def saved_seconds(self) -> float:
        """The saving of the best strategy; negative if all strategies cost time."""
        return -self.best.time.median if self.best else -float("inf")

    @property
    def saved_share(self) -> float:
        """The share of the program's time: candidates may be on different clocks."""
        program_seconds = self.result.baselines[0].trial.program_seconds if self.result else 0.0
        return self.saved_seconds / program_seconds if program_seconds > 0 else self.saved_seconds


@dataclass(frozen=True)
class ScopePair:
    """Two disjoint scopes, served in one trial."""

    other: Candidate
    baseline: Baseline


@dataclass(frozen=True)
class Study:
    words: tuple[str, ...]
    base: str  # the malloc to compare with
    allocations: int
    peak_live_bytes: int | None
    threads: int
    withheld: str  # reason why no scope can be judged, or ''
    ceiling: Ceiling
    globals: Globals
    aged: tuple[AgedHeap, ...] = ()  # the last candidates at the further ages
    load: Load | None = None  # of a server
    processes: Processes | None = None  # if the program has several
    candidates: tuple[Candidate, ...] = ()
    screened: tuple[Screened, ...] = ()
    chosen: Candidate | None = None
    briefly: Baseline | None = None  # every strategy in few rounds, if only the best two run in full
    trial: Result | None = None
    on_top: Baseline | None = None  # under the best of the other mallocs
    both: ScopePair | None = None
    patterns: tuple[Pattern, ...] = ()
    patches: Patches = NO_PATCHES  # of the patterns
    changes: tuple[TypeChange, ...] = ()
    notes: tuple[str, ...] = ()
    goal: Goal = "time"
    linked_malloc: str = ""  # inside the executable, whose blocks are then neither recorded nor served
    profile: Profile | None = field(default=None, repr=False)  # of the recording; too large for the JSON

    @property
    def baseline(self) -> Baseline | None:
        """The first baseline: the base malloc, on the first heap that was requested."""
        return self.trial.baselines[0] if self.trial else None

    @property
    def given_up(self) -> dict[str, GivenUp]:
        """The mallocs and the strategies that were too slow, by name."""
        arms = {title(malloc): arm for malloc, arm in self.globals.given_up.items()}
        for screened in self.screened:
            scope = screened.candidate.title
            arms |= {f"{strategy} in {scope}": arm for strategy, arm in screened.given_up.items()}
        for baseline in filter(None, (self.briefly, self.baseline)):
            scope = self.chosen.title if self.chosen else ""
            arms |= {f"{strategy} in {scope}": arm for strategy, arm in baseline.trial.given_up.items()}
        return arms

    @property
    def wall(self) -> bool:
        """True if times are wall time."""
        return self.baseline.trial.wall if self.baseline else self.globals.wall

    @property
    def strategies(self) -> list[Choice]:
        """The strategies whose saving exceeds its interval and is worth a change, largest saving first."""
        baseline = self.baseline
        if baseline is None:
            return []
        least = LEAST_EFFECT * baseline.trial.program_seconds
        return [
            self.choice(baseline, effect)
            for effect in baseline.allowed
            if effect.saves and -effect.time.median >= least
        ]

    def kept_effect(self, pattern: Pattern) -> Effect | None:
        """The best effect of a trial in which the pattern's line kept its blocks."""
        if self.chosen and self.chosen.is_line and self.chosen.source == pattern.source:
            return self.best or next(iter(self.baseline.allowed if self.baseline else ()), None)
        tried = (each for each in self.screened if each.candidate.is_line)
        return next((each.best for each in tried if each.candidate.source == pattern.source), None)

    def choice(self, baseline: Baseline, effect: Effect) -> Choice:
        time = saving(effect.time, baseline.trial.program_seconds)
        memory = saving(effect.peak_bytes, self.globals.peak_bytes)
        return Choice(effect.strategy, is_local=True, time=time, memory=memory)

    @property
    def best(self) -> Effect | None:
        """Of strategies that are equally fast as far as measured, the preferred one."""
        choice, baseline = preferred(self.strategies), self.baseline
        effects = baseline.allowed if choice and baseline else []
        return next((effect for effect in effects if choice and effect.strategy == choice.name), None)

    @property
    def best_malloc(self) -> GlobalEffect | None:
        """Of the mallocs that are equal to the best change, or of all of them if there is none."""
        best = preferred([*self.globals.choices, *self.strategies])
        return self.globals.find(best) or self.globals.best
