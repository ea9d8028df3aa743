"""Charts: histograms of lifetimes, by bytes that the process allocated meanwhile and by time; live bytes over
time, of the process as an area, of the largest scopes as lines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from mallard.advisor.profile.document import LiveOfScope, Timeline
from mallard.advisor.view.html.profile.page import Content, Part, name
from mallard.shared.report.figures import count, seconds, share, size
from mallard.shared.view.html.markup import Markup, element, joined, leaf

_Text = Callable[[float], str]
Bins = Sequence[tuple[int, int, int]]  # log2, allocations, bytes
LEAST_BINS = 12
LABEL_EVERY = 5


def lifetimes_part(content: Content) -> Part | None:
    lifetimes = content.profile.lifetimes
    if lifetimes is None or not (lifetimes.by_bytes or lifetimes.by_time):
        return None
    alive = lifetimes.alive
    alive_note = ""
    if alive and alive.allocations:
        alive_note = (
            f" {count(alive.allocations)} blocks of {size(alive.bytes)} are alive at the end, not included."
        )
    body = joined(
        element("p", f"Of the blocks that were freed, by powers of two.{alive_note}"),
        element(
            "ul",
            element("li", element("i", class_="blocks"), "share of the blocks"),
            element("li", element("i", class_="weight"), "share of the bytes"),
            class_="keys",
        ),
        element(
            "div",
            _histogram("Bytes allocated meanwhile", lifetimes.by_bytes, size),
            _histogram("Time", lifetimes.by_time, lambda value: seconds(value * 1e-9)),
            class_="columns",
        ),
    )
    return Part("lifetimes", "Lifetimes", "How long blocks live", body, {})


def _histogram(title: str, bins: Bins, text: _Text) -> Markup | None:
    if not bins:
        return None
    by_power = {power: (allocations, bytes_) for power, allocations, bytes_ in bins}
    first = min(by_power)
    last = max(max(by_power), first + LEAST_BINS - 1)
    if last - first > 127:
        return None
    blocks = sum(allocations for allocations, _ in by_power.values()) or 1
    weight = sum(bytes_ for _, bytes_ in by_power.values()) or 1
    shares = {power: (a / blocks, b / weight) for power, (a, b) in by_power.items()}
    highest = max(max(pair) for pair in shares.values()) or 1.0
    bars = []
    for power in range(first, last + 1):
        of_blocks, of_bytes = shares.get(power, (0.0, 0.0))
        ends = f"{text(2.0**power)} to {text(2.0 ** (power + 1))}" if power >= 0 else f"less than {text(1.0)}"
        title_ = f"{ends}: {share(of_blocks)} of the blocks, {share(of_bytes)} of the bytes"
        label = text(2.0**power) if power % LABEL_EVERY == 0 and (power >= LABEL_EVERY or first == 0) else ""
        if power < 0:
            label = text(0.0)
        bars.append(
            element(
                "li",
                element("i", class_="blocks", style=f"height:{100 * of_blocks / highest:.1f}%"),
                element("i", class_="weight", style=f"height:{100 * of_bytes / highest:.1f}%"),
                element("span", _rounded(label)) if label else None,
                title=title_,
            )
        )
    return element(
        "figure",
        element("figcaption", title, element("small", f"highest bar {share(highest)}")),
        element("ol", *bars, class_="histogram"),
    )


def _rounded(text: str) -> str:
    """A label of an axis of powers of two: 1.00 KiB is 1 KiB, 2.05 us is 2 us."""
    number, _, unit = text.partition(" ")
    return f"{float(number):.0f} {unit}"


WIDTH, HEIGHT = 1000, 240
MOST_LINES = 8
LEAST_DISTANCE = 0.02  # of the axis, between lines that both can be seen
TICKS = 4


def timeline_part(content: Content) -> Part | None:
    timeline = content.profile.timeline
    if timeline is None or len(timeline.seconds) < 2 or len(timeline.live_bytes) != len(timeline.seconds):
        return None
    top = nice_top(max(timeline.live_bytes, default=0.0))
    if not top:
        return None
    scopes = _distinct_scopes(timeline, top)[:MOST_LINES]
    lines = [
        _line(timeline.seconds, scope.live_bytes, top, f"l{place}") for place, scope in enumerate(scopes)
    ]
    drawing = element(
        "svg",
        leaf("path", d=_area(timeline.seconds, timeline.live_bytes, top), class_="area"),
        *lines,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        aria_label="Live bytes over time",
    )
    keys = [
        element("li", element("i", class_=f"l{place}"), name(content.names.scope_name(scope.id)[:200]))
        for place, scope in enumerate(scopes)
    ]
    body = joined(
        element("p", _text(timeline)),
        element(
            "div",
            _heights(top),
            element("div", drawing, element("span", class_="cursor", hidden=True), class_="drawing"),
            _times(timeline.seconds),
            class_="timeline",
        ),
        element("ul", element("li", element("i", class_="whole"), "the whole process"), *keys, class_="keys"),
        element("p", f"No lines of scopes: {timeline.reason}.", class_="setting")
        if timeline.reason
        else None,
    )
    payload = {
        "timeline": {
            "seconds": [float(f"{time:.6g}") for time in timeline.seconds],
            "lines": [
                ["the whole process", [round(bytes_) for bytes_ in timeline.live_bytes]],
                *(
                    [content.names.scope_name(scope.id)[:200], [round(v) for v in scope.live_bytes]]
                    for scope in scopes
                ),
            ],
        }
    }
    return Part("timeline", "Timeline", "Live bytes over time", body, payload)


def _distinct_scopes(timeline: Timeline, top: float) -> list[LiveOfScope]:
    """The scopes whose lines do not lie on an earlier one, or on the process's."""
    lines = [timeline.live_bytes]
    distinct = []
    for scope in timeline.scopes:
        if len(scope.live_bytes) != len(timeline.seconds):
            continue
        if all(_distance(line, scope.live_bytes) > LEAST_DISTANCE * top for line in lines):
            distinct.append(scope)
            lines.append(scope.live_bytes)
    return distinct


def _distance(line: Sequence[float], other: Sequence[float]) -> float:
    return max(abs(first - second) for first, second in zip(line, other, strict=True))


def _text(timeline: Timeline) -> str:
    peak = "" if timeline.peak_bytes is None else f"The peak is {size(timeline.peak_bytes)}"
    when = "" if timeline.peak_seconds is None or not peak else f" after {seconds(timeline.peak_seconds)}"
    lines = (
        "A line is of all blocks made in that scope, also after its end. A scope inside another is in both."
    )
    return f"{peak}{when}. {lines}" if peak else lines


def _points(times: Sequence[float], values: Sequence[float], top: float) -> list[str]:
    first, length = times[0], (times[-1] - times[0]) or 1.0
    return [
        f"{WIDTH * (at - first) / length:.1f},{HEIGHT * (1 - min(value / top, 1.0)):.1f}"
        for at, value in zip(times, values, strict=True)
    ]


def _line(times: Sequence[float], values: Sequence[float], top: float, class_: str) -> Markup:
    return leaf("polyline", points=" ".join(_points(times, values, top)), class_=class_)


def _area(times: Sequence[float], values: Sequence[float], top: float) -> str:
    return f"M0,{HEIGHT}L{' '.join(_points(times, values, top))}L{WIDTH},{HEIGHT}Z"


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
    for number in range(int(length / step) + 1):
        text = seconds(step * number).replace(".00 ", " ").replace(".0 ", " ")
        place = 100 * (step * number) / length
        marks.append(element("span", text, style=f"left:{place:.1f}%", class_="end" if place > 97 else None))
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
