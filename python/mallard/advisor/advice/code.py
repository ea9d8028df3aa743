"""Writes code to paste: includes, the allocator with its sizes, the types to change, winking out, assertions.

The sizes come from the recording: for a region the bytes that a call allocates, for a pool those that live at
one time. A buffer serves 99 of 100 calls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mallard.advisor.advice.candidates import Candidate, short_source
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.names import Names
from mallard.shared.report.figures import size

LARGEST_BUFFER = 64 << 10  # of a thread's storage
SMALLEST_BUFFER = 256
LEAST_SHARE = 0.02  # of the scope's allocations

LARGEST_FIRST_CHUNK = 8 << 20
REGIONS = ("monotonic", "multipool+monotonic")

MECHANISM = {
    "monotonic": ("mallard::monotonic<>", ("mallard/local/monotonic.hpp",)),
    "multipool": ("mallard::multipool<>", ("mallard/local/multipool.hpp",)),
    "multipool+monotonic": (
        "mallard::multipool<mallard::monotonic<>>",
        ("mallard/local/monotonic.hpp", "mallard/local/multipool.hpp"),
    ),
    "small-object-pool": ("mallard::small_object_pool<>", ("mallard/local/small_object_pool.hpp",)),
    "adaptive-pool": ("adaptive_pools", ("mallard/local/adaptive_pool.hpp",)),
    "heap": ("mallard::heap<>", ("mallard/local/heap.hpp",)),
}
# An adaptive pool has nodes of one size, so the trial has a pool for each.
ADAPTIVE_POOLS = """\
// A pool for each multiple of 16 bytes up to 1 KiB. Larger blocks come from the global heap.
class adaptive_pools {
public:
    void* allocate(std::size_t bytes, std::size_t alignment) {
        return pool(bytes).allocate(rounded(bytes), alignment);
    }
    void deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept {
        pool(bytes).deallocate(block, rounded(bytes), alignment);
    }

private:
    using nodes = mallard::adaptive_pool<>; // the first request fixes the size of the nodes
    static constexpr std::size_t step = 16, largest = nodes::largest_node_bytes;

    static std::size_t index(std::size_t bytes) {
        return (std::clamp<std::size_t>(bytes, 1, largest) - 1) / step;
    }
    static std::size_t rounded(std::size_t bytes) {
        return bytes > largest ? bytes : (index(bytes) + 1) * step;
    }
    nodes& pool(std::size_t bytes) { return pools_[index(bytes)]; }

    std::array<nodes, largest / step> pools_;
};
"""
# Functions of the standard library that allocate, and their containers.
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

# Libraries with containers of their own, and what their users change. What these are made of, such as
# containers of the standard library, is not the user's to change.
BOOST_JSON, NLOHMANN_JSON = "boost::json::value", "nlohmann::json"
LIBRARIES = (
    (re.compile(r"^boost::json::"), BOOST_JSON),
    (re.compile(r"^nlohmann::"), NLOHMANN_JSON),
)
REMEDIES = {
    BOOST_JSON: "boost::json::value, object and array take &json_memory as their storage",
    NLOHMANN_JSON: "nlohmann::json becomes a nlohmann::basic_json with a mallard::static_allocator",
}
JSON_MEMORY = """\

