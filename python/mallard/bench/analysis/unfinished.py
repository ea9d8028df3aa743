"""Sentences about unfinished cells."""

from __future__ import annotations

from collections.abc import Callable

from mallard.bench.analysis.cell_tables import CellTable, Line
from mallard.bench.analysis.labels import STATUS_TEXT
from mallard.bench.analysis.names import NULL
from mallard.bench.analysis.words import in_a_list


def unfinished_sentences(table: CellTable, subject: str, describe: Callable[[Line], str]) -> list[str]:
    """A sentence for each kind of failure. `subject` names the places of the table, and `describe` one of
    them.
    """
    ended: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name in table.strategies:
        lines = [line for line in table.lines if name in line.cells and not line.finished(name)]
        if lines and name != NULL:
            failure = STATUS_TEXT.get(lines[0].cells[name].status, lines[0].cells[name].status)
            ended.setdefault((failure, tuple(map(describe, lines))), []).append(name)
    return [
        f"{in_a_list(names)} did not finish ({failure}) if {subject} is {'; '.join(places)}."
        for (failure, places), names in ended.items()
    ]
