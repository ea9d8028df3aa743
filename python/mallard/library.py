"""The library's own strategies beside the papers' fourteen, by kind."""

from __future__ import annotations

from mallard.strategy_names import is_winked, of_papers

# Orders in which a pool reuses freed blocks.
REUSES = ("multipool-last", "multipool-first", "multipool-lowest", "multipool-hybrid", "multipool-random")
BASE = "new-delete"  # that every ratio is to
KEEP = "new-delete-keep"  # with the page return of the C library off
# The library's own beside the papers' fourteen, in the order of tables.
LIBRARY = (
    "fast-fit",
    "fixed-pool",
    "fixed-pool-burst",
    "static-pool",
    "class-new",
    "fixed-string",
    "small-object-pool",
    "adaptive-pool",
    "adaptive-pool-burst",
    "adaptive-pool-aligned",
    "adaptive-pool-aligned-burst",
    "heap",
    "heap/wink",
    "heap/base",
    "heap/base/wink",
    "heap-burst",
    "region-heap",
    "heap-v1",
    "heap-v2-masked",
    "heap-v2",
    "region-heap-v2",
)
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
