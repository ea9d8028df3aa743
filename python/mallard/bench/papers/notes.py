"""The notes that a reader needs next to a printed table: errors of the papers, and departures of the authors'
programs from their texts. Figures stay as printed. A note is shown with every table that it concerns.
"""

from __future__ import annotations

from mallard.bench.papers.density_notes import DENSITY_NOTES
from mallard.bench.papers.note import Note
from mallard.bench.papers.other_notes import BENCHMARK_NOTES
from mallard.bench.papers.printed import PrintedTable
from mallard.bench.papers.small_notes import SMALL_NOTES

__all__ = ["Note", "notes_for"]

NOTES = (*DENSITY_NOTES, *BENCHMARK_NOTES, *SMALL_NOTES)


def notes_for(table: PrintedTable) -> list[Note]:
    return [note for note in NOTES if note.concerns(table)]
