"""Before and after: the time of the unchanged program, under other mallocs, and with the scope's best
allocators.

A bar is a time; the thin line over its end is the 95 % interval of the saving. The dashed line is an
estimate: the time of the program if allocation took no time, with unchanged locality.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from mallard.advisor.advice.study import Study
from mallard.advisor.advice.wording import between, interval, peak_ratio, times
from mallard.advisor.view.html.profile.content import Part
from mallard.shared.stats import Difference
from mallard.shared.view.html.markup import Markup, breakable, element, joined


@dataclass(frozen=True)
class Bar:
    label: str
    about: str
    seconds: float
    saved: Difference | None  # against the unchanged program; None for that program
    peak: str
    kind: str  # before, malloc, local, best


def before_and_after_part(study: Study) -> Part | None:
    bars = list(make_bars(study))
    if len(bars) < 2:
        return None
    widest = max(_end(bar) for bar in bars)
    floor = time_floor(study, bars[0].seconds)
    ground = study.ground
    heap = ground.heap if ground else "clean"
    table = element(
        "table",
        element("caption", "Time of the program", class_="unseen"),
        element(
            "thead",
            element(
                "tr",
                *(element("th", head) for head in ("", "time")),
                *(element("th", head, class_="n") for head in ("", "saved", "peak memory")),
            ),
        ),
        element("tbody", *(_row(bar, widest, floor) for bar in bars)),
        class_="facts-table bars",
    )
    text = (
        f"Against {study.base} on a {heap} heap. A local allocator's bar is the time of the program less "
        "what its trial saved beside the null."
    )
    if floor is not None:
        ends = between(floor, max(floor, bars[0].seconds - study.ceiling.low))
        text += (
            f" Dashed: {times(floor)}, by estimate the time without any allocator, at the end of its "
            f"interval ({ends}); better locality goes below it."
        )
    return Part(
        "before-and-after",
        "Before and after",
        "Before and after",
        joined(element("div", table, class_="wide"), element("p", text, class_="setting")),
        {},
    )


def time_floor(study: Study, program_seconds: float) -> float | None:
    """The program's time less the estimate of its time in allocation. That is CPU time, so there is none
    beside wall time."""
    if study.ground and study.ground.trial.wall:
        return None
    return max(0.0, program_seconds - study.ceiling.high)


def make_bars(study: Study) -> Iterator[Bar]:
    ground = study.ground
    program_seconds = ground.trial.program_seconds if ground else study.globals.seconds
    peak = study.globals.peak_bytes
    yield Bar("as it is", study.base, program_seconds, None, peak_ratio(0.0, peak), "before")
    for malloc_effect in study.globals.effects:
        if malloc_effect.malloc in study.globals.differing:
            continue
        shown = peak_ratio(malloc_effect.peak_bytes.median, peak)
        yield Bar(
            malloc_effect.malloc,
            "malloc",
            study.globals.seconds + malloc_effect.time.median,
            malloc_effect.time,
            shown,
            "malloc",
        )
    for effect in ground.allowed if ground else ():
        kind = "best" if study.best and effect is study.best else "local"
        shown = peak_ratio(effect.peak_bytes.median, peak)
        about = f"in {study.chosen.title}" if study.chosen else ""
        yield Bar(effect.strategy, about, program_seconds + effect.time.median, effect.time, shown, kind)


def _end(bar: Bar) -> float:
    if bar.saved is None or not math.isfinite(bar.saved.high):
        return bar.seconds
    return bar.seconds - bar.saved.median + max(bar.saved.high, bar.saved.median)


def _row(bar: Bar, widest: float, floor: float | None) -> Markup:
    def percent(seconds: float) -> str:
        return f"{max(0.0, min(100.0, 100 * seconds / widest)):.2f}%"

    whisker = None
    if bar.saved is not None and math.isfinite(bar.saved.low) and math.isfinite(bar.saved.high):
        base = bar.seconds - bar.saved.median
        left, right = base + bar.saved.low, base + bar.saved.high
        whisker = element("b", style=f"left:{percent(left)};width:{percent(right - left)}")
    drawn = element(
        "span",
        element("i", style=f"width:{percent(bar.seconds)}"),
        whisker,
        element("u", style=f"left:{percent(floor)}") if floor is not None else None,
        class_="time-bar",
    )
    saved = "" if bar.saved is None else f"{times(-bar.saved.median)} ({interval(bar.saved)})"
    return element(
        "tr",
        element("th", breakable(bar.label), element("small", bar.about) if bar.about else None),
        element("td", drawn, class_="timed"),
        element("td", times(bar.seconds), class_="n", data_label="time"),
        element("td", saved, class_="n", data_label="saved"),
        element("td", bar.peak, class_="n", data_label="peak memory"),
        class_=bar.kind,
    )
