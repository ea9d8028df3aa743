"""Turns cells into tables: a line for each place, a column for each strategy.

    rows -> cell_tables(rows, experiment) -> CellTable -> Line -> Cell

`places` are the parameters that number the lines of a table. Each value of those in `apart` has a table. Both
come from the experiment's description. Parameters that follow from others are ignored. The remaining ones are
the setting, and each setting has separate tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from mallard.bench.analysis.names import BASE, in_table_order
from mallard.bench.cells import Cell, CellRow, Pairing, Times, above, by_place, cells_by_strategy, paired
from mallard.bench.experiments import EXPERIMENTS, follows
from mallard.bench.footprint import readable
from mallard.bench.papers.catalogue import structures
from mallard.bench.result import Row

Setting = tuple[tuple[str, object], ...]
Place = tuple[int, ...]


@dataclass(frozen=True)
class Line:
    place: Place
    cells: dict[str, Cell]

    @property
    def size_log2(self) -> int:
        """The size of a line of density or fragmentation, which is its only place."""
        (size,) = self.place
        return size

    @property
    def built_once(self) -> bool:
        """True if no process timed more than one iteration. Then new-delete touches its pages for the first
        time, while a buffer has been touched before.
        """
        counts = [row.iterations for cell in self.cells.values() for row in cell.done]
        return bool(counts) and max(counts) == 1

    def finished(self, strategy: str) -> bool:
        return strategy in self.cells and self.cells[strategy].finished

    def paired(self, strategy: str, base: str) -> Pairing | None:
        """The times of both in the repetitions that both finished; None if there are none."""
        if strategy not in self.cells or base not in self.cells:
            return None
        return paired(self.cells[strategy].times, self.cells[base].times)


Table = TypeVar("Table", bound="CellTable")


@dataclass(frozen=True)
class CellTable:
    places: tuple[str, ...]  # the parameters that number the lines
    setting: Setting
    lines: list[Line]
    cores: int | None = field(default=None, kw_only=True)  # of the machine that measured it, if it matters

    @property
    def strategies(self) -> list[str]:
        return in_table_order({name for line in self.lines for name in line.cells})

    def line(self, *place: int) -> Line | None:
        return next((line for line in self.lines if line.place == place), None)

    def repeated(self: Table) -> Table:
        """The lines with more than one iteration."""
        return replace(self, lines=[line for line in self.lines if not line.built_once])

    def only(self, names: Iterable[str]) -> CellTable:
        """The lines with only these strategies."""
        selected = set(names)
        return replace(
            self,
            lines=[
                replace(line, cells={name: cell for name, cell in line.cells.items() if name in selected})
                for line in self.lines
            ],
        )


@dataclass(frozen=True)
class StructureTable(CellTable):
    structure: str
    type: str


def row_setting(row: Row | CellRow, placing: Iterable[str]) -> Setting:
    """The parameters of a row that do not place it in a table."""
    excluded = set(placing)
    return tuple(sorted((name, value) for name, value in row.parameters.items() if name not in excluded))


def setting_text(setting: Setting) -> str:
    """Parameters as text: `buffer warm`, `buffer of 1.0 GiB`, `product 2^24`."""
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
    """The tables of an experiment that builds and destroys data structures."""
    tables = [
        StructureTable(table.places, table.setting, table.lines, name, structure_type(name))
        for (name,), table in cell_tables(rows, experiment, apart=("ds",))
    ]
    known = list(structures())
    return sorted(
        tables,
        key=lambda table: (
            known.index(table.structure) if table.structure in known else len(known),
            [(key, str(value)) for key, value in table.setting],
        ),
    )


def structure_type(structure: str) -> str:
    return structures()[structure].type if structure in structures() else structure


def cell_tables(
    rows: Iterable[Row],
    experiment: str,
    places: Sequence[str] | None = None,
    apart: Sequence[str] = (),
    ignored: Iterable[str] = (),
) -> list[tuple[tuple[str, ...], CellTable]]:
    """Tables with the values of `apart`, in the order of their first rows, with lines sorted by place.

    `places` are the description's by default. `ignored` are further parameters that are not part of the
    setting.
    """
    places = EXPERIMENTS[experiment].places if places is None else places
    placing = (*places, *apart, *follows(experiment), *ignored)

    def table_key(row: CellRow) -> tuple[tuple[str, ...], Setting]:
        return tuple(str(row.parameters.get(name, "")) for name in apart), row_setting(row, placing)

    def place_key(row: CellRow) -> Place:
        return tuple(int(row.parameters[name]) for name in places)

    of_experiment = (row for row in rows if row.experiment == experiment)
    return [
        (heads, CellTable(tuple(places), setting, [_line(*item) for item in sorted(lines.items())]))
        for (heads, setting), lines in by_place(of_experiment, table_key, place_key).items()
    ]


def _line(place: Place, rows: Iterable[Row]) -> Line:
    cells = cells_by_strategy(rows)
    return Line(place, {name: cells[name] for name in in_table_order(cells)})


def figure_table(table: CellTable, figure: str) -> CellTable:
    """The table of a figure. Cells without the figure are dropped; unfinished cells keep their status."""
    return replace(table, lines=[figure_line(line, figure) for line in table.lines])


def figure_line(line: Line, figure: str) -> Line:
    """The line with a figure in place of the time."""
    base = _figure_times(line.cells.get(BASE), figure)
    cells: dict[str, Cell] = {}
    for name, cell in line.cells.items():
        times = _figure_times(cell, figure)
        if times or not cell.finished:
            cells[name] = replace(cell, times=times, base=base)
    return Line(line.place, cells)


def median_figure(line: Line, strategy: str, figure: str) -> float | None:
    """The median of a figure; None if the cell does not have the figure."""
    cell = line.cells.get(strategy)
    spread = cell.figure(figure) if cell else None
    return spread.median if spread else None


def _figure_times(cell: Cell | None, figure: str) -> Times:
    """The times above 0, which ratios need."""
    return above(0.0, cell.figures.get(figure, {})) if cell else {}
