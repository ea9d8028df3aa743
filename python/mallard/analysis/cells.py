"""Result rows become tables of cells: a line for each place that its parameters give it, a column for each
strategy.

    rows -> cell_tables(rows, places, apart) -> CellTable -> Line -> Cell

`places` are the parameters that number the lines of a table, `apart` those that have a table of their own
for every value; what remains of the parameters is the setting, and every setting has tables of its own.

A cell joins the repetitions that finished. Its ratio to new-delete pairs repetitions: both times come from
processes that ran next to each other. A cell of which no repetition finished keeps the last failure's
status, and has no figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from mallard.analysis.names import BASE, in_table_order
from mallard.footprint import readable
from mallard.papers.catalogue import structures
from mallard.result import OK, Row
from mallard.stats import Ratio, Spread, paired_ratio, spread

Setting = tuple[tuple[str, object], ...]
Place = tuple[int, ...]
Times = dict[int, float]  # repetition -> what it took
Pairing = tuple[list[float], list[float]]  # (times of a strategy, times of its base)
# Linux tells user from system time by what its timer ticks find, mostly 250 in a second: of fewer than four
# ticks the share is chance, all or nothing.
TICKS_NS = 16_000_000


@dataclass(frozen=True)
class Cell:
    strategy: str
    status: str  # "ok" as soon as one repetition finished
    detail: str
    times: Times  # nanoseconds an operation, on the clock of the experiment
    ratio: Ratio | None  # to new-delete; None where either has not finished
    faults_per_1000: float  # minor page faults of the timed part in 1000 operations
    major_faults: float
    peak_rss_bytes: float
    system_share: float | None  # of the CPU time; None where that is too short to tell
    notes: tuple[str, ...]
    figures: dict[str, Times] = field(default_factory=dict)  # further quantities, by name

    @property
    def finished(self) -> bool:
        return bool(self.times)

    @property
    def ns_per_operation(self) -> float:
        return median(self.times.values())

    @property
    def spread(self) -> tuple[float, float]:
        return min(self.times.values()), max(self.times.values())

    def figure(self, name: str) -> Spread | None:
        return spread(list(self.figures[name].values())) if name in self.figures else None


@dataclass(frozen=True)
class Line:
    place: Place
    cells: dict[str, Cell]

    @property
    def size_log2(self) -> int:
        """Of a line of density or fragmentation, which has a size for its only place."""
        (size,) = self.place
        return size

    def finished(self, strategy: str) -> bool:
        return strategy in self.cells and self.cells[strategy].finished

    def paired(self, strategy: str, base: str) -> Pairing | None:
        """The times of both in the repetitions that both have finished; None where there is none."""
        if strategy not in self.cells or base not in self.cells:
            return None
        return paired(self.cells[strategy].times, self.cells[base].times)


@dataclass(frozen=True)
class CellTable:
    places: tuple[str, ...]  # the parameters that number the lines
    setting: Setting
    lines: list[Line]

    @property
    def strategies(self) -> list[str]:
        return in_table_order({name for line in self.lines for name in line.cells})

    def line(self, *place: int) -> Line | None:
        return next((line for line in self.lines if line.place == place), None)


@dataclass(frozen=True)
class StructureTable(CellTable):
    structure: str
    type: str


def paired(mine: Times, base: Times) -> Pairing | None:
    """Both in the repetitions that both have; None where there is none."""
    both = sorted(mine.keys() & base.keys())
    return ([mine[r] for r in both], [base[r] for r in both]) if both else None


def ratio_of(mine: Times, base: Times) -> Ratio | None:
    both = paired(mine, base)
    return paired_ratio(*both) if both else None


def setting_of(row: Row, placing: Iterable[str]) -> Setting:
    """The parameters of a row but those that place it in a table."""
    left_out = set(placing)
    return tuple(sorted((name, value) for name, value in row.parameters.items() if name not in left_out))


def setting_text(setting: Setting) -> str:
    """Parameters in words: `buffer warm`, `buffer of 1.0 GiB`, `product 2^24`."""
    return ", ".join(filter(None, (_parameter_text(name, value) for name, value in setting)))


def _parameter_text(name: str, value: object) -> str:
    words = name.replace("_", " ")
    if isinstance(value, int) and name.endswith("_bytes"):
        return f"{words.removesuffix(' bytes')} of {readable(value)}" if value else ""
    if name.endswith("_log2"):
        return f"{words.removesuffix(' log2')} 2^{value}"
    return f"{words} {value}"


def density_tables(rows: Iterable[Row]) -> list[StructureTable]:
    """One table per structure and setting, in the papers' order."""
    return structure_tables(rows, "density")


