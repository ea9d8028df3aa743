"""Runs `mallard-profile`, and reads a profile from its rows (docs/advisor/profile_format.md)."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar

from mallard.advisor.profile.database import Database, WrongRowError, finite
from mallard.advisor.profile.merge import merged
from mallard.advisor.profile.native_document import WRONG_DOCUMENT, document_rows, read_document
from mallard.advisor.profile.record_rows import record
from mallard.advisor.profile.records import (
    AlmostContained,
    Amount,
    ControlCalls,
    Diffusion,
    Escape,
    EscapeSite,
    Figures,
    FunctionAmount,
    InDepth,
    Iteration,
    LargeBlocks,
    Owner,
    PageFigures,
    Pair,
    PlaceAmount,
    Pooled,
    Scope,
    Site,
    SiteBlocks,
    StackAmount,
    Suppression,
)
from mallard.advisor.profile.schema import TABLES
from mallard.shared.caller import signal_name
from mallard.shared.errors import UsageError
from mallard.shared.native_file import PROFILER
from mallard.shared.parent_death import end_with_parent
from mallard.shared.prose import printable_name
from mallard.shared.version import rebuild_remedy

T = TypeVar("T")

OWN_NAME = f"{PROFILER.name}: "
ERROR = "error: "
CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)
OUT_OF_MEMORY = (
    "; the kernel does this when memory runs out: free some, or record less of the program with --sample"
)


def trace_words(trace: Path, process: str | None) -> list[str]:
    """The arguments for a profile of this process of the trace, or of the busiest one."""
    return [str(trace), *(["--process", process] if process is not None else [])]


def ask(words: Sequence[str], output: IO[bytes] | None = None) -> bytes:
    """Runs the program to completion. Returns its standard output, unless it goes to a file.

    Raises a UsageError with the program's message if it refuses, and with the signal if it crashes.
    """
    program = PROFILER.find()
    try:
        done = subprocess.run(
            [program, *words],
            stdout=output or subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
            preexec_fn=end_with_parent(),  # safe, because this process has one thread
        )
    except OSError as error:
        raise UsageError(f"{program} does not run: {error.strerror}; build it again") from None
    if done.returncode != 0:
        raise UsageError(_failure(done.returncode, done.stderr.decode(errors="replace")))
    return done.stdout or b""


def _failure(status: int, output: str) -> str:
    output = output.strip()
    if status < 0:
        is_crash = -status in CRASHES
        last = f"; last message: {output.splitlines()[-1]}" if output else ""
        problem = f"{PROFILER.name} {'crashed' if is_crash else 'was ended'} ({signal_name(-status)})"
        if is_crash:
            remedy = "; this is a defect of mallard; please report it with the trace"
        else:
            remedy = OUT_OF_MEMORY if -status == signal.SIGKILL else ""
        return f"{problem}, so nothing was written{remedy}{last}"
    if not output:
        return f"{PROFILER.name} failed (exit status {status}) without a message, so nothing was written"
    return output.removeprefix(OWN_NAME).removeprefix(ERROR)


BUILD_AGAIN = f"mallard and mallard-profile are of two versions; {rebuild_remedy('profile')}"


@dataclass(frozen=True)
class Trace:
    file: str
    bytes: int
    torn_bytes: int


@dataclass(frozen=True)
class ListedProcess:
    number: int
    parent: int | None
    executable: str | None
    command: tuple[str, ...] | None
    events: int
    seconds: float | None
    threads: int | None
    chosen: bool
    cpu_seconds: float | None = None
    programs_not_followed: int = 0


@dataclass(frozen=True)
class Launcher:
    """The process that started another one, or that became it by executing its program."""

    number: int
    executable: str | None
    command: tuple[str, ...] | None


@dataclass(frozen=True)
class Process:
    number: int
    executable: str | None
    command: tuple[str, ...] | None
    seconds: float | None
    threads: int
    events: int
    stacks: str
    sampled_one_in: int
    stopped: str | None
    exit_status: int | None
    torn: bool
    parent: int | None = None
    instance: int = 1  # of those that allocated and whose executable has the same name, by their first event
    instances: int = 1
    launcher: Launcher | None = None
    build_id: str | None = None  # of the executable
    cpu_seconds: float | None = None
    timed_events: int | None = None
    interrupted_events: int = 0
    nested_events: int = 0
    forks_not_followed: int = 0
    programs_not_followed: int = 0


@dataclass(frozen=True)
class StackEnds:
    unknown_code: int = 0
    unreadable: int = 0
    too_deep: int = 0


@dataclass(frozen=True)
class Completeness:
    events: int
    complete: int
    share: float | None
    by_end: StackEnds
    scopes: str
    reason: str | None

    @property
    def withheld(self) -> bool:
        return self.scopes == "withheld"


@dataclass(frozen=True)
class Between:
    """The part of the time that a profile is of."""

    begin_seconds: float
    end_seconds: float
    live_at_begin_allocations: int
    live_at_begin_bytes: int
    live_at_end_allocations: int
    live_at_end_bytes: int

    @property
    def live_at_begin(self) -> Amount:
        return Amount(self.live_at_begin_allocations, self.live_at_begin_bytes)

    @property
    def live_at_end(self) -> Amount:
        return Amount(self.live_at_end_allocations, self.live_at_end_bytes)


@dataclass(frozen=True)
class Foreign:
    frees: int = 0
    double_allocations: int = 0


@dataclass(frozen=True)
class Function:
    name: str
    short_name: str | None = None  # without parameters
    object: str | None = None
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class Place:
    function: int
    file: str | None = None
    line: int | None = None
    inlined: bool = False


@dataclass(frozen=True)
class ScopesNotListed:
    scopes: int = 0


@dataclass(frozen=True)
class NotListed(Amount):
    """Rows beyond the end of a list of sites or pairs."""

    allocations: int = 0
    bytes: int = 0
    sites: int = 0
    pairs: int = 0


@dataclass(frozen=True)
class Instances(Amount):
    name: str
    instances: int
    contained: Amount | None = None
    escaped: Amount | None = None
    alive: Amount | None = None


@dataclass(frozen=True)
class Progress:
    name: str
    count: int
    per_second: float | None = None
    allocations_between: float | None = None


@dataclass(frozen=True)
class Markers:
    scopes: tuple[Scope, ...] = ()
    instances: tuple[Instances, ...] = ()
    progress: tuple[Progress, ...] = ()
    unmatched_ends: int = 0
    names_lost: int = 0


@dataclass(frozen=True)
class WrongFrees:
    """Frees of blocks that the pool does not own, and frees of its blocks by malloc."""

    of_other: int = 0
    of_malloc: int = 0
    after_end: int = 0
    by_malloc: int = 0
    first: int | None = None  # a stack

    @property
    def all(self) -> int:
        return self.of_other + self.of_malloc + self.after_end + self.by_malloc


@dataclass(frozen=True)
class RecordedPool(Amount):
    name: str
    pools: int
    frees: int | None = None
    releases: int | None = None
    peak_bytes: int | None = None
    wrong_frees: WrongFrees = WrongFrees()


@dataclass(frozen=True)
class LiveOfScope:
    id: int
    live_bytes: tuple[float, ...]


@dataclass(frozen=True)
class ResidentSample:
    seconds: float
    resident_bytes: int
    file_bytes: int


@dataclass(frozen=True)
class Timeline:
    seconds: tuple[float, ...] = ()
    live_bytes: tuple[float, ...] = ()
    peak_bytes: int | None = None
    peak_seconds: float | None = None
    scopes: tuple[LiveOfScope, ...] = ()
    reason: str | None = None
    resident: tuple[ResidentSample, ...] = ()


@dataclass(frozen=True)
class Lifetimes:
    by_bytes: tuple[tuple[int, int, int], ...] = ()  # log2, allocations, bytes
    by_time: tuple[tuple[int, int, int], ...] = ()
    alive: Amount | None = None


@dataclass(frozen=True)
class Node(Amount):
    parent: int | None
    function: int | None
    contained_allocations: int
    contained_bytes: int
    operations: int
    peak_bytes: int = 0
    alive_bytes: int = 0


@dataclass(frozen=True)
class Flame:
    nodes: tuple[Node, ...] = ()
    pruned: int = 0


@dataclass(frozen=True)
class Profile:
    trace: Trace
    processes: tuple[ListedProcess, ...]
    process: Process
    completeness: Completeness
    figures: Figures
    functions: tuple[Function, ...]
    places: tuple[Place, ...]
    stacks: tuple[tuple[int | None, ...], ...]  # None stands for levels that were not kept
    scopes: tuple[Scope, ...]
    sites: tuple[Site, ...]
    pairs: tuple[Pair, ...]
    iterations: tuple[Iteration, ...]
    owners: tuple[Owner, ...]
    almost_contained: tuple[AlmostContained, ...]
    already_pooled: tuple[Pooled, ...]
    control_calls: tuple[ControlCalls, ...]
    large_blocks: tuple[LargeBlocks, ...]
    timeline: Timeline | None
    lifetimes: Lifetimes | None
    flame: Flame | None
    between: Between | None = None
    foreign: Foreign | None = None
    scopes_not_listed: ScopesNotListed | None = None
    sites_not_listed: NotListed | None = None
    leaks: tuple[SiteBlocks, ...] = ()
    leaks_not_listed: NotListed | None = None
    temporary: tuple[SiteBlocks, ...] = ()
    temporary_not_listed: NotListed | None = None
    suppressions: tuple[Suppression, ...] = ()
    peak: tuple[SiteBlocks, ...] = ()
    peak_not_listed: NotListed | None = None
    pairs_not_listed: NotListed | None = None
    markers: Markers | None = None
    pools: tuple[RecordedPool, ...] = ()
    warnings: tuple[str, ...] = ()
    scope: InDepth | None = None
    recordings: int = 1  # more for a merged profile
    rows: sqlite3.Connection = field(kw_only=True, compare=False, repr=False)  # a database of one recording

    @property
    def programs_not_followed(self) -> int:
        """Programs that the recorded processes started, and that were not recorded."""
        return sum(process.programs_not_followed for process in self.processes)

    @property
    def busy_seconds(self) -> float:
        """The CPU time of the process, or its elapsed time if that is shorter; 0 if neither is known."""
        return min(filter(None, (self.process.cpu_seconds, self.process.seconds)), default=0.0)

    @property
    def unlisted_rows(self) -> int:
        """Sites and scopes beyond the end of their lists."""
        sites, scopes = self.sites_not_listed, self.scopes_not_listed
        return (sites.sites if sites else 0) + (scopes.scopes if scopes else 0)


def read_profile(text: bytes | str) -> Profile:
    """Of what `mallard-profile` printed. Raises a UsageError if it is not a profile of this version."""
    return stored_profile(read_rows(text))


def read_rows(text: bytes | str) -> Database:
    """The rows of what `mallard-profile` printed. Raises a UsageError as `read_profile`."""
    database = Database()
    try:
        database.add_rows(document_rows(read_document(text)))
    except WRONG_DOCUMENT as error:
        raise UsageError(f"mallard-profile printed a wrong profile: {error}; {BUILD_AGAIN}") from None
    return database


def stored_profile(database: Database) -> Profile:
    """The profile of the recordings in a database, merged if there are several. Raises a UsageError."""
    try:
        return _profile(database)
    except WrongRowError as error:
        raise UsageError(f"the profile is damaged: {error}; profile the recording again") from None


def _profile(database: Database) -> Profile:
    connection = database.connection if database.recordings == 1 else merged(database)
    rows = _Rows(connection)
    (recording,) = rows.of["recordings"]
    scopes = [rows.scope(row, 12) for row in rows.of["scopes"]]
    deep = next((row for row in rows.of["scopes"] if row["in_depth"] and database.recordings == 1), None)
    return record(
        Profile,
        recording,
        processes=rows.records(ListedProcess, "processes"),
        figures=rows.figures(None, None),
        functions=rows.numbered(Function, "functions"),
        places=rows.numbered(Place, "places"),
        stacks=rows.stacks(),
        scopes=tuple(scope for scope in scopes if scope.name is None),
        sites=tuple(sorted(rows.sites(None), key=lambda site: -site.figures.allocations)),
        pairs=rows.records(Pair, "pairs", within=None),
        iterations=tuple(
            record(Iteration, row, sites=rows.records(PlaceAmount, "iteration_sites", iteration=row["id"]))
            for row in rows.of["iterations"]
        ),
        owners=tuple(
            record(Owner, row, sites=rows.records(PlaceAmount, "owner_sites", owner=row["id"]))
            for row in rows.of["owners"]
        ),
        almost_contained=tuple(
            record(
                AlmostContained,
                row,
                escapes_from=rows.records(PlaceAmount, "almost_contained_sites", scope=row["scope"]),
            )
            for row in rows.of["almost_contained"]
        ),
        already_pooled=rows.records(Pooled, "already_pooled"),
        control_calls=rows.records(ControlCalls, "control_calls"),
        large_blocks=rows.records(LargeBlocks, "large_blocks"),
        timeline=_timeline(rows, recording),
        lifetimes=_lifetimes(rows, recording),
        flame=Flame(nodes, recording["flame_pruned"]) if (nodes := rows.records(Node, "flame")) else None,
        leaks=rows.records(SiteBlocks, "site_blocks", kind="leaks"),
        temporary=rows.records(SiteBlocks, "site_blocks", kind="temporary"),
        suppressions=rows.records(Suppression, "suppressions"),
        peak=rows.records(SiteBlocks, "peak_sites"),
        markers=record(
            Markers,
            recording,
            "markers_",
            scopes=tuple(scope for scope in scopes if scope.name is not None),
            instances=rows.records(Instances, "instances"),
            progress=rows.records(Progress, "progress"),
        ),
        pools=rows.records(RecordedPool, "pools"),
        warnings=tuple(printable_name(row["text"]) for row in rows.of["warnings"]),
        scope=None if deep is None else _in_depth(rows, deep),
        recordings=database.recordings,
        rows=connection,
    )


class _Rows:
    """The rows of all tables, in their order, and the records of them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.of = {
            name: [dict(row) for row in connection.execute(f"SELECT * FROM {name} ORDER BY rowid")]
            for name in TABLES
        }
        self._grouped: dict[tuple[str, ...], dict[tuple[Any, ...], list[dict[str, Any]]]] = {}

    def where(self, table: str, **values: Any) -> list[dict[str, Any]]:
        """The rows with these values in columns."""
        group = (table, *values)
        if group not in self._grouped:
            self._grouped[group] = {}
            for row in self.of[table]:
                self._grouped[group].setdefault(tuple(row[column] for column in values), []).append(row)
        return self._grouped[group].get(tuple(values.values()), [])

    def records(self, of: type[T], table: str, most: int | None = None, **values: Any) -> tuple[T, ...]:
        return tuple(record(of, row) for row in self.where(table, **values)[:most])

    def numbered(self, kind: type[T], table: str) -> tuple[T, ...]:
        """The rows by their numbers, which are those from 0."""
        rows = sorted(self.of[table], key=lambda row: row["id"])
        if [row["id"] for row in rows] != list(range(len(rows))):
            raise WrongRowError(f"the rows of {table} are not numbered from 0")
        return tuple(record(kind, row) for row in rows)

    def stacks(self) -> tuple[tuple[int | None, ...], ...]:
        levels = sorted(self.of["stacks"], key=lambda row: (row["stack"], row["level"]))
        stacks: list[list[int | None]] = [[] for _ in range(levels[-1]["stack"] + 1)] if levels else []
        for row in levels:
            stacks[row["stack"]].append(row["place"])
        return tuple(map(tuple, stacks))

    def figures(self, scope: int | None, site: int | None) -> Figures:
        rows = self.where("figures", scope=scope, site=site)
        if len(rows) != 1:
            raise WrongRowError(f"a scope or a site has {len(rows)} rows of figures")
        sizes = self.where("sizes", scope=scope, site=site)
        return record(Figures, rows[0], sizes=_triples(sizes, "most_bytes"))

    def scope(self, row: dict[str, Any], most: int | None) -> Scope:
        number = row["id"]
        census = self.where("diffusion", scope=number, is_peak=1)
        diffusion = None
        if census:
            over_time = self.records(PageFigures, "diffusion", scope=number, is_peak=0)
            diffusion = Diffusion(record(PageFigures, census[0]), over_time)
        return record(
            Scope,
            row | {"id": number if row["name"] is None else None},
            figures=self.figures(number, None),
            escapes=self.records(Escape, "escapes", most, scope=number),
            escape_sites=self.records(EscapeSite, "scope_sites", most, scope=number, kind="escape"),
            alive_sites=self.records(EscapeSite, "scope_sites", most, scope=number, kind="alive"),
            diffusion=diffusion,
        )

    def sites(self, within: int | None) -> tuple[Site, ...]:
        return tuple(
            record(
                Site,
                row,
                figures=self.figures(None, row["id"]),
                stacks=self.records(StackAmount, "site_stacks", 3, site=row["id"]),
                owners=self.records(FunctionAmount, "site_owners", 5, site=row["id"]),
            )
            for row in self.where("sites", within=within)
        )


