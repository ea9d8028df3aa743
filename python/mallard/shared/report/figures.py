"""The text of figures, once for all media: counts, bytes, shares and times, in at most seven columns each."""

from __future__ import annotations

import math
from collections.abc import Callable

from mallard.shared.report.model import (
    Block,
    Cell,
    Change,
    Estimate,
    Figure,
    Interval,
    Meter,
    Meters,
    Name,
    Ranking,
    Stack,
    Table,
    Term,
    Unit,
    Verdict,
)
from mallard.shared.report.names import ELLIPSIS, last_parts
from mallard.shared.stats import Difference, Ratio

UNKNOWN = "-"
AT_MOST = "\N{LESS-THAN OR EQUAL TO}"
LEVELS = 4  # of a stack in a line
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


def ratio_figure(value: float) -> str:
    """`1.63`, `34.00`, `0.097`, `<0.001`: two decimals, or three of a small ratio."""
    return f"{value:.2f}" if value >= 0.0995 else f"{value:.3f}" if value >= 0.00095 else "<0.001"


def plural(number: float, noun: str) -> str:
    """`1 allocation`, `2 allocations`."""
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def cell_text(cell: Cell) -> str:
    """Of a table's cell; empty for none."""
    match cell:
        case None:
            return ""
        case Figure():
            part = "" if cell.part is None else f" {narrow_share(cell.part):>5}"
            return figure_text(cell) + part
        case Interval(low, high, unit):
            return f"{TEXTS[unit](low)} to {TEXTS[unit](high)}"
        case Change(before, after, unit):
            step, text = after - before, TEXTS[unit](after)
            return f"{_more(TEXTS[unit])(step)} \N{RIGHTWARDS ARROW} {text}" if step else text
        case Estimate():
            return f"{estimate_text(cell)} ({interval_text(cell)})"
        case Term(name):
            return name
        case Verdict(word, _, note):
            return f"{word}: {note}" if note else word
        case Meter():
            return ""
        case Meters(items):
            return " ".join(f"{letter} {level(value)}" for letter, _, value in items)
        case Name():
            return cell.short
        case Ranking(items):
            first = f"{_place(items[0][0])} {items[0][1]}" if items else UNKNOWN
            return f"{first} and {len(items) - 1} more" if len(items) > 1 else first
        case Stack(levels, about):
            return ", ".join(filter(None, (_stack(levels) if levels or not about else "", about)))
        case _:
            return cell


def estimate_text(estimate: Estimate) -> str:
    return TEXTS[estimate.unit](estimate.value.median)


def interval_text(estimate: Estimate) -> str:
    """`44 to 46`."""
    value, text = estimate.value, TEXTS[estimate.unit]
    if not (math.isfinite(value.low) and math.isfinite(value.high)):
        return "one repetition: no interval"
    return f"{text(value.low)} to {text(value.high)}"


def figure_text(figure: Figure) -> str:
    """Without the part."""
    if figure.value is None or not math.isfinite(figure.value):
        return UNKNOWN
    text = TEXTS[figure.unit](figure.value)
    if figure.is_bound:
        text = f"{AT_MOST} {'100 %' if text.startswith('>') else text}"
    return f"{text}=" if figure.is_equal else text


def count_prefix(table: Block) -> str:
    """`2 of 30 (--all): `, or nothing if all rows are shown."""
    if not isinstance(table, Table):
        return ""
    total, shown = len(table.rows) + table.unlisted, len(table.rows[: table.most])
    return f"{count(shown)} of {count(total)} ({table.remedy}): " if shown < total else ""


def omitted_rows(table: Table, *, is_counted: bool = False) -> str:
    """`and 3 smaller sites: --all`; nothing if a heading has the count, or all rows are shown."""
    number = len(table.rows) + table.unlisted - len(table.rows[: table.most])
    if is_counted or not number:
        return ""
    return f"and {plural(number, table.noun)}: {table.remedy}"


def level(value: float | None) -> str:
    """`.31`: a share as a number from 0 to 1."""
    return UNKNOWN if value is None else f"{value:.2f}".removeprefix("0")


def narrow_share(value: float) -> str:
    """A share in at most five columns; nothing is rounded to 0 or to 100."""
    percent = 100 * value
    if 0 < percent < 1:
        return "<1 %"
    return ">99 %" if 99 < percent < 100 else f"{percent:.0f} %"


def _place(name: Name) -> str:
    file = name.source.rpartition("/")[2]
    return f"{name.short} ({file})" if file else name.short


def _stack(levels: tuple[Name, ...]) -> str:
    """The innermost levels, joined by `<`: each was called by the next."""
    names = [last_parts(name.short).removeprefix(ELLIPSIS) for name in levels[:LEVELS]]
    more = f" < {len(levels) - LEVELS} more" if len(levels) > LEVELS else ""
    return f"{' < '.join(names)}{more}" if names else "no stack"


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
    Unit.TIMES_RATIO: ratio_figure,
    Unit.FACTOR: lambda value: f"{value:.1f} x",
    Unit.PERCENT: lambda value: f"{100 * value:.0f} %",
    Unit.PERCENT_MORE: lambda value: f"{100 * value:+.1f} %",
    Unit.HUNDREDTHS: lambda value: f"{100 * value:.0f}" if value >= 0.0995 else f"{100 * value:.1f}",
    Unit.SHARE: share,
    Unit.SECONDS: seconds,
    Unit.NUMBER: ratio,
    Unit.POINTS_MORE: lambda value: points(value),
    Unit.RELATIVE: lambda value: relative(value),
    Unit.RELATIVE_MEAN: lambda value: f"{100 * value:.1f}",
    Unit.NANOSECONDS: lambda value: digits(value),
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


def digits(value: float) -> str:
    """Three digits or more: `1.63`, `16.3`, `163`, `1,634`."""
    return f"{value:,.0f}" if value >= 99.95 else _digits(value)


def relative(ratio: float) -> str:
    """In percent of a base: `5.0`, `45`, `1,200`."""
    return f"{100 * ratio:.1f}" if ratio < 0.0995 else f"{100 * ratio:,.0f}"


def bounds(value: Ratio | Difference, text: Callable[[float], str]) -> str:
    """`44\u201346`; empty if one repetition gives no interval."""
    return f"{text(value.low)}\u2013{text(value.high)}" if math.isfinite(value.high) else ""


def points(value: float) -> str:
    """`+0.78`, `+10.0`: a difference of percents."""
    return f"{value:+.2f}" if abs(value) < 1 else f"{value:+.1f}"


def rough(value: float) -> str:
    """Two digits: `<0.1`, `0.43`, `5`, `120`."""
    if 0 < value < 0.1:
        return "<0.1"
    return f"{value:.2g}" if value < 9.95 else digits(value)


def mebibytes(value: float) -> str:
    return digits(value / (1 << 20))


def hundredths(value: float) -> str:
    """A quotient in two digits behind the point, or two digits at all."""
    return f"{value:.2f}" if value >= 0.095 else f"{value:.2g}"
