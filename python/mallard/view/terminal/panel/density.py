"""Density: a heat map and a verdict for each data structure, then the averages."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from mallard.analysis.summary import summaries
from mallard.analysis.verdicts import sentence
from mallard.result import Row
from mallard.view.terminal.panel.averages import show_averages
from mallard.view.terminal.table.heat_map import legend, show_heat_map


def show(console: Console, rows: Sequence[Row]) -> None:
    for summary in summaries(rows):
        for table, verdict in zip(summary.tables, summary.verdicts, strict=True):
            console.print(Text.assemble((f"{table.structure} ", "bold"), table.type))
            show_heat_map(console, table)
            console.print(sentence(verdict), markup=False)
            console.print()
        console.print(legend(), style="dim")
        console.print()
        show_averages(console, summary)
