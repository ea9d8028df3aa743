"""Test equipment: made-up rows of locality, utilization, contention and fragmentation, with every figure
known beforehand.

No figure here was measured. As in `synthetic_run`, a plain formula gives nanoseconds an operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

from synthetic_rows import WOBBLE, Native, failed_row, native_row, repeated
from synthetic_run import formula as density_formula

from mallard.bench.papers.catalogue import structures

# ---- locality -----------------------------------------------------------------------------------------

LINKS = 1 << 21
LIST_LENGTHS = (1 << 21, 1 << 18, 1 << 12, 1 << 9, 1 << 4, 1)
ACCESS_FACTORS = (256, 16, 1)
SHUFFLE_FACTORS = (0, 5)
LOCALITY = ("new-delete", "multipool", "multipool/base")
ALL_LOCALITY = (
    "new-delete",
    "new-delete@jemalloc",
    "new-delete/base",
    *(
        "multipool",
        "multipool-last",
        "multipool-first",
        "multipool-lowest",
        "multipool-hybrid",
        "multipool-random",
    ),
    *("multipool/base", "multipool+monotonic", "multipool+monotonic/base"),
)
# An access before any shuffle, in nanoseconds, and the largest factor by which the shuffle slows it.
UNSHUFFLED = {"new-delete": 1.0, "new-delete@jemalloc": 1.0, "new-delete/base": 1.0}
LOCAL_UNSHUFFLED = 1.1
PENALTY = {
    "new-delete": 8.0,
    "new-delete@jemalloc": 6.0,
    "new-delete/base": 8.0,
    "multipool-random": 1.0,
    "multipool-lowest": 0.1,
}
LOCAL_PENALTY = 0.5

AccessTime = Callable[[str, int, int, int, int], float]


def access_ns(strategy: str, links: int, list_length: int, shuffle_factor: int, access_factor: int) -> float:
    """Falls off with the access factor, hits long lists hardest; one list alone, and one link, not at all."""
    unshuffled = UNSHUFFLED.get(strategy, LOCAL_UNSHUFFLED)
    if list_length in (1, links) or shuffle_factor == 0:
        return unshuffled
    length_share = list_length.bit_length() / links.bit_length()
    again = 1.0 + 1.0 / access_factor
    return unshuffled * (1.0 + PENALTY.get(strategy, LOCAL_PENALTY) * length_share * again / 2.0)


def locality_row(
    strategy: str,
    list_length: int,
    repetition: int,
    *,
    links: int = LINKS,
    shuffle_factors: Sequence[int] = SHUFFLE_FACTORS,
    access_factors: Sequence[int] = ACCESS_FACTORS,
    times: AccessTime = access_ns,
    setting: Native | None = None,
    **changes: Any,
) -> Native:
    longer = 1.0 + WOBBLE * repetition
    is_global = strategy.startswith(("new-delete@", "new-delete/base")) or strategy == "new-delete"
    figures = {
        f"sf{sf}_af{af}_ns": longer * times(strategy, links, list_length, sf, af)
        for sf in shuffle_factors
        for af in access_factors
    } | {
        "build_ns": longer * (20.0 if is_global else 5.0),
        "shuffle_ns": longer * (60.0 if is_global else 40.0),
        "reallocate_ns": longer * (30.0 if is_global else 10.0),
        "reaccess_ns": longer * (4.0 if is_global else 2.0),
        "built_bytes": float(32 * links),
        "shuffled_bytes": float((40 if is_global else 48) * links),
        "list_bytes": 24.0 if is_global else 88.0,
    }
    last = [figures[f"sf{max(shuffle_factors)}_af{af}_ns"] for af in access_factors]
    parameters = {
        "links": links,
        "list_length": list_length,
        "shuffle_factors": ",".join(map(str, shuffle_factors)),
        "access_factors": ",".join(map(str, access_factors)),
    } | ({"accesses": 1 << 20} if setting is None else setting)
    mean = sum(last) / len(last)
    return native_row(
        "locality", parameters, strategy, repetition, mean, len(last) << 20, figures=figures, **changes
    )


def locality_rows(
    strategies: Sequence[str] = LOCALITY,
    list_lengths: Sequence[int] = LIST_LENGTHS,
    repetitions: int = 3,
    **options: Any,
) -> list[Native]:
    return [
        locality_row(strategy, length, repetition, **options)
        for length, strategy, repetition, _ in repeated(list_lengths, strategies, repetitions)
    ]


def shuffle_table_rows() -> list[Native]:
    """P0089R1's Table 15: 10^7 links, shuffle factors 0 to 9, access factor 10; new-delete alone."""

    def times(strategy: str, links: int, list_length: int, shuffle_factor: int, access_factor: int) -> float:
        return 1.0 if list_length == links else 1.0 + 4.0 * (1.0 - 0.1**shuffle_factor)

    lengths = [10**power for power in range(7, -1, -1)]
    factors = {"shuffle_factors": tuple(range(10)), "access_factors": (10,)}
    return locality_rows(("new-delete",), lengths, links=10**7, times=times, **factors)


