"""Times with their spreads: a row for each strategy, a column for each word of the axis."""

from __future__ import annotations

from mallard.bench.analysis.names import in_table_order
from mallard.bench.cells import Cell, cell_rows
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Spreads
from mallard.bench.papers.catalogue import strategy_text
from mallard.bench.view.html.contents import Measured, Section, experiment_section, introduction, unmeasured
from mallard.shared.view.html.figures import three_digits
from mallard.shared.view.html.markup import Markup, element, joined
from mallard.shared.view.html.tables import data_table, figure_cell, scrolled, table_row


def spreads_section(experiment: Experiment, panel: Spreads, measured: Measured | None) -> Section:
    if measured is None:
        return unmeasured(experiment.name, scale="")
    (axis,) = experiment.places
    measured_rows = cell_rows(measured.rows)
    cells = {str(row.parameters[axis]): row.cells for row in measured_rows}
    rows = [
        table_row(
            joined(name, element("small", strategy_text(name))),
            *(_figures(by_name.get(name)) for by_name in cells.values()),
        )
        for name in in_table_order({name for by_name in cells.values() for name in by_name})
    ]
    heads = ("strategy", *(panel.columns.get(name, name) for name in cells))
    grid = scrolled(data_table(heads, rows, caption=panel.text), experiment.title)
    return experiment_section(experiment.name, joined(introduction(experiment.name), grid))


def _figures(cell: Cell | None) -> Markup:
    if cell is None:
        return element("td", "")
    times = cell.time
    if times is None:
        return element("td", cell.status.replace("_", " "))
    between = f"{three_digits(times.low)}\u2013{three_digits(times.high)}"
    return figure_cell(element("b", three_digits(times.median)), element("small", between))
