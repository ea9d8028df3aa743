"""What is known of a program when the verdict is drawn: figures, trials and patterns, as they were found."""

from __future__ import annotations

from dataclasses import dataclass, field

from mallard.advice.bonus import Bonus
from mallard.advice.candidates import Candidate
from mallard.advice.ceiling import Ceiling
from mallard.advice.code import TypeChange
from mallard.advice.globals import Globals
from mallard.advice.patterns import Pattern
from mallard.profile.document import Profile
from mallard.trial.campaign import Ground, Result
from mallard.trial.verdict import Effect

LEAST_EFFECT = 0.01  # of the program's time; less is not worth a change of code


@dataclass(frozen=True)
class Screened:
    """A candidate after its short trial. Without a result there is a reason."""

    candidate: Candidate
    result: Result | None
    reason: str = ""

    @property
    def saved_seconds(self) -> float:
        """By the best strategy; negative if even that costs time."""
        if self.result is None:
            return -float("inf")
        return max((-each.time.median for each in self.result.grounds[0].allowed), default=-float("inf"))

    @property
    def saved_share(self) -> float:
        """Of the program's time: one candidate may have CPU time, and another one wall time."""
        of_all = self.result.grounds[0].trial.program_seconds if self.result else 0.0
        return self.saved_seconds / of_all if of_all > 0 else self.saved_seconds


@dataclass(frozen=True)
class Both:
    """Two disjoint scopes, served in one trial."""

    other: Candidate
    ground: Ground


@dataclass(frozen=True)
class Study:
    words: tuple[str, ...]
    base: str  # the malloc to compare with
    allocations: int
    peak_live_bytes: int | None
    threads: int
    withheld: str  # the reason for which no scope can be judged, or ''
    ceiling: Ceiling
    globals: Globals
    candidates: tuple[Candidate, ...] = ()
    screened: tuple[Screened, ...] = ()
    chosen: Candidate | None = None
    briefly: Ground | None = None  # every strategy in few rounds, if those in full are the best two of it
    trial: Result | None = None
    on_top: Ground | None = None  # under the best of the other mallocs
    both: Both | None = None
    patterns: tuple[Pattern, ...] = ()
    changes: tuple[TypeChange, ...] = ()
    notes: tuple[str, ...] = ()
    bonus: Bonus | None = None
    profile: Profile | None = field(default=None, repr=False)  # of the recording; too much for the JSON

    @property
    def ground(self) -> Ground | None:
        """The first: the base malloc, on the first heap that was asked for."""
        return self.trial.grounds[0] if self.trial else None

    @property
    def wall(self) -> bool:
        """True if times are wall time."""
        return self.ground.trial.wall if self.ground else self.globals.wall

    @property
    def best(self) -> Effect | None:
        """The strategy that saves most, if that is more than its interval and worth a change."""
        ground = self.ground
        if ground is None:
            return None
        least = LEAST_EFFECT * ground.trial.program_seconds
        return next((each for each in ground.allowed if each.saves and -each.time.median >= least), None)
