"""Sentences about a recording: the program, completeness, figures and losses."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache

from mallard.advisor.profile.dimensions import share_interval, share_of_time
from mallard.advisor.profile.document import Launcher, ListedProcess, Process, Profile
from mallard.advisor.profile.records import Figures, Interval, add_up
from mallard.shared.caller import signal_name
from mallard.shared.prose import in_prose, printable_name
from mallard.shared.report.figures import UNKNOWN, count, plural, precise_share, seconds, size

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
DPKG_SECONDS = 20
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


def process_title(profile: Profile) -> str:
    """`cc1plus, started by g++`, or `worker (2 of 3 processes with this name)`."""
    process = profile.process
    title = program_name(process)
    if process.instances > 1:
        title += f" ({process.instance} of {process.instances} processes with this name)"
    launcher = process.launcher
    if launcher is not None and launcher.executable != process.executable:
        title += f", started by {program_name(launcher)}"
    return title


def program_name(process: Process | Launcher) -> str:
    """The name in the command if that is a name of the executable: `g++`, not `x86_64-linux-gnu-g++-12`."""
    executable = process.executable or ""
    first = process.command[0] if process.command else ""
    file = shutil.which(first)
    return os.path.basename(first if file and os.path.realpath(file) == executable else executable)


def process_facts(profile: Profile) -> str:
    """`process 4242, 1 thread, 2.31 s, exit status 0`"""
    process = profile.process
    name = f"process {process.number}"
    if profile.recordings > 1:
        name = f"{count(profile.recordings)} recordings put together: counts are added, peaks are the highest"
    facts = [name, plural(process.threads, "thread"), seconds(process.seconds)]
    ending = _ending(process)
    return ", ".join([*facts, *([ending] if ending else [])])


def other_processes(profile: Profile) -> str:
    """`4243 ld and 4250 sh`, by number of events; empty without other processes, or of merged recordings."""
    if profile.recordings > 1:
        return ""
    others = sorted(
        (process for process in profile.processes if not process.chosen), key=lambda process: -process.events
    )
    if not others:
        return ""
    words = [f"{process.number} {_program(process)}".strip() for process in others[:OTHERS]]
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
        return f"with the recorder ended by {signal_name(os.WTERMSIG(status))}"
    return f"exit status {os.WEXITSTATUS(status)}"


def completeness(profile: Profile) -> str:
    """`99.98 % of 2.40 M events; 500 end in code without a description`"""
    counts = profile.completeness
    if not counts.events:
        torn = profile.trace.torn_bytes or profile.process.torn
        return "no event could be read" if torn else "no event was recorded"
    broken = [
        f"{count(getattr(counts.by_end, name))} end {where}"
        for name, where in ENDS
        if getattr(counts.by_end, name)
    ]
    complete = "all" if counts.complete == counts.events else precise_share(counts.share)
    text = f"{complete} of {plural(counts.events, 'event')}"
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
    text = share_of_time(density)
    if density.interval and not density.unknown_because and disturbed(density.interval):
        text = f"{share_interval(density.interval)} of the time; a few of the timed operations were disturbed"
    elif density.ns_per_operation and not density.unknown_because:
        text += f", {density.ns_per_operation:.0f} ns an operation"
    return text + interrupted(profile)


def interrupted(profile: Profile) -> str:
    """`; 12 timed operations were interrupted, and are left out`; empty below one in a thousand."""
    process = profile.process
    interrupted_events = process.interrupted_events
    if interrupted_events * 1000 <= interrupted_events + (process.timed_events or 0):
        return ""
    was = "was interrupted, and is" if interrupted_events == 1 else "were interrupted, and are"
    return f"; {plural(interrupted_events, 'timed operation')} {was} left out"


def disturbed(ends: Interval) -> bool:
    """True if the interval is too wide for a meaningful middle."""
    return ends[1] - ends[0] > WIDEST


def totals(profile: Profile) -> str:
    """`1.20 M of 298 MiB in all, peak 91.6 MiB`"""
    figures = profile.figures
    peak = profile.timeline.peak_bytes if profile.timeline else None
    text = f"{count(figures.allocations)} of {size(figures.bytes)} in all"
    return text if peak is None else f"{text}, peak {size(peak)}"


def block_sizes(figures: Figures) -> str:
    """`1 B to 64.0 KiB in 8 classes, half of them at most 32 B`"""
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
    lines = []
    markers = profile.markers
    for mark in markers.progress if markers else ():
        rate = f", {count(mark.per_second)} a second" if mark.per_second is not None else ""
        between = mark.allocations_between
        apart = f", {count(between)} allocations between two" if between is not None else ""
        lines.append(f"{printable_name(mark.name)}: {plural(mark.count, 'mark')}{rate}{apart}")
    for instance in markers.instances if markers else ():
        amount = f"{plural(instance.allocations, 'allocation')} of {size(instance.bytes)}"
        lines.append(f"{printable_name(instance.name)}: {plural(instance.instances, 'instance')}, {amount}")
    for pool in profile.pools:
        amount = f"{plural(pool.allocations, 'allocation')} of {size(pool.bytes)}"
        lines.append(f"{printable_name(pool.name)}: {plural(pool.pools, 'recorded pool')}, {amount}")
    return lines


def suppressed(profile: Profile) -> str:
    """`2 of 3 suppressions match 12 blocks of 3.00 KiB, which are not listed. leak:x matches nothing.`; empty
    without suppressions.
    """
    patterns = profile.suppressions
    if not patterns:
        return ""
    idle = [f"leak:{each.pattern}" for each in patterns if not each.allocations]
    total, used = add_up(profile.suppressions), len(patterns) - len(idle)
    amount = f"{plural(total.allocations, 'block')} of {size(total.bytes)}"
    text = f"{count(used)} of {plural(len(patterns), 'suppression')} {_match(used)} {amount}"
    return f"{text}, which are not listed." + (
        f" {in_prose(idle)} {_match(len(idle))} nothing." if idle else ""
    )


def _match(number: int) -> str:
    return "matches" if number == 1 else "match"


def stopped(process: Process) -> str:
    """Why the recording ended before the program; empty if it did not."""
    reason = process.stopped
    return f"Recording stopped before the program ended: {STOPPED.get(reason, reason)}." if reason else ""


def losses(profile: Profile) -> list[str]:
    """A sentence for each loss of the recording, and for each doubt."""
    process = profile.process
    texts = []
    if profile.trace.torn_bytes:
        texts.append(f"The trace was cut off: {size(profile.trace.torn_bytes)} at its end could not be read.")
    if process.torn:
        texts.append(
            "The end of the process is missing, so blocks that seem alive may have been freed later."
        )
    texts += filter(None, [stopped(process)])
    if process.sampled_one_in > 1:
        texts.append(
            f"One activation in {count(process.sampled_one_in)} was recorded; figures are of those alone."
        )
    if process.nested_events:
        texts.append(
            f"{plural(process.nested_events, 'event')} inside signal handlers could not be recorded."
        )
    if process.forks_not_followed:
        texts.append(f"{_were(process.forks_not_followed, 'fork')} not followed.")
    if process.programs_not_followed:
        texts.append(f"{_were(process.programs_not_followed, 'started program')} not followed.")
    return [
        *texts,
        *_doubts(profile),
        *_unnamed(profile),
        *(f"{warning[:1].upper()}{warning[1:].rstrip('.')}." for warning in profile.warnings),
    ]


def _unnamed(profile: Profile) -> list[str]:
    """A sentence if many functions of a file have no names."""
    totals: dict[str, int] = {}
    without: dict[str, int] = {}
    for function in profile.functions:
        file = os.path.basename(function.object or "")
        totals[file] = totals.get(file, 0) + 1
        without[file] = without.get(file, 0) + bool(UNNAMED.search(function.name))
    files = [file for file, number in without.items() if file and number > MANY_UNNAMED * totals[file]]
    if not files:
        return []
    return [names_remedy(sorted(files, key=lambda file: -without[file])[:3], profile)]


def names_remedy(files: Sequence[str], profile: Profile | None) -> str:
    """The debug symbols that give the functions of these files, programs or libraries, their names."""
    paths = _object_paths(profile) if profile else {}
    packages = sorted({package for file in files if (package := _debian_package(paths.get(file, file)))})
    symbols = [f"{package}-dbg{'' if package == 'libc6' else 'sym'}" for package in packages]
    shown = in_prose(symbols or ["packages -dbgsym"])
    return (
        f"Many functions of {in_prose(files)} have addresses for names; debug symbols give them (on Debian: "
        f"{shown} from the debug archive, debian-debug, or DEBUGINFOD_URLS)."
    )


def _object_paths(profile: Profile) -> dict[str, str]:
    """The paths of the program and of its libraries by file name, as far as the profile has them."""
    sites = (site.file for scope in profile.scopes for site in (*scope.escape_sites, *scope.alive_sites))
    paths = [path for path in (*sites, profile.process.executable) if path]
    return {os.path.basename(path): path for path in paths}


@cache
def _debian_package(file: str) -> str:
    """The package that owns the path, or has a library of that name; empty if none does, or without dpkg."""
    if os.path.isabs(file):  # /lib may be a link to /usr/lib, and packages know one of the names
        patterns = [file, os.path.realpath(file), os.path.realpath(file).removeprefix("/usr")]
    else:
        patterns = [f"*/lib/*/{file}", f"*/lib/{file}"] if ".so" in file else []
    for pattern in patterns:
        try:
            search = subprocess.run(
                ["dpkg", "-S", pattern], capture_output=True, text=True, timeout=DPKG_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        if search.returncode == 0 and (owner := re.match(r"([a-z0-9][a-z0-9+.-]*)[:,]", search.stdout)):
            return owner[1]
    return ""


def _were(number: int, noun: str) -> str:
    return f"{plural(number, noun)} {'was' if number == 1 else 'were'}"


def _doubts(profile: Profile) -> list[str]:
    texts = []
    if profile.foreign and profile.foreign.frees:
        texts.append(f"{plural(profile.foreign.frees, 'free')} of blocks whose allocation was not recorded.")
    if profile.foreign and profile.foreign.double_allocations:
        times = plural(profile.foreign.double_allocations, "allocation")
        texts.append(f"{times} at the address of a live block: a free is missing there.")
    if profile.markers and profile.markers.unmatched_ends:
        texts.append(f"{plural(profile.markers.unmatched_ends, 'marker')} ended without a beginning.")
    if profile.markers and profile.markers.names_lost:
        texts.append(f"{plural(profile.markers.names_lost, 'marker')} lost the name.")
    return texts
