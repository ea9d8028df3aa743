"""Answers from measured rows: use a local allocator? Which one, bound how, winked out? (P0089 section 2)

the user's answers -> Case -+-> path through the questions (graph) -> leaf -> the deciding rows (deciding)
rows -> Evidence -----------+-> the rows' answer to each question (findings) -> ranking of the strategies that
                                can serve -> Decision (walk); all ways at once: Chart
"""

from mallard.bench.choose.case import Case, make_case
from mallard.bench.choose.chart import Chart, ChartLeaf, decision_chart
from mallard.bench.choose.deciding import CellReference, Evidence
from mallard.bench.choose.outcome import Choice
from mallard.bench.choose.walk import Decision, Step, decide

__all__ = [
    "Case",
    "CellReference",
    "Chart",
    "ChartLeaf",
    "Choice",
    "Decision",
    "Evidence",
    "Step",
    "decide",
    "decision_chart",
    "make_case",
]
