"""The cost of virtual dispatch and the gain of winking out, over all cells and pair by pair, beside P0213's
figures.
"""

from __future__ import annotations

from mallard.bench.analysis.averages import Effect, Percent
from mallard.shared.view.html import plot
from mallard.shared.view.html.markup import Markup, breakable, element, joined


def effect_block(title: str, effect: Effect, printed: float, words: str, less_is_faster: bool) -> Markup:
    if effect.overall is None:
        return element(
            "section",
            element("h3", title),
            element("p", "Not measured: no row has both strategies of a pair."),
            class_="effect",
        )
    entries = [("all cells", effect.overall), ("local allocators only", effect.local_only)]
    rows: list[tuple[str, Percent]] = [(name, percent) for name, percent in entries if percent is not None]
    if effect.local_only is not None and effect.local_only.cells == effect.overall.cells:
        rows = rows[:1]
    rows += [(f"{strategy} ÷ {base}", percent) for (base, strategy), percent in effect.pairs.items()]
    rows += [(f"monotonic: {name}", percent) for name, percent in effect.parts.items()]
    axis = plot.percent_axis(
        [printed, *(value for _, percent in rows for value in (percent.value, percent.low, percent.high))],
        less_is_faster,
    )
    overall = effect.overall
    lead = element(
        "p",
        element("b", f"{_signed(overall.value)} %", class_="big"),
        f" {words} here ({_range(overall)}), the mean of {overall.cells} cells; {_middle(effect)}",
        element("span", f"P0213 found {printed:g} %."),
    )
    head = element(
        "tr",
        element("th", "pair"),
        element("th", "%"),
        element("th", plot.scale(axis), aria_label="drawn"),
    )
    body = [
        _row(name, percent, axis, [(printed, "p0213")] if number == 0 else [])
        for number, (name, percent) in enumerate(rows)
    ]
    table = element(
        "table",
        element("caption", title, class_="unseen"),
        element("thead", head),
        element("tbody", *body),
        class_="effects",
        style=axis.style,
    )
    return element("section", element("h3", title), lead, table, class_="effect")


def _middle(effect: Effect) -> str:
    return "" if effect.middle is None else f"{_signed(effect.middle)} % in the middle cell; "


def _row(name: str, percent: Percent, axis: plot.Axis, marks: list[tuple[float, str]]) -> Markup:
    figures = joined(_signed(percent.value), element("small", _range(percent)))
    drawing = plot.interval(axis, percent.value, percent.low, percent.high, marks)
    return element(
        "tr",
        element("th", breakable(name)),
        element("td", figures, class_="figure"),
        element("td", drawing, class_="drawn"),
    )


def _signed(value: float) -> str:
    digits = 2 if abs(value) < 1 else 1
    return f"{value:+.{digits}f}".replace("-", "\u2212")


def _range(percent: Percent) -> str:
    if not percent.bounded:
        return "one repetition: no interval"
    return f"{_signed(percent.low)} to {_signed(percent.high)}"
