"""The facts of a recording in plain sentences: its program, its completeness, its figures, its losses."""

from __future__ import annotations

import os
import re
import shlex
import signal

from mallard.profile.document import ListedProcess, Process, Profile
from mallard.profile.figures import Interval
from mallard.profile.words import UNKNOWN, count, near_whole, plural, seconds, share, size
from mallard.selection import in_prose

STACKS = {
    "none": "no stacks were taken",
    "frame pointers": "stacks were walked along frame pointers",
    "descriptions": "stacks were walked by the programs' own descriptions",
}
STOPPED = {
    "disk full": "the disk was full",
    "file full": "the recorder could not follow, and its file was full",
    "asked": "the recorder ended before the program did",
    "no memory": "there was no memory for the recorder",
}
ENDS = (
    ("unknown_code", "in code without a description"),
    ("unreadable", "in a stack that cannot be read"),
    ("too_deep", "below more levels than were kept"),
)
BOUND = (
    "Stacks cannot tell apart two calls from one place with no event in between, so the containment of a "
    "function is an upper bound. Markers are exact."
)
WIDEST = 0.3  # of an interval of a share
UNNAMED = re.compile(r"\+0x[0-9a-f]+$")
MANY_UNNAMED = 0.2  # of the functions of a file
OTHERS = 3  # processes that are named
MOST_LETTERS = 20  # of a program's name
MOST_WORDS = 200  # letters of a command line


def command(profile: Profile) -> str:
    process = profile.process
    words = process.command or ((process.executable,) if process.executable else ())
    text = shlex.join(words)
    if len(text) > MOST_WORDS:
        text = f"{text[: MOST_WORDS - 1]}\N{HORIZONTAL ELLIPSIS}"
    return text or "a program whose name was not recorded"


def process_facts(profile: Profile) -> str:
    """`process 4242, 1 thread, 2.31 s, exit status 0`"""
    process = profile.process
    facts = [f"process {process.number}", plural(process.threads, "thread"), seconds(process.seconds)]
    ending = _ending(process)
    return ", ".join([*facts, *([ending] if ending else [])])


def other_processes(profile: Profile) -> str:
    """`4243 ld and 4250 sh`, those with the most events first; empty if there is no other one."""
    others = sorted((each for each in profile.processes if not each.chosen), key=lambda each: -each.events)
    if not others:
        return ""
    words = [f"{each.number} {_program(each)}".strip() for each in others[:OTHERS]]
    more = [f"{count(len(others) - OTHERS)} more"] if len(others) > OTHERS else []
    return in_prose([*words, *more])


def _program(process: ListedProcess) -> str:
    first = process.command[0] if process.command else process.executable
    return os.path.basename(first or "")[:MOST_LETTERS]


def _ending(process: Process) -> str:
    status = process.exit_status
    if status is None or status < 0:
        return ""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            return f"with the recorder ended by {signal.Signals(number).name}"
        except ValueError:
            return f"with the recorder ended by signal {number}"
    return f"exit status {os.WEXITSTATUS(status)}"


def completeness(profile: Profile) -> str:
    """`99.98 % of 2.40 M events; 500 end in code without a description`"""
    found = profile.completeness
    if not found.events:
        torn = profile.trace.torn_bytes or profile.process.torn
        return "no event could be read" if torn else "no event was recorded"
    broken = [
        f"{count(getattr(found.by_end, name))} end {where}"
        for name, where in ENDS
        if getattr(found.by_end, name)
    ]
    whole = "all" if found.complete == found.events else near_whole(found.share)
    text = f"{whole} of {plural(found.events, 'event')}"
    return "; ".join([text, *broken])


def withheld(profile: Profile) -> str:
    """Empty if scopes are shown."""
    if not profile.completeness.withheld:
        return ""
    return profile.completeness.reason or "Scopes are withheld: too few stacks are complete."


def time_inside(profile: Profile) -> str:
    """`8.4 % of the time (7.9 to 8.9 %), 71.0 ns an operation`"""
    density = profile.figures.dimension("D")
    if density.raw is None:
        return "not known: no operation was timed"
    if disturbed(density.interval):
        text = f"{interval(density.interval)} of the time; a few of the timed operations were disturbed"
        return text + interrupted(profile)
    ends = f" ({interval(density.interval)})" if density.interval else ""
    each = f", {density.ns_per_operation:.0f} ns an operation" if density.ns_per_operation else ""
    return f"{share(density.raw)} of the time{ends}{each}{interrupted(profile)}"


def interrupted(profile: Profile) -> str:
    """`; 12 timed operations were interrupted, and are left out`; empty below one in a thousand."""
    process = profile.process
    left_out = process.interrupted_events
    if left_out * 1000 <= left_out + (process.timed_events or 0):
        return ""
    was = "was interrupted, and is" if left_out == 1 else "were interrupted, and are"
    return f"; {plural(left_out, 'timed operation')} {was} left out"


def disturbed(ends: Interval | None) -> bool:
    """True if the interval is too wide for its middle to mean anything."""
    return ends is not None and ends[1] - ends[0] > WIDEST


def interval(ends: Interval | None) -> str:
    """`7.9 to 8.9 %`; empty if it is not known."""
    return f"{share(ends[0]).removesuffix(' %')} to {share(min(ends[1], 1.0))}" if ends else ""


