"""Test equipment: the report of a command, before a medium shows it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest

from mallard.cli import main
from mallard.shared.console import PlainConsole
from mallard.shared.report.figures import cell_text
from mallard.shared.report.model import (
    Aside,
    Block,
    Code,
    Facts,
    Paragraph,
    Points,
    Report,
    Row,
    Section,
    Table,
)
from mallard.shared.report.picture import Chart, HeatMap
from mallard.shared.report.terminal import show_report


def report_of(module: str, *words: str) -> Report:
    """What the command passes to the writers. `module` is that of its verb, below mallard.cli.verbs."""
    reports: list[Report] = []

    def keep(arguments: Any, report: Report, *others: Any, **options: Any) -> None:
        reports.append(report)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"mallard.cli.verbs.{module}.write_report", keep)
        main(words)
    (report,) = reports
    return report


def tables(report: Report) -> dict[str, Table]:
    """By caption."""
    blocks = [block for section in report.sections for block in section.blocks]
    return {block.caption: block for block in blocks if isinstance(block, Table)}


def rows(table: Table) -> list[list[str]]:
    return [[cell_text(cell) for cell in row.cells] for row in table.rows]


def section_text(section: Section) -> str:
    """All words in one line: titles, texts, and cells row after row."""
    words = (word for block in (*section.answer, *section.blocks) for word in _words(block))
    return " ".join(" ".join((section.title, section.about, *words)).split())


def _words(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(text) | Code(text):
            yield text
        case Points(texts):
            yield from texts
        case Facts(facts):
            yield from (f"{fact.label} {cell_text(fact.value)} {fact.text}" for fact in facts)
        case Table():
            for row in block.rows:
                yield from map(cell_text, row.cells)
                yield row.note
        case Aside(title, blocks):
            yield title
            yield from (word for inner in blocks for word in _words(inner))
        case HeatMap() | Chart():
            yield block.title


def texts(report: Report) -> dict[str, str]:
    """Of sections, by title."""
    return {section.title: section_text(section) for section in report.sections}


def lines(report: Report) -> list[list[str]]:
    """The words of headings and texts, and the cells of rows without the empty ones at their beginning."""
    return [line for section in report.sections for line in _lines(section)]


def _lines(section: Section) -> Iterator[list[str]]:
    yield section.title.split()
    for block in section.blocks:
        match block:
            case Table():
                yield from map(_cells, block.rows)
            case Code(text):
                yield from (line.split() for line in text.splitlines())
            case Paragraph(text):
                yield text.split()


def _cells(row: Row) -> list[str]:
    texts = [cell_text(cell) for cell in row.cells]
    first = next((place for place, text in enumerate(texts) if text), len(texts))
    return texts[first:]


def screen(report: Report, width: int = 80, *, is_terminal: bool = True) -> list[str]:
    """The lines of a terminal, or of a pipe."""
    console = PlainConsole(width=width, record=True, force_terminal=is_terminal, file=io.StringIO())
    show_report(console, report)
    return console.export_text().splitlines()
