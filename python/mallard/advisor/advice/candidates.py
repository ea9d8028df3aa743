"""Chooses the scopes of a profile that are worth a trial.

Scopes nest, and most functions of a stack make the same blocks. Of scopes with nearly the same number of
allocations, the one that owns most of them is kept, because it can reuse its memory soonest.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mallard.advisor.profile.dimensions import exact, merged
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.records import Amount, EscapeSite, Scope, add_up
from mallard.advisor.trial.scope_code import line_sites, reserved_bytes
from mallard.shared.prose import in_prose

MOST_CANDIDATES = 5
LEAST_SHARE = 0.02  # of the program's allocations
ALLOCATION_TOLERANCE = 0.02  # scopes that differ by less count as equal
MOST_SITES = 3

LIBRARY = re.compile(r"^(?:std::|__gnu_cxx::|operator |void\* operator|__cxa|_IO_|__GI_|__vf)")
LIBRARY_FILES = re.compile(r"^(?:libstdc\+\+|libc\+\+|libc|libm|libpthread|ld-linux[\w-]*)\.so")
OUTERMOST = re.compile(r"^(?:main|_start|__libc_start\w*|start_thread|(?:__)?clone3?|call_init|_dl_\w+)$")
CALLS_MAIN = re.compile(r"^__libc_start_(?:call_)?main")
NO_NAME = re.compile(r"\+0x[0-9a-f]+$")


@dataclass(frozen=True)
class LastingSite:
    """A place whose blocks outlive the scope or the recording."""

    function: str
    source: str
    allocations: int
    code: str = ""  # FILE:BEGIN-END of the call, as in advisor/trial/setting.hpp; '' if trials cannot find it

    def line_within(self, scope: str) -> str:
        """Its line, or its function without one, which is never the function `scope` itself."""
        if self.source.rpartition(":")[2].isdecimal():
            return short_source(self.source)
        return "some of its own calls" if self.function == scope else f"{self.function}()"


@dataclass(frozen=True)
class Candidate:
    name: str  # for display
    asked_as: str  # the full name, which mallard-profile accepts
    source: str  # file:line, or the library
    kind: str  # "function", "marker", or "line" of a function that keeps its blocks
    # 0 marked, 1 function of the program, 2 nameless, 3 library function, 4 start of the program or a thread
    rank: int
    function: int | None
    allocations: int
    bytes: int
    escaped: int
    alive: int
    containment: float | None
    exact: bool
    owned: int
    returns: int  # number of times that no block of an activation was live
    region_bytes: int | None  # the most bytes allocated between two such moments
    peak_p50: float | None
    peak_p99: float | None
    peak_max: float | None
    threads: int
    escape_sites: tuple[LastingSite, ...] = ()
    alive_sites: tuple[LastingSite, ...] = ()  # of blocks that are alive at the end
    break_even: float | None = None  # containment from which a region pays, by the price of the operations
    bytes_p50: float | None = None  # allocated by one activation, freed or not
    bytes_p99: float | None = None
    left_out: tuple[LastingSite, ...] = ()  # sites whose blocks the trial leaves to the global allocator
    object: str = ""  # the file with the function's code
    inlined: str = ""  # `inlined into main at p.cpp:11`; '' for a compiled function
    # The recording shows that it returned whenever none of its blocks was live, or at least several times.
    returns_each_time: bool = True
    activations: int = 0  # with an allocation, as far as stacks distinguish them; 0 if not known
    is_open: bool = False  # all of them were active at the end of the recording
    loop: str | None = None  # FILE:LINE of the loop whose rounds are the scope, or '' without a line
    code: str = ""  # FILE:BEGIN-END;... of a line's calls
    reserved_bytes: int = 0  # the final size of a line's arrays that grow by realloc; 0 if none do

    @property
    def title(self) -> str:
        if self.kind == "marker":
            return f'the scope "{self.name}"'
        if self.is_unnamed:
            return f"the function at {self.name}"
        return "main()" if NO_NAME.search(self.name) else f"{self.name}()"

    @property
    def is_line(self) -> bool:
        return self.kind == "line"

    @property
    def is_main(self) -> bool:
        """The scope is the whole program."""
        return self.rank == 4

    @property
    def is_iteration(self) -> bool:
        """It never returns, so that a round of its loop is the scope."""
        return self.is_main or self.loop is not None

    @property
    def is_unnamed(self) -> bool:
        """The function has an address for a name, because its file is stripped."""
        return self.kind != "marker" and not self.is_main and NO_NAME.search(self.name) is not None

    @property
    def object_name(self) -> str:
        return os.path.basename(self.object) or "the program"

    @property
    def with_loop(self) -> str:
        """`the loop of serve() (server.cpp:21)`"""
        return f"the loop of {replace(self, source=self.loop or self.source, inlined='').with_source}"

    @property
    def with_source(self) -> str:
        source = ", ".join(filter(None, (short_source(self.source), self.inlined)))
        title = f"{self.title} ({source})" if source else self.title
        if not self.left_out:
            return title
        places = dict.fromkeys(site.line_within(self.name) for site in self.left_out)
        own_line = short_source(self.source)  # of a function of one line
        shown = dict.fromkeys("some of its own calls" if place == own_line else place for place in places)
        return f"{title}, but not for the blocks of {in_prose(list(shown))}"


def short_source(source: str) -> str:
    """The file name without folders, with its line."""
    return os.path.basename(source)


def find_candidates(profile: Profile, most: int = MOST_CANDIDATES) -> list[Candidate]:
    """The best first."""
    names = Names(profile)
    total = max(profile.figures.allocations, 1)
    marked = profile.markers.scopes if profile.markers else ()
    mains = _mains(profile, names)
    scopes = [make_candidate(names, scope, mains) for scope in (*marked, *profile.scopes)]
    break_evens = {
        entry.scope: entry.break_even.share for entry in profile.almost_contained if entry.break_even
    }
    ids = {scope.function: scope.id for scope in profile.scopes}
    scopes = [replace(scope, break_even=_break_even_share(scope, ids, break_evens)) for scope in scopes]
    promising = [scope for scope in scopes if _is_promising(scope, total)]
    best: list[Candidate] = []
    for candidate in sorted(promising, key=_order):
        if not any(_covers(candidate, better) for better in best):
            best.append(candidate)
    inner = [candidate for candidate in best if candidate.rank < 4]
    return [_with_caller(names, candidate) for candidate in (inner or best)[:most]]


def _break_even_share(
    candidate: Candidate, ids: Mapping[int | None, int | None], shares: Mapping[int, float | None]
) -> float | None:
    scope_id = ids.get(candidate.function) if candidate.function is not None else None
    return shares.get(scope_id) if scope_id is not None else None


def requested_candidates(profile: Profile, scopes: Sequence[Scope]) -> list[Candidate]:
    """The scopes that the user requested, without filtering."""
    names = Names(profile)
    return [_with_caller(names, make_candidate(names, scope)) for scope in scopes]


def requested_line(profile: Profile, line: str) -> Candidate:
    sites, names = line_sites(profile, line), Names(profile)
    return line_candidate(
        names.place_function(sites[0].place),
        names.place_source(sites[0].place),
        [site.code for site in sites],
        add_up([site.figures for site in sites]),
        reserved_bytes(sites),
    )


def line_candidate(
    function: str, source: str, codes: Sequence[str], amount: Amount, reserved_bytes: int = 0
) -> Candidate:
    """A line of the function, which keeps the blocks of its calls."""
    return Candidate(
        name=function,
        asked_as=source,
        source=source,
        kind="line",
        rank=1,
        function=None,
        allocations=amount.allocations,
        bytes=amount.bytes,
        escaped=0,
        alive=0,
        containment=None,
        exact=True,
        owned=0,
        returns=0,
        region_bytes=None,
        peak_p50=None,
        peak_p99=None,
        peak_max=None,
        threads=1,
        code=";".join(codes),
        reserved_bytes=reserved_bytes,
    )


def _with_caller(names: Names, candidate: Candidate) -> Candidate:
    """The candidate with its caller if all its calls are inlined, as far as stacks of sites show."""
    calls = Counter(names.inlined_calls(candidate.function)) if candidate.function is not None else None
    if not calls or None in calls:
        return candidate
    (caller, source), *others = (place for place, _ in calls.most_common() if place)
    more = f" and {len(others)} other place{'s' * (len(others) > 1)}" if others else ""
    return replace(candidate, inlined=f"inlined into {caller} at {short_source(source)}{more}")


def _mains(profile: Profile, names: Names) -> frozenset[int]:
    """The functions that the C library calls. In a stripped program main has no name."""
    nodes = profile.flame.nodes if profile.flame else ()
    called = (
        node.function
        for node in nodes
        if node.parent is not None and CALLS_MAIN.match(names.short(nodes[node.parent].function))
    )
    return frozenset(function for function in called if function is not None)


def make_candidate(names: Names, scope: Scope, mains: frozenset[int] = frozenset()) -> Candidate:
    figures = scope.figures
    peak = scope.activation_peak
    activation_bytes = scope.activation_bytes
    title = names.scope(scope)
    return Candidate(
        name=title,
        asked_as=scope.name or names.full(scope.function),
        source="" if scope.name is not None else names.source(scope.function),
        kind="marker" if scope.name is not None and scope.kind == "marker" else "function",
        rank=4 if scope.name is None and scope.function in mains else _rank(names, scope),
        function=scope.function,
        allocations=figures.allocations,
        bytes=figures.bytes,
        escaped=figures.escaped.allocations if figures.escaped else 0,
        alive=figures.alive.allocations if figures.alive else 0,
        containment=figures.containment,
        exact=exact(scope),
        owned=scope.owned.allocations if scope.owned else 0,
        returns=(scope.rewind.returns if scope.rewind else 0) or 0,
        region_bytes=scope.rewind.peak_bytes if scope.rewind else None,
        peak_p50=peak.below(peak.p50) if peak else None,
        peak_p99=peak.below(peak.p99) if peak else None,
        peak_max=peak.max if peak else None,
        threads=scope.threads or 1,
        escape_sites=lasting_sites(names, scope.escape_sites),
        alive_sites=lasting_sites(names, scope.alive_sites),
        bytes_p50=activation_bytes.below(activation_bytes.p50) if activation_bytes else None,
        bytes_p99=activation_bytes.below(activation_bytes.p99) if activation_bytes else None,
        object="" if scope.name is not None else names.function(scope.function).object or "",
        returns_each_time=_returns_each_time(scope),
        activations=scope.activations.allocating,
        is_open=scope.activations.open == scope.activations.seen,
    )


def _returns_each_time(scope: Scope) -> bool:
    rewinds = (scope.rewind.returns if scope.rewind else None) or 0
    activations = scope.activations.allocating
    return rewinds <= activations or (activations > 1 and not merged(scope))


def lasting_sites(names: Names, sites: Sequence[EscapeSite]) -> tuple[LastingSite, ...]:
    """The heaviest."""
    return tuple(
        LastingSite(
            names.place_function(site.site), names.place_source(site.site), site.allocations, site.code
        )
        for site in sites[:MOST_SITES]
    )


def _rank(names: Names, scope: Scope) -> int:
    if scope.name is not None:
        return 0
    assert scope.function is not None
    name = names.short(scope.function)
    # In stripped libraries the functions that start a thread have no name.
    if is_outermost(name) or (_in_library_file(names, scope.function) and NO_NAME.search(name)):
        return 4
    if is_library(names, scope.function):
        return 3
    return 2 if NO_NAME.search(name) else 1


def is_library(names: Names, function: int) -> bool:
    """True of functions of the C or C++ library, also of templates that the program has instantiated."""
    return _in_library_file(names, function) or LIBRARY.match(names.short(function)) is not None


def is_outermost(name: str) -> bool:
    """True of functions that start the program or a thread."""
    return OUTERMOST.match(name) is not None


def _in_library_file(names: Names, function: int) -> bool:
    file = os.path.basename(names.function(function).object or "")
    return LIBRARY_FILES.match(file) is not None


def _is_promising(candidate: Candidate, total: int) -> bool:
    """True if enough blocks end in the scope. A library function that allocates for its callers
    does not qualify.
    """
    if candidate.allocations < LEAST_SHARE * total:
        return False
    inside = candidate.allocations - candidate.escaped - candidate.alive
    contains = inside >= LEAST_SHARE * total and (candidate.containment or 0.0) >= 0.5
    return contains or candidate.owned >= 0.1 * total


def _order(candidate: Candidate) -> tuple[int, float, int, int]:
    """Marked scopes, then the program's own, then by the number of blocks that reused memory can serve."""
    inside = candidate.allocations - candidate.escaped - candidate.alive
    value = max(candidate.owned, inside * (0.7 if candidate.returns > 1 else 0.4))
    return candidate.rank, -value, -candidate.returns, candidate.function or 0


def _covers(candidate: Candidate, better: Candidate) -> bool:
    most = max(candidate.allocations, better.allocations)
    return (
        abs(candidate.allocations - better.allocations) <= ALLOCATION_TOLERANCE * most
        and candidate.rank >= better.rank
    )


def disjoint(profile: Profile, first: Candidate, second: Candidate) -> bool:
    """True if neither function ran inside the other. False without a flame graph."""
    if first.function is None or second.function is None or profile.flame is None:
        return False
    nodes = profile.flame.nodes
    pair = {first.function, second.function}
    active_by_node: list[frozenset[int]] = []
    for node in nodes:
        outer = active_by_node[node.parent] if node.parent is not None else frozenset()
        active = outer | (frozenset({node.function}) & pair) if node.function is not None else outer
        if len(active) == 2:
            return False
        active_by_node.append(frozenset(active))
    return True
