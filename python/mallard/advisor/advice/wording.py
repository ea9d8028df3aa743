"""Formats the figures of a verdict."""

from __future__ import annotations

import math

from mallard.advisor.trial.verdict import Effect
from mallard.shared.stats import Difference

NAMES = {
    "monotonic": "a monotonic allocator, rewound on return,",
    "multipool": "a multipool",
    "multipool+monotonic": "a multipool over a monotonic allocator, released on return,",
    "small-object-pool": "a small-object pool",
    "adaptive-pool": "adaptive pools",
    "heap": "a local heap",
}
RELEASED_AT_END = {
    "monotonic": "a monotonic allocator, released at the end,",
    "multipool+monotonic": "a multipool over a monotonic allocator, released at the end,",
}


def strategy_name(effect: Effect) -> str:
    """The name with the moment at which memory is reused: in a trial, when no block is live."""
    if effect.counts.started_again <= 1 and effect.strategy in RELEASED_AT_END:
        return RELEASED_AT_END[effect.strategy]
    return NAMES.get(effect.strategy, effect.strategy)


def times(seconds: float) -> str:
    """`38.7 ms`, `109 ms`, `2.31 s`, `0.04 ms`."""
    if abs(seconds) >= 1:
        return f"{_digits(seconds)} s"
    return f"{_digits(1e3 * seconds)} ms"


def nanoseconds(value: float) -> str:
    return f"{_digits(value)} ns" if value < 1000 else f"{_digits(value / 1000)} us"


def interval(difference: Difference) -> str:
    """The interval of a saving: `37.1 to 39.7 ms`."""
    if not (math.isfinite(difference.low) and math.isfinite(difference.high)):
        return "interval not known"
    return between(-difference.high, -difference.low)


def between(low: float, high: float) -> str:
    """`36.8 to 46.0 ms`."""
    if max(abs(low), abs(high)) >= 1:
        return f"{_digits(low)} to {_digits(high)} s"
    return f"{_digits(1e3 * low)} to {_digits(1e3 * high)} ms"


def percent(share: float) -> str:
    return f"{_digits(100 * share)} %"


def at_most(share: float) -> str:
    """A percentage, rounded up because it is a bound."""
    hundredth = 100 * share
    return f"{math.ceil(hundredth * 10) / 10:.1f} %" if hundredth < 10 else f"{math.ceil(hundredth):.0f} %"


def peak_ratio(more_bytes: float, base_bytes: float) -> str:
    """A peak relative to that of the unchanged program: `1.2 x`."""
    return f"{(base_bytes + more_bytes) / base_bytes:.1f} x" if base_bytes > 0 else "not known"


def _digits(value: float) -> str:
    size = abs(value)
    return f"{value:.0f}" if size >= 99.5 else f"{value:.1f}" if size >= 0.995 else f"{value:.2f}"
