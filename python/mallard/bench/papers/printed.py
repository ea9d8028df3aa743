"""A table of a paper, as printed: rows keyed by tuples, columns that are strategies or factors, a unit.

`registry` reads the tables and finds one by its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mallard.bench.library import BASE as BASE

P0089 = "P0089R1"
P0213 = "P0213R0"

Key = tuple[int, ...]
# None: printed as "fail", a test that did not finish.
Line = dict[str, float | None]
# In a table of percents, new-delete's column has seconds.
Unit = Literal["seconds", "percent of new-delete", "ratio", "kB"]
Place = dict[str, int | str]


@dataclass(frozen=True)
class PrintedTable:
    """`rows` holds the figures as printed. `place` names this machine's cells that are compared with
    them."""

    name: str  # the name on the command line: p0213:6, p0089:III-30
    paper: str
    label: str  # the paper's name: Table 6; Benchmark III, T = 2^30
    experiment: str
    caption: str
    axes: tuple[str, ...]  # the headings of the parts of a row's key
    unit: Unit
    rows: dict[Key, Line]
    place: Place
    data_paper: str  # the paper that measured it; P0213 copies some of P0089's tables
    operations: dict[Key, int] = field(default_factory=dict)  # operations of a printed time; empty for ratios
    # The words of an axis whose numbers are indices.
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def structure(self) -> str:
        """DS1..DS12 of a table of Benchmarks I and V; empty for others."""
        return str(self.place.get("ds", ""))

    @property
    def columns(self) -> list[str]:
        return list(dict.fromkeys(name for line in self.rows.values() for name in line))

    @property
    def shows_times(self) -> bool:
        """True if a row is a race of strategies against new-delete."""
        return bool(self.operations) and self.experiment != "locality"

    @property
    def is_memory(self) -> bool:
        return self.unit == "kB"

    def percent_of_base(self, key: Key, column: str) -> float | None:
        """A race's figure in percent of new-delete; None if the test failed there."""
        figure, base = self.rows[key][column], self.rows[key][BASE]
        if column == BASE:
            return 100.0
        if figure is None or base is None or self.unit == "percent of new-delete":
            return figure
        return 100.0 * figure / base

    def nanoseconds(self, key: Key, column: str) -> float | None:
        """The time of one operation, or the bytes in a table of memory; None if the test failed there."""
        figure, base = self.rows[key][column], self.rows[key].get(BASE)
        if figure is None:
            return None
        if self.unit == "percent of new-delete" and column != BASE:
            return None if base is None else figure / 100.0 * self._ns(key, base)
        return self._ns(key, figure)

    def _ns(self, key: Key, figure: float) -> float:
        return figure * (1024.0 if self.is_memory else 1e9) / self.operations[key]
