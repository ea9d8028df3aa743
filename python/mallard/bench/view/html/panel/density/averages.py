"""Each strategy's mean over all rows, in percent of new-delete, beside the papers' over the same rows."""

from __future__ import annotations

from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.summary import Summary
from mallard.bench.papers.catalogue import strategies, strategy_text
from mallard.bench.papers.tables import P0089, P0213
from mallard.bench.strategy_names import paper_number
from mallard.shared.view.html import plot
from mallard.shared.view.html.figures import interval, percent, ratio_step
from mallard.shared.view.html.markup import Markup, breakable, element


def averages_table(summary: Summary) -> Markup:
    theirs = {name: means for name in strategies() if (means := _printed(summary, name))}
    names = [name for name in summary.means if name != BASE]
    values = [value for name in names for value in (summary.means[name].median, *theirs.get(name, ()))]
    axis = plot.ratio_axis(values)
    head = element(
        "tr",
        element("th", "strategy"),
        element("th", "AS"),
        element("th", "here, %"),
        element("th", plot.scale(axis), aria_label="drawn, log scale"),
        element("th", "P0213, %"),
        element("th", "here ÷ P0213"),
        element("th", "P0089, %"),
        element("th", "rows"),
    )
    rows = [_row(summary, name, axis, theirs.get(name)) for name in names]
    table = element(
        "table",
        element("caption", "Mean over all rows in percent of new-delete", class_="unseen"),
        element("thead", head),
        element("tbody", *rows),
        class_="averages",
        style=axis.style,
    )
    return element("div", table, class_="wide", role="region", aria_label="Averages", tabindex="0")


def _printed(summary: Summary, name: str) -> tuple[float, float] | None:
    """P0213's mean and P0089's, as ratios."""
    p0213, p0089 = summary.printed_mean(P0213, name), summary.printed_mean(P0089, name)
    return (p0213 / 100, p0089 / 100) if p0213 and p0089 else None


def _row(summary: Summary, name: str, axis: plot.Axis, theirs: tuple[float, float] | None) -> Markup:
    mean = summary.means[name]
    marks = [(theirs[0], "p0213"), (theirs[1], "p0089")] if theirs else []
    return element(
        "tr",
        element("th", breakable(name), element("small", strategy_text(name))),
        element("td", paper_number(name)),
        element(
            "td",
            element("span", percent(mean.median), class_=f"chip {ratio_step(mean)}"),
            element("small", interval(mean)),
            class_="figure",
        ),
        element("td", plot.interval(axis, mean.median, mean.low, mean.high, marks), class_="drawn"),
        element("td", f"{100 * theirs[0]:.2f}" if theirs else "", class_="figure"),
        element("td", f"{mean.median / theirs[0]:.2f}" if theirs else "", class_="figure"),
        element("td", f"{100 * theirs[1]:.1f}" if theirs else "", class_="figure"),
        element("td", str(mean.n), class_="figure"),
    )
