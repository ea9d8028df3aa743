"""A heat map of a race of strategies, with new-delete among the columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import Line
from mallard.bench.analysis.verdicts import pick_strategy
from mallard.bench.view.html.cells.form import Form
from mallard.bench.view.html.cells.heat_map import Cell, HeatMap, strategy_columns
from mallard.bench.view.html.cells.race_cells import Published, race_cell
from mallard.shared.view.html.markup import Markup

PublishedOf = Callable[[Line, str], Published]


@dataclass(frozen=True)
class RaceTable:
    """The common parts of an experiment's maps."""

    form: Form
    memory: Callable[[Line, str], float] = lambda line, name: line.cells[name].peak_rss_bytes

    def markup(
        self,
        title: str,
        caption: str,
        corner: str,
        names: Sequence[str],
        lines: Sequence[tuple[str, Line]],
        published: PublishedOf,
    ) -> Markup:
        table = HeatMap(title, caption, corner, strategy_columns(names), self.form, "race")
        return table.markup([(label, self._line(table, line, names, published)) for label, line in lines])

    def _line(self, table: HeatMap, line: Line, names: Sequence[str], published: PublishedOf) -> list[Cell]:
        picked = pick_strategy(line)
        held = {name: self.memory(line, name) for name in line.cells if line.finished(name)}
        least = min(held.values(), default=0.0)
        return [
            race_cell(
                table,
                name,
                line.cells.get(name),
                published(line, name),
                held.get(name, 0.0),
                least,
                name == picked,
            )
            for name in names
        ]