def structure_tables(rows: Iterable[Row], experiment: str) -> list[StructureTable]:
    """Of an experiment that builds and destroys data structures."""
    tables = [
        StructureTable(table.places, table.setting, table.lines, name, type_of(name))
        for (name,), table in cell_tables(rows, experiment, ("size_log2",), ("ds",), ("inner_log2",))
    ]
    known = list(structures())
    return sorted(
        tables,
        key=lambda table: (
            known.index(table.structure) if table.structure in known else len(known),
            [(key, str(value)) for key, value in table.setting],
        ),
    )


def type_of(structure: str) -> str:
    return structures()[structure].type if structure in structures() else structure


def cell_tables(
    rows: Iterable[Row],
    experiment: str,
    places: Sequence[str],
    apart: Sequence[str] = (),
    derived: Iterable[str] = (),
) -> list[tuple[tuple[str, ...], CellTable]]:
    """Tables with what sets them apart, in the order in which they were met; lines by place.

    `derived` are parameters that follow from the others and are no setting.
    """
    placing = (*places, *apart, *derived)
    grouped: dict[tuple[tuple[str, ...], Setting], dict[Place, list[Row]]] = {}
    for row in rows:
        if row.experiment != experiment:
            continue
        heads = tuple(str(row.parameters.get(name, "")) for name in apart)
        lines = grouped.setdefault((heads, setting_of(row, placing)), {})
        lines.setdefault(tuple(int(row.parameters[name]) for name in places), []).append(row)
    return [
        (heads, CellTable(tuple(places), setting, _lines(lines)))
        for (heads, setting), lines in grouped.items()
    ]


def _lines(lines: dict[Place, list[Row]]) -> list[Line]:
    return [Line(place, _cells(rows)) for place, rows in sorted(lines.items())]


def _cells(rows: Sequence[Row]) -> dict[str, Cell]:
    by_strategy: dict[str, list[Row]] = {}
    for row in rows:
        by_strategy.setdefault(row.strategy, []).append(row)
    base = times_of(by_strategy.get(BASE, []))
    return {name: _cell(name, by_strategy[name], base) for name in in_table_order(by_strategy)}


def times_of(rows: Iterable[Row]) -> Times:
    return {row.repetition: row.ns_per_operation for row in rows if row.ok}


def _cell(name: str, rows: Sequence[Row], base: Times) -> Cell:
    times = times_of(rows)
    done = [row for row in rows if row.ok]
    failed = [row for row in rows if not row.ok]
    return Cell(
        strategy=name,
        status=OK if done or not failed else failed[-1].status,
        detail=failed[-1].detail if failed else "",
        times=times,
        ratio=ratio_of(times, base),
        faults_per_1000=_median([1000.0 * row.minor_faults / row.operations for row in done]),
        major_faults=_median([float(row.major_faults) for row in done]),
        peak_rss_bytes=_median([float(row.peak_rss_bytes) for row in done]),
        system_share=_system_share(done),
        notes=tuple(sorted({note for row in rows for note in row.notes})),
        figures=figures_of(done),
    )


def figures_of(rows: Iterable[Row]) -> dict[str, Times]:
    figures: dict[str, Times] = {}
    for row in rows:
        for name, value in row.figures.items():
            figures.setdefault(name, {})[row.repetition] = value
    return figures


def _system_share(rows: Iterable[Row]) -> float | None:
    shares = [row.system_ns / row.cpu_ns for row in rows if row.cpu_ns >= TICKS_NS]
    return median(shares) if shares else None


def _median(values: list[float]) -> float:
    return median(values) if values else 0.0
