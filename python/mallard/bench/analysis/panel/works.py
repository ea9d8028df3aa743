"""Experiments whose cells are works, named by words: a line of cells for each, in the description's order.

rows -> group_works -> the works of each setting
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import CellTable, Line, Setting, cell_tables
from mallard.bench.analysis.names import in_table_order
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Works
from mallard.bench.result import Row


@dataclass(frozen=True)
class Work:
    words: tuple[str, ...]  # the name, and the version if there are several
    operation: str  # a pair
    setting: Setting
    line: Line

    @property
    def name(self) -> str:
        return self.words[0]

    @property
    def version(self) -> str:
        return self.words[-1] if len(self.words) > 1 else ""

    @property
    def label(self) -> str:
        return ", ".join(filter(None, self.words))

    @property
    def table(self) -> CellTable:
        return CellTable((), self.setting, [self.line])


def group_works(experiment: str, rows: Iterable[Row]) -> dict[Setting, list[Work]]:
    """The works of each setting."""
    description = EXPERIMENTS[experiment]
    panel = description.panel
    assert isinstance(panel, Works)
    works_by_setting: dict[Setting, list[Work]] = {}
    for words, table in cell_tables(rows, experiment, apart=description.apart):
        operation = panel.operations.get(words[0], "an operation")
        for line in table.lines:
            works_by_setting.setdefault(table.setting, []).append(Work(words, operation, table.setting, line))
    return {
        setting: sorted(works, key=lambda work: _place(description, work))
        for setting, works in works_by_setting.items()
    }


def work_strategies(works: Iterable[Work]) -> list[str]:
    return in_table_order({name for work in works for name in work.line.cells})


def _place(experiment: Experiment, work: Work) -> list[int]:
    """The description's order. A work or version that it lacks comes last."""
    axes = [experiment.axis(name) for name in experiment.apart]
    return [_index(axis.words if axis else (), word) for axis, word in zip(axes, work.words, strict=True)]


def _index(words: Sequence[str], word: str) -> int:
    return words.index(word) if word in words else len(words)
