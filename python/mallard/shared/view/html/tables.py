"""Tables of figures: a figure on the colour of its ratio, and drawings on an axis that all rows share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mallard.shared.stats import Ratio
from mallard.shared.view.html import plot
from mallard.shared.view.html.figures import ratio_step
from mallard.shared.view.html.markup import Content, Markup, element, joined


def table_row(head: Content, *cells: Content) -> Markup:
    """A row below its heading. A cell that is not markup yet is text."""
    return element(
        "tr",
        element("th", head),
        *(cell if isinstance(cell, Markup) else element("td", cell) for cell in cells),
    )


def figure_cell(*contents: Content, **attributes: str) -> Markup:
    return element("td", *contents, class_="figure", **attributes)


def drawn_cell(axis: plot.Axis, ratio: Ratio | None, marks: Sequence[tuple[float, str]] = ()) -> Markup:
    """The drawing of a ratio; an empty cell without one."""
    drawing = plot.interval(axis, ratio.median, ratio.low, ratio.high, marks) if ratio else None
    return element("td", drawing, class_="drawn")


def chip(text: str, ratio: Ratio, small: str | None = None) -> Markup:
    """A figure on the colour of its ratio, and a small text beside it."""
    coloured = element("span", text, class_=f"chip {ratio_step(ratio)}")
    return coloured if small is None else joined(coloured, element("small", small))


def data_table(
    heads: Iterable[Content],
    rows: Iterable[Markup],
    class_: str = "plain-table",
    caption: str = "",
    axis: plot.Axis | None = None,
) -> Markup:
    """A table. None among the heads is a column of drawings, below the scale of the axis."""
    columns = [element("th", plot.scale(axis) if axis and head is None else head) for head in heads]
    return element(
        "table",
        element("caption", caption, class_="unseen") if caption else None,
        element("thead", element("tr", *columns)),
        element("tbody", *rows),
        class_=class_,
        style=axis.style if axis else None,
    )


def scrolled(table: Markup, label: str) -> Markup:
    """A table that scrolls by itself if the screen is narrower."""
    return element("div", table, class_="wide", role="group", aria_label=label, tabindex="0")
