"""The words of the advice: strategies, times, changes with their intervals, and peaks."""

from __future__ import annotations

import math

from mallard.advisor.advice.candidates import Candidate
from mallard.advisor.trial.effect import Effect
from mallard.shared.report.figures import size
from mallard.shared.stats import Difference

NAMES = {
    "monotonic": "a monotonic allocator, rewound on return,",
    "multipool": "a multipool",
    "multipool+monotonic": "a multipool over a monotonic allocator, released on return,",
    "small-object-pool": "a small-object pool",
    "adaptive-pool": "adaptive pools",
    "heap": "a local heap",
    "reserve": "room for the final size",
    "kept-block": "a kept block",
    "block-cache": "a cache of eight blocks",
}
REUSED_WHEN_EMPTY = {
    "monotonic": "a monotonic allocator, rewound when none of its blocks is live,",
    "multipool+monotonic": (
        "a multipool over a monotonic allocator, released when none of its blocks is live,"
    ),
}
RELEASED_AT_END = {
    "monotonic": "a monotonic allocator, released at the end,",
    "multipool+monotonic": "a multipool over a monotonic allocator, released at the end,",
}


def strategy_name(effect: Effect, candidate: Candidate | None) -> str:
    """The name with the moment at which memory is reused. In a trial no block is live then; the recording
    shows whether that is the return of the scope. It is not where most calls end with live blocks.
    """
    if effect.counts.started_again <= 1 and effect.strategy in RELEASED_AT_END:
        return RELEASED_AT_END[effect.strategy]
    if candidate and effect.strategy in REUSED_WHEN_EMPTY:
        ends_live = effect.counts.started_again < candidate.activations / 2
        if ends_live or not candidate.returns_each_time:
            return REUSED_WHEN_EMPTY[effect.strategy]
    return NAMES.get(effect.strategy, effect.strategy)


def advised(effect: Effect, candidate: Candidate) -> str:
    """`put a multipool into handle() (server.cpp:88)`, `keep the block of frame() (render.cpp:41) ...`."""
    name = strategy_name(effect, candidate)
    if effect.strategy == "reserve":
        return f"reserve {size(candidate.reserved_bytes)} for the first block of {candidate.with_source}"
    if candidate.is_line and effect.strategy == "kept-block":
        return f"keep the block of {candidate.with_source} and use it again"
    if candidate.is_line:
        return f"keep {name} for {candidate.with_source}"
    return f"put {name} into {scope_name(effect, candidate)}"


def scope_name(effect: Effect, candidate: Candidate) -> str:
    """`handle() (server.cpp:88)`, or the loop in it if memory is reused in each round."""
    is_round = strategy_name(effect, candidate) == REUSED_WHEN_EMPTY.get(effect.strategy)
    return candidate.with_loop if candidate.is_iteration and is_round else candidate.with_source


def times(seconds: float) -> str:
    """`38.7 ms`, `109 ms`, `2.31 s`, `0.04 ms`."""
    if abs(seconds) >= 1:
        return f"{_digits(seconds)} s"
    return f"{_digits(1e3 * seconds)} ms"


def nanoseconds(value: float) -> str:
    return f"{_digits(value)} ns" if value < 1000 else f"{_digits(value / 1000)} us"


def interval(difference: Difference) -> str:
    """The interval of a saving, or of a cost where the middle is one: `37.1 to 39.7 ms`."""
    if not (math.isfinite(difference.low) and math.isfinite(difference.high)):
        return "interval not known"
    if difference.median > 0:
        return between(difference.low, difference.high)
    return between(-difference.high, -difference.low)


def change(difference: Difference, total_seconds: float | None = None) -> str:
    """`38.7 ms saved (37.1 to 39.7 ms)`, or `costs 0.40 ms (0.20 to 0.60 ms)`; with the program's time
    `36 % saved, 38.7 ms of 109 ms (37.1 to 39.7 ms)`."""
    costs = difference.median > 0
    amount = times(abs(difference.median))
    if total_seconds is None:
        return (
            f"costs {amount} ({interval(difference)})"
            if costs
            else f"{amount} saved ({interval(difference)})"
        )
    share = percent(abs(difference.median) / total_seconds)
    return (
        f"{f'costs {share}' if costs else f'{share} saved'}, {amount} of {times(total_seconds)} "
        f"({interval(difference)})"
    )


def less_memory(difference: Difference, total_bytes: float) -> str:
    """`78.6 % less, 12.4 MiB of 58.2 MiB (12.3 to 12.5 MiB)`; `8.0 % more, ...`."""
    if total_bytes <= 0:
        return "not known"
    share = percent(abs(difference.median) / total_bytes)
    word = "more" if difference.median > 0 else "less"
    middle = size(total_bytes + difference.median)
    return f"{share} {word}, {middle} of {size(total_bytes)} ({_size_interval(difference, total_bytes)})"


def memory_after(difference: Difference, total_bytes: float) -> str:
    """`12.4 MiB (12.3 to 12.5 MiB)`"""
    return f"{size(total_bytes + difference.median)} ({_size_interval(difference, total_bytes)})"


def _size_interval(difference: Difference, total_bytes: float) -> str:
    if not math.isfinite(difference.high):
        return "interval not known"
    low, high = size(total_bytes + difference.low), size(total_bytes + difference.high)
    return f"{low.removesuffix(high.partition(' ')[2]).rstrip()} to {high}"


def time_effect(difference: Difference, total_seconds: float | None = None) -> str:
    """A change of time that need not be one: `costs 2.0 % ...`, with a remark if it is not significant."""
    significance = "" if _is_significant(difference) else ", which is not significant"
    return f"{change(difference, total_seconds)}{significance}"


def short_time_effect(difference: Difference) -> str:
    """`38.7 ms saved`, `costs 0.40 ms`, `no significant effect`; `interval` has the ends."""
    if not _is_significant(difference):
        return "no significant effect"
    amount = times(abs(difference.median))
    return f"costs {amount}" if difference.median > 0 else f"{amount} saved"


def _is_significant(difference: Difference) -> bool:
    return difference.high < 0 or difference.low > 0


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


def peak_effect(more_bytes: float, base_bytes: float) -> str:
    """`at 1.2 x the peak memory`."""
    ratio = peak_ratio(more_bytes, base_bytes)
    return "at the same peak memory" if ratio == "1.0 x" else f"at {ratio} the peak memory"


def peak_ratio(more_bytes: float, base_bytes: float, decimals: int = 1) -> str:
    """A peak relative to that of the unchanged program: `1.2 x`."""
    return f"{(base_bytes + more_bytes) / base_bytes:.{decimals}f} x" if base_bytes > 0 else "not known"


def _digits(value: float) -> str:
    amount = abs(value)
    return f"{value:.0f}" if amount >= 99.5 else f"{value:.1f}" if amount >= 0.995 else f"{value:.2f}"
