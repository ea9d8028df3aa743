"""Charts on a page: series of bytes over time, and histograms of shares by powers of two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from mallard.shared.report.figures import TEXTS, share, size
from mallard.shared.report.figures import seconds as time
from mallard.shared.report.markup import Markup, element, joined, leaf
from mallard.shared.report.model import Histogram, Histograms, Timeline
from mallard.shared.report.page_names import PageNames, breakable_name

WIDTH, HEIGHT = 1000, 240
TICKS = 4
LEAST_BINS = 12
MOST_BINS = 128
LABEL_EVERY = 5


def timeline(chart: Timeline, names: PageNames) -> tuple[Markup, dict[str, Any]]:
    """The drawing, and the data of its script."""
    (whole, highest), *others = chart.series
    top = nice_top(max(max(values) for _, values in chart.series))
    lines = [
        leaf("polyline", points=" ".join(_points(chart.seconds, values, top)), class_=f"l{place}")
        for place, (_, values) in enumerate(others)
    ]
    area = " ".join(_points(chart.seconds, highest, top))
    drawing = element(
        "svg",
        leaf("path", d=f"M0,{HEIGHT}L{area}L{WIDTH},{HEIGHT}Z", class_="area"),
        *lines,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_label=chart.title,
    )
    keys = [
        element("li", element("i", class_=f"l{place}"), breakable_name(names.cut(name)))
        for place, (name, _) in enumerate(others)
    ]
    body = joined(
        element(
            "div",
            _heights(top),
            element("div", drawing, element("span", class_="cursor", hidden=True), class_="drawing"),
            _times(chart.seconds),
            class_="timeline",
        ),
        element("ul", element("li", element("i", class_="whole"), whole), *keys, class_="keys"),
    )
    return body, {
        "seconds": [float(f"{value:.6g}") for value in chart.seconds],
        "lines": [[names.cut(name), [round(value) for value in values]] for name, values in chart.series],
    }


def _points(times: Sequence[float], values: Sequence[float], top: float) -> list[str]:
    first, length = times[0], (times[-1] - times[0]) or 1.0
    return [
        f"{WIDTH * (at - first) / length:.1f},{HEIGHT * (1 - min(value / top, 1.0)):.1f}"
        for at, value in zip(times, values, strict=True)
    ]


def _heights(top: float) -> Markup:
    rungs = [
        element("span", size(top * step / TICKS), style=f"bottom:{100 * step / TICKS:.1f}%")
        for step in range(TICKS + 1)
    ]
    return element("div", *rungs, class_="heights", aria_hidden="true")


def _times(times: Sequence[float]) -> Markup:
    length = (times[-1] - times[0]) or 1.0
    step = nice_step(length)
    marks = []
    for number in range(math.ceil(times[0] / step), int(times[-1] / step) + 1):
        text = time(step * number).replace(".00 ", " ").replace(".0 ", " ")
        place = 100 * (step * number - times[0]) / length
        end = "end" if place > 97 else "begin" if place < 3 else None
        marks.append(element("span", text, style=f"left:{place:.1f}%", class_=end))
    return element("div", *marks, class_="times", aria_hidden="true")


def nice_step(length: float) -> float:
    """1, 2 or 5 times a power of ten: at most six steps."""
    power = 10.0 ** math.floor(math.log10(length / 6))
    return next(step * power for step in (1, 2, 5, 10) if length / (step * power) <= 6)


def nice_top(most: float) -> float:
    """The end of an axis: 1, 2, 4 or 8 times a power of 1024, or a step between, whose quarters are round."""
    if most <= 0:
        return 0.0
    unit = 1.0
    while most >= 1024 * unit:
        unit *= 1024
    steps = (
        *(1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 100, 120, 140, 160, 200, 240),
        *(280, 320, 400, 480, 560, 640, 800, 1024),
    )
    return next(step * unit for step in steps if step * unit >= most)


def histograms(pair: Histograms) -> Markup:
    keys = [
        element("li", element("i", class_=class_), f"share {key}")
        for class_, key in zip(("blocks", "weight"), pair.keys, strict=True)
    ]
    charts = (_histogram(chart, pair.keys) for chart in pair.charts)
    return joined(element("ul", *keys, class_="keys"), element("div", *charts, class_="columns"))


def _histogram(chart: Histogram, keys: tuple[str, str]) -> Markup | None:
    by_power = {power: parts for power, *parts in chart.bins}
    if not by_power:
        return None
    first = min(by_power)
    last = max(max(by_power), first + LEAST_BINS - 1)
    if last - first >= MOST_BINS:
        return None
    highest = max(max(parts) for parts in by_power.values()) or 1.0

    def text(value: float) -> str:
        return TEXTS[chart.unit](value * chart.scale)

    bars = []
    for power in range(first, last + 1):
        parts = by_power.get(power, [0.0, 0.0])
        ends = f"{text(2.0**power)} to {text(2.0 ** (power + 1))}" if power >= 0 else f"less than {text(1.0)}"
        shares = ", ".join(f"{share(part)} {key}" for part, key in zip(parts, keys, strict=True))
        heights = [
            element("i", class_=class_, style=f"height:{100 * part / highest:.1f}%")
            for class_, part in zip(("blocks", "weight"), parts, strict=True)
        ]
        is_labelled = power < 0 or (power % LABEL_EVERY == 0 and (power >= LABEL_EVERY or first == 0))
        label = element("span", _rounded(text(2.0**power if power >= 0 else 0.0))) if is_labelled else None
        bars.append(element("li", *heights, label, title=f"{ends}: {shares}"))
    return element(
        "figure",
        element("figcaption", chart.title, element("small", f"highest bar {share(highest)}")),
        element("ol", *bars, class_="histogram"),
    )


def _rounded(text: str) -> str:
    """A label of an axis of powers of two: 1.00 KiB is 1 KiB, 2.05 us is 2 us."""
    number, _, unit = text.partition(" ")
    return f"{float(number):.0f} {unit}"
