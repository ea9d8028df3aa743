"""Estimates on a page: coloured figures with their intervals, drawn on an axis that a table shares."""

from __future__ import annotations

from collections.abc import Mapping

from mallard.shared.report.figures import estimate_text, interval_text
from mallard.shared.report.model import Cell, Column, Estimate, Table
from mallard.shared.stats import Ratio
from mallard.shared.view.html import plot
from mallard.shared.view.html.figures import ratio_step
from mallard.shared.view.html.markup import Markup, element, joined


def estimate_axes(table: Table) -> Mapping[Column, plot.Axis]:
    """Of the drawn columns."""
    drawn = {place: column for place, column in enumerate(table.columns) if column.less_is_better is not None}
    cells = [row.cells[place] for row in table.rows for place in drawn]
    estimates = [cell for cell in cells if isinstance(cell, Estimate)]
    values = [
        value
        for cell in estimates
        for value in (cell.value.median, cell.value.low, cell.value.high, *(at for at, _ in cell.marks))
    ]
    if all(isinstance(cell.value, Ratio) for cell in estimates):
        return dict.fromkeys(drawn.values(), plot.ratio_axis(values))
    return {column: plot.percent_axis(values, bool(column.less_is_better)) for column in drawn.values()}


def drawing(cell: Cell, axis: plot.Axis) -> Markup:
    """A cell of its own."""
    drawn = None
    if isinstance(cell, Estimate):
        drawn = plot.interval(axis, cell.value.median, cell.value.low, cell.value.high, cell.marks)
    return element("td", drawn, class_="drawn")


def estimate_markup(estimate: Estimate) -> Markup:
    text = estimate_text(estimate)
    if isinstance(estimate.value, Ratio):
        figure = element("span", text, class_=f"chip {ratio_step(estimate.value)}")
    else:
        figure = element("b", text)
    return joined(figure, element("small", interval_text(estimate)))
