"""Classic allocation strategies and C++ containers: bursts (chapter 2) and adaptive pools (chapter 3).

The author's library became Boost.Container: its allocator over dlmalloc is his AllocatorPlus, alone (V1) and
with bursts (V2), and what he says of it is judged by it. What he says of pools is judged by ours. Both are
one library on any system, so what he measured under Windows can be measured here. His nodes have 12 bytes on
32 bits, ours 24 on 64; what is in bytes is set in proportion.
"""

from __future__ import annotations

from collections.abc import Callable

from mallard.claims.figures import Change, percent_better, times_faster
from mallard.claims.rule import Cells, Rules
from mallard.claims.statement import ABOUT, BELOW, UP_TO
from mallard.evidence import Evidence

PLAIN, BURST = "boost-allocator", "boost-allocator-burst"
POOLS = ("fixed-pool", "adaptive-pool-aligned", "adaptive-pool")
ADAPTIVE = POOLS[1:]
BENCH = "mallard bench adaptive-pool"
NODES_MEGABYTES = 24.0  # two million nodes of 12 bytes
NODE_RATIO = 2.0  # how much larger ours are
BIG = 1000  # nodes: from here on a range is a big one
adaptive = Rules("allocplus_v0.1", "adaptive-pool", f"{BENCH} --strategy AS1,{PLAIN},{BURST}")
pools = Rules("allocplus_v0.1", "adaptive-pool", f"{BENCH} --strategy AS1,{PLAIN},{','.join(POOLS)}")

WINDOWS, LINUX = "2 burst (WinXP/VC2003)", "2 burst (Linux/gcc4.1)"
CHAPTER_3 = "3 adaptive pools"


def by_bursts(e: Evidence, figure: str, change: Change, where: Callable[[int], bool]) -> Cells:
    """V2 against V1 in every range."""
    return [
        change(burst, plain)
        for (what, length, name), burst in e.adaptive_pool.items()
        if (what, name) == (figure, BURST)
        and where(length)
        and (plain := e.adaptive_pool.get((figure, length, PLAIN)))
    ]


def figures(e: Evidence, figure: str, *names: str) -> Cells:
    """In every range; none where a strategy is missing."""
    by_name = [
        [
            value
            for (what, _, strategy), value in e.adaptive_pool.items()
            if (what, strategy) == (figure, name)
        ]
        for name in names
    ]
    return [value for values in by_name for value in values] if all(by_name) else []


@adaptive(WINDOWS, "burst range insertion vs node-by-node V1, big ranges", UP_TO)
def burst_insertion(e: Evidence) -> Cells:
    """Time of V1 / of V2, ranges of 1,000 and more."""
    return by_bursts(e, "insert_ns", times_faster, lambda length: length >= BIG)


@adaptive(WINDOWS, "burst erasure, ranges > 1000", ABOUT)
def burst_erasure_of_big_ranges(e: Evidence) -> Cells:
    """V1 against V2 in percent."""
    return by_bursts(e, "erase_ns", percent_better, lambda length: length > BIG)


@adaptive(WINDOWS, "burst erasure, ranges >= 10", ABOUT)
def burst_erasure_of_small_ranges(e: Evidence) -> Cells:
    """V1 against V2 in percent, ranges of less than 1,000."""
    return by_bursts(e, "erase_ns", percent_better, lambda length: length < BIG)


@adaptive(LINUX, "burst insertion vs V1, big ranges, up to", UP_TO)
def burst_insertion_under_linux(e: Evidence) -> Cells:
    """Time of V1 / of V2, ranges of 1,000 and more."""
    return by_bursts(e, "insert_ns", times_faster, lambda length: length >= BIG)


@adaptive(LINUX, "burst erasure vs V1, big ranges", ABOUT)
def burst_erasure_under_linux(e: Evidence) -> Cells:
    """V1 against V2 in percent, ranges of 1,000 and more."""
    return by_bursts(e, "erase_ns", percent_better, lambda length: length >= BIG)


def megabytes(overheads: Cells) -> Cells:
    """Of two million nodes of 12 bytes, with that overhead in percent."""
    return [NODES_MEGABYTES * (1.0 + percent / 100.0) for percent in overheads]


@pools(CHAPTER_3, "memory for 2000000 12-byte nodes: plain dlmalloc", ABOUT)
def memory_of_dlmalloc(e: Evidence) -> Cells:
    """In proportion to the nodes, every range."""
    return megabytes(figures(e, "overhead_percent", PLAIN))


@pools(CHAPTER_3, "memory for 2000000 12-byte nodes: pools", ABOUT)
def memory_of_pools(e: Evidence) -> Cells:
    """In proportion to the nodes, simple segregated storage and both adaptive pools, every range."""
    return megabytes(figures(e, "overhead_percent", *POOLS))


@pools(CHAPTER_3, "per-node overhead of plain dlmalloc (4 of 12 bytes)", ABOUT)
def overhead_of_dlmalloc(e: Evidence) -> Cells:
    """System memory over that of the nodes, every range."""
    return figures(e, "overhead_percent", PLAIN)


@pools(CHAPTER_3, "per-node overhead of pools, less than", BELOW)
def overhead_of_pools(e: Evidence) -> Cells:
    """System memory over that of the nodes, simple segregated storage and both adaptive pools."""
    return figures(e, "overhead_percent", *POOLS)


@pools(CHAPTER_3, "memory held by adaptive pools after all nodes freed (2 blocks x 4096)", ABOUT)
def held_by_adaptive_pools(e: Evidence) -> Cells:
    """By the pool's own count, in proportion to the nodes."""
    return [held / NODE_RATIO for held in figures(e, "pool_bytes", *ADAPTIVE)]