def _triples(rows: Sequence[Mapping[str, Any]], first: str) -> tuple[tuple[int, int, int], ...]:
    return tuple(sorted((row[first], row["allocations"], row["bytes"]) for row in rows))


def _timeline(rows: _Rows, recording: Mapping[str, Any]) -> Timeline | None:
    points = rows.of["timeline"]
    if not points and recording["timeline_peak_bytes"] is None:
        return None
    scopes = dict.fromkeys(row["scope"] for row in rows.of["scope_timeline"])
    return record(
        Timeline,
        recording,
        "timeline_",
        seconds=tuple(finite(row["seconds"]) for row in points),
        live_bytes=tuple(finite(row["live_bytes"]) for row in points),
        resident=rows.records(ResidentSample, "resident"),
        scopes=tuple(
            LiveOfScope(
                scope, tuple(finite(row["live_bytes"]) for row in rows.where("scope_timeline", scope=scope))
            )
            for scope in scopes
        ),
    )


def _lifetimes(rows: _Rows, recording: Mapping[str, Any]) -> Lifetimes | None:
    by_bytes, by_time = (_triples(rows.where("lifetimes", unit=unit), "log2") for unit in ("bytes", "time"))
    lives = record(Lifetimes, recording, "lifetimes_", by_bytes=by_bytes, by_time=by_time)
    return lives if lives != Lifetimes() else None


def _in_depth(rows: _Rows, row: dict[str, Any]) -> InDepth:
    return InDepth(
        "function" if row["name"] is None else "marker",
        rows.scope(row, None),
        sites=rows.sites(row["id"]),
        pairs=rows.records(Pair, "pairs", within=row["id"]),
        callers=rows.records(FunctionAmount, "callers"),
        **{
            f"activation_{kind}_classes": tuple(
                (found["most_bytes"], found["activations"])
                for found in rows.where("activation_classes", kind=kind)
            )
            for kind in ("bytes", "peak")
        },
    )
