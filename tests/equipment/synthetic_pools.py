"""Test equipment: made-up rows of small-objects, fixed-block and adaptive-pool, with every figure known
beforehand.

No figure here was measured. The middle one of three repetitions is 1.02 times the formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from synthetic_rows import Native, failed_row, native_row, repeated

OBJECTS = 1_000_000
SIZES = (1, 16, 20, 64)

# Nanoseconds an object: allocate, free, allocate again, traverse; of 16 bytes, and a hundredth more for each
# byte beyond them.
PHASES = ("allocate_ns", "free_ns", "reallocate_ns", "traverse_ns")
SMALL_NS = {
    "null": (1.0, 0.0, 0.0, 0.5),
    "new-delete": (10.0, 20.0, 30.0, 5.0),
    "multipool": (2.0, 8.0, 12.0, 4.0),
    "fixed-pool": (2.0, 4.0, 12.0, 4.0),
    "small-object-pool": (2.5, 5.0, 3.0, 1.0),
    "loki": (8.0, 800.0, 60.0, 2.0),
}
SMALL_OBJECTS = tuple(SMALL_NS)
# Loki's frees of the largest are not done in time.
FAILING = ("loki", 64)


def small_ns(strategy: str, size: int) -> list[float]:
    return [nanoseconds * (1.0 + 0.01 * (size - 16)) for nanoseconds in SMALL_NS[strategy]]


def bytes_held(strategy: str, size: int) -> float:
    """Of an object: the C library's have at least 32, the others their size and a little."""
    if strategy == "new-delete":
        return 32.0 if size <= 24 else size + 16.0
    return {"loki": 1.25, "small-object-pool": 1.02, "null": 1.0}.get(strategy, 1.1) * (
        size if strategy in ("loki", "small-object-pool") else max(16, size)
    )


def small_objects_rows(
    strategies: Iterable[str] = SMALL_OBJECTS,
    sizes: Iterable[int] = SIZES,
    orders: Iterable[str] = ("shuffled",),
    pages: Iterable[str] = ("small",),
) -> list[Native]:
    rows = []
    places = product(pages, orders, sizes)
    for (kind, order, size), strategy, repetition, longer in repeated(places, strategies):
        parameters = {"object_bytes": size, "objects": OBJECTS, "order": order, "pages": kind}
        place = ("small-objects", parameters, strategy, repetition)
        if (strategy, size) == FAILING:
            if repetition == 0:
                rows.append(failed_row(*place, "timed_out", "not done after 10 s"))
            continue
        phases = [longer * nanoseconds for nanoseconds in small_ns(strategy, size)]
        held = OBJECTS * bytes_held(strategy, size)
        kept = strategy in ("fixed-pool", "multipool", "null")
        figures = dict(zip(PHASES, phases, strict=True)) | {
            "shuffle_ns": 12.0 * longer if order == "shuffled" else 0.0,
            "held_bytes": held,
            "peak_bytes": 1.1 * held,
            "freed_bytes": held if kept else 0.5 * held if strategy == "new-delete" else 65536.0,
            "returned_bytes": 4096.0,
        }
        rows.append(native_row(*place, sum(phases), OBJECTS, figures=figures))
    return rows


# Nanoseconds of an operation by work, version and strategy.
WORK_NS: dict[tuple[str, str], dict[str, float]] = {
    ("new-delete", ""): {"null": 0.3, "new-delete": 10.0, "fixed-pool": 1.0, "class-new": 0.5},
    ("replace", ""): {"null": 0.5, "new-delete": 16.0, "fixed-pool": 2.0, "class-new": 1.0},
    ("list", ""): {"new-delete": 20_000.0, "multipool": 4000.0, "fixed-pool": 2000.0},
    ("map", ""): {"new-delete": 51_000.0, "multipool": 30_000.0, "fixed-pool": 17_000.0},
    ("remove-ctrl", "as-printed"): {"new-delete": 24_000.0, "fixed-pool": 20_000.0, "fixed-string": 12_000.0},
    ("remove-ctrl", "append"): {"new-delete": 2000.0, "fixed-pool": 1900.0, "fixed-string": 1800.0},
}


