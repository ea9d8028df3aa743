"""The JSON document that the native profiler prints, decoded and checked."""

from __future__ import annotations

import json
from dataclasses import dataclass

from mallard.advisor.profile.decode import WrongDocumentError, decode
from mallard.advisor.profile.figures import Amount, Figures
from mallard.advisor.profile.scopes import (
    AlmostContained,
    InDepth,
    Iteration,
    Owner,
    Pair,
    Pooled,
    Scope,
    Site,
)
from mallard.shared.errors import UsageError

FORMAT, VERSION = "mallard profile", 1
BUILD_AGAIN = "mallard and mallard-profile are of two versions; build them again: './mallard profile'"


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
    timed_one_in: int
    stopped: str | None
    exit_status: int | None
    torn: bool
    parent: int | None = None
    cpu_seconds: float | None = None
    timed_events: int | None = None
    interrupted_events: int = 0
    nested_events: int = 0
    forks_not_followed: int = 0
    programs_not_followed: int = 0


@dataclass(frozen=True)
class StackEnds:
    outermost: int = 0
    null: int = 0
    loader: int = 0
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
    most_allocations: int | None = None


@dataclass(frozen=True)
class NotListed:
    """Rows beyond the end of a list, either sites or pairs."""

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
    pairs_not_listed: NotListed | None = None
    markers: Markers | None = None
    pools: tuple[RecordedPool, ...] = ()
    warnings: tuple[str, ...] = ()
    scope: InDepth | None = None


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
