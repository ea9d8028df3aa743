"""Test equipment: made-up rows of vectors that grow and shrink, of bursts and of a heap that ages, with every
figure known beforehand.

No figure here was measured. The middle one of three repetitions is 1.02 times the formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from synthetic_pools import NODE_BYTES, NODES, RANGE_PHASES, times_of_ranges
from synthetic_rows import Native, failed_row, native_row, repeated

ELEMENT_BYTES = 4

# Nanoseconds an element pushed to ten, and the remaining part of it for ten thousand and more.
PUSH_NS = {
    "null": (1.0, 1.0),
    "new-delete": (8.0, 0.25),
    "heap": (6.0, 0.25),
    "heap-v1": (6.0, 0.25),
    "heap-v2-masked": (5.0, 0.2),
    "heap-v2": (4.0, 0.125),
    "boost-allocator-v1": (10.0, 0.25),
    "boost-allocator-v2-masked": (8.0, 0.25),
    "boost-allocator-v2": (8.0, 0.125),
    "realloc": (5.0, 0.2),
}
VECTORS = tuple(PUSH_NS)
GROWING = ("heap-v2", "boost-allocator-v2", "realloc")
SIZED = (*GROWING, "heap-v2-masked", "boost-allocator-v2-masked")  # the size that they were given
LARGE = 10_000  # elements
VECTOR_SIZES = (10, LARGE, 1_000_000)
# Of the smallest vector of one strategy there is no result.
FAILING = ("boost-allocator-v1", 1_000_000)


def push_ns(strategy: str, elements: int) -> float:
    nanoseconds, share = PUSH_NS[strategy]
    return nanoseconds * (share if elements >= LARGE else 1.0)


def calls_of(strategy: str, elements: int) -> tuple[float, float]:
    """Blocks that a vector is given, and times that one of them grows instead."""
    calls = elements.bit_length() + (1 if strategy not in SIZED else 0)
    return (1.0, calls - 1.0) if strategy in GROWING else (float(calls), 0.0)


def growth_rows(
    experiment: str = "expansion-forward",
    strategies: Sequence[str] = VECTORS,
    types: Sequence[str] = ("int",),
) -> list[Native]:
    rows = []
    for (kind, elements), strategy, repetition, longer in repeated(product(types, VECTOR_SIZES), strategies):
        requested = {"elements": elements, "type": kind}
        if strategy == "realloc" and kind != "int":
            continue
        if (strategy, elements) == FAILING:
            if repetition == 0:
                rows.append(failed_row(experiment, requested, strategy, 0, "out_of_memory", "none left"))
            continue
        iterations = max(3, 20_000_000 // elements)
        nanoseconds = push_ns(strategy, elements) * longer
        allocations, grown = calls_of(strategy, elements)
        forward = experiment == "expansion-forward"
        live_bytes = ELEMENT_BYTES * elements * (1.0 if strategy in GROWING else 1.5)  # with the old block
        figures = {
            "push_back_ns": nanoseconds,
            "allocations": allocations,
            "expansions_forward": grown if forward else 0.0,
            "expansions_backward": 0.0 if forward else grown,
            "final_capacity": 1.0 * elements,
            "peak_live_bytes": live_bytes,
            "peak_bytes": live_bytes + 4096.0,
        }
        parameters = {**requested, "iterations": iterations}
        count = iterations * elements
        rows.append(
            native_row(experiment, parameters, strategy, repetition, nanoseconds, count, figures=figures)
        )
    return rows


# Nanoseconds to erase five elements and shrink, for each element that has to be copied; in place it costs as
# much whatever is left.
COPY_NS = {
    "null": 0.0,
    "new-delete": 0.5,
    "heap": 0.5,
    "heap-v1": 0.5,
    "boost-allocator-v1": 0.6,
    "realloc": 0.0,
}
IN_PLACE_NS = 20.0
TIMED_APART = 100  # shrinks: of fewer the making of the vector is not left out
WITH_MAKING = 1.1  # times as long
SHRINKING = (*COPY_NS, "heap-v2", "boost-allocator-v2")
SHRUNK_SIZES = (10, 200, 500, LARGE, 1_000_000)


def shrink_ns(strategy: str, elements: int) -> float:
    return IN_PLACE_NS + COPY_NS.get(strategy, 0.0) * elements / 2.0


def shrink_rows(sizes: Iterable[int] = SHRUNK_SIZES, types: Sequence[str] = ("int",)) -> list[Native]:
    rows = []
    for (kind, elements), strategy, repetition, longer in repeated(product(types, sizes), SHRINKING):
        if strategy == "realloc" and kind != "int":
            continue
        step = 5 if elements <= 100_000 else elements // 2000
        shrinks = elements // step
        nanoseconds = shrink_ns(strategy, elements) * longer
        in_place = strategy not in COPY_NS
        held = float(ELEMENT_BYTES * elements)
        remaining_bytes = 0.0 if strategy != "heap-v1" else 0.75 * held
        figures = {
            "shrink_ns": nanoseconds if shrinks >= TIMED_APART else WITH_MAKING * nanoseconds,
            "shrinks": float(shrinks) if in_place else 0.0,
            "allocations": 1.0 if in_place else float(shrinks),
            "held_bytes": held,
            "half_bytes": held / 2.0,
            "left_bytes": remaining_bytes,
            "returned_bytes": held - remaining_bytes,
        }
        parameters = {"elements": elements, "type": kind, "step": step, "iterations": 10}
        place = ("shrink-to-fit", parameters, strategy, repetition)
        rows.append(native_row(*place, WITH_MAKING * nanoseconds, 10 * shrinks, figures=figures))
    return rows


# Nanoseconds a node: insert, erase, insert warm, erase warm; in bursts half of it. Single nodes and clearing
# the list have no part in bursts but for the last.
RANGE_NS = {
    "new-delete": (20.0, 12.0, 16.0, 10.0),
    "multipool": (6.0, 4.0, 5.0, 4.0),
    "heap": (8.0, 6.0, 6.0, 5.0),
    "boost-allocator": (24.0, 13.0, 20.0, 12.0),
}
BURST = (*RANGE_NS, *(f"{name}-burst" for name in RANGE_NS if name != "new-delete"))


def range_ns(strategy: str) -> list[float]:
    return times_of_ranges(RANGE_NS, strategy)


def burst_rows() -> list[Native]:
    rows = []
    for length, strategy, repetition, longer in repeated((10, 100, 1000, 10_000), BURST):
        phases = [longer * nanoseconds for nanoseconds in range_ns(strategy)]
        plain = range_ns(strategy.removesuffix("-burst"))
        overhead = 33.3 if strategy in ("new-delete", "heap", "heap-burst") else 2.6
        figures = dict(zip(RANGE_PHASES, phases, strict=True)) | {
            "push_ns": longer * plain[2],
            "pop_ns": longer * plain[3],
            "clear_ns": phases[3],
            "held_bytes": NODES * NODE_BYTES * (1.0 + overhead / 100.0),
            "overhead_percent": overhead,
            "overhead_bytes": NODE_BYTES * overhead / 100.0,
        }
        place = ("burst", {"range": length, "nodes": NODES}, strategy, repetition)
        rows.append(native_row(*place, sum(phases), NODES, figures=figures))
    return rows


# Nanoseconds a pair, and held over live bytes: at a tenth of the run, and the growth in each tenth after.
CHURN = {
    "null": (2.0, 1.0, 0.0),
    "new-delete": (60.0, 1.15, 0.01),
    "new-delete@mimalloc": (40.0, 1.25, 0.005),
    "multipool": (30.0, 1.3, 0.02),
    "heap": (20.0, 1.05, 0.001),
    "heap/base": (22.0, 1.05, 0.001),
    "boost-interprocess": (200.0, 1.02, 0.0),
}
LIVE_BLOCKS = 100_000
LIVE_BYTES = 2056.0 * LIVE_BLOCKS


def held_over_live(strategy: str, share: int) -> float:
    _, first, growth = CHURN[strategy]
    return first + growth * (share / 10 - 1)


def churn_rows() -> list[Native]:
    rows = []
    parameters = {"live": LIVE_BLOCKS, "operations": 10_000_000, "least_bytes": 16, "most_bytes": 4096}
    for _, strategy, repetition, longer in repeated((None,), CHURN):
        nanoseconds = CHURN[strategy][0] * longer
        at_the_end = held_over_live(strategy, 100)
        figures = {
            "pair_ns": nanoseconds,
            "fill_ns": nanoseconds / 2.0,
            "peak_live_bytes": LIVE_BYTES,
            "peak_held_bytes": LIVE_BYTES * at_the_end,
            "fragmentation": at_the_end,
            **{f"fragmentation_{share}": held_over_live(strategy, share) for share in range(10, 101, 10)},
            "overhead_bytes": LIVE_BYTES * (at_the_end - 1.0) / LIVE_BLOCKS,
            "trimmed_bytes": 0.0 if strategy != "multipool" else LIVE_BYTES,
        }
        place = ("heap-churn", parameters, strategy, repetition)
        rows.append(native_row(*place, nanoseconds, 10_000_000, figures=figures))
    return rows