# ---- utilization --------------------------------------------------------------------------------------

UTILIZATION_RATIO = {
    "null": 0.05,
    "new-delete": 1.0,
    "new-delete/base": 1.05,
    "monotonic": 4.0,
    "monotonic/base": 4.1,
    "multipool": 0.4,
    "multipool/base": 0.5,
    "multipool+monotonic": 0.45,
    "multipool+monotonic/base": 0.55,
}
UTILIZATION = tuple(UTILIZATION_RATIO)
# (T, A, S) as exponents of two; the monotonic strategies have no memory for the last.
AMOUNTS = ((30, 15, 10), (30, 20, 10), (30, 20, 15), (35, 20, 10))
FAILING = (35, 20, 10)
MONOTONIC = ("monotonic", "monotonic/base")


def utilization_ns(amounts: tuple[int, int, int], strategy: str) -> float:
    return 2.0 * amounts[2] * UTILIZATION_RATIO[strategy]


def utilization_rows(
    strategies: Sequence[str] = UTILIZATION,
    amounts: Iterable[tuple[int, int, int]] = AMOUNTS,
    repetitions: int = 3,
    **setting: Any,
) -> list[Native]:
    rows = []
    for place, strategy, repetition, longer in repeated(amounts, strategies, repetitions):
        parameters = dict(zip(("total_log2", "active_log2", "block_log2"), place, strict=True))
        parameters |= {"buffer": "cold", "final_frees": "timed"} | setting
        row = ("utilization", parameters, strategy, repetition)
        if place == FAILING and strategy in MONOTONIC:
            if repetition == 0:
                rows.append(failed_row(*row, "out_of_memory", "needs 32 GiB of 8 GiB"))
            continue
        time = utilization_ns(place, strategy) * longer
        operations = 1 << (place[0] - place[2])
        changes: Native = {"figures": {"held_bytes": float(1 << place[1]), "free_ns": time / 2.0}}
        if strategy in MONOTONIC:
            changes |= {"minor_faults": operations // 4, "system_ns": round(0.6 * time * operations)}
        else:
            changes |= {"minor_faults": 100, "system_ns": 0}
        rows.append(native_row(*row, time, operations, **changes))
    return rows


# ---- contention ---------------------------------------------------------------------------------------

PRIVATE = UTILIZATION[1:]
SHARED = ("synchronized-multipool", "concurrent-multipool")
CONTENTION_NS = {
    "new-delete": 20.0,
    "new-delete/base": 22.0,
    "monotonic": 5.0,
    "monotonic/base": 6.0,
    "multipool": 1.2,
    "multipool/base": 2.4,
    "multipool+monotonic": 1.3,
    "multipool+monotonic/base": 2.5,
    "synchronized-multipool": 30.0,
    "concurrent-multipool": 4.0,
}
THREADS = (1, 2, 4)
CORES = 2


def contention_ns(threads: int, strategy: str) -> float:
    """A pair of one thread by wall time: flat up to the cores, except behind one lock."""
    waiting = threads if strategy == "synchronized-multipool" else 1
    return CONTENTION_NS[strategy] * waiting * max(1.0, threads / CORES)


def contention_rows(
    strategies: Sequence[str] = PRIVATE + SHARED,
    threads: Iterable[int] = THREADS,
    sizes: Iterable[tuple[int, int]] = ((15, 6), (15, 8)),
    repetitions: int = 3,
    **setting: Any,
) -> list[Native]:
    rows = []
    places = ((*size, count) for size in sizes for count in threads)
    for (iterations, block, count), strategy, repetition, longer in repeated(places, strategies, repetitions):
        parameters = {"threads": count, "iterations_log2": iterations, "multiplier": 100, "block_log2": block}
        parameters |= {"buffer": "static", "freed_by": "self"} | setting
        operations = 100 << iterations
        wall = contention_ns(count, strategy) * longer
        cpu = round(wall * operations) * min(count, CORES)
        figures = {"slowest_ns": wall, "fastest_ns": 0.9 * wall, "cpu_ns_per_pair": cpu / operations / count}
        notes = ["more threads than cores"] if count > CORES else []
        row = ("contention", parameters, strategy, repetition, wall, operations)
        rows.append(native_row(*row, cpu_ns=cpu, figures=figures, pinned_cpu=None, notes=notes))
    return rows


# ---- dimensions ---------------------------------------------------------------------------------------

DIMENSIONS = ("accesses", "sizes", "traversals", "generations", "threads")
CENTRE = (16, 4, 4, 4, 1)
VARIED = ((0, 4, 16, 64), (1, 2, 4), (1, 4, 16), (1, 4, 64), (1, 2))
MECHANISMS = ("new-delete", "monotonic", "multipool", "multipool+monotonic")


def dimensions_ns(strategy: str, place: tuple[int, ...]) -> float:
    """Pools save allocations and accesses, monotonic allocators the more of them the fewer generations; with
    several sizes new-delete does not differ from the multipool."""
    accesses, sizes, _, generations, _ = place
    allocation, access = {"new-delete": (40.0, 2.0), "multipool": (20.0, 1.0)}.get(strategy, (10.0, 1.0))
    growth = 3.0 * generations if strategy == "monotonic" else 0.0
    if sizes == 1 and strategy != "new-delete":
        allocation, access = 60.0, 3.0
    return allocation + access * accesses + growth


def dimensions_rows(strategies: Sequence[str] = MECHANISMS) -> list[Native]:
    rows = []
    places = dict.fromkeys(
        (*CENTRE[:at], value, *CENTRE[at + 1 :]) for at, values in enumerate(VARIED) for value in values
    )
    for place, strategy, repetition, longer in repeated(places, strategies):
        parameters = dict(zip(DIMENSIONS, place, strict=True)) | {"operations": 1 << 20, "pages": "small"}
        row = ("dimensions", parameters, strategy, repetition, dimensions_ns(strategy, place) * longer)
        rows.append(native_row(*row, 1 << 20, pinned_cpu=None))
    return rows


# ---- fragmentation ------------------------------------------------------------------------------------

FREED = ("none", "all", "half", "quarter", "eighth")
FRAGMENTATION = (
    "new-delete",
    "new-delete/base",
    "monotonic",
    "monotonic/wink",
    "multipool",
    "multipool/wink",
    "multipool+monotonic",
    "multipool+monotonic/wink",
)
FRAGMENTED = ("half", "quarter", "eighth")
# The factor of new-delete's time over a heap with that freed share; the local strategies do not notice.
AS1_SLOWER = {"none": 1.0, "all": 1.0, "half": 1.25, "quarter": 1.25, "eighth": 1.25}
HEAP_SLOWER = 1.1  # than `upstream cache`, over a fragmented heap


def fragmentation_ns(structure: str, size_log2: int, strategy: str, freed: str, upstream: str) -> float:
    time = density_formula(structure, size_log2, strategy)
    if strategy in ("new-delete", "new-delete/base"):
        return time * AS1_SLOWER[freed]
    return time * (HEAP_SLOWER if upstream == "heap" and freed in FRAGMENTED else 1.0)


def fragmentation_rows(
    names: Iterable[str] = ("DS2", "DS3"),
    freed: Sequence[str] = FREED,
    strategies: Sequence[str] = FRAGMENTATION,
    upstream: str = "cache",
    **setting: Any,
) -> list[Native]:
    rows = []
    for (name, size, part), strategy, repetition, longer in repeated(
        product(names, (6, 10), freed), strategies
    ):
        parameters = {
            "ds": name,
            "size_log2": size,
            "product_log2": 20,
            "inner_log2": structures()[name].inner_log2,
            "buffer": "none",
            "hash": "prefix",
            "pages": "huge",
            "freed": part,
            "perturb_chunks_log2": 16,
            "upstream": upstream,
        } | setting
        time = longer * fragmentation_ns(name, size, strategy, part, upstream)
        rows.append(native_row("fragmentation", parameters, strategy, repetition, time, 1 << 20))
    return rows
