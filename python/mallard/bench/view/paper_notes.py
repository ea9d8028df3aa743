"""The report of the notes for a comparison with the papers, each once, with its tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from mallard.bench.papers.catalogue import structures
from mallard.bench.papers.notes import Note, notes_for
from mallard.bench.papers.printed import P0089, P0213, PrintedTable
from mallard.bench.papers.registry import AVERAGES, own_table, table_named, tables_of
from mallard.bench.store import Measured
from mallard.shared.report.model import Paragraph, Report, Row, Section, Table, text_columns

TITLES = {
    "reading": "How to read them",
    "error": "Known errors of the papers",
    "departure": "Where the authors' programs depart",
}
FEW = 4  # the most tables that are named with a note; a note on more concerns the experiment
COLUMNS = text_columns("kind", "note", "tables", "source")

Concerned = dict[Note, list[str]]


def paper_notes_report(measured: Mapping[str, Measured]) -> Report:
    """The notes of each experiment. Those of density are about the measured data structures."""
    sections = []
    for name, entry in measured.items():
        concerned = _of_density(_structures(entry)) if name == "density" else _of_tables(name)
        if concerned:
            heading = name.replace("-", " ").capitalize()
            table = Table(f"Notes on {name}", COLUMNS, tuple(_rows(concerned)))
            sections.append(Section(heading, (table,), is_headed=True))
    return Report("Notes on the papers", Paragraph(""), tuple(sections))


def _rows(concerned: Concerned) -> Iterable[Row]:
    for kind, title in TITLES.items():
        for note, names in concerned.items():
            if note.kind == kind:
                yield Row((title, note.text, ", ".join(names), note.source))


def _structures(measured: Measured) -> list[str]:
    present = {str(row.parameters["ds"]) for row in measured.rows}
    return [name for name in structures() if name in present]


def _of_density(measured: Sequence[str]) -> Concerned:
    concerned: Concerned = {}
    for name in measured:
        for paper in (P0089, P0213):
            for note in notes_for(own_table(paper, name)):
                names = concerned.setdefault(note, [])
                if name not in names:
                    names.append(name)
    for note in notes_for(table_named(AVERAGES)):
        concerned.setdefault(note, [])
    return {note: names if len(names) < len(measured) else [] for note, names in concerned.items()}


def _of_tables(experiment: str) -> Concerned:
    concerned: Concerned = {}
    for table in tables_of(experiment):
        for note in notes_for(table):
            concerned.setdefault(note, []).append(_name(table))
    return {note: names if len(names) <= FEW else [] for note, names in concerned.items()}


def _name(table: PrintedTable) -> str:
    paper = re.sub(r"R\d$", "", table.paper)
    return f"{paper} {table.label}"
