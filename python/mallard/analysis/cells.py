"""Result rows become tables: one per data structure and setting, a line per size, a cell per strategy.

A cell joins the repetitions that finished. Its ratio to AS1 pairs repetitions: both times come from
processes that ran next to each other. A cell of which no repetition finished keeps the last failure's
status, and has no figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from mallard.papers.catalogue import EXTRA_STRATEGIES, strategies, structures
from mallard.result import OK, Row
from mallard.stats import Ratio, paired_ratio

BASE = "AS1"
FLOOR = "null"
KEEP = "AS1-keep"
_PLACE_IN_TABLE = frozenset({"ds", "size_log2", "inner_log2"})  # the other parameters are the setting

Setting = tuple[tuple[str, object], ...]
Pairing = tuple[list[float], list[float]]  # (times of a strategy, times of its base)


@dataclass(frozen=True)
class Cell:
    strategy: str
    status: str  # "ok" as soon as one repetition finished
    detail: str
    times: dict[int, float]  # repetition -> CPU nanoseconds per leaf element
    ratio: Ratio | None  # to AS1; None where either has not finished
    faults_per_1000: float  # minor page faults of the timed part in 1000 leaf elements
    major_faults: float
    peak_rss_bytes: float
    system_share: float  # of the CPU time
    notes: tuple[str, ...]

    @property
    def finished(self) -> bool:
        return bool(self.times)

    @property
    def ns_per_leaf(self) -> float:
        return median(self.times.values())

    @property
    def spread(self) -> tuple[float, float]:
        return min(self.times.values()), max(self.times.values())


@dataclass(frozen=True)
class Line:
    size_log2: int
    cells: dict[str, Cell]

    def finished(self, strategy: str) -> bool:
        return strategy in self.cells and self.cells[strategy].finished

    def paired(self, strategy: str, base: str) -> Pairing | None:
        """The times of both in the repetitions that both have finished; None where there is none."""
        if strategy not in self.cells or base not in self.cells:
            return None
        mine, theirs = self.cells[strategy].times, self.cells[base].times
        both = sorted(set(mine) & set(theirs))
        return ([mine[r] for r in both], [theirs[r] for r in both]) if both else None


@dataclass(frozen=True)
class StructureTable:
    structure: str
    type: str
    setting: Setting
    lines: list[Line] = field(default_factory=list)

    @property
    def strategies(self) -> list[str]:
        return in_table_order({name for line in self.lines for name in line.cells})

    def line(self, size_log2: int) -> Line | None:
        return next((line for line in self.lines if line.size_log2 == size_log2), None)


def in_table_order(names: Iterable[str]) -> list[str]:
    """The floor, AS1, AS1 with page return off, AS2 ... AS14, then whatever else there is."""
    order = [FLOOR, BASE, KEEP, *(name for name in strategies() if name != BASE)]
    return sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name))


def contestants(names: Iterable[str]) -> list[str]:
    """Strategies that a program can choose: not the floor, nor a setting of the platform."""
    extra = {strategy.name for strategy in EXTRA_STRATEGIES}
    return [name for name in in_table_order(names) if name not in extra]


def density_tables(rows: Iterable[Row]) -> list[StructureTable]:
    """One table per structure and setting, in the papers' order."""
    grouped: dict[tuple[str, Setting], dict[int, list[Row]]] = {}
    for row in rows:
        if row.experiment != "density":
            continue
        setting: Setting = tuple(
            sorted((k, v) for k, v in row.parameters.items() if k not in _PLACE_IN_TABLE)
        )
        sizes = grouped.setdefault((str(row.parameters["ds"]), setting), {})
        sizes.setdefault(int(row.parameters["size_log2"]), []).append(row)
    known = list(structures())
    tables = [
        StructureTable(name, structures()[name].type if name in known else name, setting, _lines(sizes))
        for (name, setting), sizes in grouped.items()
    ]
    return sorted(
        tables,
        key=lambda table: (
            known.index(table.structure) if table.structure in known else len(known),
            [(key, str(value)) for key, value in table.setting],
        ),
    )


def _lines(sizes: dict[int, list[Row]]) -> list[Line]:
    return [Line(size, _cells(rows)) for size, rows in sorted(sizes.items())]


def _cells(rows: Sequence[Row]) -> dict[str, Cell]:
    by_strategy: dict[str, list[Row]] = {}
    for row in rows:
        by_strategy.setdefault(row.strategy, []).append(row)
    base = _times(by_strategy.get(BASE, []))
    return {name: _cell(name, by_strategy[name], base) for name in in_table_order(by_strategy)}


def _times(rows: Iterable[Row]) -> dict[int, float]:
    return {row.repetition: row.ns_per_operation for row in rows if row.ok}


def _cell(name: str, rows: Sequence[Row], base: dict[int, float]) -> Cell:
    times = _times(rows)
    done = [row for row in rows if row.ok]
    failed = [row for row in rows if not row.ok]
    paired = sorted(set(times) & set(base))
    notes = sorted({note for row in rows for note in row.notes})
    return Cell(
        strategy=name,
        status=OK if done or not failed else failed[-1].status,
        detail=failed[-1].detail if failed else "",
        times=times,
        ratio=paired_ratio([times[r] for r in paired], [base[r] for r in paired]) if paired else None,
        faults_per_1000=_median([1000.0 * row.minor_faults / row.operations for row in done]),
        major_faults=_median([float(row.major_faults) for row in done]),
        peak_rss_bytes=_median([float(row.peak_rss_bytes) for row in done]),
        system_share=_median([row.system_ns / row.cpu_ns for row in done]),
        notes=tuple(notes),
    )


def _median(values: list[float]) -> float:
    return median(values) if values else 0.0
