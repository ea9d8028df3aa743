"""Figures of a verdict as text."""

from __future__ import annotations

import math

from mallard.stats import Difference
from mallard.trial.verdict import Effect

NAMES = {
    "monotonic": "a monotonic allocator, rewound on return,",
    "multipool": "a multipool",
    "multipool+monotonic": "a multipool over a monotonic allocator, released on return,",
    "small-object-pool": "a small-object pool",
    "adaptive-pool": "adaptive pools",
    "heap": "a local heap",
}
NEVER_AGAIN = {
    "monotonic": "a monotonic allocator, released at the end,",
    "multipool+monotonic": "a multipool over a monotonic allocator, released at the end,",
}


def strategy_name(effect: Effect) -> str:
    """With the moment at which its memory comes back. In a trial that is the moment without a live block."""
    if effect.counts.started_again <= 1 and effect.strategy in NEVER_AGAIN:
        return NEVER_AGAIN[effect.strategy]
    return NAMES.get(effect.strategy, effect.strategy)


def times(seconds: float) -> str:
    """`38.7 ms`, `109 ms`, `2.31 s`, `0.04 ms`."""
    if abs(seconds) >= 1:
        return f"{_digits(seconds)} s"
    return f"{_digits(1e3 * seconds)} ms"


def nanoseconds(value: float) -> str:
    return f"{_digits(value)} ns" if value < 1000 else f"{_digits(value / 1000)} us"


def interval(of: Difference) -> str:
    """Of what is saved: `37.1 to 39.7 ms`."""
    if not (math.isfinite(of.low) and math.isfinite(of.high)):
        return "interval not known"
    return between(-of.high, -of.low)


def between(low: float, high: float) -> str:
    """`36.8 to 46.0 ms`."""
    if max(abs(low), abs(high)) >= 1:
        return f"{_digits(low)} to {_digits(high)} s"
    return f"{_digits(1e3 * low)} to {_digits(1e3 * high)} ms"


def percent(share: float) -> str:
    return f"{_digits(100 * share)} %"


def at_most(share: float) -> str:
    """Rounded up: it is a bound."""
    hundredth = 100 * share
    return f"{math.ceil(hundredth * 10) / 10:.1f} %" if hundredth < 10 else f"{math.ceil(hundredth):.0f} %"


def peak_ratio(more_bytes: float, of_bytes: float) -> str:
    """A peak beside that of the program as it is: `1.2 x`."""
    return f"{(of_bytes + more_bytes) / of_bytes:.1f} x" if of_bytes > 0 else "not known"


def _digits(value: float) -> str:
    size = abs(value)
    return f"{value:.0f}" if size >= 99.5 else f"{value:.1f}" if size >= 0.995 else f"{value:.2f}"
