"""What must be known to read a printed table beside one's own: errors of the papers, and where the
authors' programs depart from their texts. Figures stay as printed; a note stands beside every table that
it concerns."""

from __future__ import annotations

from mallard.papers.density_notes import DENSITY_NOTES
from mallard.papers.note import Note
from mallard.papers.other_notes import OTHER_NOTES
from mallard.papers.printed import PrintedTable
from mallard.papers.small_notes import SMALL_NOTES

__all__ = ["Note", "notes_for"]

NOTES = (*DENSITY_NOTES, *OTHER_NOTES, *SMALL_NOTES)


def notes_for(table: PrintedTable) -> list[Note]:
    return [note for note in NOTES if note.concerns(table)]