// The same memory, as Boost.JSON takes it.
class json_resource final : public boost::json::memory_resource {
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        return memory.allocate(bytes, alignment);
    }
    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        memory.deallocate(block, bytes, alignment);
    }
    bool do_is_equal(const boost::json::memory_resource& other) const noexcept override {
        return this == &other;
    }
};
inline thread_local json_resource json_memory;
"""


@dataclass(frozen=True)
class TypeChange:
    container: str  # vector, string, ..., or a library's type
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

    @property
    def remedy(self) -> str:
        return REMEDIES.get(self.container) or f"{self.was} becomes {self.becomes}, made with &memory"


def type_changes(profile: Profile, candidate: Candidate) -> list[TypeChange]:
    """The containers whose blocks the scope allocates, most allocations first."""
    names = Names(profile)
    changes: dict[tuple[str, str], TypeChange] = {}
    for site in profile.sites:
        stack = names.stack(site.stacks[0].stack) if site.stacks else ()
        functions = [names.place(place).function for place in stack if place is not None]
        if candidate.function is not None and candidate.function not in functions:
            continue
        inside = (
            functions[: functions.index(candidate.function)] if candidate.function in functions else functions
        )
        kind = _container(names, inside)
        if kind is None or site.figures.allocations < LEAST_SHARE * candidate.allocations:
            continue
        source = names.place_source(site.place)
        previous = changes.get((kind[0], source))
        allocations = site.figures.allocations + (previous.allocations if previous else 0)
        changes[kind[0], source] = TypeChange(*kind, names.place_function(site.place), source, allocations)
    return sorted(changes.values(), key=lambda change: -change.allocations)


def _container(names: Names, functions: list[int]) -> tuple[str, str] | None:
    """The library that allocates, else the container of the innermost function of one: the strings of a map
    belong to the string.
    """
    called = [names.function(number).short_name or names.short(number) for number in functions]
    for name in called:
        for pattern, library in LIBRARIES:
            if pattern.match(name):
                return library, ""
    for name in called:
        for pattern, container, parameters in CONTAINERS:
            if pattern.match(name):
                return container, parameters
    return None


def bytes_needed(strategy: str, candidate: Candidate) -> tuple[float | None, float | None, float | None]:
    """The bytes that half of the calls, 99 of 100 calls and the largest call need. A region holds all blocks
    since the last moment without a live block, a pool the blocks that live at one time. A call that seems to
    need more is several calls that their stacks do not distinguish.
    """
    if strategy in REGIONS:
        most = _most_in_a_region(candidate)
        p99 = candidate.bytes_p99
        if p99 is not None and (most is None or p99 <= most):
            return candidate.bytes_p50, p99, most
        if most is not None:
            return None, most, most
    return candidate.peak_p50, candidate.peak_p99, candidate.peak_max


def _most_in_a_region(candidate: Candidate) -> float | None:
    """The most bytes between two moments without a live block. Without such moments the blocks that live at
    one time, if the stacks do not distinguish the calls.
    """
    if candidate.returns > 1:
        return candidate.region_bytes
    return None if candidate.exact else candidate.peak_max


def buffer_bytes(candidate: Candidate) -> int:
    """Room for 99 of 100 calls in a region, a power of two; 0 if unknown or too large for a buffer."""
    _, p99, most = bytes_needed("monotonic", candidate)
    need = min(p99, most) if p99 and most else p99
    if not need or need > LARGEST_BUFFER:
        return 0
    return max(SMALLEST_BUFFER, _power_of_two(need))


def _power_of_two(bytes_: float) -> int:
    return 1 << (int(bytes_) - 1).bit_length()


def code_for(strategy: str, candidate: Candidate, changes: list[TypeChange], *, threads: bool = False) -> str:
    """Code that compiles, with a place for the function's own code."""
    mechanism, headers = MECHANISM[strategy]
    lines = [f"#include <{header}>" for header in ("mallard/bind/resource.hpp", *headers)]
    if strategy == "monotonic":
        lines.append("#include <mallard/lifetime/checkpoint.hpp>")
    if strategy in REGIONS:
        lines.append("#include <mallard/lifetime/wink_out.hpp>")
    lines.sort()
    kinds = list(dict.fromkeys(change.container for change in changes)) or ["vector"]
    if has_json := BOOST_JSON in kinds:
        lines = ["#include <boost/json.hpp>", "", *lines]
    kinds = [kind for kind in kinds if kind not in REMEDIES]
    standard = sorted(
        {"memory_resource", *(kind.removeprefix("multi") for kind in kinds)}
        | ({"cstddef", "span"} if _has_buffer(strategy, candidate) else set())
        | ({"cstddef"} if has_json else set())
        | (set() if strategy in REGIONS else {"memory"})
        | ({"algorithm", "array", "cstddef"} if strategy == "adaptive-pool" else set())
    )
    lines += ["", *(f"#include <{header}>" for header in standard), "", *_changes(candidate, changes)]
    lines += _memory(strategy, mechanism, candidate)
    if has_json:
        lines += JSON_MEMORY.splitlines()
    lines += _function(strategy, kinds, candidate, has_json=has_json)
    if threads:
        lines += [
            "// thread_local: each thread has its own. Blocks must be freed by the thread that made them."
        ]
    return "\n".join(lines) + "\n"


def _has_buffer(strategy: str, candidate: Candidate) -> bool:
    return strategy == "monotonic" and buffer_bytes(candidate) > 0


def _changes(candidate: Candidate, changes: list[TypeChange]) -> list[str]:
    lines = [f"// In {candidate.with_source if candidate.loop is None else candidate.with_loop}:"]
    lines += [
        f"//   {change.remedy}: {change.function} ({short_source(change.source)})" for change in changes
    ]
    if not changes:
        lines.append("//   give its containers &memory: std::pmr::vector<T>, std::pmr::string, ...")
    if not changes or any(change.container not in REMEDIES for change in changes):
        lines.append(
            "//   and what they hold too: a std::string inside a std::pmr::vector stays on the global heap."
        )
    return [*lines, *_escapes(candidate), ""]


def _escapes(candidate: Candidate) -> list[str]:
    sites = (*candidate.escape_sites, *candidate.alive_sites)
    if not sites:
        return []
    return [
        "// These blocks outlive the scope. Leave them global (std::string, and not std::pmr::string):",
        *dict.fromkeys(f"//   {site.function} ({short_source(site.source)})" for site in sites),
    ]


