"""Use a local allocator? Which one, bound how, winked out? (P0089 section 2), answered by measured rows.

what is said -> Case -+-> path through the questions (graph) -> leaf -> the rows that decide (ground)
rows -> Evidence -----+-> what the rows say to each question (findings) -> contest of the strategies that can
                          serve -> Decision (walk); all leaves at once: Chart
"""

from mallard.choose.case import Case, case_of
from mallard.choose.chart import Chart, ChartEdge, ChartLeaf, ChartNode, decision_chart
from mallard.choose.contest import Choice
from mallard.choose.evidence import CellReference, Evidence
from mallard.choose.walk import Decision, Step, decide

__all__ = [
    "Case",
    "CellReference",
    "Chart",
    "ChartEdge",
    "ChartLeaf",
    "ChartNode",
    "Choice",
    "Decision",
    "Evidence",
    "Step",
    "case_of",
    "decide",
    "decision_chart",
]
