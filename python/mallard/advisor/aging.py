"""How much slower a program is in an old process: under its own malloc and others, by a history of the heap
before the clock starts (`age_program`); and a server without any model, by repeating its load (`age_server`).
"""

from __future__ import annotations

import mmap
import shutil
import struct
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from mallard.advisor.advice.processes import refuse_unfollowed
from mallard.advisor.profile.document import ask, read_profile, trace_words
from mallard.advisor.trial.campaign import (
    EMPTY_INPUT,
    OUTPUT_IGNORED,
    PRINTED_OTHER,
    describe_failures_together,
    refuse_long,
    short,
)
from mallard.advisor.trial.effect import slower_interval, times_slower
from mallard.advisor.trial.load import Step, server_use
from mallard.advisor.trial.preloading import brings_malloc, refuse_unaged
from mallard.advisor.trial.process import record, refuse_failed_load, run_limited
from mallard.advisor.trial.program import (
    HEADER,
    NO_SCOPE,
    History,
    Program,
    RunResult,
    Scope,
    arm_under,
    tried_process,
)
from mallard.advisor.trial.rounds import Rounds, interleaved, output_is_compared, outputs_differ
from mallard.shared.age import Age
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import OWN, is_available, own_name
from mallard.shared.prose import in_prose
from mallard.shared.scratch import scratch_folder
from mallard.shared.stats import Ratio, Spread, median, paired_ratio, spread

SECONDS = 100.0
LEAST_ROUNDS, MOST_ROUNDS = 3, 21
LEAST_SECONDS = 0.003  # of CPU time: the start of a process takes a third of it
LEAST_LOADS, MOST_LOADS = 7, 10_000  # of a server
START_LOADS = 6  # before the first churn
LAUNCHER_SHARE = 0.5  # of the CPU time, spent in other processes
UNSCOPED = Scope("", NO_SCOPE)


@dataclass(frozen=True)
class Request:
    """The options of `mallard age`."""

    mallocs: tuple[str, ...]  # the first is the base
    ages: tuple[Age, ...]  # the first is the base
    process: str | None = None
    rounds: int | None = None
    seed: int = 1
    load_seconds: float = 30.0
    loads: int | None = None  # instead of load_seconds
    churn: str | None = None  # a command between loads
    recording: str = ""  # whose requests a history replays, instead of its model's
    terminal: bool = False

    @property
    def least_loads(self) -> int:
        return LEAST_LOADS if self.churn is None else 2 * START_LOADS


@dataclass(frozen=True)
class Row:
    """A malloc at an age."""

    malloc: str
    age: str
    seconds: Spread  # of CPU time; of a server for the load alone
    slower: Ratio | None  # than at the first age, by round; None for the first
    peak_bytes: Spread  # without what the history left
    history: History  # of the first round


@dataclass(frozen=True)
class LoadPoint:
    """A load of a server that runs on."""

    cpu_seconds: float  # of the server, for this load
    resident_bytes: int  # after it
    free_chunks: int | None  # of glibc, when the load began
    free_bytes: int | None


@dataclass(frozen=True)
class ServerAging:
    """One server, and its load again and again."""

    loads: tuple[LoadPoint, ...]
    churns: int  # each before one of the last loads
    compared: int  # loads at the start, after the first one, and at the end
    slower: Ratio | None  # the last loads over those at the start; None if there are too few


