"""The pictures of a page: a flame graph, the duck, series of bytes over time, and histograms.

A flame graph is an icicle: callers above, callees below, as wide as their bytes or operations. The script
(static/profile/flame.js) draws the calls, zooms and searches, and shows callers below and all calls of a
function. A call has the width of its children if that is more than its own. The duck is DVLUC, of the papers:
density its head, variation its wing, locality its breast, utilization its body, contention its beak; and
fragmentability its tail.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from mallard.shared.report.figures import TEXTS, count, level, seconds, share, size
from mallard.shared.report.markup import Markup, PageNames, breakable_name, element, joined, leaf
from mallard.shared.report.model import Duck, Flame, Histogram, Histograms, Timeline, nested

ROW = 19  # pixels
NEARLY_ALL = 0.97  # of its parent's width: a chain of such calls is passed over at the beginning
STEPS = ((0.005, ""), (0.25, "up to 25 %"), (0.5, "up to 50 %"), (0.75, "up to 75 %"), (0.95, "up to 95 %"))
DIGITS = 4  # of a share
FIGURES = ("allocations", "bytes", "contained", "operations", "peak", "alive")


def flame_graph(flame: Flame, names: PageNames) -> tuple[Markup | None, dict[str, Any]]:
    """The frame of the drawing and the data of its script; nothing for a graph without widths."""
    calls = flame.calls[: names.limits.calls]
    figures = {figure: [getattr(call, figure) for call in calls] for figure in FIGURES}
    # The root is not a call.
    mode = next((mode for mode in flame.modes if nested(calls, [0, *figures[mode[0]][1:]])[0] > 0), None)
    if mode is None:
        return None, {}
    omitted = flame.omitted + len(flame.calls) - len(calls)
    drawing = joined(
        _legend(flame, mode[2]),
        element("noscript", element("p", "A script draws this graph.")),
        element("div", element("div", class_="rows"), class_="flame", role="group", aria_label="Flame graph"),
        element("p", f"{count(omitted)} smaller branches are left out.", class_="setting")
        if omitted > 0
        else None,
    )
    return drawing, figures | {
        "parent": [call.parent for call in calls],
        "name": [-1 if call.name is None else names.number(call.name) for call in calls],
        "shares": [round(part, DIGITS) for part in flame.shares[: len(calls)]],
        "steps": [end for end, _ in STEPS],
        "modes": flame.modes,
        "mode": mode[0],
        "row": ROW,
        "nearly": NEARLY_ALL,
    }


def _legend(flame: Flame, text: str) -> Markup:
    words = [flame.none, *(words for _, words in STEPS[1:]), "more"]
    steps = [element("li", text, class_=f"c{step}") for step, text in enumerate(words)]
    return element(
        "div",
        element("p", element("span", text), f" Colour: {flame.meaning}." if flame.meaning else None),
        element("ul", *steps, class_="steps") if flame.meaning else None,
        class_="flame-controls legend",
    )


def colour(part: float) -> str:
    return f"c{sum(round(part, DIGITS) > end for end, _ in STEPS)}"


# For each dimension the outline of its part of the duck, which looks right, and the position of its letter.
PARTS = {
    "F": ("M46 150C30 136 20 112 14 84C40 96 70 112 92 131C74 136 60 142 46 150Z", (48, 124)),
    "U": (
        "M46 150c6 64 62 86 122 86c64 0 114 -28 120 -84c-38 16 -74 -2 -108 -12c-50 -14 -96 -6 -134 10Z",
        (222, 208),
    ),
    "V": ("M96 158C130 146 178 152 206 178C180 204 128 206 92 186C104 178 104 168 96 158Z", (146, 185)),
    "L": (
        "M288 152c6 -20 2 -36 4 -56c-22 20 -48 16 -62 -4c-4 28 -16 46 -50 48c34 10 70 28 108 12Z",
        (256, 139),
    ),
    "D": ("M220 66a42 42 0 1 0 84 0a42 42 0 1 0 -84 0Z", (256, 82)),
    "C": ("M301 50C322 50 342 60 354 72C338 84 318 88 300 84C305 72 305 62 301 50Z", (322, 75)),
}


def duck(drawing: Duck) -> Markup:
    dimensions = {letter: (name, value) for letter, name, value in drawing.dimensions.items}
    parts = []
    for letter, (outline, (left, top)) in PARTS.items():
        name, value = dimensions[letter]
        parts.append(
            element(
                "g",
                element("title", f"{name}: {level(value)}"),
                leaf("path", d=outline),
                element("text", letter, x=str(left), y=str(top)),
                class_="unknown" if value is None else colour(min(max(value, 0.0), 1.0)),
            )
        )
    words = ", ".join(f"{name} {level(value)}" for name, value in dimensions.values())
    drawn = element(
        "svg",
        *parts,
        leaf("circle", cx="276", cy="56", r="5", class_="eye"),
        viewBox="0 20 368 224",
        role="img",
        aria_label=f"The duck of {words}",
        class_="duck",
    )
    return element("figure", drawn, element("figcaption", "The darker, the nearer to 1."))


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
        text = seconds(step * number).replace(".00 ", " ").replace(".0 ", " ")
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
