"""Turns result rows into cells and tables, means over all cells, and verdicts.

rows -> density_tables -> best_of (a row), verdict_of and sentence (a structure)
                       -> mean_over_rows, cost_of_dispatch, gain_of_winking_out (all cells)
"""

from mallard.analysis.averages import Effect, Percent, cost_of_dispatch, gain_of_winking_out, mean_over_rows
from mallard.analysis.cell_tables import CellTable, Line, StructureTable, density_tables
from mallard.analysis.names import BASE, NULL, contestants
from mallard.analysis.ranking import Choice
from mallard.analysis.verdicts import Best, Verdict, best_of, pick_of, sentence, verdict_of
from mallard.cells import Cell
from mallard.library import KEEP

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
    "best_of",
    "contestants",
    "cost_of_dispatch",
    "density_tables",
    "gain_of_winking_out",
    "mean_over_rows",
    "pick_of",
    "sentence",
    "verdict_of",
]
