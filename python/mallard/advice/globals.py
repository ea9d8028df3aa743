"""The unchanged program under other mallocs: the cheapest change of all."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from mallard.mallocs import OWN, find_library
from mallard.stats import Difference, median, paired_difference
from mallard.trial.program import NULL, Arm, Once, Program, Scope

NO_SCOPE = Scope("", ())
NO_MARK = Scope(
    "", (("MALLARD_TRIAL_BY", "mark"),)
)  # a null without a scope: it litters the heap, and no more


@dataclass(frozen=True)
class GlobalEffect:
    """A malloc beside the base, by round. Times in seconds; less than 0 is saved."""

    malloc: str
    time: Difference
    peak_bytes: Difference

    @property
    def saves(self) -> bool:
        return self.time.high < 0


@dataclass(frozen=True)
class Globals:
    base: str
    seconds: float  # CPU time under the base
    wall_seconds: float
    peak_bytes: float
    faults: float
    rounds: int
    status: int  # as wait() gives it
    same_output: bool  # from run to run, under the base
    same_end: bool
    effects: tuple[GlobalEffect, ...]  # the one that saves most first
    failed: dict[str, str] = field(default_factory=dict)  # mallocs under which the program ended otherwise
    differing: tuple[str, ...] = ()  # mallocs under which its output is another one
    missing: tuple[str, ...] = ()  # not installed
    heap: str = "clean"

    @property
    def best(self) -> GlobalEffect | None:
        return next((each for each in self.effects if each.saves and each.malloc not in self.differing), None)


def installed(mallocs: Sequence[str]) -> tuple[list[str], list[str]]:
    """Those that are here, and those that are not."""
    here = [name for name in mallocs if name == OWN or find_library(name) is not None]
    return here, [name for name in mallocs if name not in here]


def run_globals(
    program: Program,
    mallocs: Sequence[str],
    rounds: int,
    seed: int,
    tick: Callable[[int, int], None],
    litter: int = 0,
) -> Globals:
    """The first malloc is the base. Each runs once in a round, in random order, on the heap of the trials."""
    here, missing = installed(mallocs)
    draw = random.Random(seed)
    runs: dict[str, list[Once]] = {name: [] for name in here}
    for round_ in range(rounds):
        order = list(here)
        draw.shuffle(order)
        for place, name in enumerate(order):
            tick(round_ * len(order) + place, rounds * len(order))
            runs[name].append(run_once(program, name, litter))
    return replace(globals_of(runs, tuple(missing)), heap="littered" if litter else "clean")


def run_once(program: Program, malloc: str, litter: int = 0) -> Once:
    library = None if malloc == OWN else find_library(malloc)
    return program.run(Arm(NULL if litter else None, library, litter), NO_MARK if litter else NO_SCOPE)


def globals_of(runs: dict[str, list[Once]], missing: tuple[str, ...] = ()) -> Globals:
    base, *others = runs
    own = runs[base]
    ends = {run.status for run in own}
    failed = {
        name: run.end for name in others for run in runs[name] if len(ends) == 1 and run.status not in ends
    }
    outputs = {run.output for run in own}
    several = len(own) > 1
    effects = [
        GlobalEffect(
            name,
            paired_difference([run.cpu_seconds for run in runs[name]], [run.cpu_seconds for run in own]),
            paired_difference(
                [float(run.peak_bytes) for run in runs[name]], [float(run.peak_bytes) for run in own]
            ),
        )
        for name in others
        if name not in failed
    ]
    return Globals(
        base=base,
        seconds=median([run.cpu_seconds for run in own]),
        wall_seconds=median([run.wall_seconds for run in own]),
        peak_bytes=median([float(run.peak_bytes) for run in own]),
        faults=median([float(run.faults) for run in own]),
        rounds=len(own),
        status=own[0].status,
        same_output=len(outputs) == 1,
        same_end=len(ends) == 1,
        effects=tuple(sorted(effects, key=lambda each: each.time.median)),
        failed=failed,
        differing=tuple(
            name
            for name in others
            if several and len(outputs) == 1 and {run.output for run in runs[name]} - outputs
        ),
        missing=missing,
    )
