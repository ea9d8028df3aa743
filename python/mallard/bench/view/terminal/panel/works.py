"""Works: a column for each, with the book's figure beside some."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from mallard.bench.analysis.cell_tables import setting_text
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.beside_book import beside_book
from mallard.bench.analysis.panel.work_sentences import work_sentences
from mallard.bench.analysis.panel.works import Work, group_works, work_strategies
from mallard.bench.analysis.words import factor, nanoseconds
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Works
from mallard.bench.result import Row
from mallard.bench.view.terminal.panel.answer import Answer
from mallard.bench.view.terminal.panel.by_strategy import MARKS, show_times


def show_works(console: Console, experiment: Experiment, panel: Works, rows: Sequence[Row]) -> list[Answer]:
    answers = []
    for setting, works in group_works(experiment.name, rows).items():
        if setting:
            console.print(Text(setting_text(setting), "bold"))
        columns = [(work.words, work.line) for work in works]
        show_times(console, "ns an operation", "strategy", columns, work_strategies(works))
        _show_book(console, works)
        console.print()
        answers.append(Answer(setting or (), work_sentences(experiment.name, works)))
    console.print(f"{panel.legend} {MARKS}", style="dim", markup=False)
    return answers


def _show_book(console: Console, works: Sequence[Work]) -> None:
    """The gain of blocks of one size, here and in the book."""
    for entry in beside_book(works):
        default, block = entry.work.line.cells.get(BASE), entry.work.line.cells.get(entry.strategy)
        if entry.ours is None or default is None or block is None:
            continue
        times = " / ".join(nanoseconds(cell.ns_per_operation) for cell in (default, block))
        console.print(
            f"{entry.work.label}: {BASE} / {entry.strategy} {times} ns = {factor(1.0 / entry.ours.median)}; "
            f"in the book {factor(1.0 / entry.printed)}",
            markup=False,
        )
