"""Walks from a case and its rows to a decision: the recommended strategy, and the rows that support it."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

from mallard.bench.analysis.names import BASE, malloc, plain
from mallard.bench.analysis.words import in_a_list, percent_text
from mallard.bench.choose.case import YES, Case, global_strategy, to_measure
from mallard.bench.choose.deciding import DecidingRows, Evidence, find_deciding
from mallard.bench.choose.findings import FINDINGS, Context, Finding
from mallard.bench.choose.graph import FEW, FROM_ANOTHER, SCATTERED, Question, find_path
from mallard.bench.choose.outcome import Choice, decide_outcome
from mallard.bench.choose.programs import InPrograms, compare_in_programs
from mallard.bench.footprint import MONOTONIC
from mallard.bench.library import SHARED
from mallard.bench.strategy_names import mechanism_name
from mallard.shared.age import OLD, YOUNG


@dataclass(frozen=True)
class Step:
    question: Question
    answer: str
    finding: Finding


@dataclass(frozen=True)
class Decision:
    case: Case
    leaf: str
    steps: tuple[Step, ...]
    recommended: Choice | None  # None: the deciding rows are not measured
    reason: str
    runner_up: Choice | None = None
    equals: tuple[str, ...] = ()  # strategies that do not differ from the recommended one beyond the interval
    excluded: dict[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()  # the commands that measure the missing rows
    programs: str = ""  # the recommended strategy in whole programs, against the mallocs
    notes: tuple[str, ...] = ()


def decide(case: Case, evidence: Evidence) -> Decision:
    path, leaf = find_path(case)
    decisive = find_deciding(leaf, case, evidence)
    steps: list[Step] = []
    excluded: dict[str, str] = {}
    for question, answer in path:
        finding = FINDINGS[question.name](Context(case, evidence, decisive, frozenset(excluded)))
        steps.append(Step(question, answer, finding))
        excluded |= finding.excluded
    outcome = decide_outcome(case, leaf, decisive, excluded)
    recommended = outcome.recommended
    age = OLD if case.fragmented == YES else YOUNG
    programs = compare_in_programs(recommended.strategy, evidence, age) if recommended else InPrograms()
    missing = [step.finding.missing for step in steps]
    missing += [_unmeasured(case, leaf, decisive, excluded), programs.missing]
    return Decision(
        case,
        leaf,
        tuple(steps),
        recommended,
        outcome.reason,
        outcome.runner_up,
        outcome.equals,
        excluded,
        tuple(dict.fromkeys(command for command in missing if command)),
        programs.note,
        (*_notes(case, decisive), *_conditions(case, decisive, recommended)),
    )


def _unmeasured(case: Case, leaf: str, decisive: DecidingRows, excluded: Container[str]) -> str:
    """The command that measures the missing rows or strategies; empty if nothing is missing."""
    if leaf == FEW:
        return ""
    if decisive.place is None:
        return decisive.command
    if leaf == FROM_ANOTHER:
        return ""  # the experiment has no other strategies
    wanted = to_measure(case, excluded, long_lived=leaf == SCATTERED)
    tried = set(decisive.place.cells)
    return "" if tried >= set(wanted) else decisive.command_for(wanted)


def _notes(case: Case, decisive: DecidingRows) -> list[str]:
    """The differences between the measured case and the user's."""
    match, place = case.structure, decisive.place
    notes = [*match.guesses]
    if not match.exact:
        nearest = f"{match.type} ({match.name})"
        notes.append(f"{match.requested} is not one of the twelve structures; the nearest is {nearest}")
    if place is None:
        return notes
    if place.experiment == "locality":
        length = place.parameters["list_length"]
        notes.append(f"locality was measured with std::list<int>, here of {length} elements each")
    size = place.parameters.get("size_log2")
    if size is not None and abs(int(size) - case.elements_log2) > 0.01:
        notes.append(f"2^{size} elements is the nearest size that was measured to 2^{case.elements_log2:.3g}")
    global_name = global_strategy(case)
    malloc_names = sorted(name for name in place.cells if malloc(name) and plain(name) == global_name)
    ratios = {name: place.ratio(name, BASE, decisive.figure) for name in malloc_names}
    parts = [f"{name} takes {percent_text(ratio)}" for name, ratio in ratios.items() if ratio]
    if parts:
        notes.append(f"under another malloc {in_a_list(parts)} of {BASE}'s time")
    return notes


def _conditions(case: Case, decisive: DecidingRows, recommended: Choice | None) -> list[str]:
    """The conditions under which the measured program ran, which a user's program must meet."""
    if recommended is None or recommended.is_global:
        return []
    conditions = []
    if case.threads > 1 and recommended.strategy not in SHARED:
        conditions.append("each thread has an allocator of its own")
    buffer = decisive.place.parameters.get("buffer", "none") if decisive.place else "none"
    if buffer != "none" and MONOTONIC in mechanism_name(recommended.strategy):
        name = recommended.strategy
        conditions.append(f"{name} had an initial buffer ({buffer}); --buffer none asks for rows without one")
    return conditions
