"""The processes of a program: which one is advised, and what a preloaded library costs many short ones."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from mallard.advisor.advice.plan import Request
from mallard.advisor.profile.document import ListedProcess, Profile
from mallard.advisor.profile.sentences import program_name
from mallard.advisor.trial.preloading import measure_starts
from mallard.advisor.trial.program import Program
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import find_library, is_switch, title
from mallard.shared.prose import in_prose
from mallard.shared.report.figures import count

MANY = 20  # processes
SHORT_SECONDS = 0.02  # of CPU time of each: a start may be worth a tenth of it
MOSTLY_UNFOLLOWED = 0.5  # of the time of all processes
MOSTLY = 0.5  # of the CPU time


@dataclass(frozen=True)
class Processes:
    """Of a program that becomes or starts others."""

    title: str  # of the advised one, and why it is that
    count: int
    cpu_seconds: float  # of all
    share: float  # of the advised one, of this time
    longest: str = ""  # the name of the one with most of the time, if that is another
    start_seconds: Mapping[str, float] | None = None  # by malloc, if there are many short ones

    @property
    def sentence(self) -> str:
        if self.count == 1:
            return (
                f"{self.title}, with {_percent(self.share)} of the CPU time; times and memory are its own, "
                "without those that it starts"
            )
        longest = f"; {self.longest} takes most of it (--process {self.longest})" if self.longest else ""
        return (
            f"{self.title} of {count(self.count)} processes, with {_percent(self.share)} of their CPU time"
            f"{longest}; times and memory are its own; --process NAME chooses another"
        )

    @property
    def many(self) -> str:
        """What a preload costs many short processes; empty if there are few."""
        if self.start_seconds is None:
            return ""
        milliseconds = 1e3 * self.cpu_seconds / self.count
        each = f"{count(self.count)} processes of {milliseconds:.1f} ms of CPU time each"
        costs = [f"{title(name)} {1e3 * seconds:.2f} ms" for name, seconds in self.start_seconds.items()]
        if not costs:
            return f"{each}: a preloaded library costs each of them a start"
        return (
            f"{each}: to preload a library costs each of them at its start, which no trial counts: "
            f"{in_prose(costs)}"
        )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _longest(profile: Profile) -> ListedProcess:
    """Of equals the chosen one."""
    return max(profile.processes, key=lambda process: (process.cpu_seconds or 0.0, process.chosen))


def _busiest(profile: Profile) -> str:
    """Why the profile is of this process: it has the most requests of those with about the most CPU time."""
    longest = _longest(profile)
    if not longest.cpu_seconds:
        return "which allocates most often"
    return "the busiest" if longest.chosen else "one of the busiest"


def find_processes(
    program: Program, profile: Profile, request: Request, own_seconds: float, all_seconds: float
) -> Processes | None:
    """None for a program of one process. `own_seconds` is the CPU time of the advised process."""
    if program.process is None:
        return None
    number = len(profile.processes)
    reason = "as --process asks" if request.process else _busiest(profile)
    title = program.process.title if number == 1 else f"{program.process.title}, {reason}"
    share = min(1.0, own_seconds / all_seconds) if all_seconds > 0 else 1.0
    longest = _longest(profile)
    is_other = share < MOSTLY and not longest.chosen and (longest.cpu_seconds or 0.0) > 0
    is_many = number >= MANY and all_seconds < SHORT_SECONDS * number
    libraries = {
        malloc: library
        for malloc in request.mallocs[1:]
        if not is_switch(malloc) and (library := find_library(malloc))
    }
    return Processes(
        title,
        number,
        all_seconds,
        share,
        os.path.basename(longest.executable or "") if is_other else "",
        measure_starts(libraries) if is_many else None,
    )


def refuse_unrecorded(profile: Profile, all_seconds: float, programs: str) -> None:
    """Refuses a launcher of a program with its own malloc, by the time of all processes."""
    recorded = sum(process.cpu_seconds or 0.0 for process in profile.processes)
    if recorded < MOSTLY_UNFOLLOWED * all_seconds:
        raise UsageError(
            f"{program_name(profile.process)} becomes or starts a program that takes most of the time, and "
            f"of which no library sees a request: {programs}; advice would be of its launcher. Link it with "
            "the malloc of the C library, and try again, or name a process with --process"
        )


def refuse_unfollowed(profile: Profile, own_seconds: float, all_seconds: float) -> None:
    """Refuses a launcher of a program that could not be followed, by the time of all processes."""
    others = sum(process.cpu_seconds or 0.0 for process in profile.processes if not process.chosen)
    unfollowed = profile.programs_not_followed or profile.process.forks_not_followed
    if unfollowed and own_seconds + others < MOSTLY_UNFOLLOWED * all_seconds:
        raise UsageError(
            f"{program_name(profile.process)} starts a program that takes most of the time and was not "
            "followed: it clears LD_PRELOAD or the environment, or that program is static or has other "
            "rights, as another user, or the recording was made without --follow; give that program itself, "
            "and call mallard as its user"
        )
