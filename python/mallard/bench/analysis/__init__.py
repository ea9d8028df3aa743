"""Turns result rows into cells and tables, means over all cells, and verdicts.

rows -> density_tables -> find_best (a row), judge_structure and sentence (a structure)
                       -> mean_over_rows, cost_of_dispatch, gain_of_winking_out (all cells)
"""

from mallard.bench.analysis.averages import (
    Effect,
    Percent,
    cost_of_dispatch,
    gain_of_winking_out,
    mean_over_rows,
)
from mallard.bench.analysis.cell_tables import CellTable, Line, StructureTable, density_tables
from mallard.bench.analysis.names import BASE, NULL, contestants
from mallard.bench.analysis.ranking import Choice
from mallard.bench.analysis.verdicts import Best, Verdict, find_best, judge_structure, pick_strategy, sentence
from mallard.bench.cells import Cell
from mallard.bench.library import KEEP

__all__ = [
    "BASE",
    "KEEP",
    "NULL",
    "Best",
    "Cell",
    "CellTable",
    "Choice",
    "Effect",
    "Line",
    "Percent",
    "StructureTable",
    "Verdict",
    "contestants",
    "cost_of_dispatch",
    "density_tables",
    "find_best",
    "gain_of_winking_out",
    "judge_structure",
    "mean_over_rows",
    "pick_strategy",
    "sentence",
]