@dataclass(frozen=True)
class Aging:
    words: tuple[str, ...]
    process: str  # that was aged; empty for the program itself
    rows: tuple[Row, ...]
    rounds: int
    ages: tuple[Age, ...]
    server: ServerAging | None = None
    failures: Mapping[str, str] = field(default_factory=dict)  # arm -> what the program did
    notes: tuple[str, ...] = ()
    recording: str = ""  # whose requests the history replayed

    def row(self, malloc: str, age: str) -> Row | None:
        return next((row for row in self.rows if (row.malloc, row.age) == (malloc, age)), None)

    @property
    def mallocs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.malloc for row in self.rows))

    @property
    def headline(self) -> str:
        """`glibc: 2.7 times slower in an old process (2.5 to 2.9); jemalloc ...; fastest ...: jemalloc.`"""
        sentences = [self._sentence(age) for age in self.ages[1:]]
        if self.rows and self.rows[0].seconds.median < LEAST_SECONDS:
            taken = f"{self.words[0]} takes {1e3 * self.rows[0].seconds.median:.2g} ms of CPU time"
            sentences = [f"{taken}, which is too short for an answer; give it more work."]
        return " ".join(filter(None, [server_sentence(self.server), *sentences]))

    def _sentence(self, age: Age) -> str:
        rows = [row for row in self.rows if row.age == age.name and row.slower]
        if not rows:
            return ""
        first, *others = rows
        assert first.slower
        parts = [
            f"{first.malloc}: {times_slower(first.slower)} in {age.process}{slower_interval(first.slower)}"
        ]
        parts += [f"{row.malloc} {times_slower(row.slower)}" for row in others if row.slower]
        if others:
            parts.append(f"fastest in {age.process}: {self.fastest(age)}")
        return f"{'; '.join(parts)}."

    def fastest(self, age: Age) -> str:
        rows = sorted((row for row in self.rows if row.age == age.name), key=lambda row: row.seconds.median)
        level = [row.malloc for row in rows[1:] if row.seconds.low <= rows[0].seconds.high]
        return f"{rows[0].malloc}, level with {in_prose(level)}" if level else rows[0].malloc


def server_sentence(server: ServerAging | None) -> str:
    if server is None:
        return ""
    count, ratio = len(server.loads), server.slower
    if ratio is None:
        return f"The load ran {count} times, too few for an answer; give --for a longer time."
    seconds = median([point.cpu_seconds for point in server.loads])
    if seconds < LEAST_SECONDS:
        return (
            f"The load takes {1e3 * seconds:.2g} ms of the server's CPU time, which is too short for an "
            "answer; give --load more work."
        )
    grown = server.loads[-1].resident_bytes / max(1, server.loads[0].resident_bytes)
    memory = f"and its resident memory is {grown:.2f} times that after the first load"
    past = f"{server.churns} rounds of churn" if server.churns else f"{count} loads"
    changed = f"{times_slower(ratio)} after {past}{slower_interval(ratio)}"
    if times_slower(ratio) == "even":
        return f"The server does not age: the load takes as long after {past} as before, {memory}."
    if ratio.high < 1:
        return f"The server does not age: the load is {changed}, {memory}."
    if ratio.low > 1:
        return f"The server ages: the load is {changed}, {memory}."
    return (
        f"Whether the server ages is {times_slower(ratio)}: after {past} the load takes {ratio.median:.2f} "
        f"times as long, {memory}; more loads narrow the interval."
    )


def follow_launcher(program: Program, first: RunResult, request: Request, folder: Path) -> Program:
    """The program with the process of its tree to age: the one with the most CPU time, or of --process."""
    counts = first.counts
    launched = counts is None or counts.is_replaced or counts.children_cpu_ns > counts.cpu_ns * LAUNCHER_SHARE
    if request.process is None and not launched:
        return program
    trace = record(
        *(program.words, program.stdin, folder / "mallard.trace", program.seconds_limit),
        program.surroundings,
        program.first,
        follow=True,
    )
    profile = read_profile(ask(trace_words(trace, request.process)))
    # A process that became a program which was not recorded has the time of that one.
    is_other = counts is not None and counts.is_replaced and len(profile.processes) == 1
    own_seconds = 0.0 if is_other else profile.process.cpu_seconds or 0.0
    refuse_unfollowed(profile, own_seconds, first.cpu_seconds)
    return replace(program, process=tried_process(profile))


