"""Sentences about unfinished cells."""

from __future__ import annotations

from collections.abc import Callable

from mallard.analysis.cell_tables import CellTable, Line
from mallard.analysis.labels import STATUS_TEXT
from mallard.analysis.names import NULL
from mallard.analysis.words import in_a_list


def unfinished_sentences(table: CellTable, what: str, where: Callable[[Line], str]) -> list[str]:
    """A sentence for each kind of failure. `what` names the places of the table, and `where` one of
    them."""
    ended: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name in table.strategies:
        lines = [line for line in table.lines if name in line.cells and not line.finished(name)]
        if lines and name != NULL:
            how = STATUS_TEXT.get(lines[0].cells[name].status, lines[0].cells[name].status)
            ended.setdefault((how, tuple(map(where, lines))), []).append(name)
    return [
        f"{in_a_list(names)} did not finish ({how}) if {what} is {'; '.join(places)}."
        for (how, places), names in ended.items()
    ]
