"""Checks that all cells of a row did the same work: times of a row with different checksums are invalid. A
row includes strategies under other mallocs. Cells of different compilers are compared too, although compilers
are settings, and so are in different rows.
"""

from __future__ import annotations

from mallard.bench.result import Row, canonical
from mallard.bench.selection import in_words

COMPILER = "compiler"


class Checksums:
    def __init__(self) -> None:
        # Work -> checksum -> makers. Not every repetition has a checksum.
        self._by_work: dict[tuple[str, str], dict[str, list[str]]] = {}

    def add(self, row: Row) -> str | None:
        """Returns the mismatch, if this row is the first of its work to differ."""
        if not row.ok or not row.checksum:
            return None
        work = _work(row)
        by_checksum = self._by_work.setdefault(work, {})
        makers = by_checksum.setdefault(row.checksum, [])
        if _maker(row) not in makers:
            makers.append(_maker(row))
        is_new_checksum = len(makers) == 1
        return _complaint(work, by_checksum) if len(by_checksum) == 2 and is_new_checksum else None

    def complaints(self) -> list[str]:
        """Returns a message for each work whose checksums differ, with all makers so far."""
        return [
            _complaint(work, by_checksum)
            for work, by_checksum in self._by_work.items()
            if len(by_checksum) > 1
        ]


def _work(row: Row) -> tuple[str, str]:
    return row.experiment, canonical(
        {name: value for name, value in row.parameters.items() if name != COMPILER}
    )


def _maker(row: Row) -> str:
    compiler = row.parameters.get(COMPILER)
    return f"{row.strategy} ({compiler})" if compiler else row.strategy


def _complaint(work: tuple[str, str], by_checksum: dict[str, list[str]]) -> str:
    groups = (f"{in_words(makers)} made {checksum}" for checksum, makers in by_checksum.items())
    return (
        f"CHECKSUM MISMATCH: {' but '.join(groups)} with {work[1]}: they did not do the same work, "
        "so do not compare their times"
    )