def totals(profile: Profile) -> str:
    """`1.20 M of 298 MiB in all, peak 91.6 MiB`"""
    figures = profile.figures
    peak = profile.timeline.peak_bytes if profile.timeline else None
    text = f"{count(figures.allocations)} of {size(figures.bytes)} in all"
    return text if peak is None else f"{text}, peak {size(peak)}"


def alive(profile: Profile) -> str:
    """`60,000 of 14.9 MiB`"""
    found = profile.figures.alive
    return UNKNOWN if found is None else f"{count(found.allocations)} of {size(found.bytes)}"


def block_sizes(profile: Profile) -> str:
    """`1 B to 64.0 KiB in 8 classes, half of them at most 32 B`"""
    figures = profile.figures
    if not figures.allocations or figures.smallest is None or figures.largest is None:
        return UNKNOWN
    ends = f"{size(figures.smallest)} to {size(figures.largest)}"
    if figures.smallest == figures.largest:
        return f"{ends.partition(' to ')[0]} each"
    if figures.size_classes:
        ends += f" in {figures.size_classes} class{'' if figures.size_classes == 1 else 'es'}"
    middle = _middle(figures.sizes)
    return f"{ends}, half of them at most {size(middle)}" if middle is not None else ends


def _middle(sizes: tuple[tuple[int, int, int], ...]) -> int | None:
    total = sum(allocations for _, allocations, _ in sizes)
    passed = 0
    for most, allocations, _ in sizes:
        passed += allocations
        if 2 * passed >= total > 0:
            return most
    return None


def marked(profile: Profile) -> list[str]:
    """A line for each progress mark, instance and pool that the program named."""
    found = []
    markers = profile.markers
    for mark in markers.progress if markers else ():
        rate = f", {count(mark.per_second)} a second" if mark.per_second is not None else ""
        between = mark.allocations_between
        apart = f", {count(between)} allocations between two" if between is not None else ""
        found.append(f"{mark.name}: {plural(mark.count, 'mark')}{rate}{apart}")
    for each in markers.instances if markers else ():
        made = f"{plural(each.allocations, 'allocation')} of {size(each.bytes)}"
        found.append(f"{each.name}: {plural(each.instances, 'instance')}, {made}")
    for pool in profile.pools:
        made = f"{plural(pool.allocations, 'allocation')} of {size(pool.bytes)}"
        found.append(f"{pool.name}: {plural(pool.pools, 'recorded pool')}, {made}")
    return found


def losses(profile: Profile) -> list[str]:
    """A sentence for each thing that the recording does not have, and for each doubt."""
    process = profile.process
    found = []
    if profile.trace.torn_bytes:
        found.append(f"The trace was cut off: {size(profile.trace.torn_bytes)} at its end could not be read.")
    if process.torn:
        found.append(
            "The end of the process is missing, so blocks that seem alive may have been freed later."
        )
    if process.stopped:
        found.append(
            f"Recording stopped before the program ended: {STOPPED.get(process.stopped, process.stopped)}."
        )
    if process.sampled_one_in > 1:
        found.append(
            f"One activation in {count(process.sampled_one_in)} was recorded; figures are of those alone."
        )
    if process.nested_events:
        found.append(
            f"{plural(process.nested_events, 'event')} inside signal handlers could not be recorded."
        )
    if process.forks_not_followed:
        found.append(f"{_were(process.forks_not_followed, 'fork')} not followed.")
    if process.programs_not_followed:
        found.append(f"{_were(process.programs_not_followed, 'started program')} not followed.")
    return [
        *found,
        *_doubts(profile),
        *_unnamed(profile),
        *(f"{each[:1].upper()}{each[1:].rstrip('.')}." for each in profile.warnings),
    ]


def _unnamed(profile: Profile) -> list[str]:
    """A sentence if many functions of a file have no names."""
    every: dict[str, int] = {}
    without: dict[str, int] = {}
    for each in profile.functions:
        file = os.path.basename(each.object or "")
        every[file] = every.get(file, 0) + 1
        without[file] = without.get(file, 0) + bool(UNNAMED.search(each.name))
    files = [file for file, number in without.items() if file and number > MANY_UNNAMED * every[file]]
    if not files:
        return []
    heaviest = in_prose(sorted(files, key=lambda file: -without[file])[:3])
    remedy = "debug symbols give them (on Debian: packages -dbgsym, or DEBUGINFOD_URLS)"
    return [f"Many functions of {heaviest} have addresses for names; {remedy}."]


def _were(number: int, noun: str) -> str:
    return f"{plural(number, noun)} {'was' if number == 1 else 'were'}"


def _doubts(profile: Profile) -> list[str]:
    found = []
    if profile.foreign and profile.foreign.frees:
        found.append(f"{plural(profile.foreign.frees, 'free')} of blocks whose allocation was not recorded.")
    if profile.foreign and profile.foreign.double_allocations:
        times = plural(profile.foreign.double_allocations, "allocation")
        found.append(f"{times} at the address of a live block: a free is missing there.")
    if profile.markers and profile.markers.unmatched_ends:
        found.append(f"{plural(profile.markers.unmatched_ends, 'marker')} ended without a beginning.")
    if profile.markers and profile.markers.names_lost:
        found.append(f"{plural(profile.markers.names_lost, 'marker')} lost the name.")
    return found
