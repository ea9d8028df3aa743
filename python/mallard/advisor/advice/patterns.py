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

from mallard.advisor.advice.candidates import LIBRARY, short_source
from mallard.advisor.advice.ceiling import FEW_OPERATIONS, WORTH_DOING, Ceiling
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names, short_name
from mallard.advisor.profile.records import NOTHING, Amount, ControlCalls, Pair, Site
from mallard.advisor.trial.campaign import LEAST_EFFECT
from mallard.advisor.trial.scope_code import reserved_bytes
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
COPY_NS_A_BYTE = 0.05  # 20 GB/s: a low price, because an estimate must not promise too much
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
    names = Names(profile)
    by_site = [
        _with_code(profile, site, pattern)
        for site in profile.sites
        if (
            pattern := _coroutine(profile, names, site)
            or _reallocated(profile, names, site)
            or _ladder(profile, names, site)
            or _concatenated(profile, names, site)
            or _copied(profile, names, site)
            or _at_once(profile, names, site, ceiling)
            or _few_at_once(profile, names, site, ceiling)
        )
    ]
    patterns = [
        *_merge(by_site),
        *_owners(profile, names),
        *_pooled(profile, names),
        *_single(profile, names),
        *_shared(profile, names),
        *find_control_calls(profile, ceiling),
    ]
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


def _at_site(
    names: Names,
    site: Site,
    kind: str,
    part: float,
    reason: str,
    remedy: str,
    estimated_seconds: float | None = None,
) -> Pattern:
    """A pattern of all blocks of a site, which are this part of the program's."""
    function, source = names.place_function(site.place), names.place_source(site.place)
    return Pattern(kind, function, source, site.figures.allocations, part, reason, remedy, estimated_seconds)


def _ladder(profile: Profile, names: Names, site: Site) -> Pattern | None:
    """A container that grows step by step, again and again."""
    figures = site.figures
    grower, grown = find_growth(names, site)
    part, ladders = _share(profile, grown.allocations), _ladders(site)
    if part < LEAST_SHARE or not ladders or grown.allocations < LEAST_STEPS * ladders:
        return None
    if (figures.size_classes or len(figures.sizes)) < LEAST_CLASSES:
        return None
    if not _are_freed_by_grower(profile, names, site):
        return None
    saved = (grown.allocations - ladders) * 2 * _operation_ns(profile) + grown.bytes / 2 * COPY_NS_A_BYTE
    container_name = container(grower)
    return replace(
        _at_site(
            names,
            site,
            "reserve",
            part,
            f"{container_name} grows in {grown.allocations / ladders:.1f} steps, {count(ladders)} times, up "
            f"to {size(figures.largest)}",
            f"reserve() before it is filled, or one {container_name} that is cleared and used again",
            saved * 1e-9,
        ),
        allocations=grown.allocations,
    )


def _reallocated(profile: Profile, names: Names, site: Site) -> Pattern | None:
    """An array that grows by realloc, with the factor that its bytes grow by in a step: the growth of long
    arrays counts most.
    """
    growth, allocations = site.growth, site.figures.allocations
    part = _share(profile, allocations)
    if growth is None or part < LEAST_SHARE or 2 * growth.allocations < allocations or not growth.from_bytes:
        return None
    factor = growth.to_bytes / growth.from_bytes
    arrays = max(growth.final_allocations or allocations - growth.allocations, 1)
    if allocations < LEAST_STEPS * arrays:
        return None
    saved = growth.allocations * 2 * _operation_ns(profile) + growth.from_bytes * COPY_NS_A_BYTE
    doubled = f"a capacity that is doubled, not multiplied by {factor:.2f}, " if factor < SLOW_GROWTH else ""
    pattern = _at_site(
        names,
        site,
        "reserve",
        part,
        f"an array grows by realloc in {allocations / arrays:.1f} steps by a factor of {factor:.2f}, "
        f"{plural(arrays, 'time')}, up to {size(site.figures.largest)}",
        f"{doubled}{'or ' if doubled else ''}the final size before the array is filled, or one array that is "
        "used again",
        saved * 1e-9,
    )
    return replace(pattern, reserved_bytes=reserved_bytes([site]))


