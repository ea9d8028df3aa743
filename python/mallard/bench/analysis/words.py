"""Figures as text: ratios with their intervals, lists, and sizes in the papers' notation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mallard.shared.stats import Ratio


def percent(value: float) -> str:
    """A ratio in percent; one decimal below ten."""
    return f"{100 * value:.0f}" if value >= 0.0995 else f"{100 * value:.1f}"


def percent_text(ratio: Ratio) -> str:
    """`45 % (44 to 46)`: a ratio with its interval."""
    return with_interval(ratio, percent, " %")


def times_text(ratio: Ratio) -> str:
    """`3.2 times (3.0 to 3.4)`, for growth that percents do not show well."""
    return with_interval(ratio, factor, " times")


def with_interval(ratio: Ratio, text: Callable[[float], str], unit: str = "") -> str:
    ends = f"{text(ratio.low)} to {text(ratio.high)}" if ratio.bounded else "one repetition: no interval"
    return f"{text(ratio.median)}{unit} ({ends})"


def factor(value: float) -> str:
    return f"{value:.2f}" if value < 1.995 else f"{value:.1f}"


def no_difference(ratio: Ratio) -> bool:
    """True if an interval includes 1. One repetition has no interval, and shows nothing."""
    return ratio.bounded and ratio.verdict == "no difference"


def nanoseconds(value: float) -> str:
    """Nanoseconds in three digits."""
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def in_a_list(words: Sequence[str]) -> str:
    """`monotonic`, `monotonic and monotonic/base`, `monotonic, monotonic/base and multipool`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def amount(value: int, tens: bool = False) -> str:
    """`2^9`, or `10^3` in a system counted in tens; any other number in decimal."""
    base = 10 if tens else 2
    exponent = 0
    while value > 1 and value % base == 0:
        value //= base
        exponent += 1
    return f"{base}^{exponent}" if value == 1 else str(value * base**exponent)


def counted_in_tens(value: int) -> bool:
    return amount(value, tens=True).startswith("10^") and not amount(value).startswith("2^")


def amounts(values: Sequence[int], among: Sequence[int], tens: bool = False) -> str:
    """Amounts with neighbours joined: `2^2 to 2^9, 2^12`."""
    ordered = sorted(set(among))
    words: list[str] = []
    run: list[int] = []
    for value in [*ordered, None]:
        if value is not None and value in values:
            run.append(value)
        elif run:
            ends = [amount(run[0], tens), amount(run[-1], tens)]
            words += [" to ".join(ends)] if len(run) > 2 else [amount(number, tens) for number in run]
            run = []
    return ", ".join(words)


def also_equal(names: Sequence[str]) -> str:
    return f"; no difference from it: {in_a_list(names)}" if names else ""
