"""Scopes of a profile that are worth a trial.

Scopes nest, and most functions of a stack make the same blocks. Of scopes with nearly the same number of
allocations one is kept: the one that owns most of them, because that one can use its memory again soonest.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mallard.profile.containment import exact
from mallard.profile.document import Profile
from mallard.profile.names import Names
from mallard.profile.scopes import EscapeSite, Scope
from mallard.selection import in_prose

MOST_CANDIDATES = 5
LEAST_SHARE = 0.02  # of the program's allocations
SAME_ALLOCATIONS = 0.02  # two scopes differ by less
MOST_SITES = 3

LIBRARY = re.compile(r"^(?:std::|__gnu_cxx::|operator |void\* operator|__cxa|_IO_|__GI_|__vf)")
LIBRARY_FILES = re.compile(r"^(?:libstdc\+\+|libc\+\+|libc|libm|libpthread|ld-linux[\w-]*)\.so")
OUTERMOST = re.compile(r"^(?:main|_start|__libc_start\w*|start_thread|__?clone3?|call_init|_dl_\w+)$")
CALLS_MAIN = re.compile(r"^__libc_start_(?:call_)?main")
NO_NAME = re.compile(r"\+0x[0-9a-f]+$")


@dataclass(frozen=True)
class LastingSite:
    """A place whose blocks outlive the scope, or the recording."""

    function: str
    source: str
    allocations: int
    code: str = ""  # FILE:BEGIN-END of the call, as trial/setting.hpp has it; '' if it is in no file


@dataclass(frozen=True)
class Candidate:
    name: str  # for people
    asked_as: str  # the whole name, as mallard-profile knows it
    source: str  # file:line, or the library
    kind: str  # "function" or "marker"
    rank: int  # 0 marked, 1 the program's own function, 2 a nameless one, 3 the library's, 4 main and outside
    function: int | None
    allocations: int
    bytes: int
    escaped: int
    alive: int
    containment: float | None
    exact: bool
    owned: int
    returns: int  # how often no block of an activation was live
    region_bytes: int | None  # the most bytes allocated between two such moments
    peak_p50: float | None
    peak_p99: float | None
    peak_max: float | None
    threads: int
    escape_sites: tuple[LastingSite, ...] = ()
    alive_sites: tuple[LastingSite, ...] = ()  # of blocks that are alive at the end
    break_even: float | None = None  # containment from which a region pays, by the price of the operations
    bytes_p50: float | None = None  # made by one activation, freed or not
    bytes_p99: float | None = None
    left_out: tuple[LastingSite, ...] = ()  # their blocks stay global: the trial is of the other blocks

    @property
    def title(self) -> str:
        if self.kind == "marker":
            return f'the scope "{self.name}"'
        if NO_NAME.search(self.name):
            return "main()" if self.is_main else f"the function at {self.name}"
        return f"{self.name}()"

    @property
    def is_main(self) -> bool:
        """The scope is the whole program."""
        return self.rank == 4

    @property
    def has_a_name(self) -> bool:
        return self.rank < 2 or not NO_NAME.search(self.name)

    @property
    def with_source(self) -> str:
        title = f"{self.title} ({short_source(self.source)})" if self.source else self.title
        if not self.left_out:
            return title
        places = in_prose(list(dict.fromkeys(f"{each.function}()" for each in self.left_out)))
        return f"{title}, but not for the blocks of {places}"


def short_source(source: str) -> str:
    """Without folders."""
    return os.path.basename(source)


def candidates_of(profile: Profile, most: int = MOST_CANDIDATES) -> list[Candidate]:
    """The best first."""
    names = Names(profile)
    of_all = max(profile.figures.allocations, 1)
    marked = profile.markers.scopes if profile.markers else ()
    mains = _mains(profile, names)
    every = [candidate(names, scope, mains) for scope in (*marked, *profile.scopes)]
    evens = {each.scope: each.break_even.share for each in profile.almost_contained if each.break_even}
    ids = {scope.function: scope.id for scope in profile.scopes}
    every = [replace(each, break_even=_even_of(each, ids, evens)) for each in every]
    found = [each for each in every if _promises(each, of_all)]
    best: list[Candidate] = []
    for each in sorted(found, key=_order):
        if not any(_same_blocks(each, other) for other in best):
            best.append(each)
    inner = [each for each in best if each.rank < 4]
    return (inner or best)[:most]


def _even_of(
    each: Candidate, ids: Mapping[int | None, int | None], evens: Mapping[int, float | None]
) -> float | None:
    number = ids.get(each.function) if each.function is not None else None
    return evens.get(number) if number is not None else None


def named(profile: Profile, asked: Sequence[Scope]) -> list[Candidate]:
    """The scopes that the user asked for, as they were found."""
    names = Names(profile)
    return [candidate(names, scope) for scope in asked]


def _mains(profile: Profile, names: Names) -> frozenset[int]:
    """The functions that the C library calls: main has no name in a stripped program."""
    nodes = profile.flame.nodes if profile.flame else ()
    called = (
        node.function
        for node in nodes
        if node.parent is not None and CALLS_MAIN.match(names.short(nodes[node.parent].function))
    )
    return frozenset(function for function in called if function is not None)


def candidate(names: Names, scope: Scope, mains: frozenset[int] = frozenset()) -> Candidate:
    figures = scope.figures
    peak = scope.activation_peak
    made = scope.activation_bytes
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
        escape_sites=_sites(names, scope.escape_sites),
        alive_sites=_sites(names, scope.alive_sites),
        bytes_p50=made.below(made.p50) if made else None,
        bytes_p99=made.below(made.p99) if made else None,
    )


def _sites(names: Names, rows: Sequence[EscapeSite]) -> tuple[LastingSite, ...]:
    return tuple(
        LastingSite(
            names.place_function(each.site), names.place_source(each.site), each.allocations, _code(each)
        )
        for each in rows[:MOST_SITES]
    )


def _code(site: EscapeSite) -> str:
    if site.file is None or site.instruction is None:
        return ""
    return f"{site.file}:{site.instruction:x}-{site.instruction + 1:x}"


def _rank(names: Names, scope: Scope) -> int:
    if scope.name is not None:
        return 0
    function = names.function(scope.function)
    name = names.short(scope.function)
    if OUTERMOST.match(name):
        return 4
    if LIBRARY.match(name) or LIBRARY_FILES.match(os.path.basename(function.object or "")):
        return 3
    return 2 if NO_NAME.search(name) else 1


def _promises(each: Candidate, of_all: int) -> bool:
    """Enough blocks, and some that end in the scope: a library's function that makes blocks for others
    is none."""
    if each.allocations < LEAST_SHARE * of_all:
        return False
    inside = each.allocations - each.escaped - each.alive
    contains = inside >= LEAST_SHARE * of_all and (each.containment or 0.0) >= 0.5
    return contains or each.owned >= 0.1 * of_all


def _order(each: Candidate) -> tuple[int, float, int, int]:
    """Marked scopes, then the program's own, then by the blocks that can be served from memory used again."""
    inside = each.allocations - each.escaped - each.alive
    value = max(each.owned, inside * (0.7 if each.returns > 1 else 0.4))
    return each.rank, -value, -each.returns, each.function or 0


def _same_blocks(one: Candidate, other: Candidate) -> bool:
    most = max(one.allocations, other.allocations)
    return abs(one.allocations - other.allocations) <= SAME_ALLOCATIONS * most and one.rank >= other.rank


def disjoint(profile: Profile, one: Candidate, other: Candidate) -> bool:
    """True if neither function was seen inside the other. Without a flame graph nothing is known."""
    if one.function is None or other.function is None or profile.flame is None:
        return False
    nodes = profile.flame.nodes
    both = {one.function, other.function}
    above: list[frozenset[int]] = []
    for node in nodes:
        outer = above[node.parent] if node.parent is not None else frozenset()
        here = outer | (frozenset({node.function}) & both) if node.function is not None else outer
        if len(here) == 2:
            return False
        above.append(frozenset(here))
    return True
