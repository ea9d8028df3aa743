"""Runs `mallard-profile`, and decodes the JSON that it prints (docs/advisor/profile_format.md).

Texts come from a recorded program and its files, so unprintable characters are escaped: they must not
control a terminal or break a page. A field that JSON lacks gets its default. Without a default, or with a
value of another type, the document is refused with the place of the fault. JSON may have additional fields.
A name that is a keyword of Python ends in an underscore.
"""

from __future__ import annotations

import dataclasses
import json
import math
import signal
import subprocess
import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any, TypeVar, Union

from mallard.advisor.profile.records import (
    AlmostContained,
    Amount,
    Figures,
    InDepth,
    Iteration,
    Owner,
    Pair,
    Pooled,
    Scope,
    Site,
    SiteBlocks,
)
from mallard.shared.errors import UsageError
from mallard.shared.native_file import PROFILER
from mallard.shared.parent_death import end_with_parent
from mallard.shared.version import rebuild_remedy

T = TypeVar("T")


class WrongDocumentError(Exception):
    """The text says which field, and what is wrong with it."""


def decode(kind: type[T], value: Any, place: str = "the document") -> T:
    """Raises a WrongDocumentError."""
    result: T = _decoded(kind, value, place)
    return result


def _decoded(kind: Any, value: Any, place: str) -> Any:
    if kind is Any:
        return value
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, types.UnionType):
        return _optional(inside, value, place)
    if origin is tuple:
        return _tuple(inside, value, place)
    if dataclasses.is_dataclass(kind):
        return _instance(kind, value, place)
    if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _finite(value, place)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise WrongDocumentError(f"{place} is {_shown(value)}, which is not of type {kind.__name__}")
    return printable(value) if isinstance(value, str) else value


def _finite(value: float, place: str) -> float:
    """JSON has no NaN and no infinity, but Python reads them."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise WrongDocumentError(f"{place} is {_shown(value)}, which is not a finite number")
    return number


def printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def _optional(kinds: tuple[Any, ...], value: Any, place: str) -> Any:
    if value is None:
        return None
    (kind,) = (candidate for candidate in kinds if candidate is not types.NoneType)
    return _decoded(kind, value, place)


def _tuple(kinds: tuple[Any, ...], value: Any, place: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise WrongDocumentError(f"{place} is {_shown(value)}, which is not a list")
    if kinds[-1] is Ellipsis:
        return tuple(_decoded(kinds[0], item, f"{place}[{at}]") for at, item in enumerate(value))
    if len(value) != len(kinds):
        raise WrongDocumentError(f"{place} has {len(value)} values; it must have {len(kinds)}")
    return tuple(_decoded(kind, item, place) for kind, item in zip(kinds, value, strict=True))


def _instance(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        raise WrongDocumentError(f"{place} is {_shown(value)}, which is not an object")
    arguments = {}
    for name, key, field_kind, needed in _fields(kind):
        if key in value:
            arguments[name] = _decoded(field_kind, value[key], f"{place}.{key}")
        elif needed:
            raise WrongDocumentError(f"{place} has no field '{key}'")
    return kind(**arguments)


@cache
def _fields(kind: Any) -> tuple[tuple[str, str, Any, bool], ...]:
    hints = typing.get_type_hints(kind)
    missing = dataclasses.MISSING
    return tuple(
        (field.name, field.name.rstrip("_"), hints[field.name], field.default is missing)
        for field in dataclasses.fields(kind)
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


OWN_NAME = f"{PROFILER.name}: "
ERROR = "error: "


def trace_words(trace: Path, process: str | None) -> list[str]:
    """The arguments for a profile of this process of the trace, or of the one that allocates most often."""
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
        problem = f"{PROFILER.name} crashed ({_signal(-status)}), so nothing was written"
        remedy = "this is a defect of mallard; please report it with the trace"
        return f"{problem}; {remedy}{_last_words(output)}"
    if not output:
        return f"{PROFILER.name} failed (exit status {status}) without a message, so nothing was written"
    return output.removeprefix(OWN_NAME).removeprefix(ERROR)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _last_words(output: str) -> str:
    return f"; last message: {output.splitlines()[-1]}" if output else ""


FORMAT, VERSION = "mallard profile", 1
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
class NotListed:
    """Rows beyond the end of a list of sites or pairs."""

    sites: int = 0
    pairs: int = 0
    allocations: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Instances:
    name: str
    instances: int
    allocations: int
    bytes: int
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
class RecordedPool:
    name: str
    pools: int
    allocations: int
    bytes: int
    frees: int | None = None
    releases: int | None = None
    peak_bytes: int | None = None
    wrong_frees: WrongFrees = WrongFrees()


@dataclass(frozen=True)
class LiveOfScope:
    id: int
    live_bytes: tuple[float, ...]


@dataclass(frozen=True)
class Timeline:
    seconds: tuple[float, ...] = ()
    live_bytes: tuple[float, ...] = ()
    peak_bytes: int | None = None
    peak_seconds: float | None = None
    scopes: tuple[LiveOfScope, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class Lifetimes:
    by_bytes: tuple[tuple[int, int, int], ...] = ()  # log2, allocations, bytes
    by_time: tuple[tuple[int, int, int], ...] = ()
    alive: Amount | None = None


@dataclass(frozen=True)
class Node:
    parent: int | None
    function: int | None
    allocations: int
    bytes: int
    contained_allocations: int
    contained_bytes: int
    operations: int


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
    timeline: Timeline | None
    lifetimes: Lifetimes | None
    flame: Flame | None
    foreign: Foreign | None = None
    scopes_not_listed: ScopesNotListed | None = None
    sites_not_listed: NotListed | None = None
    leaks: tuple[SiteBlocks, ...] = ()
    leaks_not_listed: NotListed | None = None
    temporary: tuple[SiteBlocks, ...] = ()
    temporary_not_listed: NotListed | None = None
    pairs_not_listed: NotListed | None = None
    markers: Markers | None = None
    pools: tuple[RecordedPool, ...] = ()
    warnings: tuple[str, ...] = ()
    scope: InDepth | None = None
    recordings: int = 1  # more for a merged profile

    @property
    def programs_not_followed(self) -> int:
        """Programs that the recorded processes started, and that were not recorded."""
        return sum(process.programs_not_followed for process in self.processes)

    @property
    def unlisted_rows(self) -> int:
        """Sites and scopes beyond the end of their lists."""
        sites, scopes = self.sites_not_listed, self.scopes_not_listed
        return (sites.sites if sites else 0) + (scopes.scopes if scopes else 0)


def read_profile(text: bytes | str) -> Profile:
    """Raises a UsageError if the text is not a profile of this version."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"mallard-profile printed no JSON ({error}); {BUILD_AGAIN}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise UsageError(f"mallard-profile printed no profile; {BUILD_AGAIN}")
    if document.get("version") != VERSION:
        raise UsageError(
            f"mallard-profile printed version {document.get('version')} of its format, this mallard reads "
            f"{VERSION}; {BUILD_AGAIN}"
        )
    try:
        return decode(Profile, document)
    except WrongDocumentError as error:
        raise UsageError(f"mallard-profile printed an incomplete profile: {error}; {BUILD_AGAIN}") from None
