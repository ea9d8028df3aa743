"""A report as Markdown, for an issue or a page of documentation."""

from __future__ import annotations

from mallard.shared.prose import markdown_cell
from mallard.shared.report.figures import cell_text
from mallard.shared.report.model import Cell, Column, Mood, Report, Table, Verdict


def markdown_report(report: Report, command: str) -> str:
    """`command` is the one that was typed."""
    parts = [f"# {report.title}", f"    {command}", report.answer.text]
    for section in report.sections:
        parts.append(f"## {section.title}")
        parts += [
            markdown_table(block) if isinstance(block, Table) else block.text for block in section.blocks
        ]
    parts += ["\n".join(f"- {note}" for note in report.notes)] if report.notes else []
    return "\n\n".join(parts) + "\n"


def markdown_table(table: Table) -> str:
    lines = [[column.title for column in table.columns], [_rule(column) for column in table.columns]]
    lines += [[_cell(cell) for cell in row.cells] for row in table.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _rule(column: Column) -> str:
    return "--:" if column.numeric else "---"


def _cell(cell: Cell) -> str:
    text = "<br>".join(map(markdown_cell, cell_text(cell).split("\n")))
    return f"**{text}**" if isinstance(cell, Verdict) and cell.mood is Mood.BAD else text
