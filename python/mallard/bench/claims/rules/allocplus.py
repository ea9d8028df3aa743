"""Classic allocation strategies and C++ containers: vectors that grow and shrink in place (chapter 1), bursts
(chapter 2) and adaptive pools (chapter 3).

The author's library became Boost.Container. Its allocator over dlmalloc is his AllocatorPlus: version 1 (V1),
version 2 without growth in place (V2Mask), and version 2 (V2), which also has bursts. It judges his claims
on these; mallard's pools judge his claims on pools. Both libraries are alike on any system, so his
measurements under Windows can be repeated here. His nodes have 12 bytes on 32 bits, ours 24 on 64, so bytes
are compared in proportion. His vectors hold MyInt, and so do those that judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mallard.bench.claims.figures import Change, percent_better, times_faster
from mallard.bench.claims.rule import Cells, Rules
from mallard.bench.claims.statement import ABOUT, BELOW, UP_TO
from mallard.bench.evidence import Evidence
from mallard.bench.evidence.evidence import AnyPlace

STANDARD = "new-delete"
BOOST = "boost"  # selects the contenders of Boost
V1, V2_MASKED, V2 = "boost-allocator-v1", "boost-allocator-v2-masked", "boost-allocator-v2"
PLAIN, BURST = "boost-allocator", "boost-allocator-burst"
POOLS = ("fixed-pool", "adaptive-pool-aligned", "adaptive-pool")
ADAPTIVE = POOLS[1:]
MY_INT = "myint"
SMALL, LARGE = 10, 10_000  # elements
PUSHED = f"--elements {SMALL},{LARGE} --type {MY_INT}"
SHRUNK = (500, 2000, LARGE)  # the article's sizes
SHRUNK_AT = f"--elements {','.join(map(str, SHRUNK))} --type {MY_INT}"
BENCH = "mallard bench adaptive-pool"
NODES_MEGABYTES = 24.0  # two million nodes of 12 bytes
NODE_RATIO = 2.0  # the size of ours relative to his
BIG = 1000  # nodes of a big range, at least
SOURCE = "allocplus_v0.1"
forward = Rules(
    SOURCE,
    "expansion-forward",
    f"mallard bench expansion-forward {PUSHED} --strategy {STANDARD},{BOOST}",
)
shrink = Rules(
    SOURCE, "shrink-to-fit", f"mallard bench shrink-to-fit {SHRUNK_AT} --strategy {STANDARD},{BOOST}"
)
burst = Rules(SOURCE, "burst", f"mallard bench burst --strategy {STANDARD},{PLAIN},{BURST}")
pools = Rules(SOURCE, "adaptive-pool", f"{BENCH} --strategy {STANDARD},{PLAIN},{','.join(POOLS)}")

FORWARD, FORWARD_ON_LINUX = "1 forward (WinXP/VC2003)", "1 forward (Linux/gcc4.1)"
SHRINK = "1 shrink (WinXP/VC2003)"
WINDOWS, LINUX = "2 burst (WinXP/VC2003)", "2 burst (Linux/gcc4.1)"
CHAPTER_3 = "3 adaptive pools"

Vectors = Mapping[AnyPlace, float]


def calls(e: Evidence, *names: str) -> Cells:
    """The allocations and growths in place of a vector of ten elements, one cell for each strategy; empty
    if a strategy is missing.
    """
    grown = ("allocations", "expansions_forward", "expansions_backward")
    counts_by_name = [
        [e.of("expansion-forward").get((figure, MY_INT, SMALL, name)) for figure in grown] for name in names
    ]
    complete = [
        [count for count in counts if count is not None] for counts in counts_by_name if counts[0] is not None
    ]
    return [sum(counts) for counts in complete] if len(complete) == len(names) else []


def speedup(vectors: Vectors, figure: str, base: str, *sizes: int) -> Cells:
    """Time of a base / of V2, in every one of these sizes that has both."""
    return [
        times_faster(v2_time, base_time)
        for size in sizes
        if (v2_time := vectors.get((figure, MY_INT, size, V2)))
        and (base_time := vectors.get((figure, MY_INT, size, base)))
    ]


@forward(FORWARD, "V2 allocator calls vs others for 10 push_backs: V2", ABOUT)
def calls_of_version_2(e: Evidence) -> Cells:
    """Allocator calls for a vector of ten: V2, and V2 without growth in place."""
    return calls(e, V2, V2_MASKED)


@forward(FORWARD, "V2 allocator calls vs others for 10 push_backs: others", ABOUT)
def calls_of_the_others(e: Evidence) -> Cells:
    """Allocator calls for a vector of ten: the standard allocator and V1."""
    return calls(e, STANDARD, V1)


@forward(FORWARD, "10000 push_backs: expanding V2 vs V2 without expansion", ABOUT)
def growth_in_place(e: Evidence) -> Cells:
    """Time of V2 without growth in place / of V2, 10,000 elements."""
    return speedup(e.of("expansion-forward"), "push_back_ns", V2_MASKED, LARGE)


@forward(FORWARD, "10000 push_backs: expanding V2 vs plain dlmalloc V1", ABOUT)
def growth_in_place_over_version_1(e: Evidence) -> Cells:
    """Time of V1 / of V2, 10,000 elements."""
    return speedup(e.of("expansion-forward"), "push_back_ns", V1, LARGE)


@forward(FORWARD_ON_LINUX, "expanding V2 vs V1", ABOUT)
def growth_in_place_under_linux(e: Evidence) -> Cells:
    """Time of V1 / of V2, 10,000 elements, which the text measured under Windows."""
    return speedup(e.of("expansion-forward"), "push_back_ns", V1, LARGE)


@shrink(SHRINK, "in-place shrink_to_fit vs allocate-copy-free, up to", UP_TO)
def shrinking_in_place(e: Evidence) -> Cells:
    """Time of V1 / of V2 for five elements erased and a shrink_to_fit, the article's sizes."""
    return speedup(e.of("shrink-to-fit"), "shrink_ns", V1, *SHRUNK)