def _memory(strategy: str, mechanism: str, candidate: Candidate) -> list[str]:
    needs = _render_needs(strategy, candidate)
    if _has_buffer(strategy, candidate):
        capacity = buffer_bytes(candidate)
        most = bytes_needed(strategy, candidate)[2] or 0
        retained = f": up to {size(int(most) - capacity)} a thread" if most > capacity else ""
        return [
            *needs,
            "// The buffer serves 99 of 100 calls. More goes on in chunks,",
            f"// which are kept from call to call{retained}.",
            f"alignas(64) inline thread_local std::byte memory_buffer[{capacity}];",
            f"inline thread_local mallard::resource<{mechanism}> memory{{",
            "    std::span<std::byte>{memory_buffer}};",
        ]
    if strategy in REGIONS:
        return [*needs, *_region(strategy, mechanism, candidate)]
    return [
        *(ADAPTIVE_POOLS.splitlines() if strategy == "adaptive-pool" else []),
        *needs,
        f"inline thread_local mallard::resource<{mechanism}> memory; // keeps its memory from call to call",
    ]


def _render_needs(strategy: str, candidate: Candidate) -> list[str]:
    p50, p99, most = bytes_needed(strategy, candidate)
    if most and p99 == most:
        needs = f"// As recorded, a call needs at most {size(round(most))}"
        if candidate.exact:
            return [f"{needs}."]
        return [f"{needs}, the most that lived together:", "// the stacks do not tell its calls apart."]
    phrases = [
        f"{calls} at most {size(round(need))}"
        for calls, need in (("half of the calls need", p50), ("99 of 100", p99), ("the largest", most))
        if need
    ]
    return [f"// As recorded, {', '.join(phrases)}."] if phrases else []


def _region(strategy: str, mechanism: str, candidate: Candidate) -> list[str]:
    """A region without a buffer. The first chunk is enough for half of the calls."""
    p50, p99, _ = bytes_needed(strategy, candidate)
    first = min(_power_of_two(p50 or p99 or 0), LARGEST_FIRST_CHUNK) if p50 or p99 else 0
    options = f"mallard::monotonic_options{{.growth = {{.first_chunk_bytes = {first}}}}}" if first else ""
    comment = "// keeps its memory from call to call"
    if strategy == "monotonic":
        return [f"inline thread_local mallard::resource<{mechanism}> memory{{{options}}}; {comment}"]
    return [
        f"inline thread_local mallard::monotonic<> region{{{options}}}; {comment}",
        f"inline thread_local mallard::resource<{mechanism}> memory{{region}};",
    ]


def _function(strategy: str, kinds: list[str], candidate: Candidate, *, has_json: bool) -> list[str]:
    guard: list[str] = []
    if strategy == "monotonic":
        guard = ["    mallard::checkpoint rewound{memory.mechanism()}; // first, so that it ends last"]
    if strategy == "multipool+monotonic":
        guard = [
            "    struct released_on_return {",
            "        ~released_on_return() {",
            "            memory.release();",
            "            region.rewind();",
            "        }",
            "    } last; // first, so that it ends last; not in a function that calls itself",
        ]
    declared = _document(strategy) if has_json else []
    if kinds:
        declared += _winked_out(kinds) if strategy in REGIONS else _destroyed(kinds)
    return [
        "",
        "inline void in_the_scope() {",
        *guard,
        *declared,
        f"    // ... the code of {_code_to_wrap(strategy, candidate)}",
        *(f"    static_cast<void>(c{number});" for number in range(len(kinds))),
        "}",
    ]


def _code_to_wrap(strategy: str, candidate: Candidate) -> str:
    if candidate.returns_each_time or strategy not in REGIONS:
        return "the function"
    return "a round of the loop" if candidate.is_iteration else "the function, or of a round of its loop"


def _document(strategy: str) -> list[str]:
    if strategy not in REGIONS:
        return ["    [[maybe_unused]] boost::json::value document(boost::json::storage_ptr{&json_memory});"]
    return [
        "    // No destructor runs: a document owns nothing but this memory.",
        "    [[maybe_unused]] auto& document = mallard::wink_out<boost::json::value>(",
        "        mallard::assume_winkable, memory, boost::json::storage_ptr{&json_memory});",
    ]


def _winked_out(kinds: list[str]) -> list[str]:
    """wink_out rejects, at compile time, a type that owns anything but this memory."""
    return [
        "    // No destructor runs. A type that owns more than this memory does not compile",
        f"    // (mallard::winkable). For such a one: {_type(kinds[0])} c0{{&memory}};",
        *(
            f"    auto& c{number} = mallard::wink_out<{_type(kind)}>(memory);"
            for number, kind in enumerate(kinds)
        ),
    ]


def _destroyed(kinds: list[str]) -> list[str]:
    lines = []
    for number, kind in enumerate(kinds):
        takes = f"std::uses_allocator_v<decltype(c{number}), std::pmr::polymorphic_allocator<>>"
        lines += [
            f"    {_type(kind)} c{number}{{&memory}};",
            f'    static_assert({takes}, "it would stay on the global heap");',
        ]
    return lines


def _type(kind: str) -> str:
    parameters = next((arguments for _, name, arguments in CONTAINERS if name == kind), "T")
    types = parameters.replace("Key", "int").replace("T", "int")
    return f"std::pmr::{kind}{f'<{types}>' if types else ''}"
