"""Test equipment: one made-up row of the runner, of any experiment. No figure here was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, TypeVar

from mallard.bench.result import Row

T = TypeVar("T")
Native = dict[str, Any]
WOBBLE = 0.02  # of each further repetition
ZEROES = ("cpu_ns", "wall_ns", "user_ns", "system_ns", "operations", "minor_faults", "peak_rss_bytes")


def native_row(
    experiment: str,
    parameters: Native,
    strategy: str,
    repetition: int,
    nanoseconds: float,
    operations: int,
    **changes: Any,
) -> Native:
    """Takes `nanoseconds` an operation, as CPU time and as wall time, a tenth of it in the kernel."""
    cpu = round(nanoseconds * operations)
    return {
        "format": 1,
        "experiment": experiment,
        "parameters": parameters,
        "strategy": strategy,
        "repetition": repetition,
        "seed": 1,
        "status": "ok",
        "cpu_ns": cpu,
        "wall_ns": cpu,
        "user_ns": cpu - cpu // 10,
        "system_ns": cpu // 10,
        "operations": operations,
        "iterations": 1,
        "minor_faults": 1048,
        "major_faults": 0,
        "peak_rss_bytes": 10 << 20,
        "checksum": "9f",
        "spills": 0,
        "pinned_cpu": 1,
        "load1": 0.1,
        "notes": [],
        "figures": {},
        "malloc": strategy.partition("@")[2] or "glibc",
    } | changes


def repeated(
    places: Iterable[T], strategies: Iterable[str], repetitions: int = 3
) -> Iterator[tuple[T, str, int, float]]:
    """The place, the strategy and the repetition of each row in the runner's order, and the factor of its
    time, which is the same for every strategy, so that paired ratios are exact.
    """
    for place, repetition, strategy in product(places, range(repetitions), strategies):
        yield place, strategy, repetition, 1.0 + WOBBLE * repetition


def failed_row(
    experiment: str, parameters: Native, strategy: str, repetition: int, status: str, detail: str
) -> Native:
    ended = dict.fromkeys(ZEROES, 0) | {"status": status, "detail": detail}
    return native_row(experiment, parameters, strategy, repetition, 0.0, 0) | ended


def to_rows(*runs: Iterable[Native]) -> list[Row]:
    """Of the runs 1, 2 and so on."""
    return [Row.from_native(number, native) for number, natives in enumerate(runs, 1) for native in natives]


def without(natives: Iterable[Native], strategy: str) -> list[Row]:
    return to_rows(native for native in natives if native["strategy"] != strategy)
