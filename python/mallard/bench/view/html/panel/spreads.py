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


def spreads_section(experiment: Experiment, panel: Spreads, measured: Measured | None) -> Section:
    if measured is None:
        return unmeasured(experiment.name, scale="")
    (axis,) = experiment.places
    measured_rows = cell_rows(measured.rows)
    cells = {str(row.parameters[axis]): row.cells for row in measured_rows}
    head = [element("th", "strategy")]
    head += [element("th", panel.columns.get(name, name)) for name in cells]
    rows = [
        element(
            "tr",
            element("th", name, element("small", strategy_text(name))),
            *(_figures(cells[word].get(name)) for word in cells),
        )
        for name in in_table_order({name for by_name in cells.values() for name in by_name})
    ]
    table = element(
        "table",
        element("caption", panel.text, class_="unseen"),
        element("thead", element("tr", *head)),
        element("tbody", *rows),
        class_="plain-table",
    )
    wide = element("div", table, class_="wide", role="region", aria_label=experiment.title, tabindex="0")
    return experiment_section(experiment.name, joined(introduction(experiment.name), wide))


def _figures(cell: Cell | None) -> Markup:
    if cell is None:
        return element("td", "")
    times = cell.time
    if times is None:
        return element("td", cell.status.replace("_", " "))
    between = f"{three_digits(times.low)}\u2013{three_digits(times.high)}"
    return element("td", element("b", three_digits(times.median)), element("small", between), class_="figure")
