"""The text of figures, once for all media: counts, bytes, shares and times, in at most seven columns each."""

from __future__ import annotations

import math
from collections.abc import Callable

from mallard.shared.report.model import Cell, Figure, Interval, Unit, Verdict

UNKNOWN = "-"
LARGEST_PLAIN = 99_999
THOUSANDS = ("", "k", "M", "G", "T", "P", "E")
BYTES = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def count(value: float | None) -> str:
    """`0`, `1,234`, `12.3 M`."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if value <= LARGEST_PLAIN:
        return f"{value:,.0f}" if value >= 100 or value == int(value) else _digits(value)
    return _scaled(value, 1000, THOUSANDS)


def size(value: float | None) -> str:
    """`0 B`, `999 B`, `1.50 KiB`, `12.3 GiB`."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return f"{value:.0f} B" if value < 1024 else _scaled(value, 1024, BYTES)


def size_range(smallest: float | None, largest: float | None) -> str:
    """`4.00 KiB to 1.00 MiB`, or one size."""
    ends = (size(smallest), size(largest))
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def share(value: float | None) -> str:
    """`0 %`, `0.3 %`, `12 %`, `100 %`: nothing is rounded to 0 or to 100."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    percent = 100 * value
    if percent <= 0:
        return "0 %"
    if percent < 0.1:
        return "<0.1 %"
    if percent < 9.95:
        return f"{percent:.1f} %"
    return (
        f"{percent:.1f} %"
        if 99 < percent < 99.95
        else ">99.9 %"
        if 99.95 <= percent < 100
        else f"{percent:.0f} %"
    )


def precise_share(value: float | None) -> str:
    """`99.98 %`: a share whose distance from 100 % matters."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return (
        ">99.99 %" if 0.99995 <= value < 1 else f"{100 * value:.2f} %" if 0.99 < value < 1 else share(value)
    )


def seconds(value: float | None) -> str:
    """`12.3 ms`, `4.20 s`, `312 s`."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if value <= 0:
        return "0 s"
    factor, unit = next(((factor, unit) for factor, unit in TIMES if value >= factor * 0.9995), TIMES[-1])
    return f"{_digits(value / factor)} {unit}"


def ratio(value: float | None) -> str:
    """`1.63`, `34`, `1,200`."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return count(value) if value >= 99.95 else _digits(value)


def plural(number: float, noun: str) -> str:
    """`1 allocation`, `2 allocations`."""
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def cell_text(cell: Cell) -> str:
    """Of a table's cell; empty for none."""
    match cell:
        case None:
            return ""
        case Figure(value, unit):
            return _figure(value, unit)
        case Interval(low, high, unit):
            return f"{_figure(low, unit)} to {_figure(high, unit)}"
        case Verdict(word):
            return word
        case _:
            return cell


def _figure(value: float, unit: Unit) -> str:
    return TEXTS[unit](value)


def _more(text: Callable[[float], str]) -> Callable[[float], str]:
    """The text of a difference."""
    return lambda value: ("-" if value < 0 else "+") + text(abs(value))


def _whole(value: float) -> str:
    return f"{round(value):+,}"  # there is no -0


TEXTS: dict[Unit, Callable[[float], str]] = {
    Unit.MILLISECONDS: lambda value: f"{1e3 * value:,.1f}",
    Unit.MILLISECONDS_MORE: lambda value: f"{1e3 * value:+,.2f}",
    Unit.BYTES: size,
    Unit.BYTES_MORE: _more(lambda value: size(round(value))),
    Unit.KIBIBYTES: lambda value: f"{value / 1024:,.0f}",
    Unit.KIBIBYTES_MORE: lambda value: _whole(value / 1024),
    Unit.COUNT: count,
    Unit.COUNT_MORE: _whole,
    Unit.RATIO: lambda value: f"{value:.2f}",
    Unit.FACTOR: lambda value: f"{value:.1f} x",
    Unit.PERCENT: lambda value: f"{100 * value:.0f} %",
    Unit.PERCENT_MORE: lambda value: f"{100 * value:+.1f} %",
}


def _scaled(value: float, base: int, units: tuple[str, ...]) -> str:
    power = 0
    while value >= base * 0.9995 and power < len(units) - 1:
        value /= base
        power += 1
    return f"{_digits(value)} {units[power]}".strip()


def _digits(value: float) -> str:
    """Three digits."""
    return f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"
