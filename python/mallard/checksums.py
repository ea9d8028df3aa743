"""All cells of a row must have done the same work: their checksums agree, or no time of it counts. That goes
for a strategy under another malloc, which stands in the same row, and for one built by another compiler,
which does not: compilers are settings.
"""

from __future__ import annotations

from mallard.result import Row, canonical
from mallard.selection import in_words

COMPILER = "compiler"


class Checksums:
    def __init__(self) -> None:
        # work -> checksum -> who made it; the runner need not look in every repetition.
        self._made: dict[tuple[str, str], dict[str, list[str]]] = {}

    def add(self, row: Row) -> str | None:
        """What is wrong, the first time that something is wrong in the row."""
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
        """One for each row in which checksums differ, with all that is known by now."""
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
        "do not compare their times"
    )
