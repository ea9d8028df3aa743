"""Runs the program once under one arm of a trial, and reads the counts that the trial writes
(advisor/trial/report.hpp).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.sentences import process_title
from mallard.advisor.trial.process import Measured, measure
from mallard.advisor.trial.surroundings import UNCHANGED, Surroundings
from mallard.shared import caller, preload
from mallard.shared.age import Age, young
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import (
    OWN,
    find_library,
    is_switch,
    own_name,
    require_library,
    same_file,
    tunables,
    with_tunables,
)
from mallard.shared.scratch import scratch_folder

STRATEGIES = {
    "monotonic": "a monotonic allocator (rewound when no block of the scope is live)",
    "multipool": "a multipool",
    "multipool+monotonic": "a multipool over a monotonic allocator (released when no block is live)",
    "small-object-pool": "a small-object pool (for blocks up to 64 bytes)",
    "adaptive-pool": "adaptive pools (one a size, for blocks up to 1 KiB)",
    "heap": "a local heap",
}
# Of a line, which keeps the blocks that it has freed for its next requests.
KEPT = {
    "kept-block": "a block that is kept for the next request",
    "block-cache": "a cache of eight blocks",
}
# Of a line with arrays that grow by realloc. A container of C++ copies into a new block, whatever it gets.
RESERVED = {"reserve": "room for the final size at the first request"}
OF_LINES = RESERVED | KEPT

MAGIC = b"mdtrial3"
HEADER = struct.Struct("<8sIIIIQQQQQQ56s")
REMAINS = struct.Struct("<II11QQIHHQQ")  # behind it
AT_END = struct.Struct("<4Q")  # behind that
HEADERS_BYTES = 384
SERVER_BYTES = 128
MOST_NAMED = 3  # of the last requests


UNKNOWN = 2**64 - 1
FAILURES = {
    1: "the system gave no memory for its tables",
    2: "the program's malloc has no memory for its blocks",
    3: "the recording of its requests is damaged, or cannot be read from the program's process",
}


@dataclass(frozen=True)
class History:
    """What the history of the heap left when the clock started (history/history.hpp)."""

    failed: int = 0
    peak_is_reset: bool = False  # the peak memory is that of the program without what the history left
    requests: int = 0
    live_blocks: int = 0
    live_bytes: int = 0
    live_pages: int = 0
    needed_pages: int = 0
    median_run: int = 0
    resident_before: int = 0
    resident_after: int = 0
    free_chunks: int | None = None  # of glibc
    free_bytes: int | None = None
    cpu_ns: int = 0

    @property
    def added_bytes(self) -> int:
        """Resident memory that the history added."""
        return max(0, self.resident_after - self.resident_before)

    def refuse_failed(self, age: Age) -> None:
        if self.failed:
            raise UsageError(
                f"--age {age.name}: the program's heap could not be aged: {FAILURES[self.failed]}; give a "
                f"smaller peak, such as --age {age.name},peak={max(1, age.peak_bytes >> 22)}M, or raise the "
                "limit of memory"
            )


def read_history(values: Sequence[int]) -> History:
    """`values` are the fields in their order."""
    known = [None if value == UNKNOWN else value for value in values]
    names = [field.name for field in fields(History)]
    by_name: dict[str, Any] = dict(zip(names, known, strict=True))
    optional = {"free_chunks", "free_bytes"}
    by_name = {name: value if name in optional else value or 0 for name, value in by_name.items()}
    by_name["peak_is_reset"] = bool(by_name["peak_is_reset"])
    return History(**by_name)


@dataclass(frozen=True)
class MemoryAtEnd:
    """Resident memory of a process at its end; None where it is not known."""

    resident_bytes: int | None = None
    file_bytes: int | None = None  # of these, in files and shared memory
    # Of glibc, if the run reports it:
    held_bytes: int | None = None  # from the system
    free_bytes: int | None = None  # of these, in free chunks


@dataclass(frozen=True)
class Counts:
    """The sums of the counts of all servers, in the order of the file."""

    served: int = 0
    served_bytes: int = 0
    freed: int = 0
    freed_by_others: int = 0
    moved: int = 0
    started_again: int = 0
    most_taken_bytes: int = 0
    too_large: int = 0
    aligned: int = 0
    no_room: int = 0
    in_null: int = 0
    elsewhere: int = 0
    by_stack: int = 0  # decisions for which the stack was unwound
    servers: int = 0
    askers: int = 0  # servers whose threads allocated in the scope
    seen: int = 0  # a bit for each of the first ranges of code in which a call was seen
    seen_excepted: int = 0  # a bit for each of the first excluded ranges that were called inside of the scope
    begin_cpu_ns: int = 0  # of the trial itself, before the program's first allocation
    begin_wall_ns: int = 0
    # Of the process itself, from its first allocation to its end; all 0 if it was killed.
    cpu_ns: int = 0
    wall_ns: int = 0
    peak_bytes: int = 0
    faults: int = 0
    # The last request of each server: its bytes, and the address of its caller.
    last: tuple[tuple[int, int], ...] = ()
    malloc_file: str = ""  # of the global allocator; empty if unknown
    history: History = History()
    children_cpu_ns: int = 0  # of children that the process waited for
    is_replaced: bool = False  # the process executed another program at its end
    at_end: MemoryAtEnd = MemoryAtEnd()

    @property
    def ends_itself(self) -> bool:
        """True if the process reported its own time."""
        return self.cpu_ns > 0 and not self.is_replaced

    @property
    def requests(self) -> int:
        """The requests of the scope."""
        return self.served + self.in_null + self.not_served

    @property
    def not_served(self) -> int:
        return self.too_large + self.aligned + self.no_room

    @property
    def never_freed(self) -> int:
        """Served blocks that were not freed before the end."""
        return self.served - self.freed - self.freed_by_others


IN_SCOPE = ("served", "in_null", "too_large", "aligned", "no_room")
SUMMED = tuple(field.name for field in fields(Counts))[:13]
SERVER = struct.Struct("<15Q8x")


def read_counts(file: Path) -> Counts | None:
    """Returns None if the program did not begin the trial."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    if len(data) < HEADERS_BYTES or not data.startswith(MAGIC):
        return None
    _, servers, _, seen, seen_excepted, *times, malloc_file = HEADER.unpack_from(data)
    begin_cpu_ns, begin_wall_ns, *own = times
    *remains, children_cpu_ns, is_replaced, _, _, _, _ = REMAINS.unpack_from(data, HEADER.size)
    at_end = AT_END.unpack_from(data, HEADER.size + REMAINS.size)
    complete = min(servers, (len(data) - HEADERS_BYTES) // SERVER_BYTES)
    rows = [SERVER.unpack_from(data, HEADERS_BYTES + SERVER_BYTES * index) for index in range(complete)]
    sums = {name: sum(row[index] for row in rows) for index, name in enumerate(SUMMED)}
    askers = sum(any(row[SUMMED.index(name)] for name in IN_SCOPE) for row in rows)
    last = tuple((row[-2], row[-1]) for row in rows if row[-1])
    return Counts(
        **sums,
        servers=complete,
        askers=askers,
        seen=seen,
        seen_excepted=seen_excepted,
        begin_cpu_ns=begin_cpu_ns,
        begin_wall_ns=begin_wall_ns,
        **dict(zip(("cpu_ns", "wall_ns", "peak_bytes", "faults"), own, strict=True)),
        last=last[:MOST_NAMED],
        malloc_file=malloc_file.rstrip(b"\0").decode(errors="replace"),
        history=read_history(remains),
        children_cpu_ns=children_cpu_ns,
        is_replaced=bool(is_replaced),
        at_end=MemoryAtEnd(*(None if value == UNKNOWN else value for value in at_end)),
    )


AS_IT_IS = "as it is"
NULL = "null"
EXCEPT = "MALLARD_TRIAL_EXCEPT"
RESERVE = "MALLARD_TRIAL_RESERVE"
NO_SCOPE = (("MALLARD_TRIAL_BY", "mark"),)  # a mark without a name never starts


@dataclass(frozen=True)
class Detector:
    """Finds a scope on the stack: by a tree of return addresses, learnt from the recording, or by the stack
    that is kept for each thread. The latter also decides requests that the tree does not.
    """

    method: str  # "rules" or "stack"
    rows: int = 0  # of the tree; 0 without one
    further_levels: float = 0.0  # return addresses behind the first one, for a request
    undecided: float = 1.0  # share of the recorded requests
    reason: str = ""  # for the method "stack"


@dataclass(frozen=True)
class Scope:
    """The scope as environment variables of the trial, with its title."""

    name: str
    variables: tuple[tuple[str, str], ...]
    detector: Detector | None = None  # None if the scope reports itself

    @property
    def has_exceptions(self) -> bool:
        return any(name == EXCEPT for name, _ in self.variables)

    @property
    def can_reserve(self) -> bool:
        """It is a line at which arrays grow by realloc."""
        return any(name == RESERVE for name, _ in self.variables)

    @property
    def of_line(self) -> tuple[str, ...]:
        """The strategies of the scope, which is a line."""
        return tuple(OF_LINES if self.can_reserve else KEPT)


@dataclass(frozen=True)
class Arm:
    """A way to run the program, on a heap of an age. Without a strategy the program is unchanged."""

    strategy: str | None
    malloc: Path | None = None  # preloaded as the global allocator
    age: Age = field(default_factory=young)
    tunables: str = ""  # of glibc's malloc


def arm_under(malloc: str, strategy: str | None, age: Age | None = None) -> Arm:
    """Raises a UsageError if the malloc is not installed."""
    return Arm(strategy, require_library(malloc), age or young(), tunables(malloc))


@dataclass(frozen=True)
class TriedProcess:
    """The process of the program's tree that a trial serves, and whose own time is compared."""

    name: str  # of its executable, without folders
    instance: int  # of the processes with this name, in the order of their first allocations
    title: str
    requests: int = 0  # as recorded; 0 if only a sample was
    is_first: bool = False  # the launcher became this process and started no other


def tried_process(profile: Profile) -> TriedProcess | None:
    """The profiled process; None if the program is a single one."""
    if len(profile.processes) == 1 and not profile.programs_not_followed:
        return None
    if not profile.process.executable:
        raise UsageError(
            "the recording has several processes without their names, so a trial cannot find the one to "
            "serve; record the program without --redact"
        )
    name = os.path.basename(profile.process.executable)
    requests = profile.figures.allocations if profile.process.sampled_one_in == 1 else 0
    is_first = len({process.number for process in profile.processes}) == 1
    return TriedProcess(name, profile.process.instance, process_title(profile), requests, is_first)


# Between the requests of two runs. A recording also counts each realloc.
MOST_TIMES_REQUESTS = 4
KILLED = 1 << 16  # added to the status of wait(): the process was killed, so its own time is not known


@dataclass(frozen=True)
class RunResult(Measured):
    counts: Counts | None
    allocating_threads: int = 0  # threads that allocated in the scope and were alive at the same time
    all_seconds: float | None = None  # elapsed, of all processes; None if these are no others
    start_seconds: float = 0.0  # of CPU time outside `cpu_seconds`, to load the process and to end it

    @property
    def run_seconds(self) -> float:
        """Elapsed until the program ended."""
        return self.wall_seconds if self.all_seconds is None else self.all_seconds

    @property
    def at_end(self) -> MemoryAtEnd:
        """Of a server after its load; the end of the process comes later, when it has freed its memory."""
        own = self.counts.at_end if self.counts else MemoryAtEnd()
        if self.load.resident_bytes is None:
            return own
        return MemoryAtEnd(self.load.resident_bytes, own.file_bytes)

    @property
    def end(self) -> str:
        return "ended one of its processes by a signal" if self.status & KILLED else super().end


@dataclass(frozen=True)
class Program:
    words: Sequence[str]
    library: Path  # libmallard_trial.so
    stdin: Path | None = None
    seconds_limit: float = 600.0
    surroundings: Surroundings = UNCHANGED
    malloc_file: str = ""  # of the program's own malloc, if it is known
    first: Measured | None = None  # run of the unchanged program, as which all others must end and print
    process: TriedProcess | None = None
    measuring: Path | None = None  # libmallard_measured.so, for runs without a strategy
    recording: Path | None = None  # of the requests that a history replays, instead of its model's
    reports_held: bool = False  # unchanged runs report what glibc holds at their end

    def run(self, arm: Arm, scope: Scope) -> RunResult:
        with scratch_folder("trial") as folder:
            report = Path(folder) / "report"
            environment = self.environment(arm, scope, report)
            surroundings = self.surroundings
            if surroundings.load and not arm.age.is_young:  # a history may take minutes
                surroundings = replace(surroundings, load=replace(surroundings.load, start_share=1.0))
            measured = measure(self.words, environment, self.stdin, self.seconds_limit, surroundings)
            counts = read_counts(report)
        if counts is not None:
            counts.history.refuse_failed(arm.age)
            self._refuse_unreported_end(measured, counts, arm.age)
        # The report of a run whose load failed may be missing or cut short.
        if self.process and not measured.load.failure:
            return self._own_result(measured, counts)
        return _to_run_result(measured, counts)

    def _refuse_unreported_end(self, measured: Measured, counts: Counts, age: Age) -> None:
        """Rejects an aged run whose time has that of the system for taking the history's memory back. That of
        a server is small beside its load.
        """
        is_normal = self.first is not None and measured.status == self.first.status
        is_launcher = counts.is_replaced or self.process is not None
        if age.is_young or counts.cpu_ns or not is_normal or is_launcher or self.surroundings.load:
            return
        raise UsageError(
            f"--age {age.name}: the program {measured.end} without its end being seen, so its time includes "
            "that in which the system takes back the aged heap: it ends by a signal or a raw system call, or "
            "enters a sandbox (seccomp); let it return from main() or call exit()"
        )

    def _own_result(self, measured: Measured, counts: Counts | None) -> RunResult:
        """Takes times and memory from the report of the process."""
        assert self.process
        if counts is None:
            raise UsageError(
                f"{self.process.title} was not found when the program ran again: its launcher starts "
                "different processes, or clears LD_PRELOAD or the environment; give that program itself"
            )
        requests, recorded = counts.requests + counts.elsewhere, self.process.requests
        times = max(requests, recorded) / max(min(requests, recorded), 1)
        if requests and recorded and counts.cpu_ns and times > MOST_TIMES_REQUESTS:
            raise UsageError(
                f"{self.process.title} makes {requests:,} requests in one run and {recorded:,} in another: "
                "processes with this name start in parallel, or the program varies; give that program itself"
            )
        if self.process.is_first and self.surroundings.load and not counts.cpu_ns:
            return _to_run_result(measured, counts)  # a server that SIGTERM ends without its destructors
        return RunResult(
            cpu_seconds=counts.cpu_ns / 1e9,
            wall_seconds=counts.wall_ns / 1e9,
            peak_bytes=_own_peak(counts.peak_bytes, counts),
            faults=counts.faults,
            status=measured.status | (0 if counts.cpu_ns else KILLED),
            output=measured.output,
            load=replace(measured.load, resident_bytes=None),  # of all processes
            counts=counts,
            allocating_threads=counts.askers,
            all_seconds=measured.wall_seconds,
        )

    def _library(self, arm: Arm) -> Path:
        """The one without functions of malloc cannot count processes that fork before they allocate."""
        is_first = self.process is None or self.process.instance == 1
        return self.measuring if arm.strategy is None and self.measuring and is_first else self.library

    def with_limit(self, seconds: float) -> Program:
        return replace(self, seconds_limit=seconds)

    def run_null(self) -> RunResult:
        """A run in which the trial serves nothing, but finds the program's own malloc."""
        return self.run(Arm(NULL), Scope("", NO_SCOPE))

    def name_malloc(self, malloc: str) -> str:
        """The malloc as answers call it: OWN is what the program brings, which need not be glibc."""
        return own_name(self.malloc_file) if malloc == OWN else malloc

    def brings(self, malloc: str) -> bool:
        """True if the library to preload is the one that the program has already."""
        library = None if malloc == OWN or is_switch(malloc) else find_library(malloc)
        return library is not None and same_file(str(library), self.malloc_file)

    def environment(self, arm: Arm, scope: Scope, report: Path) -> dict[str, str]:
        environment = with_tunables(arm.tunables, caller.environment())
        measures = arm.strategy is None and (self.measuring is not None or self.process is not None)
        libraries = [self._library(arm)] if arm.strategy or measures else []
        libraries += [arm.malloc] if arm.malloc is not None else []
        if libraries:
            preloaded = environment.get(preload.VARIABLE, "")
            environment[preload.VARIABLE] = preload.preload_list(libraries, preloaded)
        if self.process:
            environment["MALLARD_TRIAL_PROCESS"] = f"{self.process.instance}:{self.process.name}"
        if libraries and (arm.strategy or measures):
            environment["MALLARD_TRIAL_REPORT"] = str(report)
            environment["MALLARD_TRIAL_AGE"] = arm.age.setting
            if self.reports_held and not arm.strategy:
                environment["MALLARD_TRIAL_HELD"] = "1"
            if self.recording and not arm.age.is_young:
                environment["MALLARD_TRIAL_HISTORY"] = str(self.recording)
        if arm.strategy:
            environment |= {"MALLARD_TRIAL": arm.strategy, **dict(scope.variables)}
        return environment


def _own_peak(peak_bytes: int, counts: Counts) -> int:
    """Without the history. The system counts a peak only now and then, so that the end may be above it."""
    return max(0, max(peak_bytes, counts.at_end.resident_bytes or 0) - counts.history.added_bytes)


def _to_run_result(measured: Measured, counts: Counts | None) -> RunResult:
    """Takes times from the report, which ends before the system takes the memory back. If the process was
    killed, or became another program, they are those of the whole process without the trial's own.
    """
    own = counts or Counts()
    cpu_ns, wall_ns, faults = own.cpu_ns + own.children_cpu_ns, own.wall_ns, own.faults
    if not own.ends_itself:
        faults = measured.faults
        cpu_ns = round(measured.cpu_seconds * 1e9) - own.begin_cpu_ns
        wall_ns = round(measured.wall_seconds * 1e9) - own.begin_wall_ns
    return RunResult(
        **{field.name: getattr(measured, field.name) for field in fields(measured)}
        | {
            "cpu_seconds": cpu_ns / 1e9,
            "start_seconds": measured.cpu_seconds - (cpu_ns + own.begin_cpu_ns) / 1e9,
            "wall_seconds": wall_ns / 1e9,
            "peak_bytes": _own_peak(measured.peak_bytes, own),
            "faults": faults,
        },
        counts=counts,
        allocating_threads=own.askers,
    )


def refuse_other_program(program: Program, profile: Profile) -> None:
    """Rejects an earlier recording of another program or build, in which the scope's code is elsewhere. Runs
    the program once, or twice if it is not found.
    """
    recorded = profile.process
    if not recorded.executable:
        raise UsageError(
            f"{profile.trace.file} lacks the names of files, so a trial cannot find a scope; record the "
            "program without --redact, or leave --trace out"
        )
    first_to_begin = replace(program, process=None)

    def begins(*variables: tuple[str, str]) -> bool:
        return first_to_begin.run(Arm(NULL), Scope("", (*NO_SCOPE, *variables))).counts is not None

    if not begins(("MALLARD_TRIAL_RECORDED", recorded.build_id or recorded.executable)) and begins():
        raise UsageError(
            f"{profile.trace.file} is a recording of {recorded.executable}, and '{program.words[0]}' runs "
            "another program or build, whose code is elsewhere; record that one, or leave --trace out"
        )
