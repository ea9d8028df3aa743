"""The decision chart: every way through the questions, with this machine's figures at its leaf (P0089 section
2), and the strategy at each value of the five dimensions around their centre, where that was measured.

A tree with one join: if each of several threads frees its own blocks, the walk continues as with one
thread. A question that the data structure answers has one answer. Ways follow the order of the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from mallard.bench.analysis.panel.dimensions import Pick, all_picks
from mallard.bench.choose.case import HIGH, Case, make_case
from mallard.bench.choose.deciding import CellReference, Evidence
from mallard.bench.choose.graph import LEAVES, QUESTIONS, ROOT, Question
from mallard.bench.choose.walk import Decision, decide
from mallard.bench.papers.catalogue import structures
from mallard.bench.result import Row
from mallard.shared.stats import Ratio

PREFERRED = "DS4"  # many blocks of many sizes


@dataclass(frozen=True)
class ChartLeaf:
    title: str
    strategy: str  # empty if the deciding rows are not measured
    text: str
    ratio: Ratio | None  # to the global allocator
    cells: tuple[CellReference, ...]
    missing: str  # the command that measures the deciding rows
    programs: str = ""  # the strategy in whole programs, against the mallocs


Answers = tuple[tuple[Question, str], ...]


@dataclass(frozen=True)
class Way:
    """The answers to a leaf, or to a question that an earlier way goes on with."""

    answers: Answers
    end: ChartLeaf | Question


@dataclass(frozen=True)
class Chart:
    subject: str
    ways: tuple[Way, ...]
    picks: tuple[Pick, ...] = ()  # along each dimension

    @property
    def leaves(self) -> list[ChartLeaf]:
        return [way.end for way in self.ways if isinstance(way.end, ChartLeaf)]

    @property
    def programs(self) -> list[str]:
        """What whole programs show for the strategies of the leaves."""
        return list(dict.fromkeys(leaf.programs for leaf in self.leaves if leaf.programs))


def decision_chart(rows: Iterable[Row], structure: str = "") -> Chart:
    """`rows` are of finished runs, of any experiment. Without a structure, a measured one is chosen."""
    rows = list(rows)
    evidence = Evidence(rows)
    case = make_case(structure or _measured(evidence), density=HIGH)
    return Chart(_subject(case), tuple(_ways(evidence, case)), tuple(all_picks(rows)))


def _measured(evidence: Evidence) -> str:
    measured = {str(place.parameters["ds"]) for place in evidence.places("density")}
    return next((name for name in (PREFERRED, *structures()) if name in measured), PREFERRED)


def _subject(case: Case) -> str:
    return f"{case.structure.type}, 2^{case.elements_log2:.3g} elements"


def _ways(evidence: Evidence, case: Case, name: str = ROOT, answers: Answers = ()) -> Iterator[Way]:
    """The ways from a question on, after these answers."""
    if name in LEAVES:
        decision = decide(case, evidence)
        yield Way(answers, replace(_leaf(decision), programs=decision.programs))
        return
    question = QUESTIONS[name]
    for answer, following in question.next.items():
        if answer == "any of them" or (question.from_structure and answer != question.answer(case)):
            continue  # it is the best of the other answers
        further = (*answers, (question, answer))
        if name != ROOT and following in QUESTIONS[ROOT].next.values():
            yield Way(further, QUESTIONS[following])
        else:
            yield from _ways(evidence, question.assume(case, answer), following, further)


def _leaf(decision: Decision) -> ChartLeaf:
    choice = decision.recommended
    if choice is None:
        missing = decision.missing[-1] if decision.missing else ""
        return ChartLeaf("not measured", "", decision.reason, None, (), missing)
    if choice.is_global:
        closest = decision.runner_up
        cells = closest.cells if closest else choice.cells
        title, text = "the global allocator", decision.reason
        return ChartLeaf(title, choice.strategy, text, choice.ratio, cells, "")
    name, text = choice.strategy, choice.text
    if any(step.question.name == "fragmentation" and step.finding.missing for step in decision.steps):
        text += "; on a fresh heap, as no other was measured"
    return ChartLeaf(name, name, text, choice.ratio, choice.cells, "")
