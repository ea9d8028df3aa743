"""Chooses between changes that were measured: mallocs, tunables of glibc, and local allocators.

Savings whose intervals do not tell them apart are equal, and noise must not choose between equals: three runs
of one program would get three answers. So of the changes that are equal to the best one,

1. those that need much more memory than the leanest are left out;
2. a variable of the environment precedes a change of the sources;
3. then the lower peak memory decides, as far as it is shown;
4. then a tunable, which needs no library, precedes a malloc; and of strategies, the one that gains most
   beyond its trial, which cannot omit destructors: regions come first. The rest is a fixed order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mallard.advisor.trial.program import OF_LINES, STRATEGIES
from mallard.shared.mallocs import is_switch
from mallard.shared.stats import Difference

Goal = Literal["time", "memory"]
GOALS: tuple[Goal, ...] = ("time", "memory")
EQUAL_PEAK = 1.25  # times the leanest of equals
EQUAL_SAVING = 0.5  # of the best one's; below, an interval is too wide to call savings equal
GLOBAL_IS_ENOUGH = 0.8  # of a local allocator's saving
NOT_EXCLUDED = 2.0  # a malloc that may save so many times a local allocator's saving is measured first


@dataclass(frozen=True)
class Saving:
    """As a share of the unchanged program's."""

    middle: float
    half: float  # of the interval

    @property
    def certain(self) -> float:
        return self.middle - self.half

    def is_as_good(self, best: Saving) -> bool:
        """True if the two intervals, which are independent, do not tell the savings apart."""
        is_equal = abs(self.middle - best.middle) <= math.hypot(self.half, best.half)
        return is_equal and self.middle >= EQUAL_SAVING * best.middle

    def is_enough(self, local: Saving, enough: float) -> bool:
        """True if a malloc that saves this much precedes a local allocator, because no source changes."""
        return self.is_as_good(local) or self.middle >= enough * local.middle


def saving(difference: Difference, total: float) -> Saving:
    """`difference` is negative if it saves. Its upper end is no bound of the total, unlike its lower one."""
    if total <= 0:
        return Saving(0.0, math.inf)
    return Saving(-difference.median / total, (difference.high - difference.median) / total)


@dataclass(frozen=True)
class Choice:
    """A change that the program tolerates."""

    name: str  # of a malloc or a strategy
    is_local: bool  # a change of the sources
    time: Saving
    memory: Saving  # of peak resident memory

    @property
    def peak(self) -> float:
        """Times that of the unchanged program, as it is shown: the rest is noise."""
        return round(1.0 - self.memory.middle, 1)

    @property
    def order(self) -> tuple[int, str]:
        """Decides between equals of the same peak."""
        if self.is_local:
            return [*OF_LINES, *STRATEGIES].index(self.name), self.name
        # "Preload mimalloc" is the best of the rules that measure nothing.
        return 0 if is_switch(self.name) else 1 if self.name.startswith("mimalloc") else 2, self.name


def equals_of_best(choices: Sequence[Choice]) -> list[Choice]:
    """The choices that cannot be told from the one with the largest certain saving of time."""
    best = min(choices, key=lambda choice: (-choice.time.certain, choice.order), default=None)
    return [choice for choice in choices if best and choice.time.is_as_good(best.time)]


def preferred(choices: Sequence[Choice]) -> Choice | None:
    """The best of choices that all save time; None if there is no choice."""
    remaining = list(choices)
    while equals := equals_of_best(remaining):
        leanest = min(choice.peak for choice in equals)
        fat = [choice for choice in equals if choice.peak > EQUAL_PEAK * leanest]
        if not fat:
            return min(equals, key=lambda choice: (choice.is_local, choice.peak, choice.order))
        remaining = [choice for choice in remaining if choice not in fat]
    return None


def choose(mallocs: Sequence[Choice], strategies: Sequence[Choice], enough: float) -> Choice | None:
    """A malloc that surely saves less than a local allocator still precedes it from the part `enough` of its
    saving on, because no source changes.
    """
    malloc, strategy = preferred(mallocs), preferred(strategies)
    best = preferred([*mallocs, *strategies])
    if malloc is None or strategy is None or (best and not best.is_local):
        return best
    is_enough = malloc.time.is_enough(strategy.time, enough) and malloc.peak <= EQUAL_PEAK * strategy.peak
    return malloc if is_enough else strategy
