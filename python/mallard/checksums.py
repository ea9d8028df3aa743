"""Checks that all cells of a row did equal work: a row whose checksums differ has no valid times. A row
includes strategies under other mallocs. Cells of different compilers are compared, too, although compilers
are settings, and so are in different rows.
"""

from __future__ import annotations

from mallard.result import Row, canonical
from mallard.selection import in_words

COMPILER = "compiler"


class Checksums:
    def __init__(self) -> None:
        # Work -> checksum -> makers. The runner does not compute one in every repetition.
        self._made: dict[tuple[str, str], dict[str, list[str]]] = {}

    def add(self, row: Row) -> str | None:
        """The mismatch, if this row shows the first one of its work."""
        if not row.ok or not row.checksum:
            return None
        work = _work(row)
        made = self._made.setdefault(work, {})
        makers = made.setdefault(row.checksum, [])
        if _maker(row) not in makers:
            makers.append(_maker(row))
        first_of_its_kind = len(makers) == 1
        return _complaint(work, made) if len(made) == 2 and first_of_its_kind else None

    def complaints(self) -> list[str]:
        """One message for each work whose checksums differ, with all makers known so far."""
        return [_complaint(work, made) for work, made in self._made.items() if len(made) > 1]


def _work(row: Row) -> tuple[str, str]:
    return row.experiment, canonical(
        {name: value for name, value in row.parameters.items() if name != COMPILER}
    )


def _maker(row: Row) -> str:
    compiler = row.parameters.get(COMPILER)
    return f"{row.strategy} ({compiler})" if compiler else row.strategy


def _complaint(work: tuple[str, str], made: dict[str, list[str]]) -> str:
    groups = (f"{in_words(makers)} made {checksum}" for checksum, makers in made.items())
    return (
        f"CHECKSUM MISMATCH: {' but '.join(groups)} with {work[1]}: they did not do the same work, "
        "so do not compare their times"
    )