def _are_freed_by_grower(profile: Profile, names: Names, site: Site) -> bool:
    """True if listed pairs show that a growing container frees most blocks. Otherwise they are of different
    containers, which were filled once.
    """
    pairs = _pairs(profile, site)
    return 2 * _count_grown(names, pairs) >= max(sum(pair.allocations for pair in pairs), 1)


def _pairs(profile: Profile, site: Site) -> list[Pair]:
    """Those of the site's heaviest stacks, as far as they are listed."""
    stacks = {stack.stack for stack in site.stacks}
    return [pair for pair in profile.pairs if pair.allocated in stacks]


def _count_grown(names: Names, pairs: Sequence[Pair]) -> int:
    """The blocks that a growing container freed."""
    return sum(pair.allocations for pair in pairs if _is_freed_by_grower(names, pair.freed))


def _concatenated(profile: Profile, names: Names, site: Site) -> Pattern | None:
    """Strings of several operator+ in one expression: another one is on the line, or an intermediate string
    grows.
    """
    part = _share(profile, site.figures.allocations)
    if part < LEAST_SHARE or not inner_function(names, site, CONCATENATES):
        return None
    is_chain = any(
        other is not site and other.place == site.place and inner_function(names, other, CONCATENATES)
        for other in profile.sites
    )
    grown = _count_grown(names, _pairs(profile, site))
    if not is_chain and not grown:
        return None
    return _at_site(
        names,
        site,
        "reserve",
        part,
        f"{count(site.figures.allocations)} blocks are of strings that a chain of operator+ makes",
        "one string with reserve() for all lengths, then append() for each part",
        grown * 2 * _operation_ns(profile) * 1e-9 if grown else None,
    )


def _coroutine(profile: Profile, names: Names, site: Site) -> Pattern | None:
    """Frames: blocks of one size that a function makes itself which is the beginning of a coroutine. Its body
    must have been on a stack.
    """
    figures = site.figures
    part = _share(profile, figures.allocations)
    if part < LEAST_SHARE or figures.smallest != figures.largest or not site.stacks:
        return None
    begin = names.place(site.place).function
    made_by = names.stack(site.stacks[0].stack)[:1]
    if made_by != (site.place,) or not _begins_coroutine(profile, names, begin):
        return None
    return _at_site(
        names,
        site,
        "coroutine",
        part,
        f"its {count(figures.allocations)} blocks of {size(figures.largest)} are frames of the coroutine",
        "an operator new of its promise type, which takes them from a pool or an arena of the caller",
        figures.allocations * 2 * _operation_ns(profile) * 1e-9,
    )


def _begins_coroutine(profile: Profile, names: Names, function: int) -> bool:
    """True if a function of the same name is the body of a coroutine, and this one is not."""
    bodies = (number for number, other in enumerate(profile.functions) if COROUTINE_BODY.search(other.name))
    is_body = COROUTINE_BODY.search(names.full(function))
    return not is_body and any(names.short(body) == names.short(function) for body in bodies)


def _is_freed_by_grower(names: Names, stack: int | None) -> bool:
    functions = (
        names.function(names.place(place).function) for place in names.stack(stack) if place is not None
    )
    inner = itertools.islice(
        (function.short_name or function.name for function in functions), LEVELS_TO_GROWER
    )
    return any(GROWS.search(name) for name in inner)


def _ladders(site: Site) -> int:
    """The minimum number of containers that grew; 0 if some block is always live.

    Several may grow at a time. Each passes through a size class at most once, so there were as many as the
    fullest class has blocks.
    """
    returns = site.returns or 0
    fullest = max((allocations for _, allocations, _ in site.figures.sizes), default=0)
    return max(returns, fullest) if returns >= 2 else 0


def _copied(profile: Profile, names: Names, site: Site) -> Pattern | None:
    """Blocks of copies. Copies that die at once have an estimate: the original could have been used."""
    figures = site.figures
    part = _share(profile, figures.allocations)
    type_name = _copied_type(names, site) if part >= LEAST_SHARE else ""
    if not type_name:
        return None
    saved = figures.allocations * 2 * _operation_ns(profile) + figures.bytes * COPY_NS_A_BYTE
    return _at_site(
        names,
        site,
        "move",
        part,
        f"its {count(figures.allocations)} blocks are copies of {type_name}",
        "std::move if the original is not used again, or a reference or a view instead of the copy",
        saved * 1e-9 if _dies_at_once(site) else None,
    )


