"""Estimates the remaining time of a run from the finished repetitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from mallard.bench.process import Repetition
from mallard.bench.result import Parameters, canonical

Grain = tuple[str, ...]
Grains = tuple[Grain, ...]  # from the finest to the coarsest


class Pace:
    """Mean seconds at four grains. The finest grain with data for a repetition gives the estimate.

    The product of size and iterations is constant, so a new size takes about as long as its neighbours.
    """

    def __init__(self) -> None:
        self._sums: defaultdict[Grain, float] = defaultdict(float)
        self._counts: defaultdict[Grain, int] = defaultdict(int)

    def add_sample(self, done: Grains, seconds: float) -> None:
        for grain in done:
            self._sums[grain] += seconds
            self._counts[grain] += 1

    def seconds(self, ahead: Grains) -> float | None:
        """The estimate; None before the first measurement."""
        for grain in ahead:
            if grain in self._counts:
                return self._sums[grain] / self._counts[grain]
        return None

    def remaining_seconds(self, ahead: Iterable[Grains]) -> float | None:
        total = 0.0
        for grains in ahead:
            seconds = self.seconds(grains)
            if seconds is None:
                return None
            total += seconds
        return total


def format_remaining(seconds: float | None) -> str:
    if seconds is None:
        return "time left not known yet"
    if seconds < 90:
        return f"about {seconds:.0f} s left"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} min left"
    return f"about {seconds / 3600:.1f} h left"


def grains(repetition: Repetition) -> Grains:
    kind = _kind(repetition.parameters)
    return (
        ("cell", canonical(repetition.parameters), repetition.strategy),
        ("structure and strategy", kind, repetition.strategy),
        ("structure", kind),
        ("all",),
    )


# The parameters that determine the time of a cell, of any experiment.
KIND = (
    *("ds", "operation", "links", "list_length", "total_log2", "iterations_log2", "threads"),
    *("object_bytes", "order", "pages", "work", "version", "range", "elements", "type", "live", "compiler"),
)


def _kind(parameters: Parameters) -> str:
    return " ".join(str(parameters[name]) for name in KIND if name in parameters)
