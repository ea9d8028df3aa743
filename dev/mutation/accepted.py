"""Mutants that may survive, each with its reason: accepted.json.

    {"file": "include/mallard/core/x.hpp", "line": "the source line", "mutated": "the line as it was mutated",
     "reason": "why no test can or should tell the two apart"}

Lines are known by their text, blanks aside, and not by their numbers: what is inserted above them changes
nothing. An entry whose line is gone, or that no mutant makes any more, is stale; `run.py --check` names it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from dev.mutation.mutants import Mutant, find_mutants

FILE = Path(__file__).with_name("accepted.json")
KEYS = {"file", "line", "mutated", "reason"}


@dataclass(frozen=True)
class Accepted:
    file: str
    line: str
    mutated: str
    reason: str

    def is_about(self, mutant: Mutant) -> bool:
        return (self.file, self.line, self.mutated) == (mutant.file, mutant.line_before, mutant.line_after)


def read_accepted(file: Path = FILE) -> list[Accepted]:
    entries = json.loads(file.read_text(encoding="utf-8"))
    for entry in entries:
        if set(entry) != KEYS or not all(isinstance(text, str) and text.strip() for text in entry.values()):
            raise ValueError(
                f"{file.name}: an entry has the texts {sorted(KEYS)}, and this one has not: {entry}"
            )
    return [Accepted(**entry) for entry in entries]


def stale(accepted: list[Accepted], root: Path) -> list[Accepted]:
    """Entries that match no mutant of their file."""
    entries = []
    for entry in accepted:
        path = root / entry.file
        mutants = find_mutants(entry.file, path.read_text(encoding="utf-8")) if path.is_file() else []
        if not any(entry.is_about(mutant) for mutant in mutants):
            entries.append(entry)
    return entries
