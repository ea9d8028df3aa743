"""A race: a heat map for each setting, its sentences, and the further figures that the description names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.style import Style
from rich.text import Text

from mallard.bench.analysis.cell_tables import CellTable, Line, setting_text
from mallard.bench.analysis.panel.phases import median_figure
from mallard.bench.analysis.panel.races import race_sentences, race_tables
from mallard.bench.analysis.words import nanoseconds
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Columns, Most, MostRatio, Race
from mallard.bench.footprint import readable
from mallard.bench.result import Row
from mallard.bench.store import Run
from mallard.bench.view.terminal.panel import Answer
from mallard.bench.view.terminal.table import FAULTS, MARKS, Piece, show_columns, show_heat_map


def show_race(
    console: Console,
    experiment: Experiment,
    panel: Race,
    run: Run,
    rows: Sequence[Row],
    *,
    everything: bool,
) -> list[Answer]:
    answers = []
    for table in race_tables(experiment.name, rows, run.machine.get("cores")):
        console.print(Text(setting_text(table.setting), "bold"))
        show_heat_map(console, table, everything=everything)
        answers.append(Answer(table.setting, race_sentences(experiment.name, table)))
        console.print()
        for below in panel.below:
            _show_below(console, table, below)
        console.print()
    console.print(f"{panel.legend} {MARKS} {FAULTS}", style="dim")
    return answers


def _show_below(console: Console, table: CellTable, below: Most | Columns | MostRatio) -> None:
    match below:
        case Columns(figure, text):
            console.print(Text(text, "bold"))
            show_columns(console, table, lambda line, name: _figure(line, name, figure))
        case Most(figure, text, in_bytes):
            most = {name: _most(table, name, figure) for name in table.strategies}
            words = {name: value for name, value in most.items() if value is not None}
            show = (lambda value: readable(int(value))) if in_bytes else nanoseconds
            _show_words(console, text, {name: show(value) for name, value in words.items()})
        case MostRatio(figure, base, text):
            ratios = _most_ratio(table, figure, base)
            _show_words(console, text, {name: f"{ratio:.2f}" for name, ratio in ratios.items()})


def _show_words(console: Console, label: str, words: Mapping[str, str]) -> None:
    if words:
        listed = ", ".join(f"{name} {word}" for name, word in words.items())
        console.print(f"{label}: {listed}.")


def _most_ratio(table: CellTable, figure: str, base: str) -> dict[str, float]:
    """The largest ratio of the figures of a cell, from the lines with several threads."""
    most: dict[str, float] = {}
    for line in table.lines:
        for name in line.cells if line.place[-1] > 1 else ():
            value, least = median_figure(line, name, figure), median_figure(line, name, base)
            if value and least and least > 0:
                most[name] = max(most.get(name, 1.0), value / least)
    return {name: most[name] for name in table.strategies if name in most}


def _most(table: CellTable, name: str, figure: str) -> float | None:
    values = [median_figure(line, name, figure) for line in table.lines if line.finished(name)]
    return max((value for value in values if value is not None), default=None)


def _figure(line: Line, name: str, figure: str) -> Piece:
    value = median_figure(line, name, figure)
    return f"{nanoseconds(value) if value is not None else '-'} ", Style()
