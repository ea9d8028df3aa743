"""The stored advice and facts, as cells: a case study with one of its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.advising import advised, second_half, second_promise
from harness.catalogue import CASES, NULL, OF_MALLARD, UNCHANGED, UNDER, Case
from harness.history import advised_first
from harness.places import ADVICE, FACTS, Json, document_sha256, results_file, unpack
from mallard.shared.stats import Difference, median, paired_difference

REUSE = "reuse"  # a pattern: its builds allocate less, under any allocator


@dataclass(frozen=True)
class Promise:
    """A half of the advice with its fact, if that was measured. Times in seconds; less than 0 is saved."""

    half: int  # 1: against the program before the change; 2: against that program under the advised malloc
    promised: Difference
    fact: Difference | None
    run_seconds: float
    is_preload: bool  # of another malloc: the same change in the trial and in its fact


@dataclass(frozen=True)
class Cell:
    """Times in seconds; less than 0 is saved. Facts are against the program before the change."""

    case: str
    input: str
    headline: str
    kind: str  # of the advice: local, global, or one that names no allocator
    advised: str  # a strategy or a malloc, or ''
    on_top: str  # the strategy that still saves time under the advised malloc, or ''
    on_top_promised: Difference | None
    predicted: dict[str, Difference]  # by build
    estimate: float | None  # of the time in the allocator and in page faults: the high end of its interval
    program_seconds: float
    seconds: dict[str, float]  # the median of each program
    facts: dict[str, Difference]  # by build
    peaks: dict[str, float]
    on_top_fact: Difference | None = None  # against the program under the advised malloc
    later: bool = False  # its input was added when the advisor was finished
    commit: str = ""  # that advised
    trial_code: str = ""  # of the advice, as places.trial_code()
    advised_first: bool = False  # git has the advice from before any measurement of the change

    @property
    def name(self) -> str:
        return f"{self.case} {self.input}"

    @property
    def build(self) -> str:
        """The build that follows the advice; '' if the library has no place for it."""
        if self.kind == "global":
            return UNCHANGED + UNDER + self.advised
        if self.kind == "local":
            return CASES[self.case].find_build(self.advised)
        if self.kind == "pattern":
            return CASES[self.case].find_build(self.advised) or UNCHANGED
        return UNCHANGED

    @property
    def full_build(self) -> str:
        """The build that follows both halves of the advice: a local allocator under the advised malloc."""
        second = CASES[self.case].find_build(self.on_top) + UNDER + self.advised if self.on_top else ""
        return second if second in self.seconds else self.build

    @property
    def fact(self) -> Difference | None:
        return self.facts.get(self.build)

    @property
    def promised(self) -> Difference | None:
        return self.predicted.get(self.build)

    @property
    def promises(self) -> list[Promise]:
        """Each half of the advice that names a saving."""
        halves = ((1, self.promised, self.fact), (2, self.on_top_promised, self.on_top_fact))
        return [
            Promise(half, promised, fact, self.program_seconds, half == 1 and self.kind == "global")
            for half, promised, fact in halves
            if promised
        ]

    @property
    def of_allocators(self) -> dict[str, Difference]:
        """The facts of builds that differ from the program before the change in the allocator alone."""
        patterns = {build for build, strategy in CASES[self.case].builds if strategy == REUSE}
        return {build: fact for build, fact in self.facts.items() if build not in {NULL, *patterns}}

    @property
    def has_choice(self) -> bool:
        """There are builds that could be advised."""
        return NULL in self.seconds


def read() -> list[Cell]:
    """In the order of the catalogue; without the cells that have no fact, or one of other advice."""
    cells = []
    for case in CASES.values():
        advice, facts = _cells(ADVICE, case), _cells(FACTS, case)
        cells += [
            cell_from(case, case_input.name, advice[case_input.name], facts[case_input.name])
            for case_input in case.inputs
            if case_input.name in advice
            and case_input.name in facts
            and facts[case_input.name]["advice_sha256"] == document_sha256(advice[case_input.name])
        ]
    return cells


def _cells(folder: Any, case: Case) -> dict[str, Json]:
    file = results_file(folder, case.name)
    return dict(unpack(file.read_bytes())["cells"]) if file.is_file() else {}


def cell_from(case: Case, input_name: str, advice: Json, facts: Json) -> Cell:
    kind, name = advised(advice)
    clock = "wall_seconds" if advice["wall"] else "cpu_seconds"
    times = {program: run[clock] for program, run in facts["programs"].items()}
    predicted = {
        build: _difference(advice["strategies"][strategy], 0)
        for build, strategy in case.builds
        if strategy in advice["strategies"] and (build in OF_MALLARD or case.find_build(strategy) == build)
    }
    predicted |= {
        UNCHANGED + UNDER + malloc: _difference(time, 0) for malloc, time in advice["mallocs"].items()
    }
    on_top = second_half(advice)
    cell = Cell(
        case=case.name,
        input=input_name,
        headline=advice["headline"],
        kind=kind,
        advised=name,
        on_top=on_top,
        on_top_promised=second_promise(advice) if on_top else None,
        predicted=predicted,
        estimate=advice["ceiling"]["high"] if advice["ceiling"] else None,
        program_seconds=advice["program_seconds"],
        seconds={program: median(run) for program, run in times.items()},
        facts=_differences(times, UNCHANGED),
        peaks={program: run["peak_bytes"] for program, run in facts["programs"].items()},
        commit=advice.get("commit", ""),
        trial_code=advice.get("trial_code", ""),
        later=any(each.later for each in case.inputs if each.name == input_name),
        advised_first=advised_first(case.name, input_name, advice),
    )
    both = cell.full_build if cell.full_build != cell.build else ""
    return replace(cell, on_top_fact=_differences(times, cell.build)[both]) if both else cell


def _difference(time: Json, n: int) -> Difference:
    return Difference(time["median"], time["low"], time["high"], n)


def _differences(times: dict[str, Sequence[float]], base: str) -> dict[str, Difference]:
    if base not in times:
        return {}
    return {name: paired_difference(run, times[base]) for name, run in times.items() if name != base}
