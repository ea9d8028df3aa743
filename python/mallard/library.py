"""The library's own strategies beside the papers' fourteen, by kind."""

from __future__ import annotations

from mallard import described
from mallard.strategy_names import PAPERS, is_winked, of_papers

# Orders in which a pool reuses freed blocks.
REUSES = ("multipool-last", "multipool-first", "multipool-lowest", "multipool-hybrid", "multipool-random")
BASE = PAPERS["AS1"]  # that every ratio is to
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
LIBRARY: dict[str, str] = {
    name: entry["title"]
    for name, entry in described.STRATEGIES.items()
    if "column" not in entry and "library" not in entry and name not in (*of_papers(), *BESIDE_PAPERS)
}
BURST = "-burst"  # ends the name of what takes and gives back many nodes at once
MASKED = "-masked"  # what could grow in place, and is told not to
# The heap as the papers' allocators are: each binding, both ways to end.
HEAPS = ("heap", "heap/wink", "heap/base", "heap/base/wink")
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