def by_bursts(e: Evidence, figure: str, change: Change, matches: Callable[[int], bool]) -> Cells:
    """V2 against V1 in every range."""
    return [
        change(burst, plain)
        for (quantity, length, name), burst in e.of("burst").items()
        if (quantity, name) == (figure, BURST)
        and matches(int(length))
        and (plain := e.of("burst").get((figure, length, PLAIN)))
    ]


@burst(WINDOWS, "burst range insertion vs node-by-node V1, big ranges", UP_TO)
def burst_insertion(e: Evidence) -> Cells:
    """Time of V1 / of V2, ranges of 1,000 and more."""
    return by_bursts(e, "insert_ns", times_faster, lambda length: length >= BIG)


@burst(WINDOWS, "burst erasure, ranges > 1000", ABOUT)
def burst_erasure_of_big_ranges(e: Evidence) -> Cells:
    """V1 against V2 in percent."""
    return by_bursts(e, "erase_ns", percent_better, lambda length: length > BIG)


@burst(WINDOWS, "burst erasure, ranges >= 10", ABOUT)
def burst_erasure_of_small_ranges(e: Evidence) -> Cells:
    """V1 against V2 in percent, ranges of less than 1,000."""
    return by_bursts(e, "erase_ns", percent_better, lambda length: length < BIG)


@burst(LINUX, "burst insertion vs V1, big ranges, up to", UP_TO)
def burst_insertion_under_linux(e: Evidence) -> Cells:
    """Time of V1 / of V2, ranges of 1,000 and more."""
    return by_bursts(e, "insert_ns", times_faster, lambda length: length >= BIG)


@burst(LINUX, "burst erasure vs V1, big ranges", ABOUT)
def burst_erasure_under_linux(e: Evidence) -> Cells:
    """V1 against V2 in percent, ranges of 1,000 and more."""
    return by_bursts(e, "erase_ns", percent_better, lambda length: length >= BIG)


def figures(e: Evidence, figure: str, *names: str) -> Cells:
    """Every range; none if a strategy is missing."""
    by_name = [
        [
            value
            for (quantity, _, strategy), value in e.of("adaptive-pool").items()
            if (quantity, strategy) == (figure, name)
        ]
        for name in names
    ]
    return [value for values in by_name for value in values] if all(by_name) else []


def megabytes(overheads: Cells) -> Cells:
    """The memory of two million nodes of 12 bytes, with that overhead in percent."""
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
