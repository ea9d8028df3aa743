"""Code to paste: includes, the allocator with its sizes, the types to change, winking out, assertions.

The sizes come from the recording: of a region, the most bytes between two moments without a live block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mallard.advice.candidates import Candidate, short_source
from mallard.profile.document import Profile
from mallard.profile.names import Names
from mallard.profile.words import size

LARGEST_BUFFER = 64 << 10  # of a thread's storage
SMALLEST_BUFFER = 256
LEAST_SHARE = 0.02  # of the scope's allocations

MECHANISM = {
    "monotonic": ("mallard::monotonic<>", ("mallard/local/monotonic.hpp",)),
    "multipool": ("mallard::multipool<>", ("mallard/local/multipool.hpp",)),
    "multipool+monotonic": (
        "mallard::multipool<mallard::monotonic<>>",
        ("mallard/local/monotonic.hpp", "mallard/local/multipool.hpp"),
    ),
    "small-object-pool": ("mallard::small_object_pool<>", ("mallard/local/small_object_pool.hpp",)),
    "adaptive-pool": ("mallard::multipool<>", ("mallard/local/multipool.hpp",)),
    "heap": ("mallard::heap<>", ("mallard/local/heap.hpp",)),
}
# The standard library's functions that allocate, and the containers that they belong to.
CONTAINERS = (
    (re.compile(r"^std::(?:__cxx11::)?(?:basic_)?string\b|^std::operator\+"), "string", ""),
    (re.compile(r"^std::(?:_Vector_base|vector)<"), "vector", "T"),
    (re.compile(r"^std::(?:_Deque_base|deque)<"), "deque", "T"),
    (re.compile(r"^std::(?:__cxx11::)?(?:_List_base|list)<"), "list", "T"),
    (re.compile(r"^std::(?:_Fwd_list_base|forward_list)<"), "forward_list", "T"),
    (re.compile(r"^std::map<"), "map", "Key, T"),
    (re.compile(r"^std::multimap<"), "multimap", "Key, T"),
    (re.compile(r"^std::set<"), "set", "Key"),
    (re.compile(r"^std::multiset<"), "multiset", "Key"),
    (re.compile(r"^std::unordered_map<"), "unordered_map", "Key, T"),
    (re.compile(r"^std::unordered_set<"), "unordered_set", "Key"),
)


@dataclass(frozen=True)
class TypeChange:
    container: str  # vector, string, ...
    parameters: str
    function: str
    source: str
    allocations: int

    @property
    def was(self) -> str:
        return f"std::{self.container}{f'<{self.parameters}>' if self.parameters else ''}"

    @property
    def becomes(self) -> str:
        return self.was.replace("std::", "std::pmr::", 1)


def type_changes(profile: Profile, candidate: Candidate) -> list[TypeChange]:
    """The standard containers whose blocks the scope makes, the most blocks first."""
    names = Names(profile)
    found: dict[tuple[str, str], TypeChange] = {}
    for site in profile.sites:
        stack = names.stack(site.stacks[0].stack) if site.stacks else ()
        functions = [names.place(place).function for place in stack if place is not None]
        if candidate.function is not None and candidate.function not in functions:
            continue
        kind = _container(names, functions)
        if kind is None or site.figures.allocations < LEAST_SHARE * candidate.allocations:
            continue
        source = names.place_source(site.place)
        before = found.get((kind[0], source))
        made = site.figures.allocations + (before.allocations if before else 0)
        found[kind[0], source] = TypeChange(*kind, names.place_function(site.place), source, made)
    return sorted(found.values(), key=lambda each: -each.allocations)


def _container(names: Names, functions: list[int]) -> tuple[str, str] | None:
    """Of the innermost function that belongs to one: a map's strings are made by the string."""
    for number in functions:
        name = names.function(number).short_name or names.short(number)
        for pattern, container, parameters in CONTAINERS:
            if pattern.match(name):
                return container, parameters
    return None


def buffer_bytes(candidate: Candidate) -> int:
    """Room for what the scope needs before it has no live block; a power of two. 0 if that is too much for a
    buffer, or is not known."""
    need = candidate.region_bytes if candidate.returns > 1 else candidate.peak_p99
    if not need or need > LARGEST_BUFFER:
        return 0
    return max(SMALLEST_BUFFER, 1 << (int(need) - 1).bit_length())


