"""Times with their spreads: a row for each strategy, two columns for each word of the axis."""

from __future__ import annotations

from collections.abc import Iterable

from mallard.bench.analysis.names import in_table_order
from mallard.bench.cells import Cell, cell_rows
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Spreads
from mallard.bench.papers.catalogue import strategy_text
from mallard.bench.result import Row
from mallard.shared.report import model
from mallard.shared.report.model import (
    Column,
    Figure,
    Interval,
    Points,
    Section,
    Table,
    Term,
    Unit,
)


def spreads_sections(experiment: Experiment, panel: Spreads, rows: Iterable[Row]) -> list[Section]:
    (axis,) = experiment.places
    cells = {str(row.parameters[axis]): row.cells for row in cell_rows(rows)}
    names = in_table_order({name for by_name in cells.values() for name in by_name})
    columns = [Column("strategy", numeric=False)]
    for word in cells:
        columns += [Column(f"{word}, ns", "median"), Column("lowest to highest")]
    table_rows = tuple(
        model.Row(
            (
                Term(name, strategy_text(name)),
                *(figure for by_name in cells.values() for figure in _figures(by_name.get(name))),
            )
        )
        for name in names
    )
    table = Table(panel.text, tuple(columns), table_rows)
    meanings = Points(tuple(f"{word}: {text}" for word, text in panel.columns.items() if word in cells))
    return [Section(panel.text, (meanings, table), is_headed=True)]


def _figures(cell: Cell | None) -> tuple[model.Cell, model.Cell]:
    if cell is None:
        return None, None
    time = cell.time
    if time is None:
        return cell.status.replace("_", " "), None
    return Figure(time.median, Unit.NANOSECONDS), Interval(time.low, time.high, Unit.NANOSECONDS)
