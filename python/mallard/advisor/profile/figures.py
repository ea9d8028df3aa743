"""The figures of a process, a scope or a site, as in docs/advisor/profile_format.md. None means unknown."""

from __future__ import annotations

from dataclasses import dataclass

Interval = tuple[float, float]


@dataclass(frozen=True)
class Amount:
    allocations: int
    bytes: int


NOTHING = Amount(0, 0)


@dataclass(frozen=True)
class Dimension:
    """One of D V L U C F. The letter determines which of the further figures exist."""

    raw: float | None = None
    scaled: float | None = None
    interval: Interval | None = None
    samples: int | None = None
    ns_per_operation: float | None = None
    operations_per_second: float | None = None
    footprint_bytes: int | None = None
    transitions: int | None = None
    freed_by_other_thread: float | None = None
    pages_spanned: int | None = None
    pages_needed: int | None = None


@dataclass(frozen=True)
class Drag:
    peak_ratio: float | None = None
    area_ratio: float | None = None


@dataclass(frozen=True)
class Figures:
    allocations: int
    bytes: int
    frees: int | None
    sizes: tuple[tuple[int, int, int], ...]  # most bytes, allocations, bytes
    size_classes: int | None
    smallest: int | None
    largest: int | None
    contained: Amount | None
    escaped: Amount | None
    alive: Amount | None
    containment: float | None
    containment_bytes: float | None
    freed_by_other_thread: Amount | None = None
    D: Dimension | None = None
    V: Dimension | None = None
    L: Dimension | None = None
    U: Dimension | None = None
    C: Dimension | None = None
    F: Dimension | None = None
    drag: Drag | None = None
    mean_lifetime_seconds: float | None = None
    mean_lifetime_bytes: float | None = None

    def dimension(self, letter: str) -> Dimension:
        dimension: Dimension | None = getattr(self, letter)
        return dimension or Dimension()


@dataclass(frozen=True)
class Percentiles:
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    max: float | None = None
    mean: float | None = None

    def below(self, value: float | None) -> float | None:
        """A percentile is the upper end of a size class, which may lie above the maximum."""
        return value if value is None or self.max is None else min(value, self.max)
