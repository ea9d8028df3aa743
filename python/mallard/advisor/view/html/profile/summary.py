"""The figures of the whole recording: completeness, time in the allocator, totals, the six dimensions; and at
the end of the page, the definition of each figure.
"""

from __future__ import annotations

from mallard.advisor.profile import sentences
from mallard.advisor.profile.dimensions import DIMENSIONS, contained
from mallard.advisor.profile.records import Figures
from mallard.advisor.view.html.profile.page import Content, Part
from mallard.shared.report.figures import UNKNOWN, count, precise_share, seconds, share, size
from mallard.shared.view.html.markup import Markup, element, joined


def summary_part(content: Content) -> Part:
    return Part(
        "summary",
        "Summary",
        "The whole recording",
        joined(_tiles(content), _process_dimensions(content)),
        {},
    )


def answers(content: Content) -> list[str]:
    """The time in the allocator, and the scope in which the most blocks live and die."""
    profile = content.profile
    if not profile.completeness.events:
        return []
    texts = [f"In the allocator: {sentences.time_inside(profile)}."]
    if profile.scopes:
        scope = profile.scopes[0]
        amount = count(scope.figures.allocations)
        texts.append(
            f"Most blocks live and die in {content.short(scope.function)}: {amount} allocations; of the "
            f"freed blocks, {contained(scope)} are freed before it returns."
        )
    return texts


def _tiles(content: Content) -> Markup:
    profile = content.profile
    figures, completeness = profile.figures, profile.completeness
    density = figures.dimension("D")
    timed = f"{count(density.samples)} operations timed" if density.samples else "no operation was timed"
    ends = sentences.interval(density.interval)
    part = UNKNOWN if sentences.disturbed(density.interval) else share(density.raw)
    if sentences.disturbed(density.interval):
        ends = f"{ends}, disturbed,"
    inside = "; ".join(part for part in (f"{ends} at 95 %" if ends else "", timed) if part)
    peak = profile.timeline.peak_bytes if profile.timeline else None
    at = profile.timeline.peak_seconds if profile.timeline else None
    alive = figures.alive
    tiles = [
        _tile("time in the allocator", part, inside),
        _tile("allocations", count(figures.allocations), f"{sentences.block_sizes(profile)}"),
        _tile("bytes allocated", size(figures.bytes), f"{count(figures.frees)} frees"),
        _tile("peak", size(peak), f"live bytes, after {seconds(at)}" if at is not None else "live bytes"),
        _tile(
            "alive at the end",
            count(alive.allocations) if alive else UNKNOWN,
            f"blocks of {size(alive.bytes)}" if alive else "",
        ),
        _tile(
            "stacks complete",
            precise_share(completeness.share),
            sentences.completeness(profile).partition(" of ")[2] or sentences.completeness(profile),
            alarm=completeness.withheld,
        ),
    ]
    return element("ul", *tiles, class_="tiles")


def _tile(label: str, figure: str, text: str, *, alarm: bool = False) -> Markup:
    return element(
        "li",
        element("span", label, class_="label"),
        element("b", figure),
        element("small", text),
        class_="alarm" if alarm else None,
    )


def _process_dimensions(content: Content) -> Markup | None:
    figures = content.profile.figures
    if not figures.allocations:
        return None
    return joined(
        element("h3", "D V L U C F of the whole process ", element("small", "0 to 1")), dimensions(figures)
    )


def dimensions(figures: Figures) -> Markup:
    """The six dimensions as bars, with the figures as measured and the definitions."""
    rows = []
    for dimension in DIMENSIONS:
        measured = figures.dimension(dimension.letter)
        scaled = UNKNOWN if measured.scaled is None else f"{measured.scaled:.2f}"
        rows += [
            element("dt", element("b", dimension.letter), f" {dimension.name}"),
            element(
                "dd",
                bar(measured.scaled),
                element("span", scaled, class_="n"),
                element("small", dimension.raw(measured)),
                element("small", dimension.text, class_="about"),
            ),
        ]
    return element("dl", *rows, class_="dims")


def bar(value: float | None) -> Markup:
    shown = 0.0 if value is None else min(max(value, 0.0), 1.0)
    inside = element("i", style=f"width:{100 * shown:.1f}%")
    return element("span", inside, class_="meter" if value is not None else "meter unknown")


def small_dimensions(figures: Figures) -> Markup:
    """The six dimensions as tiny columns, for a row of a table."""
    columns = []
    for dimension in DIMENSIONS:
        value = figures.dimension(dimension.letter).scaled
        text = UNKNOWN if value is None else f"{value:.2f}"
        height = 0.0 if value is None else 100 * min(max(value, 0.0), 1.0)
        columns.append(
            element(
                "span",
                element("i", style=f"height:{height:.0f}%"),
                element("b", dimension.letter),
                title=f"{dimension.name} {text}",
            )
        )
    return element("span", *columns, class_="six", role="img", aria_label=_aria_label(figures))


def _aria_label(figures: Figures) -> str:
    values = ((dimension.letter, figures.dimension(dimension.letter).scaled) for dimension in DIMENSIONS)
    return ", ".join(f"{letter} {UNKNOWN if value is None else f'{value:.2f}'}" for letter, value in values)


TERMS = (
    (
        "scope",
        "one activation of a function, with all calls inside; or a part of a program between two markers",
    ),
    ("contained", "share of the freed blocks that are freed before the activation that made them ends"),
    (
        "alive",
        "blocks that are not freed when the recording ends; they count neither as contained nor as escaped",
    ),
    (
        "bytes of an activation",
        "all bytes that one activation allocates; half of the activations need at most p50",
    ),
    (
        "drag",
        "bytes that a region would hold until the activation's end, over the live bytes, both over time",
    ),
    ("told apart", "share of the activations that the stacks allow and that an event separates"),
    (
        "back to zero",
        "times that the last live block of a scope or site is freed, and the next is a new beginning",
    ),
    ("break even", "containment from which a region saves more than its pages cost"),
)


def definitions_part(content: Content) -> Part:
    rows = [*TERMS, *((f"{dimension.letter}, {dimension.name}", dimension.text) for dimension in DIMENSIONS)]
    items = [part for term, text in rows for part in (element("dt", term), element("dd", f"{text}."))]
    body = joined(element("dl", *items, class_="terms"), element("p", sentences.BOUND))
    return Part("definitions", "Definitions", "Meaning of the figures", body, {})
