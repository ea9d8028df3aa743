"""Compares compilers by their cells: for each strategy the mean over rows of its time with one compiler
divided by that with the other, paired by repetition.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mallard.bench.analysis.names import in_table_order
from mallard.bench.cells import CellRow, Times, cell_rows, paired
from mallard.bench.result import Row, canonical
from mallard.shared.stats import Ratio, mean_ratio

PARAMETER = "compiler"
FIRST = "g++"

_Cell = tuple[str, str, str]  # experiment, parameters without the compiler, strategy


@dataclass(frozen=True)
class CompilerEffect:
    compiler: str
    base: str
    means: dict[str, Ratio]  # strategy -> time with the compiler / with the base


def compiler_effects(rows: Iterable[Row]) -> list[CompilerEffect]:
    """One for each compiler but the first; none if the rows come from one compiler."""
    times: dict[str, dict[_Cell, Times]] = {}
    for row in cell_rows(rows):
        if PARAMETER in row.parameters:
            cells = times.setdefault(str(row.parameters[PARAMETER]), {})
            cells |= {_place(row, name): cell.times for name, cell in row.cells.items()}
    names = sorted(times, key=lambda name: (name != FIRST, name))
    return [CompilerEffect(name, names[0], _means(times[name], times[names[0]])) for name in names[1:]]


def _means(times: dict[_Cell, Times], base: dict[_Cell, Times]) -> dict[str, Ratio]:
    strategies = in_table_order({cell[2] for cell in times})
    pairings = {
        name: [
            pairing
            for cell in times
            if cell[2] == name and cell in base and (pairing := paired(times[cell], base[cell]))
        ]
        for name in strategies
    }
    return {name: mean_ratio(pairs) for name, pairs in pairings.items() if pairs}


def _place(row: CellRow, strategy: str) -> _Cell:
    parameters = {name: value for name, value in row.parameters.items() if name != PARAMETER}
    return row.experiment, canonical(parameters), strategy
