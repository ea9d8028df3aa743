"""Groups result rows into cells. No other module does.

    rows -> cell_rows -> CellRow (run, experiment, requested parameters) -> Cell, one for each strategy

A cell joins the repetitions that finished. Its ratio to the global allocator pairs repetitions, because
both times come from processes that ran next to each other. A cell without a finished repetition keeps the
status of the last failure, and has no figures. Parameters that the runner chose are not part of the key of a
cell.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import TypeVar

from mallard.bench.library import BASE
from mallard.bench.result import OK, Parameters, Row
from mallard.shared.stats import Ratio, Spread, mean_ratio, paired_ratio, spread

Times = dict[int, float]  # repetition -> nanoseconds, or another quantity
Pairing = tuple[list[float], list[float]]  # (times of a strategy, times of its base)
TableKey = TypeVar("TableKey", bound=Hashable)
PlaceKey = TypeVar("PlaceKey", bound=Hashable)
CellKey = tuple[int, str, frozenset[tuple[str, object]]]
# Linux measures user and system time by timer ticks, usually 250 a second. A share of fewer than four ticks
# is noise.
TICKS_NS = 16_000_000


@dataclass(frozen=True)
class Cell:
    strategy: str
    rows: tuple[Row, ...]  # the repetitions, including failed ones
    times: Times  # nanoseconds per operation, on the clock of the experiment
    base: Times  # the times of the global allocator in that row
    figures: dict[str, Times] = field(default_factory=dict)  # further quantities, by name

    @property
    def finished(self) -> bool:
        return bool(self.times)

    @cached_property
    def done(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.ok)

    @cached_property
    def failure(self) -> Row | None:
        """The last failure."""
        return next((row for row in reversed(self.rows) if not row.ok), None)

    @property
    def status(self) -> str:
        """`ok` if at least one repetition finished."""
        return OK if self.done or not self.failure else self.failure.status

    @property
    def detail(self) -> str:
        return self.failure.detail if self.failure else ""

    @cached_property
    def ratio(self) -> Ratio | None:
        """The ratio to the global allocator; None if either has not finished."""
        return times_ratio(self.times, self.base)

    @cached_property
    def ns_per_operation(self) -> float:
        return median(self.times.values())

    @property
    def time(self) -> Spread | None:
        return spread(list(self.times.values())) if self.times else None

    @property
    def spread(self) -> tuple[float, float]:
        return min(self.times.values()), max(self.times.values())

    def figure(self, name: str) -> Spread | None:
        return spread(list(self.figures[name].values())) if name in self.figures else None

    @property
    def faults_per_1000(self) -> float:
        """Minor page faults of the timed part per 1000 operations."""
        return _median([1000.0 * row.minor_faults / row.operations for row in self.done])

    @property
    def minor_faults(self) -> float:
        return _median([float(row.minor_faults) for row in self.done])

    @property
    def major_faults(self) -> float:
        return _median([float(row.major_faults) for row in self.done])

    @property
    def peak_rss_bytes(self) -> float:
        return _median([float(row.peak_rss_bytes) for row in self.done])

    @property
    def system_share(self) -> float | None:
        """The share of system time in the processor time; None if the processor time is too short to
        measure.
        """
        shares = [row.system_ns / row.cpu_ns for row in self.done if row.cpu_ns >= TICKS_NS]
        return median(shares) if shares else None

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(sorted({note for row in self.rows for note in row.notes}))


@dataclass(frozen=True)
class CellRow:
    """The cells that differ only in strategy."""

    run: int
    experiment: str
    parameters: Parameters  # the parameters of the first row
    rows: list[Row]

    @cached_property
    def cells(self) -> dict[str, Cell]:
        return cells_by_strategy(self.rows)


def cell_rows(rows: Iterable[Row]) -> list[CellRow]:
    """Cell rows in the order of their first rows."""
    cell_rows_by_key: dict[CellKey, CellRow] = {}
    for row in rows:
        key = (row.run_id, row.experiment, frozenset(row.requested.items()))
        if key not in cell_rows_by_key:
            cell_rows_by_key[key] = CellRow(row.run_id, row.experiment, row.parameters, [])
        cell_rows_by_key[key].rows.append(row)
    return list(cell_rows_by_key.values())


def cells_by_strategy(rows: Iterable[Row]) -> dict[str, Cell]:
    """Strategy -> cell for rows of one place, in the order of their first rows."""
    by_strategy: dict[str, list[Row]] = {}
    for row in rows:
        by_strategy.setdefault(row.strategy, []).append(row)
    times = {name: _times(strategy_rows) for name, strategy_rows in by_strategy.items()}
    base = times.get(BASE, {})
    return {
        name: Cell(name, tuple(strategy_rows), times[name], base, _figures(strategy_rows))
        for name, strategy_rows in by_strategy.items()
    }


def by_place(
    rows: Iterable[Row],
    table_key: Callable[[CellRow], TableKey],
    place_key: Callable[[CellRow], PlaceKey],
) -> dict[TableKey, dict[PlaceKey, list[Row]]]:
    """Tables, in the order of their first rows, and in each the rows of every place."""
    tables: dict[TableKey, dict[PlaceKey, list[Row]]] = {}
    for row in cell_rows(rows):
        tables.setdefault(table_key(row), {}).setdefault(place_key(row), []).extend(row.rows)
    return tables


def figures_by_repetition(rows: Iterable[Row]) -> dict[str, dict[int, list[float]]]:
    """Figure -> repetition -> values. A process that measures several cells has several rows in a
    repetition.
    """
    figures: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        for name, value in row.figures.items() if row.ok else ():
            figures.setdefault(name, {}).setdefault(row.repetition, []).append(value)
    return figures


def paired(times: Times, base: Times) -> Pairing | None:
    """The values of the repetitions that both have; None if there are none."""
    repetitions = sorted(times.keys() & base.keys())
    if not repetitions:
        return None
    return [times[repetition] for repetition in repetitions], [base[repetition] for repetition in repetitions]


def times_ratio(times: Times, base: Times) -> Ratio | None:
    pairing = paired(times, base)
    return paired_ratio(*pairing) if pairing else None


def mean_over(pairings: Iterable[Pairing | None]) -> Ratio | None:
    """The mean ratio of those that exist; None if none does."""
    measured = [pairing for pairing in pairings if pairing]
    return mean_ratio(measured) if measured else None


def quotients(times: Times, base: Times) -> Times:
    return {repetition: times[repetition] / base[repetition] for repetition in times.keys() & base.keys()}


def above(least: float, values: Times) -> Times:
    """The values above `least`, because a value of zero has no ratio."""
    return {repetition: value for repetition, value in values.items() if value > least}


def _times(rows: Iterable[Row]) -> Times:
    return {row.repetition: row.ns_per_operation for row in rows if row.ok}


def _figures(rows: Iterable[Row]) -> dict[str, Times]:
    figures: dict[str, Times] = {}
    for row in rows:
        for name, value in row.figures.items() if row.ok else ():
            figures.setdefault(name, {})[row.repetition] = value
    return figures


def _median(values: list[float]) -> float:
    return median(values) if values else 0.0
