"""The library's own strategies beside the papers' fourteen, by kind."""

from __future__ import annotations

from mallard import described
from mallard.strategy_names import PAPERS, is_winked, of_papers

# Orders in which a pool reuses freed blocks.
REUSES = ("multipool-last", "multipool-first", "multipool-lowest", "multipool-hybrid", "multipool-random")
BASE = PAPERS["AS1"]  # the base of every ratio
KEEP = "new-delete-keep"  # with the C library's page return switched off
# The floors (of a row, and of two empty calls), new-delete on a platform that keeps its pages, other orders
# of reuse, and allocators shared by threads.
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
# The library's other allocators, in the order of tables: pools of blocks of one size or of small sizes, and
# the heap, which also serves vectors that ask it to grow in place.
LIBRARY: dict[str, str] = {
    name: entry["title"]
    for name, entry in described.STRATEGIES.items()
    if "column" not in entry and "library" not in entry and name not in (*of_papers(), *BESIDE_PAPERS)
}
BURST = "-burst"  # the end of the name of a strategy that takes and gives back many nodes at once
MASKED = "-masked"  # it could grow in place, and may not
# The heap as the papers use allocators: each binding, both kinds of destruction.
HEAPS = ("heap", "heap/wink", "heap/base", "heap/base/wink")
# Pools of nodes with one instance for the process: for neither large blocks nor threads.
STATIC = "static-pool"
# One allocator for all threads.
SHARED = ("synchronized-multipool", "concurrent-multipool")
# The pools that are compared with other libraries' pools of one size.
OF_ONE_SIZE = ("fixed-pool", STATIC)
# The papers' strategies that reuse freed blocks and are not winked out.
RECYCLING = tuple(
    name for name in of_papers() if not is_winked(name) and name not in ("monotonic", "monotonic/base")
)
