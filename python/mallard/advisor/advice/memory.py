"""Chooses the change that needs least resident memory, and accounts for the memory of the unchanged program.

    resident at the peak = live blocks + files + the rest, which malloc retains or never saw

Peaks that differ by less than LEAST_SAVED of the unchanged program's are equal, and equals go to less time. A
server also answers for its end, after its load, if nothing lowers its peak.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mallard.advisor.advice.answer import Answer, local_promise, promise, tried
from mallard.advisor.advice.choice import Choice, saving
from mallard.advisor.advice.global_mallocs import GlobalEffect
from mallard.advisor.advice.study import Study
from mallard.advisor.trial.campaign import Promise
from mallard.advisor.trial.effect import Effect
from mallard.shared.stats import Difference

LEAST_SAVED = 0.05  # of the resident memory; less is not worth a change
LEAST_BYTES = 1 << 20  # a preloaded library alone has some hundred KiB


@dataclass(frozen=True)
class Leanest:
    """The change that needs least memory."""

    choice: Choice  # whose memory is that at the peak or at the end
    effect: GlobalEffect | Effect
    at_end: bool  # only then it needs less
    equal: tuple[str, ...]  # mallocs and strategies that need as little

    @property
    def bytes(self) -> Difference:
        if not self.at_end:
            return self.effect.peak_bytes
        assert self.effect.end_bytes
        return self.effect.end_bytes


def find_leanest(study: Study) -> Leanest | None:
    """None if no change needs so much less that it is worth one, beyond its interval."""
    for at_end in (False, True) if study.load else (False,):
        measured = list(_measured(study, at_end=at_end))
        total = resident(study, at_end=at_end)
        worth = [choice for choice, _ in measured if _is_worth(choice, total)]
        if best := preferred_for_memory(worth):
            (effect,) = [effect for choice, effect in measured if choice is best]
            equal = tuple(other.name for other in worth if other is not best and _is_as_lean(other, best))
            return Leanest(best, effect, at_end, equal)
    return None


def resident(study: Study, *, at_end: bool) -> float:
    """Of the unchanged program; 0 if not known."""
    return float(study.globals.at_end.resident_bytes or 0) if at_end else study.globals.peak_bytes


def find_promise(study: Study, answer: Answer) -> Promise | None:
    """The figures of the headline; None if that is not an allocator."""
    if answer.goal != "memory":
        return promise(study, answer)
    leanest = find_leanest(study)
    if leanest is None:
        return None
    if isinstance(leanest.effect, GlobalEffect):
        return study.globals.promise(leanest.effect)
    assert study.baseline
    return local_promise(study, study.baseline, leanest.effect)


def _measured(study: Study, *, at_end: bool) -> Sequence[tuple[Choice, GlobalEffect | Effect]]:
    total = resident(study, at_end=at_end)
    measured = []
    for effect in all_effects(study):
        memory = effect.end_bytes if at_end else effect.peak_bytes
        if memory is not None:
            is_local = isinstance(effect, Effect)
            time = saving(effect.time, program_seconds(study, effect))
            measured.append((Choice(name_of(effect), is_local, time, saving(memory, total)), effect))
    return measured


def all_effects(study: Study) -> list[GlobalEffect | Effect]:
    """Of the mallocs, and of the strategies in the chosen scope."""
    return [*study.globals.allowed, *tried(study)]


def name_of(effect: GlobalEffect | Effect) -> str:
    return effect.malloc if isinstance(effect, GlobalEffect) else effect.strategy


def program_seconds(study: Study, effect: GlobalEffect | Effect) -> float:
    """Of the unchanged program in the rounds of the effect."""
    if isinstance(effect, Effect) and study.baseline:
        return study.baseline.trial.program_seconds
    return study.globals.seconds


def _is_worth(choice: Choice, total: float) -> bool:
    memory = choice.memory
    return memory.certain > 0 and memory.middle >= LEAST_SAVED and memory.middle * total >= LEAST_BYTES


def _is_as_lean(choice: Choice, best: Choice) -> bool:
    margin = max(math.hypot(choice.memory.half, best.memory.half), LEAST_SAVED)
    return best.memory.middle - choice.memory.middle <= margin


def preferred_for_memory(choices: Sequence[Choice]) -> Choice | None:
    """Of changes that all save memory: those that need as little as the leanest, of these the fastest, and of
    these first what changes no source.
    """
    leanest = max(choices, key=lambda choice: (choice.memory.certain, choice.name), default=None)
    if leanest is None:
        return None
    lean = [choice for choice in choices if _is_as_lean(choice, leanest)]
    fastest = max(lean, key=lambda choice: (choice.time.certain, choice.name))
    even = [
        choice
        for choice in lean
        if fastest.time.middle - choice.time.middle <= math.hypot(choice.time.half, fastest.time.half)
    ]
    return min(even, key=lambda choice: (choice.is_local, choice.order))


def may_save_more(study: Study) -> GlobalEffect | Effect | None:
    """A change whose interval leaves room for a saving that is worth it, and does not exclude a loss."""
    wide = [
        (choice, effect)
        for choice, effect in _measured(study, at_end=False)
        if choice.memory.certain <= 0 and -effect.peak_bytes.low >= LEAST_SAVED * study.globals.peak_bytes
    ]
    return max(wide, key=lambda each: each[0].memory.middle)[1] if wide else None


@dataclass(frozen=True)
class Account:
    """Resident memory of the unchanged program at one moment, in bytes. None where it is not known."""

    resident: float
    live: int | None  # requested by malloc, and not freed
    files: int | None  # code and data of files, and shared memory
    held: int | None = None  # by glibc, from the system
    free: int | None = None  # of these, in free chunks

    @property
    def rest(self) -> float | None:
        """In no live block and no file."""
        return None if self.live is None else max(0.0, self.resident - self.live - (self.files or 0))

    @property
    def unwritten(self) -> float:
        """At least so many bytes of live blocks were never written: they are not resident."""
        return max(0.0, (self.live or 0) - self.resident + (self.files or 0))

    @property
    def unseen(self) -> float | None:
        """At least so much is not malloc's: mmap, stacks, and data of the program."""
        if self.held is None or self.files is None:
            return None
        return max(0.0, self.resident - self.files - self.held)


def account_at_peak(study: Study) -> Account:
    """Files are those at the end, because the system counts no others at the peak."""
    live = study.peak_live_bytes if is_recorded_whole(study) else None
    return Account(study.globals.peak_bytes, live, study.globals.at_end.file_bytes)


def account_at_end(study: Study) -> Account | None:
    at_end = study.globals.at_end
    if at_end.resident_bytes is None:
        return None
    is_known = study.load is None and is_recorded_whole(study)  # a server frees more when it ends
    alive = study.profile.figures.alive if study.profile and is_known else None
    live = alive.bytes if alive else None
    return Account(at_end.resident_bytes, live, at_end.file_bytes, at_end.held_bytes, at_end.free_bytes)


def is_recorded_whole(study: Study) -> bool:
    """False for a sample, and for the beginning of a program."""
    profile = study.profile
    return profile is None or (
        profile.process.sampled_one_in == 1 and profile.process.stopped in (None, "asked")
    )