def age_program(
    program: Program,
    request: Request,
    folder: Path,
    say: Callable[[str], None],
    step: Callable[[str], Callable[[int, int], None]],
) -> Aging:
    begin = time.monotonic()
    first = program.run(arm_under(request.mallocs[0], None), UNSCOPED)
    refuse_failed_load(first)
    program = replace(program, first=first)
    # A launcher's own malloc does not matter.
    if request.process is None and not (first.counts and first.counts.is_replaced):
        refuse_unaged(program, first)
    program = follow_launcher(program, first, request, folder)
    server = None
    if program.surroundings.load:
        server = age_server(program, request, step("the load again and again"))
    brought = program.process is None and brings_malloc(
        shutil.which(program.words[0]) or program.words[0], first
    )
    mallocs = [request.mallocs[0]] if brought else [name for name in request.mallocs if is_available(name)]
    keys = {(malloc, age): f"{malloc} in {age.process}" for malloc in mallocs for age in request.ages}
    arms = {
        name: partial(program.run, arm_under(malloc, None, age), UNSCOPED)
        for (malloc, age), name in keys.items()
    }
    rounds = request.rounds or LEAST_ROUNDS
    if request.rounds is None:
        refuse_long(rounds * len(arms), first.wall_seconds)
    say(f"{len(arms)} arms, in random order, {rounds} rounds or more: about two minutes.")
    base = next(iter(arms))

    def extend(completed: Rounds[RunResult]) -> tuple[int, Sequence[str]]:
        """As many further rounds as fit; their number does not depend on the times of the arms."""
        round_seconds = (time.monotonic() - begin) / rounds
        further = int((SECONDS - (time.monotonic() - begin)) / round_seconds)
        return min(max(0, further), MOST_ROUNDS - rounds), [*arms]

    completed = interleaved(
        arms,
        base,
        rounds,
        request.seed,
        step("young and old"),
        first=first,
        extend=None if request.rounds else extend,
    )
    base_runs = completed.of(base)
    own = own_name(base_runs[0].counts.malloc_file if base_runs[0].counts else "")
    names = {malloc: own if malloc == OWN else malloc for malloc in mallocs}
    return Aging(
        words=tuple(program.words),
        process=program.process.title if program.process else "",
        rows=tuple(_rows(completed, keys, names, request.ages[0])),
        rounds=len(base_runs),
        ages=request.ages,
        recording=request.recording,
        server=server,
        failures=completed.failed | dict.fromkeys(outputs_differ(completed, [*arms], base), PRINTED_OTHER),
        notes=tuple(_notes(program, request, completed, base, brought=brought)),
    )


def _rows(
    completed: Rounds[RunResult],
    keys: Mapping[tuple[str, Age], str],
    names: Mapping[str, str],
    first_age: Age,
) -> Iterator[Row]:
    for (malloc, age), name in keys.items():
        runs = completed.of(name)
        if not runs:
            continue
        base = completed.of(keys[malloc, first_age])
        shared = min(len(runs), len(base))
        ratio = None
        if age != first_age and shared:
            ratio = paired_ratio(_seconds(runs[:shared]), _seconds(base[:shared]))
        yield Row(
            malloc=names[malloc],
            age=age.name,
            seconds=spread(_seconds(runs)),
            slower=ratio,
            peak_bytes=spread([float(run.peak_bytes) for run in runs]),
            history=runs[0].counts.history if runs[0].counts else History(),
        )


def _seconds(runs: Sequence[RunResult]) -> list[float]:
    """Of a server for its load; of a server that the load ended, and of other programs, for the whole run."""
    times = [run.cpu_seconds if run.load.cpu_seconds is None else run.load.cpu_seconds for run in runs]
    return [max(seconds, 1e-6) for seconds in times]


def _notes(
    program: Program, request: Request, completed: Rounds[RunResult], base: str, *, brought: bool
) -> Iterator[str]:
    base_runs = completed.of(base)
    if note := short(median(_seconds(base_runs))):
        yield note
    if brought and len(request.mallocs) > 1:
        yield "The program has its own malloc inside, which no preloaded one replaces: no other was tried."
    missing = [name for name in request.mallocs if not is_available(name)]
    if missing and not brought:
        yield f"Not installed, and so not tried: {in_prose(missing)}."
    runs = [run for runs in completed.runs.values() for run in runs]
    if any(
        run.counts and run.counts.history.requests and not run.counts.history.peak_is_reset for run in runs
    ):
        yield "The system does not forget the peak of a history, which may be in the memory of old processes."
    if not output_is_compared(completed, base):
        yield OUTPUT_IGNORED
    failures = completed.failed | dict.fromkeys(
        outputs_differ(completed, [*completed.runs], base), PRINTED_OTHER
    )
    if failures:
        text = describe_failures_together(failures)
        yield f"{text[:1].upper()}{text[1:]}."
    if request.terminal and program.stdin is None:
        yield EMPTY_INPUT


