"""Checks a recording of the changed program: no block outlives its allocator or is freed by another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mallard.advisor.profile.document import Profile, RecordedPool, read_profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.native import ask
from mallard.advisor.profile.short_name import is_library_function
from mallard.advisor.trial.native import record
from mallard.shared.errors import UsageError

MOST_FRAMES = 6


@dataclass(frozen=True)
class Pool:
    """The pools that share a name."""

    name: str
    pools: int
    allocations: int
    releases: int
    outlived: int  # frees after the block's end
    of_other: int  # frees of another pool's blocks
    of_malloc: int  # frees of malloc's blocks
    by_malloc: int  # free or delete of the pool's blocks
    first: tuple[str, ...]  # stack of the first wrong free, innermost first

    @property
    def wrong(self) -> int:
        return self.outlived + self.of_other + self.of_malloc + self.by_malloc


@dataclass(frozen=True)
class Ownership:
    pools: tuple[Pool, ...] = ()
    foreign_frees: int = 0  # of blocks whose allocation was not recorded
    unknown: str | None = None  # reason if nothing was checked

    @property
    def is_sound(self) -> bool:
        """True if no wrong free was seen."""
        return not any(pool.wrong for pool in self.pools)


def record_ownership(
    words: Sequence[str], stdin: Path | None, folder: Path, seconds_limit: float
) -> Ownership:
    """Records the program once. A program that cannot be recorded is not an error here."""
    try:
        trace = record(words, stdin, folder / "after.trace", seconds_limit)
        return check_frees(read_profile(ask([str(trace)])))
    except UsageError as error:
        return Ownership(unknown=str(error))


def check_frees(profile: Profile) -> Ownership:
    if profile.process.torn or profile.process.stopped:
        reason = profile.process.stopped or "its end is missing"
        return Ownership(unknown=f"the recording is incomplete: {reason}")
    names = Names(profile)
    foreign = profile.foreign.frees if profile.foreign else 0
    return Ownership(tuple(_pool(pool, names) for pool in profile.pools), foreign)


def _pool(pool: RecordedPool, names: Names) -> Pool:
    wrong = pool.wrong_frees
    stack = names.stack(wrong.first) if wrong.first is not None else ()
    return Pool(
        name=pool.name,
        pools=pool.pools,
        allocations=pool.allocations,
        releases=pool.releases or 0,
        outlived=wrong.after_end,
        of_other=wrong.of_other,
        of_malloc=wrong.of_malloc,
        by_malloc=wrong.by_malloc,
        first=_without_library_frames([names.place_function(place) for place in stack]),
    )


def _without_library_frames(stack: Sequence[str]) -> tuple[str, ...]:
    """The innermost frames outside of the standard library and mallard."""
    program_frames = [name for name in stack if not is_library_function(name)]
    return tuple((program_frames or list(stack))[:MOST_FRAMES])
