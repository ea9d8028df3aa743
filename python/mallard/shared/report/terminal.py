"""A report in a terminal: the answer, tables as wide as their cells, and notes in a soft colour."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from mallard.shared.report.figures import cell_text
from mallard.shared.report.model import Cell, Mood, Paragraph, Report, Table, Verdict
from mallard.shared.view.terminal.console import print_line

STYLES = {Mood.GOOD: "green", Mood.BAD: "red", Mood.OPEN: "yellow"}


def show_report(console: Console, report: Report) -> None:
    console.print()
    _show_paragraph(console, report.answer, "bold")
    tables = [block for section in report.sections for block in section.blocks if isinstance(block, Table)]
    for section in report.sections:
        console.print()
        if section.is_headed:
            console.print(section.title, style="bold", markup=False)
        for block in section.blocks:
            if isinstance(block, Table):
                if block is not section.blocks[0]:
                    console.print()
                alike = [other for other in tables if other.columns == block.columns]
                console.print(_grid(block, alike))
            else:
                _show_paragraph(console, block, "")
    if report.notes:
        console.print()
    for note in report.notes:
        print_line(console, note, "dim")


def _show_paragraph(console: Console, paragraph: Paragraph, style: str) -> None:
    colour = STYLES[paragraph.mood] if paragraph.mood else ""
    print_line(console, Text(paragraph.text), f"{style} {colour}".strip())


def _grid(table: Table, alike: Sequence[Table]) -> RichTable:
    """`alike` are the tables with the same columns, which are aligned. The last column may be narrower."""
    has_heads = any(column.title for column in table.columns)
    grid = RichTable(box=None, pad_edge=False, padding=(0, 1), header_style="dim", show_header=has_heads)
    for place, column in enumerate(table.columns):
        texts = [cell_text(row.cells[place]) for other in alike for row in other.rows]
        is_last = place == len(table.columns) - 1
        grid.add_column(
            Text(column.title),
            justify="right" if column.numeric else "left",
            no_wrap=column.numeric,
            min_width=None if is_last else max(map(len, texts), default=0),
        )
    for row in table.rows:
        grid.add_row(*map(_cell, row.cells), style=STYLES[row.mood] if row.mood else None)
    return grid


def _cell(cell: Cell) -> Text:
    return Text(cell_text(cell), STYLES[cell.mood] if isinstance(cell, Verdict) else "")
