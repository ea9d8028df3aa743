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
    text: str  # a line, beside the name
    operation: str  # what a time is of
    strategies: tuple[str, ...]  # those that it offers
    clock: str = CPU  # the field of the result row
    examples: tuple[tuple[str, str], ...] = ()  # words after `mallard bench NAME`, and a note

    @property
    def threads(self) -> bool:
        """Several threads work, so no core is chosen for the process."""
        return self.clock == WALL


EXPERIMENTS = {
    each.name: each
    for each in (
        Experiment(
            "density",
            "build and destroy a data structure (Benchmark I)",
            "a leaf element",
            (*EVERY, *HEAPS),
            examples=(
                ("--ds 1,4-6 --size 6..12", "some structures, of 2^6 to 2^12 elements"),
                ("--strategy new-delete,monotonic,multipool --reps 5", "three strategies, more repetitions"),
            ),
        ),
        Experiment(
            "locality",
            "walk through lists with shuffled links (Benchmark II)",
            "an access",
            (*RECYCLING[:3], *REUSES, *RECYCLING[3:], *POOLS, STATIC),
            examples=(
                ("--links 2^21 --list-length 2^9..2^12", "lists of 512 to 4096 links"),
                ("-20 18 32 -3 8", "one run, as P0089 writes it"),
            ),
        ),
        Experiment(
            "utilization",
            "free the oldest block, allocate another (Benchmark III)",
            "an allocation with its deallocation",
            ("null", *NOT_WINKED_OUT, *POOLS),
            examples=(("--total 30..33 --buffer warm,none", "with an initial buffer and without"),),
        ),
        Experiment(
            "contention",
            "allocate and free in several threads (Benchmark IV)",
            "a pair of one thread",
            (*NOT_WINKED_OUT, *SHARED, *POOLS),
            WALL,
            examples=(("--threads 1..8 --freed-by other", "each thread frees the blocks of another"),),
        ),
        Experiment(
            "fragmentation",
            "density in a heap that others used before (Benchmark V)",
            "a leaf element",
            (*EVERY, *HEAPS),
            examples=(
                (
                    "--ds 2 --freed half,eighth --upstream cache,heap",
                    "two states of the heap, two sources of chunks",
                ),
            ),
        ),
        Experiment(
            "primitives",
            "one allocation with its deallocation; a new allocator",
            "a pair or creation",
            ("null", "null/base", *NOT_WINKED_OUT, *POOLS, STATIC),
            examples=(("--operation create --contenders", "the cost of a new allocator, in every library"),),
        ),
        Experiment(
            "small-objects",
            "allocate, free, reuse a million small objects (Loki)",
            "an object allocated, freed, allocated again and traversed",
            ("null", *NOT_WINKED_OUT, *REUSES, *POOLS, STATIC),
            examples=(
                ("--object-bytes 1,16,64 --order shuffled,in-order", "three sizes, freed in both orders"),
            ),
        ),
        Experiment(
            "fixed-block",
            "blocks of one size at work (Optimized C++, chapter 13)",
            "a pair, a replacement, a container or a call",
            ("null", *RECYCLING, *POOLS, STATIC, "class-new", "fixed-string"),
            examples=(("--work list,map", "the containers among the works"),),
        ),
        Experiment(
            "adaptive-pool",
            "insert and erase list nodes by ranges (allocplus 3)",
            "a node inserted and erased",
            BY_RANGES,
            examples=(("--range 10,10000", "short ranges and long ones"),),
        ),
        Experiment(
            "expansion-forward",
            "push to the back of a vector that may grow in place",
            "an element pushed",
            ("null", "new-delete", "heap", *VECTORS),
            examples=(("--elements 10^7 --type int", "a vector that outgrows the caches"),),
        ),
        Experiment(
            "expansion-backward",
            "push to a vector that may grow to its front only",
            "an element pushed",
            ("null", "new-delete", "heap", *VECTORS),
            examples=(("--elements 1000 --type int,myint", "bytes to move, and objects to copy"),),
        ),
        Experiment(
            "shrink-to-fit",
            "erase the end of a vector and shrink it, until empty",
            "an erasure with its shrink_to_fit",
            ("null", "new-delete", "heap", *(name for name in VECTORS if name != "heap-v2-masked")),
            examples=(("--elements 10000 --step 5", "five elements at a time"),),
        ),
        Experiment(
            "burst",
            "list nodes by ranges, and pushed and popped (allocplus 2)",
            "a node inserted or erased",
            BY_RANGES,
            examples=(("--range 1000 --contenders", "beside the bursts of Boost"),),
        ),
        Experiment(
            "heap-churn",
            "free a random block, allocate another, for a long time",
            "a free with its allocation",
            ("null", *RECYCLING, "fast-fit", "heap", "heap/base", "region-heap"),
            examples=(("--live 10^5 --malloc mimalloc", "beside the heap of mimalloc"),),
        ),
    )
}


def clock_of(experiment: str) -> str:
    """The field of a result row that holds the time; of an experiment that we do not know, CPU time."""
    known = EXPERIMENTS.get(experiment)
    return known.clock if known else CPU
