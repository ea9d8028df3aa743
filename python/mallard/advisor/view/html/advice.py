"""Advice as one self-contained page: the answer, the picture of before and after, the trial, the scope, code.

It shares the flame graph, the frame and the styles with a profile's page. In the picture, a bar is a time;
the thin line over its end is the interval of the saving. The dashed line is an estimate: the time of the
program if allocation took no time, with unchanged locality.

The flame graph shows the calls that the saved time comes from. A trial saves time in the operations of its
scope. The share of a call is the operations below it that are also below the scope: a call inside the scope
is fully coloured, its caller by the part that goes through.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mallard.advisor.advice.candidates import Candidate
from mallard.advisor.advice.ceiling import Ceiling
from mallard.advisor.advice.study import Screened, Study
from mallard.advisor.advice.verdict import Verdict
from mallard.advisor.advice.wording import between, change, peak_ratio, percent, times
from mallard.advisor.profile import sentences
from mallard.advisor.profile.dimensions import DIMENSIONS
from mallard.advisor.profile.document import Node, Profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.records import Figures, Scope
from mallard.advisor.trial.campaign import Ground
from mallard.advisor.trial.effect import Effect
from mallard.advisor.trial.further_rounds import SURE
from mallard.advisor.view.html.profile.flame import MODES, Colouring, colour, contained, flame_part
from mallard.advisor.view.html.profile.page import (
    LIMITS,
    MOST_BYTES,
    STYLES,
    Content,
    Part,
    list_doubts,
    number,
    number_head,
    page_header,
    program_name,
    render_page,
    table,
)
from mallard.advisor.view.html.profile.scopes import lifetime_details
from mallard.advisor.view.html.profile.summary import dimensions
from mallard.shared.report.figures import UNKNOWN, count
from mallard.shared.stats import CONFIDENCE, Difference
from mallard.shared.view.html.document import caution
from mallard.shared.view.html.markup import Markup, breakable, element, joined, leaf


def answer_part(verdict: Verdict, doubts: Sequence[str]) -> Part:
    body = joined(
        element("p", verdict.headline, class_=f"verdict {verdict.kind}"),
        caution(doubts),
        element("dl", *(_fact(label, text) for label, text in verdict.facts), class_="terms")
        if verdict.facts
        else None,
    )
    return Part("answer", "Answer", "The answer", body, {})


def _fact(label: str, text: str) -> Markup:
    return joined(element("dt", label), element("dd", text))


def doubts_part(verdict: Verdict) -> Part | None:
    if not verdict.notes:
        return None
    body = element("ul", *(element("li", note) for note in verdict.notes), class_="notes")
    return Part("doubts", "Doubts", "Reasons for doubt", body, {})


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
    heap = ground.heap if ground else study.globals.heap
    table = element(
        "table",
        element("caption", "Time of the program", class_="unseen"),
        element(
            "thead",
            element(
                "tr",
                element("th", "program"),
                element("th", "drawn"),
                *(element("th", head, class_="n") for head in ("time", "effect", "peak memory")),
            ),
        ),
        element("tbody", *(_row(bar, widest, floor) for bar in bars)),
        class_="facts-table bars",
    )
    text = (
        f"Against {study.base} on {heap}. A local allocator's bar is the time of the program less "
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
    if not study.ceiling.known or (study.ground and study.ground.trial.wall):
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
    saved = "" if bar.saved is None else change(bar.saved)
    return element(
        "tr",
        element("th", breakable(bar.label), element("small", bar.about) if bar.about else None),
        element("td", drawn, class_="timed"),
        element("td", times(bar.seconds), class_="n", data_label="time"),
        element("td", saved, class_="n", data_label="effect"),
        element("td", bar.peak, class_="n", data_label="peak memory"),
        class_=bar.kind,
    )


def tried_part(study: Study) -> Part | None:
    if study.trial is None or study.chosen is None:
        return None
    aged = [ground for heap in study.aged for scope in heap.scopes for ground in (scope.ground, scope.on_top)]
    grounds = [*study.trial.grounds, study.on_top, *aged]
    body = joined(
        element(
            "p",
            f"{study.trial.rounds} rounds in random order; medians of the differences to the null within a "
            f"round, with intervals at {100 * CONFIDENCE:g} %, or {100 * SURE:g} % after further rounds. The "
            "null finds the scope in the same way and serves nothing.",
        ),
        *(joined(_heading(ground), _strategies(study, ground)) for ground in grounds if ground),
        joined(element("h3", "Every strategy, in a short trial"), _strategies(study, study.briefly))
        if study.briefly
        else None,
        _candidates(study.screened) if len(study.screened) > 1 else None,
    )
    return Part("tried", "Tried", f"Trials in {study.chosen.with_source}", body, {})


def _heading(ground: Ground) -> Markup:
    kind = "wall time" if ground.trial.wall else "CPU time"
    return element(
        "h3",
        f"Against {ground.malloc} on {ground.heap} ",
        element("small", f"{times(ground.trial.program_seconds)} of {kind} as it is"),
    )


def _strategies(study: Study, ground: Ground) -> Markup:
    heads = (
        "strategy",
        *map(number_head, ("effect", "of all", "peak", "faults", "served", "rewound")),
    )
    rows = [_strategy(study, ground, effect) for effect in ground.trial.effects]
    return table(f"Strategies against {ground.malloc} on {ground.heap}", heads, rows)


def _strategy(study: Study, ground: Ground, effect: Effect) -> Markup:
    counts = effect.counts
    requests = counts.requests
    mark = " (another output)" if effect.strategy in ground.differing else ""
    return element(
        "tr",
        element("th", breakable(effect.strategy), mark or None),
        number(change(effect.time), "effect"),
        number(percent(abs(effect.time.median) / ground.trial.program_seconds), "of all"),
        number(peak_ratio(effect.peak_bytes.median, study.globals.peak_bytes), "peak"),
        number(f"{effect.faults.median:+,.0f}", "faults"),
        number(percent(counts.served / requests) if requests else "", "served"),
        number(count(counts.started_again) if counts.started_again else "", "rewound"),
    )


def _candidates(screened: tuple[Screened, ...]) -> Markup:
    """The table of candidates. The best of the short trials is measured in full."""
    heads = ("scope", *map(number_head, ("blocks", "contained", "effect in a short trial")))
    rows = [
        element(
            "tr",
            element("th", entry.candidate.with_source),
            number(count(entry.candidate.allocations), "blocks"),
            number(
                "" if entry.candidate.containment is None else percent(entry.candidate.containment),
                "contained",
            ),
            number(entry.reason if best is None else change(best.time), "effect in a short trial"),
        )
        for entry in screened
        for best in (entry.best,)
    ]
    return joined(element("h3", "Scopes that were tried"), table("Scopes that were tried", heads, rows))


LEGEND = (
    ("c0", "nothing"),
    ("c1", "up to 25 %"),
    ("c2", "up to 50 %"),
    ("c3", "up to 75 %"),
    ("c4", "up to 95 %"),
    ("c5", "more"),
)
OPERATIONS_FIRST = (
    *(mode for mode in MODES if mode[0] == "operations"),
    *(mode for mode in MODES if mode[0] != "operations"),
)


def saved_part(study: Study, content: Content) -> Part | None:
    best, chosen = study.best, study.chosen
    if best is None or chosen is None or chosen.function is None:
        return flame_part(content, contained, MODES)
    function = chosen.function

    def colouring(nodes: Sequence[Node]) -> Colouring:
        inside = operations_inside(nodes, function)
        all_ = max(inside[0], 1)
        return Colouring(
            f"share of the operations that {chosen.title} makes, where the time was saved",
            LEGEND,
            tuple(
                saved_operations / max(operations, 1)
                for saved_operations, operations in zip(inside, _operations(nodes), strict=True)
            ),
            tuple(times(-best.time.median * saved_operations / all_) for saved_operations in inside),
            "saved, by its operations",
        )

    return flame_part(content, colouring, OPERATIONS_FIRST, "Where the time is saved")


def operations_inside(nodes: Sequence[Node], function: int) -> list[int]:
    """For each node, the operations made by the function, directly or through calls below it."""
    inside = [False] * len(nodes)
    counts = [0] * len(nodes)
    for at in range(1, len(nodes)):
        inside[at] = inside[_parent(nodes, at)] or nodes[at].function == function
    own = _operations(nodes)
    for at in range(len(nodes) - 1, 0, -1):
        if inside[at]:
            counts[at] = own[at]
        if not inside[_parent(nodes, at)]:
            counts[_parent(nodes, at)] += counts[at]
    return counts


def _operations(nodes: Sequence[Node]) -> list[int]:
    """The operations of each node, at least the sum of its children's, like the widths."""
    own = [node.operations for node in nodes]
    below = [0] * len(nodes)
    for at in range(len(nodes) - 1, 0, -1):
        own[at] = max(own[at], below[at])
        below[_parent(nodes, at)] += own[at]
    own[0] = max(own[0], below[0])
    return own


