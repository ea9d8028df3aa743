"""Advice other than an allocator: named patterns of a profile, each with a threshold, a reason and a remedy.

Savings are estimated, from the operations and page faults that the remedy avoids and their measured price.
Estimates only order the patterns. The first ones whose line could keep its blocks are tried.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mallard.advisor.advice.candidates import LIBRARY, Candidate, line_candidate, short_source
from mallard.advisor.advice.ceiling import FEW_OPERATIONS, WORTH_DOING, Ceiling
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names, short_name
from mallard.advisor.profile.records import NOTHING, Amount, ControlCalls, Pair, Site, add_up
from mallard.advisor.trial.campaign import LEAST_EFFECT
from mallard.advisor.trial.scope_code import is_line, reserved_bytes
from mallard.shared.report.figures import count, plural, share, size

LEAST_SHARE = 0.05  # of the program's allocations
LEAST_STEPS = 2.5  # allocations per ladder
LEAST_CLASSES = 3
FREED_AT_ONCE = 0.95
SMALL_BYTES = 4096
POOLED_BYTES = 0.1  # of the program's bytes
BY_OTHERS = 0.05
OWNED_SHARE = 0.1
ONE_A_CALL = 1.1
COPY_SECONDS_A_BYTE = 0.05e-9  # 20 GB/s: a low price, because an estimate must not promise too much
SLOW_GROWTH = 1.4  # factor of an array's steps
MOST_PATTERNS = 5
LEVELS_TO_GROWER = 6  # from the call that frees
MOST_KEPT = 8  # blocks of a line in a trial, as in advisor/trial/strategy.cpp

GROWS = re.compile(
    r"std::(?:vector<.*|deque<.*|_Hashtable<.*|string|basic_string<.*)::"
    r"(?:_M_realloc_insert|_M_realloc_append|_M_default_append|_M_range_insert|_M_fill_insert|_M_rehash\w*"
    r"|_M_mutate|_M_append|_M_reallocate_map)"
)
# What allocates for the function that asks for a block.
ALLOCATES = re.compile(r"(?:^|::| )(?:operator new(?:\[\])?|allocate|_[MS]_(?:allocate|create)\w*)(?:<>)?$")
BUILT_AT_ONCE = re.compile(r"std::(?:operator\+|string::_M_construct|string::string|to_string)")
# X::X(X const&), X::operator=(X const&), and the functions that the library's containers call for them.
COPIES = re.compile(r"^(?P<of>.+)::(?:operator=|\w+)\((?P<from>.+) const&\)")
COPIES_INSIDE = re.compile(r"^(?:[\w:<>*&, ]* )?(?P<of>std::.+?)::(?:_M_copy|_M_assign)\b")
CONTAINER_NAMES = {
    "std::_Hashtable": "the hash table",
    "std::_Rb_tree": "a map or a set",
    "std::basic_string": "std::string",
}
CONCATENATES = re.compile(r"^std::operator\+")
# The body of a coroutine, which gcc names by its frame, and clang by parts.
COROUTINE_BODY = re.compile(r"\.Frame\*\)|\[clone \.(?:actor|resume|destroy|cleanup)\b")
CONTROL_REMEDIES = {
    "malloc_trim": "call it once, after a peak, and not in each round",
    "mallinfo": "ask less often, as for each report",
    "mallinfo2": "ask less often, as for each report",
    "mallopt": "set the option once, at the start, or in GLIBC_TUNABLES",
}
SHARED = re.compile(r"_Sp_counted|std::(?:allocate_shared|make_shared|__shared_count)")


@dataclass(frozen=True)
class Pattern:
    kind: str  # reserve, reuse, temporary, coroutine, move, single, owner, pooled, shared, call
    function: str
    source: str  # file:line to jump to
    allocations: int
    share: float  # of the program's allocations
    reason: str
    remedy: str
    estimated_seconds: float | None = None  # estimated saving; of a control call its measured time
    code: str = ""  # FILE:BEGIN-END;... of the line's calls; empty if they are not tried
    bytes: int = 0
    call: str = ""  # the function of malloc, of a control call
    reserved_bytes: int = 0  # the final size of its arrays, if they grow by realloc

    @property
    def where(self) -> str:
        function = f"{self.call} at {self.function}" if self.call else self.function
        return f"{function} ({short_source(self.source)})" if self.source else function

    def times(self, part: float) -> Pattern:
        """With an estimate of another clock. A control call is timed in elapsed time."""
        if self.estimated_seconds is None or self.call:
            return self
        return replace(self, estimated_seconds=part * self.estimated_seconds)


def find_patterns(profile: Profile, ceiling: Ceiling | None = None) -> list[Pattern]:
    """The largest estimate first, then patterns without an estimate. `ceiling` has the page faults."""
    patterns = [*_Finder(profile, ceiling).find(), *find_control_calls(profile, ceiling)]
    return sorted(patterns, key=lambda pattern: -(pattern.estimated_seconds or 0.0))[:MOST_PATTERNS]


def find_control_calls(profile: Profile, ceiling: Ceiling | None = None) -> list[Pattern]:
    """Lines that call malloc_trim and the like for 1 % of the program's time or more, longest first."""
    names = Names(profile)
    total = ceiling.program_seconds if ceiling else profile.busy_seconds
    by_line: dict[tuple[str, int], list[ControlCalls]] = {}
    for each in profile.control_calls:
        by_line.setdefault((each.name, each.place), []).append(each)
    patterns = [
        Pattern(
            "call",
            names.place_function(place),
            names.place_source(place),
            0,
            0.0,
            f"measured in {plural(sum(each.calls for each in group), 'call')}",
            CONTROL_REMEDIES[name],
            seconds,
            call=name,
        )
        for (name, place), group in by_line.items()
        if (seconds := sum(each.seconds for each in group)) >= LEAST_EFFECT * total
    ]
    return sorted(patterns, key=lambda pattern: -(pattern.estimated_seconds or 0.0))


