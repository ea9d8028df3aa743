"""The library's own strategies besides the papers' fourteen, by kind."""

from __future__ import annotations

from mallard.bench import described
from mallard.bench.strategy_names import PAPERS, of_papers

BASE = PAPERS["AS1"]  # the base of every ratio
NULL = "null"  # the same work over memory that is there already
KEEP = "new-delete-keep"  # with the C library's page return switched off
WALK = "monotonic-walk"  # each block is visited as it is freed; separates the parts of a cost
BURST = "-burst"  # the end of the name of a strategy that takes and gives back many nodes at once
MASKED = "-masked"  # it could grow in place, and may not
# One allocator for all threads.
SHARED = ("synchronized-multipool", "concurrent-multipool")
# Orders in which a pool reuses freed blocks.
REUSE_ORDERS = {
    "last": "last freed first",
    "first": "first freed first",
    "lowest": "lowest address first",
    "hybrid": "a magazine before bitmaps",
    "random": "reuse at random (the worst case)",
}
PASTS = ("aged", "tidied")  # of a pool that lives as long as the process
REUSES = tuple(f"multipool-{order}" for order in REUSE_ORDERS)
AGED = tuple(f"multipool-{past}" for past in PASTS)
LOCK = "locked"
# Behind a lock that one thread takes: P0089's text has it in Benchmarks I and II.
LOCKED = tuple(
    f"{mechanism}-{LOCK}{use}"
    for mechanism in ("multipool", "multipool+monotonic")
    for use in ("", "/wink", "/base", "/base/wink")
)
# Titles that the runner's description lacks: it knows variants by their mechanism, and no withdrawn orders.
_TITLES = {
    "null/base": "none: two calls that do nothing",
    **{f"multipool-{order}": f"multipool, {text}" for order, text in REUSE_ORDERS.items()},
    f"multipool{BURST}": "multipool, many nodes at a call",
}
# null (memory that is there, two empty calls), new-delete on a platform that keeps its pages, the walk, other
# orders of reuse, pools with a past or a lock, and allocators shared by threads.
VARIANTS: dict[str, str] = {
    name: _TITLES.get(name)
    or described.STRATEGIES.get(name, {"title": name})["title"]  # one that is new has none yet
    for name in ("null", "null/base", KEEP, WALK, *REUSES, *AGED, *LOCKED, *SHARED, f"multipool{BURST}")
}
# The library's other allocators, in the order of tables: pools of blocks of one size or of small sizes, and
# the heap, which also serves vectors that ask it to grow in place.
LIBRARY: dict[str, str] = {
    name: entry["title"]
    for name, entry in described.STRATEGIES.items()
    if "column" not in entry and "library" not in entry and name not in (*of_papers(), *VARIANTS)
}
# The heap as the papers use allocators: each binding, both kinds of destruction.
HEAPS = ("heap", "heap/wink", "heap/base", "heap/base/wink")
# Pools of nodes with one instance for the process: for neither large blocks nor threads.
STATIC = "static-pool"
# The pools that are compared with other libraries' pools of one size.
OF_ONE_SIZE = ("fixed-pool", STATIC)
