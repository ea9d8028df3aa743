"""Works beside the figures of Optimized C++, chapter 13."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.beside_book import BesideBook, beside_book
from mallard.bench.analysis.panel.works import Work
from mallard.bench.view.html.cells.form import NOTHING
from mallard.shared.view.html import plot
from mallard.shared.view.html.figures import interval, percent, ratio_step, three_digits, times
from mallard.shared.view.html.markup import Markup, element


def book_table(works: Sequence[Work]) -> Markup | None:
    """The time of blocks of one size relative to the default's, drawn, with diamonds for the book."""
    entries = beside_book(works)
    if not entries:
        return None
    values = [entry.printed for entry in entries]
    values += [end for entry in entries if entry.ours for end in (entry.ours.low, entry.ours.high) if end]
    axis = plot.ratio_axis(values)
    heads = (
        *("work", "with", "new-delete, ns", "blocks of one size, ns", "% of new-delete"),
        plot.scale(axis),
        *("faster", "in the book"),
    )
    head = element("tr", *(element("th", text) for text in heads))
    grid = element(
        "table",
        element("caption", "Blocks of one size beside the book", class_="unseen"),
        element("thead", head),
        element("tbody", *(_row(entry, axis) for entry in entries)),
        class_="averages",
        style=axis.style,
    )
    return element(
        "section",
        element("h4", "Blocks of one size and the default, here and in the book"),
        element("p", "Diamonds: the book's times, the ratio of those printed."),
        element("div", grid, class_="wide", role="region", aria_label="Beside the book", tabindex="0"),
    )


def _row(entry: BesideBook, axis: plot.Axis) -> Markup:
    ratio = entry.ours
    return element(
        "tr",
        element("th", entry.work.label),
        element("td", entry.strategy),
        element("td", _time(entry.work, BASE), class_="figure"),
        element("td", _time(entry.work, entry.strategy), class_="figure"),
        element(
            "td",
            element("b", percent(ratio.median), class_=f"chip {ratio_step(ratio)}") if ratio else NOTHING,
            element("small", interval(ratio)) if ratio else None,
            class_="figure",
        ),
        element("td", _drawing(entry, axis), class_="drawn"),
        element("td", times(ratio.median) if ratio else NOTHING, class_="figure"),
        element("td", times(entry.printed), class_="figure"),
    )


def _drawing(entry: BesideBook, axis: plot.Axis) -> Markup | None:
    ratio = entry.ours
    if ratio is None:
        return None
    return plot.interval(axis, ratio.median, ratio.low, ratio.high, [(entry.printed, "book")])


def _time(work: Work, name: str) -> str:
    return three_digits(work.line.cells[name].ns_per_operation) if work.line.finished(name) else NOTHING