def code_for(strategy: str, candidate: Candidate, changes: list[TypeChange], *, threads: bool = False) -> str:
    """Code that compiles as it is, with a place for the function's own code."""
    mechanism, headers = MECHANISM[strategy]
    lines = [f"#include <{header}>" for header in ("mallard/bind/resource.hpp", *headers)]
    if strategy == "monotonic":
        lines.insert(1, "#include <mallard/lifetime/checkpoint.hpp>")
    kinds = list(dict.fromkeys(each.container for each in changes)) or ["vector"]
    standard = sorted(
        {"cstddef", "memory_resource", *(kind.removeprefix("multi") for kind in kinds)}
        | ({"span"} if _has_buffer(strategy, candidate) else set())
    )
    lines += ["", *(f"#include <{header}>" for header in standard), "", *_changes(candidate, changes)]
    lines += _memory(strategy, mechanism, candidate)
    lines += _function(strategy, kinds)
    if threads:
        lines += [
            "// thread_local: each thread has its own. Blocks must be freed by the thread that made them."
        ]
    return "\n".join(lines) + "\n"


def _has_buffer(strategy: str, candidate: Candidate) -> bool:
    return strategy == "monotonic" and buffer_bytes(candidate) > 0


def _changes(candidate: Candidate, changes: list[TypeChange]) -> list[str]:
    lines = [f"// In {candidate.with_source}:"]
    lines += [
        f"//   {each.was} becomes {each.becomes}, made with &memory: "
        f"{each.function} ({short_source(each.source)})"
        for each in changes
    ]
    if not changes:
        lines.append("//   give its containers &memory: std::pmr::vector<T>, std::pmr::string, ...")
    lines.append(
        "//   and what they hold too: a std::string inside a std::pmr::vector stays on the global heap."
    )
    return [*lines, *_escapes(candidate), ""]


def _escapes(candidate: Candidate) -> list[str]:
    if not candidate.escaped:
        return []
    return [
        "// These blocks outlive the scope. Leave them global (std::string, and not std::pmr::string):",
        *(f"//   {each.function} ({short_source(each.source)})" for each in candidate.escape_sites),
    ]


def _memory(strategy: str, mechanism: str, candidate: Candidate) -> list[str]:
    room = buffer_bytes(candidate)
    if _has_buffer(strategy, candidate):
        need = candidate.region_bytes if candidate.returns > 1 else candidate.peak_p99
        return [
            f"// One call needs at most {size(need)}, as recorded. More goes on in chunks, which are kept.",
            f"alignas(64) inline thread_local std::byte memory_buffer[{room}];",
            f"inline thread_local mallard::resource<{mechanism}> memory{{",
            "    std::span<std::byte>{memory_buffer}};",
            "static_assert(mallard::rewindable<mallard::monotonic<>>);",
        ]
    if strategy == "multipool+monotonic":
        return [
            "inline thread_local mallard::monotonic<> region;",
            f"inline thread_local mallard::resource<{mechanism}> memory{{region}};",
            "static_assert(mallard::local_allocator<mallard::multipool<mallard::monotonic<>>>);",
        ]
    also = ["// It was tried as adaptive pools, one a size; a multipool has a pool for each size, too."]
    return [
        *(also if strategy == "adaptive-pool" else []),
        f"inline thread_local mallard::resource<{mechanism}> memory; // keeps its memory from call to call",
        f"static_assert(mallard::local_allocator<{mechanism}>);",
    ]


def _function(strategy: str, kinds: list[str]) -> list[str]:
    inside = [f"    {_declared(kind, number)}" for number, kind in enumerate(kinds)]
    uses = [f"    static_cast<void>(c{number});" for number in range(len(kinds))]
    before: list[str] = []
    if strategy == "monotonic":
        before = ["    mallard::checkpoint rewound{memory.mechanism()}; // first, so that it ends last"]
    if strategy == "multipool+monotonic":
        before = [
            "    struct released_on_return {",
            "        ~released_on_return() {",
            "            memory.release();",
            "            region.rewind();",
            "        }",
            "    } last; // first, so that it ends last; not in a function that calls itself",
        ]
    return [
        "",
        "inline void in_the_scope() {",
        *before,
        *inside,
        "    // ... the code of the function",
        *uses,
        "}",
        *_winking(strategy, kinds),
    ]


def _declared(kind: str, number: int) -> str:
    parameters = next((given for _, name, given in CONTAINERS if name == kind), "T")
    types = parameters.replace("Key", "int").replace("T", "int")
    return f"std::pmr::{kind}{f'<{types}>' if types else ''} c{number}{{&memory}};"


def _winking(strategy: str, kinds: list[str]) -> list[str]:
    if strategy not in ("monotonic", "multipool+monotonic"):
        return []
    declared = _declared(kinds[0], 0).partition(" c0")[0]
    return [
        "",
        "// A container that holds nothing but memory of this allocator can end without its destructor:",
        "//   #include <mallard/lifetime/wink_out.hpp>",
        f"//   auto& c0 = mallard::wink_out<{declared}>(memory);",
        "// The compiler refuses types that own anything else (mallard::winkable).",
    ]
