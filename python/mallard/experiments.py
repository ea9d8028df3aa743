"""The experiments: what each measures, and on which clock.

Work of one thread is measured in CPU time, which waiting for the processor does not lengthen. Threads that
wait for each other must be measured on the wall clock, because the waiting is what is looked for.
"""

from __future__ import annotations

from dataclasses import dataclass

from mallard.strategy_names import is_winked, of_papers

CPU = "cpu_ns"
WALL = "wall_ns"

# Orders in which a pool reuses freed blocks.
REUSES = ("multipool-last", "multipool-first", "multipool-lowest", "multipool-hybrid", "multipool-random")
KEEP = "new-delete-keep"  # with the page return of the C library off
EVERY = (
    "null",
    "new-delete",
    KEEP,
    *of_papers(2, 7),
    *REUSES,
    *of_papers(8),
)
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
# What is single blocks, and no structure, cannot be winked out.
NOT_WINKED_OUT = tuple(name for name in of_papers() if not is_winked(name))
# Of those, what uses freed blocks again.
RECYCLING = tuple(name for name in NOT_WINKED_OUT if name not in ("monotonic", "monotonic/base"))
BY_RANGES = (
    "null",
    *RECYCLING,
    "multipool-burst",
    *POOLS,
    STATIC,
    *(f"{name}{BURST}" for name in POOLS if f"{name}{BURST}" in LIBRARY),
)


@dataclass(frozen=True)
class Experiment:
    name: str
    text: str
    operation: str  # what a time is of
    strategies: tuple[str, ...]  # those that it offers
    clock: str = CPU  # the field of the result row

    @property
    def threads(self) -> bool:
        """Several threads work, so no core is chosen for the process."""
        return self.clock == WALL


EXPERIMENTS = {
    each.name: each
    for each in (
        Experiment(
            "density",
            "build and destroy a data structure (Benchmark I of P0089 and P0213)",
            "a leaf element",
            (*EVERY, *HEAPS),
        ),
        Experiment(
            "locality",
            "walk through lists whose links were shuffled between them (Benchmark II)",
            "an access",
            (*RECYCLING[:3], *REUSES, *RECYCLING[3:], *POOLS, STATIC),
        ),
        Experiment(
            "utilization",
            "free the oldest block and allocate another, over and over (Benchmark III)",
            "an allocation with its deallocation",
            ("null", *NOT_WINKED_OUT, *POOLS),
        ),
        Experiment(
            "contention",
            "allocate and deallocate in several threads at once (Benchmark IV)",
            "a pair of one thread",
            (*NOT_WINKED_OUT, *SHARED, *POOLS),
            WALL,
        ),
        Experiment(
            "fragmentation",
            "density in a heap that others have used before (Benchmark V)",
            "a leaf element",
            (*EVERY, *HEAPS),
        ),
        Experiment(
            "primitives",
            "one allocation, one allocator",
            "a pair or creation",
            ("null", "null/base", *NOT_WINKED_OUT, *POOLS, STATIC),
        ),
        Experiment(
            "small-objects",
            "allocate a million small objects, free them shuffled or in order, allocate them again, "
            "traverse them (the Loki test)",
            "an object allocated, freed, allocated again and traversed",
            ("null", *NOT_WINKED_OUT, *REUSES, *POOLS, STATIC),
        ),
        Experiment(
            "fixed-block",
            "the works that blocks of one size are made for (Optimized C++, chapter 13)",
            "a pair, a replacement, a container or a call",
            ("null", *RECYCLING, *POOLS, STATIC, "class-new", "fixed-string"),
        ),
        Experiment(
            "adaptive-pool",
            "insert nodes of a list by ranges and erase them, singly and in bursts (allocplus, chapter 3)",
            "a node inserted and erased",
            BY_RANGES,
        ),
        Experiment(
            "expansion-forward",
            "push elements to the back of a vector, which grows in place where it can (allocplus, chapter 1)",
            "an element pushed",
            ("null", "new-delete", "heap", *VECTORS),
        ),
        Experiment(
            "expansion-backward",
            "the same where a vector in place may grow to its front only, which is to spare memory "
            "(allocplus, chapter 1)",
            "an element pushed",
            ("null", "new-delete", "heap", *VECTORS),
        ),
        Experiment(
            "shrink-to-fit",
            "erase the last elements of a vector and shrink it, until it is empty (allocplus, chapter 1)",
            "an erasure with its shrink_to_fit",
            ("null", "new-delete", "heap", *(name for name in VECTORS if name != "heap-v2-masked")),
        ),
        Experiment(
            "burst",
            "insert nodes of a list by ranges and erase them, push and pop nodes singly (allocplus, "
            "chapter 2)",
            "a node inserted or erased",
            BY_RANGES,
        ),
        Experiment(
            "heap-churn",
            "free a random one of many blocks of random sizes and allocate another, for long",
            "a free with its allocation",
            ("null", *RECYCLING, "fast-fit", "heap", "heap/base", "region-heap"),
        ),
    )
}


def clock_of(experiment: str) -> str:
    """The field of a result row that holds the time; of an experiment that we do not know, CPU time."""
    known = EXPERIMENTS.get(experiment)
    return known.clock if known else CPU
