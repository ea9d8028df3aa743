"""The library's own strategies beside the papers' fourteen, by kind."""

from __future__ import annotations

from mallard.strategy_names import is_winked, of_papers

# Orders in which a pool reuses freed blocks.
REUSES = ("multipool-last", "multipool-first", "multipool-lowest", "multipool-hybrid", "multipool-random")
BASE = "new-delete"  # that every ratio is to
KEEP = "new-delete-keep"  # with the page return of the C library off
# The floors, of a row and of two calls that do nothing, new-delete on a platform that keeps its pages, other
# orders of reuse, and allocators that threads share.
BESIDE_PAPERS = {
    "null": "none: memory that is already there",
    "null/base": "none: two calls that do nothing",
    "new-delete-keep": "global default, page return off",
    "multipool-last": "multipool, last freed first",
    "multipool-first": "multipool, first freed first",
    "multipool-lowest": "multipool, lowest address first",
    "multipool-hybrid": "multipool, a magazine before bitmaps",
    "multipool-random": "multipool, reuse at random (the worst case)",
    "synchronized-multipool": "one synchronized multipool for all threads",
    "concurrent-multipool": "one concurrent multipool for all threads",
    "multipool-burst": "multipool, many nodes at a call",
}
# The library's other allocators, in the order of tables: pools of blocks of one or of small sizes, and the
# heap, also behind vectors that ask it to grow in place.
LIBRARY = {
    "fast-fit": "multipool with classes at powers of two",
    "fixed-pool": "blocks of one size",
    "fixed-pool-burst": "blocks of one size, many at a call",
    "static-pool": "blocks of one size, named by a type",
    "class-new": "operator new of the class over a fixed pool",
    "fixed-string": "blocks of the largest string, one size",
    "small-object-pool": "small objects, metadata apart from them",
    "adaptive-pool": "adaptive pool, overhead of 2 % at most",
    "adaptive-pool-burst": "adaptive pool, 2 %, many nodes at a call",
    "adaptive-pool-aligned": "adaptive pool without sub-blocks",
    "adaptive-pool-aligned-burst": "adaptive pool without sub-blocks, many nodes at a call",
    "heap": "coalescing heap",
    "heap/wink": "coalescing heap",
    "heap/base": "coalescing heap",
    "heap/base/wink": "coalescing heap",
    "heap-burst": "coalescing heap, many blocks at a call",
    "region-heap": "coalescing heap in a fixed region",
    "heap-v1": "heap behind a Boost vector that copies",
    "heap-v2-masked": "heap that tells the size it gave",
    "heap-v2": "heap that grows and shrinks in place",
    "region-heap-v2": "the same in a fixed region",
}
BURST = "-burst"  # ends the name of what takes and gives back many nodes at once
MASKED = "-masked"  # what could grow in place, and is told not to
# Those that serve any request for a block, one at a time, and have no type of their own to serve.
POOLS = (
    *("fast-fit", "fixed-pool", "small-object-pool", "adaptive-pool", "adaptive-pool-aligned"),
    *("heap", "heap/base"),
)
# The heap as the papers' allocators are: each binding, both ways to end.
HEAPS = ("heap", "heap/wink", "heap/base", "heap/base/wink")
# Behind boost::container::vector, with an allocator of version 1, or of 2, which may let it grow in place.
VECTORS = ("heap-v1", "heap-v2-masked", "heap-v2", "region-heap-v2")
# One for the process, of nodes: no part of what asks for large blocks, or has threads.
STATIC = "static-pool"
# One allocator for all threads.
SHARED = ("synchronized-multipool", "concurrent-multipool")
# What stands beside other libraries' pools of one size wherever those take part.
OF_ONE_SIZE = ("fixed-pool", STATIC)
# Of the papers' strategies, what uses freed blocks again and is not winked out.
RECYCLING = tuple(
    name for name in of_papers() if not is_winked(name) and name not in ("monotonic", "monotonic/base")
)