class _Finder:
    def __init__(self, profile: Profile, ceiling: Ceiling | None) -> None:
        self._profile, self._ceiling, self._names = profile, ceiling, Names(profile)
        # Of few operations, one that was interrupted would decide: their page faults alone count.
        is_timed = profile.process.events >= FEW_OPERATIONS
        operation_ns = profile.figures.dimension("D").ns_per_operation if is_timed else 0.0
        self._block_seconds = 2 * (operation_ns or 0.0) * 1e-9  # of a request and a free

    def find(self) -> Iterator[Pattern]:
        by_site = [
            self._with_code(site, pattern)
            for site in self._profile.sites
            if (
                pattern := self._coroutine(site)
                or self._reallocated(site)
                or self._ladder(site)
                or self._concatenated(site)
                or self._copied(site)
                or self._at_once(site)
                or self._few_at_once(site)
            )
        ]
        yield from _merge(by_site)
        yield from self._owners()
        yield from self._pooled()
        yield from self._single()
        yield from self._shared()

    def _share(self, allocations: int) -> float:
        return allocations / max(self._profile.figures.allocations, 1)

    def _pattern(
        self, kind: str, site: Site, reason: str, remedy: str, seconds: float | None = None, blocks: int = 0
    ) -> Pattern:
        """Of all blocks of a site, or of so many."""
        blocks = blocks or site.figures.allocations
        function = self._names.place_function(site.place)
        source = self._names.place_source(site.place)
        return Pattern(kind, function, source, blocks, self._share(blocks), reason, remedy, seconds)

    def _ladder(self, site: Site) -> Pattern | None:
        """A container that grows step by step, again and again."""
        figures = site.figures
        grower, grown = find_growth(self._names, site)
        blocks, ladders = grown.allocations, _ladders(site)
        if self._share(blocks) < LEAST_SHARE or not ladders or blocks < LEAST_STEPS * ladders:
            return None
        if (figures.size_classes or len(figures.sizes)) < LEAST_CLASSES:
            return None
        if not self._are_freed_by_grower(site):
            return None
        grows = container(grower)
        return self._pattern(
            "reserve",
            site,
            f"{grows} grows in {blocks / ladders:.1f} steps, {count(ladders)} times, up to "
            f"{size(figures.largest)}",
            f"reserve() before it is filled, or one {grows} that is cleared and used again",
            (blocks - ladders) * self._block_seconds + grown.bytes / 2 * COPY_SECONDS_A_BYTE,
            blocks,
        )

    def _reallocated(self, site: Site) -> Pattern | None:
        """An array that grows by realloc, with the factor of its bytes in a step: the growth of long arrays
        counts most.
        """
        growth, blocks = site.growth, site.figures.allocations
        if growth is None or self._share(blocks) < LEAST_SHARE:
            return None
        if 2 * growth.allocations < blocks or not growth.from_bytes:
            return None
        factor = growth.to_bytes / growth.from_bytes
        arrays = max(growth.final_allocations or blocks - growth.allocations, 1)
        if blocks < LEAST_STEPS * arrays:
            return None
        doubled = f"a capacity that is doubled, not multiplied by {factor:.2f}, or " * (factor < SLOW_GROWTH)
        pattern = self._pattern(
            "reserve",
            site,
            f"an array grows by realloc in {blocks / arrays:.1f} steps by a factor of {factor:.2f}, "
            f"{plural(arrays, 'time')}, up to {size(site.figures.largest)}",
            f"{doubled}the final size before the array is filled, or one array that is used again",
            growth.allocations * self._block_seconds + growth.from_bytes * COPY_SECONDS_A_BYTE,
        )
        return replace(pattern, reserved_bytes=reserved_bytes([site]))

    def _are_freed_by_grower(self, site: Site) -> bool:
        """True if listed pairs show that a growing container frees most blocks. Otherwise they are of
        different containers, which were filled once.
        """
        pairs = self._pairs(site)
        return 2 * self._count_grown(pairs) >= max(sum(pair.allocations for pair in pairs), 1)

    def _pairs(self, site: Site) -> list[Pair]:
        """Those of the site's heaviest stacks, as far as they are listed."""
        stacks = {stack.stack for stack in site.stacks}
        return [pair for pair in self._profile.pairs if pair.allocated in stacks]

    def _count_grown(self, pairs: Sequence[Pair]) -> int:
        """The blocks that a growing container freed."""
        return sum(pair.allocations for pair in pairs if self._is_freed_by_grower(pair.freed))

    def _is_freed_by_grower(self, stack: int | None) -> bool:
        names = self._names
        places = (place for place in names.stack(stack) if place is not None)
        functions = (names.function(names.place(place).function) for place in places)
        inner = itertools.islice(functions, LEVELS_TO_GROWER)
        return any(GROWS.search(function.short_name or function.name) for function in inner)

    def _concatenated(self, site: Site) -> Pattern | None:
        """Strings of several operator+ in one expression: another one is on the line, or an intermediate
        string grows.
        """
        names, blocks = self._names, site.figures.allocations
        if self._share(blocks) < LEAST_SHARE or not inner_function(names, site, CONCATENATES):
            return None
        is_chain = any(
            other is not site and other.place == site.place and inner_function(names, other, CONCATENATES)
            for other in self._profile.sites
        )
        grown = self._count_grown(self._pairs(site))
        if not is_chain and not grown:
            return None
        return self._pattern(
            "reserve",
            site,
            f"{count(blocks)} blocks are of strings that a chain of operator+ makes",
            "one string with reserve() for all lengths, then append() for each part",
            grown * self._block_seconds if grown else None,
        )

    def _coroutine(self, site: Site) -> Pattern | None:
        """Frames: blocks of one size that a function makes itself which is the beginning of a coroutine. Its
        body must have been on a stack.
        """
        figures = site.figures
        if self._share(figures.allocations) < LEAST_SHARE or figures.smallest != figures.largest:
            return None
        made_by = self._names.stack(site.stacks[0].stack)[:1] if site.stacks else ()
        if made_by != (site.place,) or not self._begins_coroutine(self._names.place(site.place).function):
            return None
        return self._pattern(
            "coroutine",
            site,
            f"its {count(figures.allocations)} blocks of {size(figures.largest)} are frames of the coroutine",
            "an operator new of its promise type, which takes them from a pool or an arena of the caller",
            figures.allocations * self._block_seconds,
        )

    def _begins_coroutine(self, function: int) -> bool:
        """True if a function of the same name is the body of a coroutine, and this one is not."""
        names, functions = self._names, self._profile.functions
        bodies = (number for number, other in enumerate(functions) if COROUTINE_BODY.search(other.name))
        is_body = COROUTINE_BODY.search(names.full(function))
        return not is_body and any(names.short(body) == names.short(function) for body in bodies)

    def _copied(self, site: Site) -> Pattern | None:
        """Blocks of copies. Copies that die at once have an estimate: the original could have been used."""
        blocks = site.figures.allocations
        type_name = self._copied_type(site) if self._share(blocks) >= LEAST_SHARE else ""
        if not type_name:
            return None
        saved = blocks * self._block_seconds + site.figures.bytes * COPY_SECONDS_A_BYTE
        return self._pattern(
            "move",
            site,
            f"its {count(blocks)} blocks are copies of {type_name}",
            "std::move if the original is not used again, or a reference or a view instead of the copy",
            saved if _dies_at_once(site) else None,
        )

    def _copied_type(self, site: Site) -> str:
        """The type that the site copies; empty if it copies nothing."""
        names = self._names
        for place in names.stack(site.stacks[0].stack) if site.stacks else ():
            if place is not None:
                name = names.function(names.place(place).function).name
                match = COPIES_INSIDE.match(name) or COPIES.match(name)
                if match and match.groupdict().get("from", match["of"]) == match["of"]:
                    type_name = short_name(match["of"])
                    return container(type_name) if LIBRARY.match(type_name) else type_name
            if place == site.place:
                break
        return ""

    def _single(self) -> Iterator[Pattern]:
        """The function that makes most blocks, one per call: a region has nothing to gather there."""
        names = self._names
        scopes = [
            scope
            for scope in self._profile.scopes
            if scope.activations.allocating
            and scope.figures.allocations <= ONE_A_CALL * scope.activations.allocating
            and self._share(scope.figures.allocations) >= OWNED_SHARE
            and (scope.figures.containment or 0.0) >= FREED_AT_ONCE
            and not LIBRARY.match(names.short(scope.function))
        ]
        if most := max(scopes, key=lambda scope: scope.figures.allocations, default=None):
            blocks = most.figures.allocations
            yield Pattern(
                "single",
                names.short(most.function),
                names.source(most.function),
                blocks,
                self._share(blocks),
                f"makes one block a call, {count(blocks)} in all, so an allocator of its own has nothing to "
                "gather",
                "a buffer on the stack, or memory of its caller",
            )

    def _with_code(self, site: Site, pattern: Pattern) -> Pattern:
        """Frames of coroutines are not tried as kept blocks, because their remedy is an operator."""
        can_try = pattern.kind != "coroutine" and (self._are_few(site) or pattern.reserved_bytes > 0)
        return replace(pattern, code=site.code if can_try else "", bytes=site.figures.bytes)

    def _are_few(self, site: Site) -> bool:
        """True if the site may have so few live blocks that they can be kept. A site has the sum of its
        stacks' peaks.
        """
        owners = max(site.contexts or 1, self._profile.process.threads or 1)
        return (site.peak_bytes or 0) <= MOST_KEPT * (site.figures.largest or 0) * owners

    def _fault_seconds(self, site: Site) -> float:
        """The time of the page faults of a site whose memory is requested again and again, by its bytes."""
        if self._ceiling is None:
            return 0.0
        new = max(0, site.figures.bytes - (site.peak_bytes or 0))
        return self._ceiling.fault_seconds * new / max(self._profile.figures.bytes, 1)

    def _is_frequent(self, site: Site) -> bool:
        """True of many requests, and of few large ones whose page faults take time."""
        blocks = site.figures.allocations
        if blocks >= 100 and self._share(blocks) >= LEAST_SHARE:
            return True
        least = WORTH_DOING * self._ceiling.program_seconds if self._ceiling else 0.0
        return 0.0 < least <= self._fault_seconds(site)

    def _few_at_once(self, site: Site) -> Pattern | None:
        """Many blocks, of which few are live at a time."""
        blocks, largest = site.figures.allocations, size(site.figures.largest)
        if not self._are_few(site) or not self._is_frequent(site):
            return None
        return self._pattern(
            "temporary",
            site,
            f"of its {count(blocks)} blocks of up to {largest} few are live at a time",
            "objects that are kept, cleared and used again",
            blocks * self._block_seconds + self._fault_seconds(site),
        )

    def _at_once(self, site: Site) -> Pattern | None:
        """One block at a time, freed before the next one is made."""
        blocks, largest = site.figures.allocations, size(site.figures.largest)
        if not self._is_frequent(site) or not _dies_at_once(site):
            return None
        is_large = (site.figures.largest or 0) > SMALL_BYTES
        sizes = f", of up to {largest}," if is_large else ""
        again = "that is cleared and used again"
        return self._pattern(
            "reuse",
            site,
            f"each of its {count(blocks)} blocks{sizes} is freed before it makes the next one",
            f"one buffer {again}"
            if is_large
            else f"a buffer of {largest} on the stack, or one object {again}",
            blocks * self._block_seconds + self._fault_seconds(site),
        )

    def _owners(self) -> Iterator[Pattern]:
        """Objects whose destructor frees the blocks of many calls."""
        for owner in self._profile.owners:
            part = self._share(owner.allocations)
            if not owner.class_ or LIBRARY.match(owner.class_) or (owner.blocks_a_call or 0) < 8:
                continue
            if part >= OWNED_SHARE:
                yield Pattern(
                    "owner",
                    owner.class_,
                    self._names.source(owner.function),
                    owner.allocations,
                    part,
                    f"its destructor frees {count(owner.blocks_a_call)} blocks a call, which "
                    f"{count(owner.stacks)} different stacks made",
                    "an allocator as a member of the class, from which its parts take their memory",
                )

    def _pooled(self) -> Iterator[Pattern]:
        total = self._profile.figures.bytes
        for pool in self._profile.already_pooled:
            if pool.named and pool.bytes >= POOLED_BYTES * total:
                yield Pattern(
                    "pooled",
                    self._names.place_function(pool.place),
                    self._names.place_source(pool.place),
                    pool.blocks,
                    self._share(pool.blocks),
                    f"takes {count(pool.blocks)} chunks, {share(pool.bytes / max(total, 1))} of all bytes: a "
                    "pool or an arena is there already",
                    "nothing to do here; what it serves is not seen by malloc",
                )

    def _shared(self) -> Iterator[Pattern]:
        """Blocks without a single owner, which a region must not hold."""
        by_others = self._profile.figures.freed_by_other_thread
        if by_others and (part := self._share(by_others.allocations)) >= BY_OTHERS:
            yield Pattern(
                "shared",
                "the program",
                "",
                by_others.allocations,
                part,
                f"{count(by_others.allocations)} blocks are freed by another thread than their maker",
                "a pool that threads share, or the global allocator: no region of one thread",
            )
        for site in self._profile.sites:
            blocks = site.figures.allocations
            if self._share(blocks) >= LEAST_SHARE and inner_function(self._names, site, SHARED):
                yield self._pattern(
                    "shared",
                    site,
                    f"{count(blocks)} blocks belong to std::shared_ptr, so the last holder frees them",
                    "std::allocate_shared with a pool; a region only if all holders end with it",
                )