def fixed_block_rows() -> list[Native]:
    rows = []
    for (work, version), nanoseconds in WORK_NS.items():
        parameters = {"work": work, "count": 1000 if work in ("list", "map") else 1_000_000}
        if version:
            parameters["version"] = version
        for _, strategy, repetition, longer in repeated((None,), nanoseconds):
            time = longer * nanoseconds[strategy]
            rows.append(native_row("fixed-block", parameters, strategy, repetition, time, 1000))
    return rows


# Nanoseconds an operation. monotonic does not fit the cache.
PROGRAM_NS = {
    "json": {"new-delete": 100.0, "new-delete@tcmalloc": 80.0, "monotonic": 40.0, "multipool": 60.0},
    "cache": {"new-delete": 200.0, "new-delete@tcmalloc": 100.0, "multipool": 110.0},
}


def program_rows(sizes: Iterable[str] = ("small", "large")) -> list[Native]:
    rows = []
    for size, program in product(sizes, PROGRAM_NS):
        parameters = {"program": program, "size": size, "operations": 1000, "pages": "small"}
        for _, strategy, repetition, longer in repeated((None,), PROGRAM_NS[program]):
            place = ("programs", parameters, strategy, repetition)
            time = longer * PROGRAM_NS[program][strategy]
            rows.append(native_row(*place, time, 1000, figures={"peak_held_bytes": 2.0 * 2**20}))
    return rows


# Nanoseconds a node: insert, erase, insert warm, erase warm; in bursts half of it.
RANGE_PHASES = ("insert_ns", "erase_ns", "insert_warm_ns", "erase_warm_ns")
RANGE_NS = {
    "new-delete": (20.0, 12.0, 16.0, 10.0),
    "fixed-pool": (8.0, 2.0, 4.0, 2.0),
    "adaptive-pool": (10.0, 6.0, 8.0, 6.0),
    "adaptive-pool-aligned": (9.0, 5.0, 7.0, 5.0),
    "boost-allocator": (24.0, 13.0, 20.0, 12.0),
}
BURSTS = ("fixed-pool", "adaptive-pool", "adaptive-pool-aligned", "boost-allocator")
OVERHEAD = {"new-delete": 33.5, "boost-allocator": 33.0, "fixed-pool": 0.5}
POOL_OVERHEAD = 1.8
NODES = 2_000_000
NODE_BYTES = 24
POOL_BYTES = 16_384.0
ADAPTIVE_POOL = (*RANGE_NS, *(f"{name}-burst" for name in BURSTS))


def times_of_ranges(times: Mapping[str, Sequence[float]], strategy: str) -> list[float]:
    share = 0.5 if strategy.endswith("-burst") else 1.0
    return [share * nanoseconds for nanoseconds in times[strategy.removesuffix("-burst")]]


def range_ns(strategy: str) -> list[float]:
    return times_of_ranges(RANGE_NS, strategy)


def adaptive_pool_rows() -> list[Native]:
    rows = []
    for length, strategy, repetition, longer in repeated((10, 100, 1000, 10_000), ADAPTIVE_POOL):
        plain = strategy.removesuffix("-burst")
        phases = [longer * nanoseconds for nanoseconds in range_ns(strategy)]
        overhead = OVERHEAD.get(plain, POOL_OVERHEAD)
        held = NODES * NODE_BYTES * (1.0 + overhead / 100.0)
        adaptive = plain.startswith("adaptive")
        figures = dict(zip(RANGE_PHASES, phases, strict=True)) | {
            "held_bytes": held,
            "overhead_percent": overhead,
            "erased_bytes": 65_536.0 if adaptive else held,
            "trimmed_bytes": 0.0 if plain != "fixed-pool" else held,
            "pool_bytes": POOL_BYTES if adaptive else held if plain == "fixed-pool" else 0.0,
        }
        place = ("adaptive-pool", {"range": length, "nodes": NODES}, strategy, repetition)
        rows.append(native_row(*place, sum(phases), NODES, figures=figures))
    return rows