# Offsets in the report of a running process: advisor/trial/report.hpp.
ASKED = HEADER.size + 108
ANSWER = struct.Struct("<HHQQ")
UNKNOWN = 2**64 - 1


def age_server(program: Program, request: Request, tick: Callable[[int, int], None]) -> ServerAging:
    """Starts the server once, and repeats its load."""
    assert program.surroundings.load
    load = replace(program.surroundings.load, churn=request.churn)
    with scratch_folder("age") as folder:
        report = Path(folder) / "report"
        # The library with malloc's functions answers questions about the heap. It is in all loads alike.
        arm = arm_under(request.mallocs[0], None)
        environment = replace(program, measuring=program.library).environment(arm, UNSCOPED, report)
        watch = _Watch(report, request, tick)
        with (
            program.surroundings.enter_run() as working,
            tempfile.TemporaryFile(prefix="mallard-output-") as output,
        ):
            _, result = run_limited(
                *(program.words, environment, program.words[0], program.seconds_limit),
                stdin=program.stdin,
                stdout=output,
                stderr=output,
                folder=working,
                load=load,
                watch=watch,
            )
    if result.failure:
        raise UsageError(f"{result.failure}, when its load was repeated; {result.remedy}")
    return summarize_loads(watch.points, churned=request.churn is not None)


def summarize_loads(points: Sequence[LoadPoint], *, churned: bool = False) -> ServerAging:
    """Leaves the first load out, which fills the server's caches. Without churn, each load ages the server,
    and thirds are compared; with it, the loads before the first churn and as many of the last."""
    later = [max(point.cpu_seconds, 1e-6) for point in points[1:]]
    churns = max(0, len(points) - START_LOADS) if churned else 0
    compared = min(churns, START_LOADS - 1) if churned else len(later) // 3
    ratio = paired_ratio(later[-compared:], later[:compared]) if compared >= 2 else None
    return ServerAging(tuple(points), churns, compared, ratio)


class _Watch:
    """Measures each load, and counts them."""

    def __init__(self, report: Path, request: Request, tick: Callable[[int, int], None]) -> None:
        self.points: list[LoadPoint] = []
        self._report, self._request, self._tick = report, request, tick
        self._begin, self._cpu_seconds, self._asked = 0.0, 0.0, 0

    def begin_load(self, measurer: int) -> None:
        self._begin = self._begin or time.monotonic()
        self._ask()
        self._cpu_seconds = server_use(measurer)[0]

    def end_load(self, measurer: int) -> Step:
        cpu_seconds, resident = server_use(measurer)
        chunks, free_bytes = self._answer()
        self.points.append(LoadPoint(cpu_seconds - self._cpu_seconds, resident, chunks, free_bytes))
        done = len(self.points)
        wanted = self._request.loads
        if wanted is None:
            estimate = int(done * self._request.load_seconds / (time.monotonic() - self._begin))
            wanted = min(MOST_LOADS, max(self._request.least_loads, estimate))
        self._tick(done, max(wanted, done))
        if done >= wanted:
            return Step.END
        return Step.LOAD if self._request.churn is None or done < START_LOADS else Step.CHURN

    def _ask(self) -> None:
        self._asked = (self._asked + 1) % (1 << 16)
        with self._map() as memory:
            if memory is not None:
                struct.pack_into("<H", memory, ASKED, self._asked)

    def _answer(self) -> tuple[int | None, int | None]:
        with self._map() as memory:
            if memory is None:
                return None, None
            _, answered, chunks, free_bytes = ANSWER.unpack_from(memory, ASKED)
        known = answered == self._asked and chunks != UNKNOWN
        return (chunks, free_bytes) if known else (None, None)

    @contextmanager
    def _map(self) -> Iterator[mmap.mmap | None]:
        """The report of the running server; None if it has none, as a launcher's replaced process."""
        memory = None
        with suppress(OSError, ValueError), open(self._report, "r+b") as file:
            memory = mmap.mmap(file.fileno(), 0)
        with memory or nullcontext():
            yield memory