def _parent(nodes: Sequence[Node], at: int) -> int:
    parent = nodes[at].parent
    return parent if parent is not None and 0 <= parent < at else 0


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


def scope_part(study: Study, content: Content) -> Part | None:
    chosen = study.chosen
    if chosen is None:
        return None
    row = find_row(chosen, content)
    if row is None:
        return None
    figures = with_program_density(row.figures, study.ceiling)
    body = joined(
        element(
            "div",
            element("figure", duck(figures), element("figcaption", "The darker, the nearer to 1.")),
            dimensions(figures),
            class_="duck-and-bars",
        ),
        element("div", *lifetime_details(content, row), class_="columns in-depth"),
    )
    return Part("scope", "Scope", f"How the memory of {chosen.title} lives", body, {})


def with_program_density(figures: Figures, ceiling: Ceiling) -> Figures:
    """The figures with the scope's density in the time of the program without the recorder, as in the
    estimate. The recording's own density is a share of another time.
    """
    density = figures.dimension("D")
    if not ceiling.known or not density.raw or density.ns_per_operation is None:
        return replace(figures, D=None)
    operations = figures.allocations + (figures.frees or 0)
    scale = operations * density.ns_per_operation * 1e-9 / (ceiling.program_seconds * density.raw)
    raw = min(1.0, density.raw * scale)
    ends = density.interval and (min(1.0, density.interval[0] * scale), min(1.0, density.interval[1] * scale))
    return replace(figures, D=replace(density, raw=raw, scaled=raw, interval=ends))