def _ladders(site: Site) -> int:
    """The minimum number of containers that grew; 0 if some block is always live.

    Several may grow at a time. Each passes through a size class at most once, so there were as many as the
    fullest class has blocks.
    """
    returns = site.returns or 0
    fullest = max((allocations for _, allocations, _ in site.figures.sizes), default=0)
    return max(returns, fullest) if returns >= 2 else 0


def _dies_at_once(site: Site) -> bool:
    return (site.returns or 0) >= FREED_AT_ONCE * site.figures.allocations


def _merge(patterns: list[Pattern]) -> list[Pattern]:
    """One pattern for each kind and line: a line may have several sites, which a trial serves together."""
    by_line: dict[tuple[str, str], list[Pattern]] = {}
    for pattern in patterns:
        by_line.setdefault((pattern.kind, pattern.source or pattern.function), []).append(pattern)
    return [
        replace(
            max(group, key=lambda pattern: pattern.allocations),
            code=";".join(pattern.code for pattern in group if pattern.code),
        )
        for group in by_line.values()
    ]


def inner_function(names: Names, site: Site, wanted: re.Pattern[str]) -> str:
    """The first function inside of the site whose name matches; empty if there is none."""
    inner = (name for stack in site.stacks[:1] for name in _inner_functions(names, site, stack.stack))
    return next((name for name in inner if wanted.search(name)), "")


