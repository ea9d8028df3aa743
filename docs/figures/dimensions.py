"""The documents' figures of the five dimensions around a centre."""

from __future__ import annotations

from figures import block
from figures.stored import conditions, load, markdown_table
from mallard.bench.analysis.cell_tables import Line
from mallard.bench.analysis.names import BASE, malloc
from mallard.bench.analysis.panel.dimensions import value_text, varied
from mallard.bench.analysis.panel.races import race_tables
from mallard.bench.analysis.ranking import pick_strategy
from mallard.bench.analysis.words import nanoseconds, percent
from mallard.bench.experiments.dimensions import EXPERIMENT

NAME = EXPERIMENT.name


FASTEST_MALLOC = "fastest other malloc"


@block(NAME)
def table() -> str:
    """Percent of new-delete, which is in nanoseconds, at the ends of each dimension; the fastest of the
    mallocs stands for all. The pick of a line is bold.
    """
    measured = race_tables(NAME, load(NAME).rows)[0]
    names = [name for name in measured.strategies if not malloc(name)]
    names.insert(1, FASTEST_MALLOC)
    lines = [
        [value_text(variation.dimension, value), *_cells(line, names)]
        for variation in varied(measured)
        for value, line in (variation.lines[0], variation.lines[-1])
    ]
    heading = ["around the centre", *(f"{name}, ns" if name == BASE else name for name in names)]
    return f"{markdown_table(heading, lines)}\n\n{conditions(NAME)}"


def _cells(line: Line, names: list[str]) -> list[str]:
    pick = pick_strategy(line)
    figures = {name: _figure(line, name) for name in names}
    return [f"**{text}**" if name == pick and text else text for name, text in figures.items()]


def _figure(line: Line, name: str) -> str:
    if name == FASTEST_MALLOC:
        ratios = [ratio for each, cell in line.cells.items() if malloc(each) and (ratio := cell.ratio)]
        return percent(min(ratio.median for ratio in ratios)) if ratios else ""
    if not line.finished(name):
        return ""
    cell = line.cells[name]
    if name == BASE:
        return nanoseconds(cell.ns_per_operation)
    return percent(cell.ratio.median) if cell.ratio else ""
