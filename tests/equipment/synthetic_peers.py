"""Test equipment: made-up rows of mallard's strategies and of contenders, every figure known beforehand.

No figure here was measured. The strategy NOISY differs from one repetition to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from synthetic_rows import WOBBLE, Native, failed_row, native_row, repeated

NOISY = "pmr-unsynchronized"
NOISE = (0.9, 1.12, 1.01, 0.95, 1.06)
Times = Mapping[str, float]

# Nanoseconds of an object of 16 bytes; multipool is mallard's fastest that counts.
TIMES = {
    "null": 0.5,
    "new-delete": 16.0,
    "new-delete@jemalloc": 8.0,
    "multipool": 4.0,
    "multipool-random": 1.0,
    "multipool/base": 5.0,
    NOISY: 4.0,
    "boost-pool": 5.0,
    "boost-fast-pool": 4.4,
    "loki": 2.0,
}
# The strategies of made-up rows: the share of the time, and bytes for each object.
PHASES = {"allocate_ns": 0.4, "free_ns": 0.3, "reallocate_ns": 0.2, "traverse_ns": 0.1}
LARGE = 64  # bytes of an object: there Loki does not finish


def factor(strategy: str, repetition: int) -> float:
    return NOISE[repetition] if strategy == NOISY else 1.0 + WOBBLE * repetition


def object_rows(
    times: Times = TIMES, sizes: Iterable[int] = (16, LARGE), repetitions: int = 3, order: str = "shuffled"
) -> list[Native]:
    """Of small-objects. Times grow with the size; memory is the objects', twice that under new-delete."""
    rows: list[Native] = []
    for size, strategy, repetition, _ in repeated(sizes, times, repetitions):
        parameters = {"object_bytes": size, "objects": 1_000_000, "order": order, "pages": "small"}
        place = ("small-objects", parameters, strategy, repetition)
        if size == LARGE and strategy == "loki":
            if repetition == 0:
                rows.append(failed_row(*place, "timed_out", "not done after 10 s"))
            continue
        ns = times[strategy] * size / 16 * factor(strategy, repetition)
        held = size * 1_000_000 * (2.0 if strategy.startswith("new-delete") else 1.0)
        figures = {name: share * ns for name, share in PHASES.items()} | {"held_bytes": held}
        rows.append(native_row(*place, ns, 1_000_000, figures=figures))
    return rows


def block_rows(times: Times = TIMES) -> list[Native]:
    """Of utilization: one time a cell, and no figure that is compared."""
    parameters = {"total_log2": 30, "active_log2": 15, "block_log2": 10}
    parameters |= {"buffer": "warm", "final_frees": "timed"}
    return [
        native_row(
            *("utilization", parameters, strategy, repetition),
            *(times[strategy] * factor(strategy, repetition), 1 << 20),
        )
        for _, strategy, repetition, _ in repeated((None,), times)
    ]
