"""Density: a heat map and a sentence for each data structure, then the averages. The answer has a line for
each structure.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from mallard.bench.analysis.summary import summaries
from mallard.bench.analysis.verdicts import Verdict, in_brief, sentence
from mallard.bench.result import Row
from mallard.bench.view.terminal.panel.answer import Answer
from mallard.bench.view.terminal.panel.averages import show_averages
from mallard.bench.view.terminal.table.heat_map import legend, show_heat_map


def show(console: Console, rows: Sequence[Row], *, everything: bool) -> list[Answer]:
    answers = []
    for summary in summaries(rows):
        for table, verdict in zip(summary.tables, summary.verdicts, strict=True):
            console.print(Text.assemble((f"{table.structure} ", "bold"), table.type))
            show_heat_map(console, table, everything=everything)
            console.print(sentence(verdict), markup=False)
            console.print()
        console.print(legend(), style="dim")
        console.print()
        show_averages(console, summary)
        answers.append(Answer(summary.setting, _in_lines(summary.verdicts)))
    return answers


def _in_lines(verdicts: Sequence[Verdict]) -> list[str]:
    widths = [
        max(map(len, column))
        for column in zip(*((verdict.structure, verdict.type) for verdict in verdicts), strict=True)
    ]
    return [
        f"{verdict.structure:{widths[0]}}  {verdict.type:{widths[1]}}  {in_brief(verdict)}"
        for verdict in verdicts
    ]
