"""The verdict, first on the page: the strategy to use for each data structure, and its gain."""

from __future__ import annotations

from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.summary import Summary
from mallard.bench.analysis.verdicts import Verdict
from mallard.bench.papers.catalogue import strategy_text
from mallard.shared.view.html import plot
from mallard.shared.view.html.figures import interval, percent, ratio_step, times
from mallard.shared.view.html.markup import Markup, breakable, element, joined


def headline(summary: Summary) -> Markup:
    """The answer over all rows, in a sentence or two."""
    best = summary.best_overall
    if best is None:
        return joined(f"No strategy has finished in every row beside {BASE}: there is no overall answer.")
    if best.strategy == BASE or best.ratio.verdict != "faster":
        return joined(
            element("strong", f"Keep {BASE}."),
            f" Over {summary.rows} rows no strategy is faster than the global allocator beyond its interval.",
        )
    return joined(
        element(
            "strong",
            f"{best.strategy} is fastest overall: ",
            f"{times(best.ratio.median)} as fast as the global allocator, {BASE}.",
        ),
        f" It is {strategy_text(best.strategy)}. Over {summary.rows} rows of ",
        f"{len(summary.tables)} data structures it takes ",
        f"{percent(best.ratio.median)} % of {BASE}'s time ({interval(best.ratio)}).",
        f" No difference from it: {', '.join(summary.equals_overall)}." if summary.equals_overall else None,
    )


def reading_help(summary: Summary) -> Markup:
    text = f"Means over the sizes of a structure, in percent of {BASE}'s time, with 95 % intervals."
    if any(verdict.keep for verdict in summary.verdicts):
        text += f" Diamonds: {BASE} itself with the platform's return of freed pages switched off."
    return element("p", text)


def verdict_table(summary: Summary) -> Markup:
    ratios = [verdict.best.ratio for verdict in summary.verdicts if verdict.best]
    keeps = [verdict.keep for verdict in summary.verdicts if verdict.keep]
    axis = plot.ratio_axis(
        [end for ratio in (*ratios, *keeps) for end in (ratio.median, ratio.low, ratio.high)]
    )
    columns = (
        "data structure",
        "use",
        f"% of {BASE}'s time",
        None,
        "as fast",
        "no difference from it",
        "if freed blocks are reused",
    )
    head = [
        element("th", title) if title else element("th", plot.scale(axis), aria_label="drawn, log scale")
        for title in columns
    ]
    rows = [_row(verdict, axis) for verdict in summary.verdicts]
    table = element(
        "table",
        element("caption", "The strategy to use for each data structure", class_="unseen"),
        element("thead", element("tr", *head)),
        element("tbody", *rows),
        class_="verdicts",
        style=axis.style,
    )
    return element("div", table, class_="wide", role="region", aria_label="Verdicts", tabindex="0")


def _row(verdict: Verdict, axis: plot.Axis) -> Markup:
    name = element(
        "th",
        element("a", verdict.type, href=f"#{verdict.structure}"),
        element("small", verdict.structure),
    )
    if verdict.best is None:
        return element(
            "tr", name, element("td", f"no verdict: {BASE} has not finished in every row", colspan="6")
        )
    best, ratio = verdict.best.strategy, verdict.best.ratio
    kept = [(verdict.keep.median, "keep")] if verdict.keep else []
    drawing = plot.interval(axis, ratio.median, ratio.low, ratio.high, kept)
    use = element("b", breakable(best if verdict.worth_it else f"keep {BASE}"))
    description = strategy_text(best) if verdict.worth_it else "no strategy is faster beyond its interval"
    if not verdict.worth_it:
        faster, equals, reuse = "", "", Markup("")
    else:
        faster, equals = times(ratio.median), ", ".join(verdict.equals) or "none"
        reusing = verdict.reusing
        reuse = (
            joined(element("b", breakable(reusing.strategy)), f" {percent(reusing.ratio.median)} %")
            if reusing
            else joined("the same")
        )
    return element(
        "tr",
        name,
        element("td", use, element("small", description), data_label="use"),
        element(
            "td",
            element("span", percent(ratio.median), class_=f"chip {ratio_step(ratio)}"),
            element("small", interval(ratio)),
            class_="figure",
            data_label=f"% of {BASE}",
        ),
        element("td", drawing, class_="drawn"),
        element("td", faster, class_="figure", data_label="as fast"),
        element("td", breakable(equals), data_label="no difference"),
        element("td", reuse, data_label="reusing"),
    )
