"""R averaged over structures, sizes and heaps, beside P0213's Table 20."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.bench.analysis.names import BASE, in_table_order
from mallard.bench.analysis.panel.fragmentation import FragmentationTable, mean_ratio_of_ratios
from mallard.bench.experiments.fragmentation import FRAGMENTED, IN_PRINT
from mallard.bench.papers.catalogue import strategy_text
from mallard.bench.papers.fragmentation import AVERAGE, AVERAGE_KEY
from mallard.bench.papers.fragmentation import fragmentation_tables as printed_tables
from mallard.shared.stats import Ratio
from mallard.shared.view.html import plot
from mallard.shared.view.html.figures import ratio_step
from mallard.shared.view.html.markup import Markup, element

UPSTREAMS = {"cache": "chunks from the cache", "heap": "chunks from that heap"}


def means_table(tables: Sequence[FragmentationTable], freed: Sequence[str]) -> Markup | None:
    """The means over D = N/2, N/4 and N/8, as in the paper, with a column for each source of chunks."""
    fragmented = [name for name in FRAGMENTED if name in freed]
    upstreams = list(dict.fromkeys(table.upstream for table in tables))
    names = in_table_order({name for table in tables for name in table.strategies} - {BASE})
    means = {
        (name, upstream): mean_ratio_of_ratios(
            [table for table in tables if table.upstream == upstream], fragmented, name
        )
        for name in names
        for upstream in upstreams
    }
    known = [mean for mean in means.values() if mean]
    if not known:
        return None
    printed = {k: v for k, v in printed_tables()[AVERAGE].rows[AVERAGE_KEY].items() if v is not None}
    axis = plot.ratio_axis([*printed.values(), *(end for mean in known for end in (mean.low, mean.high))])
    head = [element("th", "strategy")]
    for upstream in upstreams:
        title = UPSTREAMS.get(upstream, upstream)
        head += [
            element("th", f"R, {title}"),
            element("th", plot.scale(axis), aria_label="drawn, log scale"),
        ]
    head.append(element("th", "P0213"))
    rows = [
        element(
            "tr",
            element("th", name, element("small", strategy_text(name))),
            *(
                part
                for upstream in upstreams
                for part in _mean(means[name, upstream], axis, printed.get(name))
            ),
            element("td", f"{printed[name]:.2f}" if name in printed else "", class_="figure"),
        )
        for name in names
        if any(means[name, upstream] for upstream in upstreams)
    ]
    table = element(
        "table",
        element("caption", "Mean R over all structures and sizes", class_="unseen"),
        element("thead", element("tr", *head)),
        element("tbody", *rows),
        class_="averages",
        style=axis.style,
    )
    return element(
        "section",
        element("h3", "Mean R, a part of the chunks freed"),
        element(
            "p",
            f"Over all structures and sizes and D = {', '.join(IN_PRINT[name] for name in fragmented)}. "
            "Diamonds: P0213's Table 20, over N/2, N/4 and N/8 of all twelve structures. P0213 perturbs the "
            "global heap only; with chunks from that same heap the local allocators stand on what others "
            "left.",
        ),
        element("div", table, class_="wide", role="region", aria_label="Mean R", tabindex="0"),
    )


def _mean(mean: Ratio | None, axis: plot.Axis, printed: float | None) -> list[Markup]:
    if mean is None:
        return [element("td", "\u2013"), element("td", "")]
    interval = f"{mean.low:.2f}\u2013{mean.high:.2f}" if mean.bounded else "none"
    marks = [(printed, "p0213")] if printed else []
    drawing = plot.interval(axis, mean.median, mean.low, mean.high, marks)
    return [
        element(
            "td",
            element("span", f"{mean.median:.2f}", class_=f"chip {ratio_step(mean)}"),
            element("small", interval),
            class_="figure",
        ),
        element("td", drawing, class_="drawn"),
    ]
