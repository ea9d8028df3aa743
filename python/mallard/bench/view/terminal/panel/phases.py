"""An experiment in phases: a block of strategies by places for each time, and below it one for each
amount."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from mallard.bench.analysis.cell_tables import CellTable, Line, setting_text
from mallard.bench.analysis.panel.phases import amount_text, cell_amount, over_time, phase_tables, timed
from mallard.bench.analysis.panel.sentences import phase_sentences
from mallard.bench.analysis.words import factor
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Phases
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.result import Row
from mallard.bench.view.terminal.panel.answer import Answer
from mallard.bench.view.terminal.panel.by_strategy import (
    MARKS,
    Column,
    show_figures,
    show_times,
    table_columns,
)


def show_phases(console: Console, experiment: Experiment, panel: Phases, rows: Sequence[Row]) -> list[Answer]:
    answers = []
    corner = panel.head or experiment.places[0]
    for table in phase_tables(experiment.name, rows):
        console.print(Text(setting_text(table.setting), "bold"))
        for time in panel.times:
            title = f"{time.short}: {time.text}, ns {time.unit}"
            show_times(console, title, corner, table_columns(timed(table, time)), table.strategies)
        for line in table.lines if panel.over_time else ():
            _show_over_time(console, panel, table, line)
        for amount in panel.amounts:
            _show_amount(console, corner, table, amount)
        console.print()
        answers.append(Answer(table.setting, phase_sentences(experiment.name, table)))
    console.print(f"{panel.legend} {MARKS}", style="dim", markup=False)
    return answers


def _show_over_time(console: Console, panel: Phases, table: CellTable, line: Line) -> None:
    assert panel.over_time
    title = f"{panel.over_time.short} as the operations go, {panel.across} {line.place[0]:,}"
    shares: list[Column] = [
        ((f"{of_share.place[0]} %",), of_share) for of_share in over_time(line, panel.over_time).lines
    ]

    def shown(of_share: Line, name: str) -> str:
        return factor(of_share.cells[name].ns_per_operation)

    show_figures(console, title, "done", shares, table.strategies, shown)


def _show_amount(console: Console, corner: str, table: CellTable, amount: Quantity) -> None:
    def shown(line: Line, name: str) -> str | None:
        value = cell_amount(table, line, name, amount, amount.per)
        if value is None:
            return None
        return f"{value:.1f}" if amount.per else amount_text(amount.shown, value)

    title = f"{amount.text}, bytes for each of {amount.per}" if amount.per else amount.text
    columns = [(heads, line) for heads, line in table_columns(table) if line.place[0] >= amount.large]
    show_figures(console, title, corner, columns, table.strategies, shown)
