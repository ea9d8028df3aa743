"""From a case and what was measured to a decision: the walk, the strategy to use, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from mallard.analysis.labels import binding, winked_out
from mallard.analysis.names import BASE, SHARED, malloc, plain, variant
from mallard.choose.case import ANY, BASE_CLASS, TYPE, YES, Case
from mallard.choose.evidence import CellReference, Evidence, Place
from mallard.choose.findings import FINDINGS, GLOBAL, Asked, Finding, counterpart, percent_of
from mallard.choose.graph import FEW, Question, path_of
from mallard.choose.ground import Ground, ground_of
from mallard.papers.catalogue import strategy_text
from mallard.stats import Ratio

_SHARED_TEXT = {
    "shared-synchronized": "one multipool behind a lock for all threads",
    "shared-concurrent": "one concurrent_multipool for all threads",
}


@dataclass(frozen=True)
class Step:
    question: Question
    answer: str
    finding: Finding


@dataclass(frozen=True)
class Choice:
    strategy: str
    text: str
    ratio: Ratio | None  # to AS1; None for AS1 itself and where nothing was measured
    cells: tuple[CellReference, ...] = ()

    @property
    def is_global(self) -> bool:
        return self.strategy in GLOBAL


@dataclass(frozen=True)
class Decision:
    case: Case
    leaf: str
    steps: tuple[Step, ...]
    recommended: Choice | None  # None: what decides is not measured
    reason: str
    runner_up: Choice | None = None
    equals: tuple[str, ...] = ()  # not told apart from what is recommended
    excluded: dict[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()  # the commands that would measure what is not
    notes: tuple[str, ...] = ()


def decide(case: Case, evidence: Evidence) -> Decision:
    path, leaf = path_of(case)
    decisive = ground_of(leaf, case, evidence)
    steps: list[Step] = []
    excluded: dict[str, str] = {}
    for question, answer in path:
        finding = FINDINGS[question.name](Asked(case, evidence, decisive, frozenset(excluded)))
        steps.append(Step(question, answer, finding))
        excluded |= finding.excluded
    missing = [step.finding.missing for step in steps]
    found = _chosen(case, leaf, decisive, excluded)
    if found.recommended is None:
        missing.append(decisive.command)
    return Decision(
        case,
        leaf,
        tuple(steps),
        found.recommended,
        found.reason,
        found.runner_up,
        found.equals,
        excluded,
        tuple(dict.fromkeys(command for command in missing if command)),
        (*_notes(case, decisive), *_conditions(case, decisive, found.recommended)),
    )


def choice(name: str, decisive: Ground) -> Choice:
    place = decisive.place
    if place is None:
        return Choice(name, describe(name), None)
    ratio = place.ratio(name, BASE, decisive.figure) if name != BASE else None
    return Choice(
        name, describe(name), ratio, tuple(place.cell(each) for each in dict.fromkeys((BASE, name)))
    )


def describe(name: str) -> str:
    if name in _SHARED_TEXT:
        return _SHARED_TEXT[name]
    order = variant(name)
    return strategy_text(plain(name)) + (f", freed blocks reused {order}" if order else "")


@dataclass(frozen=True)
class _Chosen:
    recommended: Choice | None
    reason: str
    runner_up: Choice | None = None
    equals: tuple[str, ...] = ()


def _chosen(case: Case, leaf: str, decisive: Ground, excluded: dict[str, str]) -> _Chosen:
    place = decisive.place
    stay = choice("AS2" if case.binding == BASE_CLASS else BASE, decisive)
    if place is None:
        if leaf == FEW:
            return _Chosen(stay, "allocation is not where the time goes")
        return _Chosen(None, "what decides is not measured yet")
    admitted = [name for name in place.strategies if _admitted(case, name)]
    if leaf != FEW and not admitted:
        return _Chosen(None, f"of what can serve, {_where(place)} has nothing")
    ranked = _ranked(admitted, place, decisive.figure, excluded)
    best = choice(ranked[0], decisive) if ranked else None
    if leaf == FEW:
        why = "allocation is not where the time goes"
        return _Chosen(stay, f"{why}; {_even(best)}" if best else why, best)
    if best is None:
        return _Chosen(stay, "everything else that could serve is excluded")
    if best.ratio is None or best.ratio.verdict != "faster":
        return _Chosen(stay, f"no strategy is faster beyond its interval; {_closest(best)}", best)
    others = {name: place.ratio(name, best.strategy, decisive.figure) for name in ranked[1:]}
    equals = tuple(name for name, ratio in others.items() if ratio and ratio.verdict == "no difference")
    after = choice(ranked[1], decisive) if len(ranked) > 1 else stay
    if after.ratio and after.ratio.median >= 1.0:
        after = stay
    return _Chosen(best, percent_of(best.ratio, "the global allocator's time"), after, equals)


def _ranked(admitted: Iterable[str], place: Place, figure: str, excluded: dict[str, str]) -> list[str]:
    """Those not excluded, by their ratio to the global allocator."""
    ratios = {
        name: ratio.median
        for name in admitted
        if counterpart(name) not in excluded
        if (ratio := place.ratio(name, BASE, figure)) is not None
    }
    return sorted(ratios, key=lambda name: ratios[name])


def _admitted(case: Case, name: str) -> bool:
    if name in GLOBAL:
        return False
    if name.startswith(SHARED):
        return case.binding in (ANY, TYPE)
    bound = binding(plain(name))
    admitted = bool(bound) and case.binding in (ANY, bound)
    return admitted and (case.wink_out == YES or not winked_out(plain(name)))


def _where(place: Place) -> str:
    return f"run {place.run} of {place.experiment}"


def _even(best: Choice) -> str:
    return f"where it were all, {best.strategy} would take {percent_of(best.ratio)}"


def _closest(best: Choice) -> str:
    return f"{best.strategy} comes closest: {percent_of(best.ratio)}"


def _notes(case: Case, decisive: Ground) -> tuple[str, ...]:
    match, place = case.structure, decisive.place
    notes = []
    if not match.exact:
        notes.append(
            f"{match.asked} is not one of the twelve structures; the nearest is {match.type} ({match.name})"
        )
    if place is None:
        return tuple(notes)
    if place.experiment == "locality":
        length = place.parameters["list_length"]
        notes.append(f"locality was measured with std::list<int>, here of {length} elements each")
    size = place.parameters.get("size_log2")
    if size is not None and abs(int(size) - case.elements_log2) > 0.01:
        notes.append(f"2^{size} elements is the nearest size that was measured to 2^{case.elements_log2:.3g}")
    for name in sorted({row.strategy for row in place.rows if malloc(row.strategy)}):
        ratio = place.ratio(name, BASE, decisive.figure)
        notes.append(f"another malloc for the whole process: {name} takes {percent_of(ratio)}")
    return tuple(notes)


def _conditions(case: Case, decisive: Ground, recommended: Choice | None) -> list[str]:
    """What a program must do as the measured one did."""
    if recommended is None or recommended.is_global:
        return []
    conditions = []
    if case.threads > 1 and not recommended.strategy.startswith(SHARED):
        conditions.append("each thread has an allocator of its own")
    buffer = decisive.place.parameters.get("buffer", "none") if decisive.place else "none"
    if buffer != "none" and "monotonic" in recommended.text:
        name = recommended.strategy
        conditions.append(f"{name} had an initial buffer ({buffer}); --buffer none asks for rows without one")
    return conditions
