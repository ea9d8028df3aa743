"""The decision chart: every path of the walk with this machine's figures on its leaves (P0089 section 2), and
the strategy at each value of the five dimensions around their centre, where that was measured.

A tree with one join: if each of several threads frees its own blocks, the walk continues as with one
thread. A question that the data structure answers has one edge. The first node is the first question; leaves
follow the order of the answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from mallard.bench.analysis.panel.dimensions import Pick, all_picks
from mallard.bench.choose.case import HIGH, Case, make_case
from mallard.bench.choose.deciding import CellReference, Evidence
from mallard.bench.choose.graph import LEAVES, QUESTIONS, ROOT
from mallard.bench.choose.walk import Decision, decide
from mallard.bench.papers.catalogue import structures
from mallard.bench.result import Row
from mallard.shared.stats import Ratio

PREFERRED = "DS4"  # many blocks of many sizes


@dataclass(frozen=True)
class ChartNode:
    id: str
    dimension: str
    question: str


@dataclass(frozen=True)
class ChartEdge:
    source: str
    target: str
    answer: str


@dataclass(frozen=True)
class ChartLeaf:
    id: str
    title: str
    strategy: str  # empty if the deciding rows are not measured
    text: str
    ratio: Ratio | None  # to the global allocator
    cells: tuple[CellReference, ...]
    missing: str  # the command that measures the deciding rows
    programs: str = ""  # the strategy in whole programs, against the mallocs


@dataclass(frozen=True)
class Chart:
    subject: str
    nodes: tuple[ChartNode, ...]
    edges: tuple[ChartEdge, ...]
    leaves: tuple[ChartLeaf, ...]
    picks: tuple[Pick, ...] = ()  # along each dimension

    @property
    def programs(self) -> list[str]:
        """What whole programs show for the strategies of the leaves."""
        return list(dict.fromkeys(leaf.programs for leaf in self.leaves if leaf.programs))


def decision_chart(rows: Iterable[Row], structure: str = "") -> Chart:
    """`rows` are of finished runs, of any experiment. Without a structure, a measured one is chosen."""
    rows = list(rows)
    evidence = Evidence(rows)
    case = make_case(structure or _measured(evidence), density=HIGH)
    drawing = _Drawing(evidence)
    drawing.place(ROOT, "", case)
    nodes = tuple(reversed(drawing.nodes))  # the first question was finished last
    return Chart(_subject(case), nodes, tuple(drawing.edges), tuple(drawing.leaves), tuple(all_picks(rows)))


def _measured(evidence: Evidence) -> str:
    measured = {str(place.parameters["ds"]) for place in evidence.places("density")}
    return next((name for name in (PREFERRED, *structures()) if name in measured), PREFERRED)


def _subject(case: Case) -> str:
    return f"{case.structure.type}, 2^{case.elements_log2:.3g} elements"


@dataclass
class _Drawing:
    evidence: Evidence
    nodes: list[ChartNode] = field(default_factory=list)
    edges: list[ChartEdge] = field(default_factory=list)
    leaves: list[ChartLeaf] = field(default_factory=list)
    joined: dict[str, str] = field(default_factory=dict)  # question that two paths reach -> its node

    def place(self, name: str, path: str, case: Case) -> str:
        """Draws a question or leaf with its subtree. Returns its id."""
        if name in LEAVES:
            return self.leaf(path, case)
        question = QUESTIONS[name]
        identity = f"{path}/{name}" if path else name
        for answer, following in question.next.items():
            if answer == "any of them" or (question.from_structure and answer != question.answer(case)):
                continue  # no edge: it is the best of the other answers
            if following in self.joined:
                self.edges.append(ChartEdge(identity, self.joined[following], answer))
                continue
            assumed = question.assume(case, answer)
            target = self.place(following, f"{identity}={answer}", assumed)
            self.edges.append(ChartEdge(identity, target, answer))
            if name == ROOT:
                self.joined[following] = target
        self.nodes.append(ChartNode(identity, question.dimension, question.text))
        return identity

    def leaf(self, identity: str, case: Case) -> str:
        decision = decide(case, self.evidence)
        self.leaves.append(replace(_leaf(identity, decision), programs=decision.programs))
        return identity


def _leaf(identity: str, decision: Decision) -> ChartLeaf:
    choice = decision.recommended
    if choice is None:
        missing = decision.missing[-1] if decision.missing else ""
        return ChartLeaf(identity, "not measured", "", decision.reason, None, (), missing)
    if choice.is_global:
        closest = decision.runner_up
        cells = closest.cells if closest else choice.cells
        title, text = "the global allocator", decision.reason
        return ChartLeaf(identity, title, choice.strategy, text, choice.ratio, cells, "")
    name, text = choice.strategy, choice.text
    if any(step.question.name == "fragmentation" and step.finding.missing for step in decision.steps):
        text += "; on a fresh heap, as no other was measured"
    return ChartLeaf(identity, name, name, text, choice.ratio, choice.cells, "")
