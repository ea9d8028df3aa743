"""The notes that a reader needs next to a printed table, from notes.csv: errors of the papers, and departures
of the authors' programs from their texts. Figures stay as printed.

A note concerns the listed tables (`p0213:6 p0213:33..42`), or those of an experiment and a paper's data.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from mallard.bench.papers.files import read_csv
from mallard.bench.papers.printed import PrintedTable


@dataclass(frozen=True)
class Note:
    kind: str  # "error" of the paper, "departure" of its program, or "reading": a hint for the comparison
    text: str
    source: str
    experiment: str  # empty: the note lists its tables
    data_paper: str  # empty: any
    tables: frozenset[str]

    def concerns(self, table: PrintedTable) -> bool:
        if not self.experiment:
            return table.name in self.tables
        return table.experiment == self.experiment and self.data_paper in ("", table.data_paper)


def notes_for(table: PrintedTable) -> list[Note]:
    return [note for note in _notes() if note.concerns(table)]


@cache
def _notes() -> tuple[Note, ...]:
    return tuple(
        Note(
            kind=row["kind"],
            text=row["text"],
            source=row["source"],
            experiment=row["experiment"],
            data_paper=row["data_paper"],
            tables=frozenset(_table_names(row["tables"])),
        )
        for row in read_csv("notes.csv")
    )


def _table_names(text: str) -> Iterable[str]:
    for name in text.split():
        first, dots, last = name.partition("..")
        paper, _, number = first.partition(":")
        yield from (f"{paper}:{n}" for n in range(int(number), int(last) + 1)) if dots else (name,)