def _inner_functions(names: Names, site: Site, stack: int) -> Iterator[str]:
    for place in names.stack(stack):
        if place is None or place == site.place:
            return
        yield names.short(names.place(place).function)


def find_growth(names: Names, site: Site) -> tuple[str, Amount]:
    """The function that grows a container at the site, and its blocks, by the share of the listed stacks in
    which it asks for the block itself, not for an element.
    """
    growers: Counter[str] = Counter()
    bytes_ = 0
    for stack in site.stacks:
        inner = list(_inner_functions(names, site, stack.stack))
        grower = next((name for name in inner if not ALLOCATES.search(name)), "")
        if GROWS.search(grower) and not any(map(BUILT_AT_ONCE.search, inner)):
            growers[grower] += stack.allocations
            bytes_ += stack.bytes
    if not growers:
        return "", NOTHING
    listed = add_up(site.stacks)
    grown = Amount(
        site.figures.allocations * growers.total() // max(listed.allocations, 1),
        site.figures.bytes * bytes_ // max(listed.bytes, 1),
    )
    return max(growers, key=growers.__getitem__), grown


def container(function: str) -> str:
    """`std::vector` for `std::vector<int>::_M_realloc_insert<int>`."""
    match = re.match(r"(std::\w+)", function)
    name = match[1] if match else "the container"
    return CONTAINER_NAMES.get(name, name)


def find_lines(patterns: Sequence[Pattern], most: int, least_seconds: float) -> list[Candidate]:
    """The lines of the first patterns that a trial can follow, if that may save so much."""
    by_source: dict[str, list[Pattern]] = {}
    for pattern in patterns:
        if pattern.code and is_line(pattern.source) and (pattern.estimated_seconds or 0.0) >= least_seconds:
            by_source.setdefault(pattern.source, []).append(pattern)
    return [
        line_candidate(
            group[0].function,
            source,
            [pattern.code for pattern in group],
            Amount(sum(pattern.allocations for pattern in group), sum(pattern.bytes for pattern in group)),
            max(pattern.reserved_bytes for pattern in group),
        )
        for source, group in list(by_source.items())[:most]
    ]