def _copied_type(names: Names, site: Site) -> str:
    """The type that the site copies; empty if it copies nothing."""
    for stack in site.stacks[:1]:
        for place in names.stack(stack.stack):
            if place is not None:
                name = names.function(names.place(place).function).name
                match = COPIES_INSIDE.match(name) or COPIES.match(name)
                if match and match.groupdict().get("from", match["of"]) == match["of"]:
                    type_name = short_name(match["of"])
                    return container(type_name) if LIBRARY.match(type_name) else type_name
            if place == site.place:
                break
    return ""


def _dies_at_once(site: Site) -> bool:
    return (site.returns or 0) >= FREED_AT_ONCE * site.figures.allocations


def _single(profile: Profile, names: Names) -> list[Pattern]:
    """The function that makes most blocks, one per call: a region has nothing to gather there."""
    scopes = [
        scope
        for scope in profile.scopes
        if scope.activations.allocating
        and scope.figures.allocations <= ONE_A_CALL * scope.activations.allocating
        and _share(profile, scope.figures.allocations) >= OWNED_SHARE
        and (scope.figures.containment or 0.0) >= FREED_AT_ONCE
        and not LIBRARY.match(names.short(scope.function))
    ]
    most = max(scopes, key=lambda scope: scope.figures.allocations, default=None)
    if most is None:
        return []
    allocations = most.figures.allocations
    return [
        Pattern(
            "single",
            names.short(most.function),
            names.source(most.function),
            allocations,
            _share(profile, allocations),
            f"makes one block a call, {count(allocations)} in all, so an allocator of its own has nothing to "
            "gather",
            "a buffer on the stack, or memory of its caller",
        )
    ]


def _with_code(profile: Profile, site: Site, pattern: Pattern) -> Pattern:
    """Frames of coroutines are not tried as kept blocks, because their remedy is an operator."""
    can_try = pattern.kind != "coroutine" and (_are_few(profile, site) or pattern.reserved_bytes > 0)
    return replace(pattern, code=site.code if can_try else "", bytes=site.figures.bytes)


def _are_few(profile: Profile, site: Site) -> bool:
    """True if the site may have so few live blocks that they can be kept. A site has the sum of its stacks'
    peaks.
    """
    owners = max(site.contexts or 1, profile.process.threads or 1)
    return (site.peak_bytes or 0) <= MOST_KEPT * (site.figures.largest or 0) * owners


def _fault_seconds(profile: Profile, site: Site, ceiling: Ceiling | None) -> float:
    """The time of the page faults of a site whose memory is requested again and again, by its bytes."""
    if ceiling is None:
        return 0.0
    new = max(0, site.figures.bytes - (site.peak_bytes or 0))
    return ceiling.fault_seconds * new / max(profile.figures.bytes, 1)


def _is_frequent(profile: Profile, site: Site, ceiling: Ceiling | None) -> bool:
    """True of many requests, and of few large ones whose page faults take time."""
    allocations = site.figures.allocations
    if allocations >= 100 and _share(profile, allocations) >= LEAST_SHARE:
        return True
    least = WORTH_DOING * ceiling.program_seconds if ceiling else 0.0
    return 0.0 < least <= _fault_seconds(profile, site, ceiling)


def _few_at_once(profile: Profile, names: Names, site: Site, ceiling: Ceiling | None) -> Pattern | None:
    """Many blocks, of which few are live at a time."""
    figures = site.figures
    if not _are_few(profile, site) or not _is_frequent(profile, site, ceiling):
        return None
    saved = figures.allocations * 2 * _operation_ns(profile) * 1e-9 + _fault_seconds(profile, site, ceiling)
    return Pattern(
        "temporary",
        names.place_function(site.place),
        names.place_source(site.place),
        figures.allocations,
        _share(profile, figures.allocations),
        f"of its {count(figures.allocations)} blocks of up to {size(figures.largest)} few are live at a time",
        "objects that are kept, cleared and used again",
        saved,
    )


