"""Contenders: allocators of other libraries, measured beside mallard's, and the libraries that have them.

A contender is one strategy of the runner; a peer is the library that it is of. The mallocs of a whole
process (`mallard.mallocs`) are peers too: their strategies are new-delete
and new-delete/base under each, and the C library's is what those are by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mallard import described, mallocs
from mallard.library import KEEP, STATIC, VECTORS
from mallard.strategy_names import WINK_MARK


@dataclass(frozen=True)
class Library:
    name: str  # as its authors write it
    word: str  # that selects its contenders
    package: str = ""  # of Debian 12; empty: it comes with the compiler
    header: str = ""  # below a folder of headers
    library: str = ""  # how its file's name begins, where there must be one to link with
    topic: str = ""  # of the doctor's line, where the name alone would not say what was looked for


@dataclass(frozen=True)
class Contender:
    name: str
    library: str
    heads: tuple[str, str]  # its column, below the library's name
    text: str
    largest_block: int | None = None  # bytes that it is compiled for; None: any

    @property
    def experiments(self) -> tuple[str, ...]:
        """Those that have it."""
        return tuple(name for name in described.EXPERIMENTS if self.name in described.names_in(name))

    @property
    def label(self) -> str:
        """Its heads in one line."""
        first, second = self.heads
        return first[:-1] + second if first.endswith("-") else f"{first} {second}".strip()


LIBRARIES = {
    each.name: each
    for each in (
        Library("std::pmr", "pmr"),
        Library("Boost.Pool", "boost", "libboost-dev", "boost/pool/pool.hpp"),
        Library(
            "Boost.Container",
            "boost",
            "libboost-container-dev",
            "boost/container/adaptive_pool.hpp",
            "libboost_container.",
        ),
        Library(
            "foonathan/memory",
            "foonathan",
            "libfoonathan-memory-dev",
            "foonathan_memory/*/*/memory_pool.hpp",
            "libfoonathan_memory",
        ),
        Library("Loki", "loki", "libloki-dev", "loki/SmallObj.h", "libloki."),
        Library(
            "mimalloc", "mimalloc", "libmimalloc-dev", "mimalloc.h", "libmimalloc.", topic="mimalloc's heaps"
        ),
        Library(
            "Boost.Interprocess",
            "boost",
            "libboost-dev",
            "boost/interprocess/managed_external_buffer.hpp",
        ),
        Library(mallocs.OWN, "libc"),
    )
}

LARGEST_NODE = 64  # bytes

_NORMAL = (
    Contender(
        "pmr-monotonic",
        "std::pmr",
        ("mono-", "tonic"),
        "std::pmr::monotonic_buffer_resource",
    ),
    Contender(
        "pmr-unsynchronized",
        "std::pmr",
        ("unsyn-", "chron."),
        "std::pmr::unsynchronized_pool_resource",
    ),
    Contender(
        "pmr-synchronized",
        "std::pmr",
        ("synchro-", "nized"),
        "std::pmr::synchronized_pool_resource",
    ),
    Contender("boost-pool", "Boost.Pool", ("pool", ""), "boost::pool"),
    Contender(
        "boost-object-pool",
        "Boost.Pool",
        ("object", "pool"),
        "boost::object_pool",
        largest_block=LARGEST_NODE,
    ),
    Contender(
        "boost-fast-pool",
        "Boost.Pool",
        ("fast", "pool"),
        "boost::fast_pool_allocator",
        largest_block=LARGEST_NODE,
    ),
    Contender(
        "boost-pmr-monotonic",
        "Boost.Container",
        ("pmr", "mono"),
        "boost::container::pmr::monotonic_buffer_resource",
    ),
    Contender(
        "boost-pmr-unsynchronized",
        "Boost.Container",
        ("pmr un-", "synchr."),
        "boost::container::pmr::unsynchronized_pool_resource",
    ),
    Contender(
        "boost-adaptive-pool",
        "Boost.Container",
        ("adaptive", "pool"),
        "boost::container::adaptive_pool",
        largest_block=LARGEST_NODE,
    ),
    Contender(
        "boost-adaptive-pool-burst",
        "Boost.Container",
        ("adaptive", "burst"),
        "boost::container::adaptive_pool, many nodes at a call",
    ),
    Contender(
        "boost-node",
        "Boost.Container",
        ("node", ""),
        "boost::container::node_allocator",
        largest_block=LARGEST_NODE,
    ),
    Contender(
        "boost-node-burst",
        "Boost.Container",
        ("node", "burst"),
        "boost::container::node_allocator, many nodes at a call",
    ),
    Contender(
        "boost-allocator",
        "Boost.Container",
        ("alloca-", "tor"),
        "boost::container::allocator, over Doug Lea's malloc",
    ),
    Contender(
        "boost-allocator-burst",
        "Boost.Container",
        ("allocator", "burst"),
        "boost::container::allocator, many nodes at a call",
    ),
    Contender(
        "boost-allocator-v1",
        "Boost.Container",
        ("allocator", "v1"),
        "boost::container::allocator, version 1: a vector that copies",
    ),
    Contender(
        "boost-allocator-v2-masked",
        "Boost.Container",
        ("allocator", "v2 mask"),
        "boost::container::allocator, version 2, told not to grow in place",
    ),
    Contender(
        "boost-allocator-v2",
        "Boost.Container",
        ("allocator", "v2"),
        "boost::container::allocator, version 2: grows and shrinks in place",
    ),
    Contender("foonathan-node", "foonathan/memory", ("node", "pool"), "memory_pool<node_pool>"),
    Contender("foonathan-array", "foonathan/memory", ("array", "pool"), "memory_pool<array_pool>"),
    Contender("foonathan-small", "foonathan/memory", ("small", "node"), "memory_pool<small_node_pool>"),
    Contender(
        "foonathan-collection",
        "foonathan/memory",
        ("collec-", "tion"),
        "memory_pool_collection<node_pool, log2_buckets>",
    ),
    Contender("foonathan-stack", "foonathan/memory", ("stack", ""), "memory_stack"),
    Contender("foonathan-temporary", "foonathan/memory", ("tempo-", "rary"), "temporary_allocator"),
    Contender("loki", "Loki", ("small", "object"), "Loki::SmallObjAllocator"),
    Contender("mimalloc-heap", "mimalloc", ("mi_heap", ""), "mi_heap_new, mi_heap_destroy"),
    Contender(
        "boost-interprocess",
        "Boost.Interprocess",
        ("best fit", ""),
        "boost::interprocess::rbtree_best_fit over memory of the process",
    ),
    Contender(
        "boost-interprocess-v2",
        "Boost.Interprocess",
        ("best fit", "v2"),
        "boost::interprocess::allocator, version 2: grows and shrinks in place",
    ),
    Contender(
        "realloc",
        mallocs.OWN,
        ("realloc", ""),
        "a vector that grows and shrinks by realloc()",
    ),
)
# Those that take everything back at once have a second strategy, as monotonic has monotonic/wink.
_WINKED_OUT = (
    *("pmr-monotonic", "pmr-unsynchronized", "boost-pmr-monotonic", "boost-pmr-unsynchronized"),
    *("foonathan-stack", "foonathan-temporary", "mimalloc-heap"),
)


def _with_winked(normal: Contender) -> tuple[Contender, ...]:
    if normal.name not in _WINKED_OUT:
        return (normal,)
    winked = replace(
        normal,
        name=f"{normal.name}{WINK_MARK}",
        heads=(normal.label, "wink"),
        text=f"{normal.text}, winked out",
    )
    return normal, winked


CONTENDERS = {each.name: each for normal in _NORMAL for each in _with_winked(normal)}
# Peers in the order of tables: the mallocs of a whole process, then what a program links with.
PEERS = tuple(dict.fromkeys((*mallocs.NAMES, *LIBRARIES)))
# What stands behind the containers of a library that is not its own: without that one there is none of it.
BEHIND = dict.fromkeys((*VECTORS, "boost-interprocess-v2"), "Boost.Container")
# Word -> the contenders that it selects; the first selects all.
GROUPS = {
    "peers": tuple(CONTENDERS),
    **{
        word: tuple(name for name, each in CONTENDERS.items() if LIBRARIES[each.library].word == word)
        for word in dict.fromkeys(library.word for library in LIBRARIES.values())
    },
}


def own_strategies(experiment: str) -> list[str]:
    """Of an experiment, without those of other libraries."""
    return [name for name in described.names_in(experiment) if name not in CONTENDERS]


def peer_of(strategy: str) -> str:
    """The peer that has a strategy; empty for mallard's own, for a floor, and for what we do not know."""
    if strategy in CONTENDERS:
        return CONTENDERS[strategy].library
    plain, malloc = mallocs.split(strategy)
    is_global = plain in (*mallocs.GLOBAL_STRATEGIES, KEEP)
    return (malloc or mallocs.OWN) if is_global else ""


def serves(strategy: str, block_bytes: int) -> bool:
    """Whether blocks of this size are what a strategy is compiled for; most serve all sizes."""
    compiled = {STATIC: LARGEST_NODE, **{each.name: each.largest_block for each in CONTENDERS.values()}}
    largest = compiled.get(strategy)
    return largest is None or block_bytes <= largest