def find_row(chosen: Candidate, content: Content) -> Scope | None:
    markers = content.profile.markers
    scopes = (*content.profile.scopes, *(markers.scopes if markers else ()))
    if chosen.function is not None:
        return next((scope for scope in scopes if scope.function == chosen.function), None)
    return next(
        (scope for scope in scopes if scope.kind == chosen.kind and scope.name == chosen.asked_as), None
    )


def duck(figures: Figures) -> Markup:
    """DVLUC: density its head, variation its wing, locality its breast, utilization its body, contention its
    beak; and fragmentability its tail."""
    words = []
    drawn = []
    for dimension in DIMENSIONS:
        value = figures.dimension(dimension.letter).scaled
        text = UNKNOWN if value is None else f"{value:.2f}"
        words.append(f"{dimension.name} {text}")
        outline, (left, top) = PARTS[dimension.letter]
        drawn.append(
            (
                list(PARTS).index(dimension.letter),
                element(
                    "g",
                    element("title", f"{dimension.name}: {text}"),
                    leaf("path", d=outline),
                    element("text", dimension.letter, x=str(left), y=str(top)),
                    class_="unknown" if value is None else colour(min(max(value, 0.0), 1.0)),
                ),
            )
        )
    return element(
        "svg",
        *(part for _, part in sorted(drawn, key=lambda part: part[0])),
        leaf("circle", cx="276", cy="56", r="5", class_="eye"),
        viewBox="0 20 368 224",
        role="img",
        aria_label=f"The duck of {', '.join(words)}",
        class_="duck",
    )


def paste_part(verdict: Verdict) -> Part | None:
    if not verdict.code:
        return None
    body = element(
        "pre", element("code", verdict.code), tabindex="0", role="group", aria_label="Code to paste"
    )
    return Part("code", "Code", "Code to paste", body, {})


OWN_STYLES = (*STYLES[:-1], "advice.css", STYLES[-1])


@dataclass(frozen=True)
class Advice:
    """The input of the page. `content` is of the recording; None if the program does not allocate."""

    study: Study
    verdict: Verdict
    content: Content | None


def advice_page(study: Study, verdict: Verdict, profile: Profile | None) -> str:
    page = ""
    names = Names(profile) if profile else None
    for limits in LIMITS:
        content = Content(profile, names, limits) if profile and names else None
        page = _page(Advice(study, verdict, content))
        if len(page.encode()) <= MOST_BYTES:
            break
    return page


def _page(advice: Advice) -> str:
    study, verdict, content = advice.study, advice.verdict, advice.content
    profile = content.profile if content else None
    parts: list[Part | None] = [
        answer_part(verdict, list_doubts(profile) if profile else []),
        before_and_after_part(study),
        tried_part(study),
        scope_part(study, content) if content else None,
        saved_part(study, content) if content else None,
        paste_part(verdict),
        doubts_part(verdict),
    ]
    facts = [sentences.process_facts(profile)] if profile else []
    header = page_header(
        f"Which allocator for {program_name(study.words)}?",
        shlex.join(study.words),
        facts,
    )
    shown_parts = [part for part in parts if part]
    return render_page(f"advice for {program_name(study.words)}", header, shown_parts, content, OWN_STYLES)
