"""All strategies of a row must have built the same thing: their checksums agree, or no time of it counts."""

from __future__ import annotations

from mallard.result import Row
from mallard.selection import in_words


class Checksums:
    def __init__(self) -> None:
        # row -> checksum -> strategies; the runner need not look in every repetition.
        self._made: dict[tuple[str, str], dict[str, list[str]]] = {}

    def add(self, row: Row) -> str | None:
        """What is wrong, the first time that something is wrong in the row."""
        if not row.ok or not row.checksum:
            return None
        made = self._made.setdefault(row.row_key, {})
        strategies = made.setdefault(row.checksum, [])
        if row.strategy not in strategies:
            strategies.append(row.strategy)
        first_of_its_kind = len(strategies) == 1
        return _complaint(row.row_key, made) if len(made) == 2 and first_of_its_kind else None

    def complaints(self) -> list[str]:
        """One for each row in which checksums differ, with all that is known by now."""
        return [_complaint(row_key, made) for row_key, made in self._made.items() if len(made) > 1]


def _complaint(row_key: tuple[str, str], made: dict[str, list[str]]) -> str:
    groups = (f"{in_words(strategies)} made {checksum}" for checksum, strategies in made.items())
    return (
        f"CHECKSUM MISMATCH: {' but '.join(groups)} with {row_key[1]}: they did not do the same work, "
        "do not compare their times"
    )