def _at_once(profile: Profile, names: Names, site: Site, ceiling: Ceiling | None) -> Pattern | None:
    """One block at a time, freed before the next one is made."""
    figures = site.figures
    part = _share(profile, figures.allocations)
    if not _is_frequent(profile, site, ceiling) or not _dies_at_once(site):
        return None
    if (figures.largest or 0) > SMALL_BYTES:
        remedy = "one buffer that is cleared and used again"
    else:
        remedy = (
            f"a buffer of {size(figures.largest)} on the stack, or one object that is cleared and used again"
        )
    return _at_site(
        names,
        site,
        "reuse",
        part,
        f"each of its {count(figures.allocations)} blocks{_large(figures.largest)} is freed before it makes "
        "the next one",
        remedy,
        figures.allocations * 2 * _operation_ns(profile) * 1e-9 + _fault_seconds(profile, site, ceiling),
    )


def _large(largest: int | None) -> str:
    return f", of up to {size(largest)}," if (largest or 0) > SMALL_BYTES else ""


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


def _owners(profile: Profile, names: Names) -> list[Pattern]:
    """Objects whose destructor frees the blocks of many calls."""
    return [
        Pattern(
            "owner",
            owner.class_,
            names.source(owner.function),
            owner.allocations,
            part,
            f"its destructor frees {count(owner.blocks_a_call)} blocks a call, which {count(owner.stacks)} "
            "different stacks made",
            "an allocator as a member of the class, from which its parts take their memory",
        )
        for owner in profile.owners
        if owner.class_
        and not LIBRARY.match(owner.class_)
        and (owner.blocks_a_call or 0) >= 8
        and (part := _share(profile, owner.allocations)) >= OWNED_SHARE
    ]


def _pooled(profile: Profile, names: Names) -> list[Pattern]:
    return [
        Pattern(
            "pooled",
            names.place_function(pool.place),
            names.place_source(pool.place),
            pool.blocks,
            _share(profile, pool.blocks),
            f"takes {count(pool.blocks)} chunks, {share(pool.bytes / max(profile.figures.bytes, 1))} of all "
            "bytes: a pool or an arena is there already",
            "nothing to do here; what it serves is not seen by malloc",
        )
        for pool in profile.already_pooled
        if pool.named and pool.bytes >= POOLED_BYTES * profile.figures.bytes
    ]


def _shared(profile: Profile, names: Names) -> list[Pattern]:
    """Blocks without a single owner, which a region must not hold."""
    patterns = []
    by_others = profile.figures.freed_by_other_thread
    if by_others and _share(profile, by_others.allocations) >= BY_OTHERS:
        patterns.append(
            Pattern(
                "shared",
                "the program",
                "",
                by_others.allocations,
                _share(profile, by_others.allocations),
                f"{count(by_others.allocations)} blocks are freed by another thread than their maker",
                "a pool that threads share, or the global allocator: no region of one thread",
            )
        )
    for site in profile.sites:
        if _share(profile, site.figures.allocations) >= LEAST_SHARE and inner_function(names, site, SHARED):
            patterns.append(
                Pattern(
                    "shared",
                    names.place_function(site.place),
                    names.place_source(site.place),
                    site.figures.allocations,
                    _share(profile, site.figures.allocations),
                    f"{count(site.figures.allocations)} blocks belong to std::shared_ptr, so the last holder "
                    "frees them",
                    "std::allocate_shared with a pool; a region only if all holders end with it",
                )
            )
    return patterns


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
    listed = Amount(
        sum(stack.allocations for stack in site.stacks), sum(stack.bytes for stack in site.stacks)
    )
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


def _share(profile: Profile, allocations: int) -> float:
    return allocations / max(profile.figures.allocations, 1)


def _operation_ns(profile: Profile) -> float:
    """Of few operations, one that was interrupted would decide: their page faults alone count."""
    if profile.process.events < FEW_OPERATIONS:
        return 0.0
    return profile.figures.dimension("D").ns_per_operation or 0.0
