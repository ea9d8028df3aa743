"""The unchanged program under other mallocs: the cheapest change of all."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from mallard.mallocs import is_there, library_of
from mallard.stats import Difference, median
from mallard.trial.program import Arm, Once, Program, Scope
from mallard.trial.rounds import odd_end
from mallard.trial.verdict import cpu_of, difference, wall_of

NO_SCOPE = Scope("", ())


@dataclass(frozen=True)
class GlobalEffect:
    """A malloc beside the base, by round. Times in seconds; less than 0 is saved."""

    malloc: str
    time: Difference
    peak_bytes: Difference
    cpu_time: Difference
    wall_time: Difference

    @property
    def saves(self) -> bool:
        return self.time.high < 0


@dataclass(frozen=True)
class Globals:
    base: str
    seconds: float  # under the base
    cpu_seconds: float
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
    wall: bool = False  # `seconds` and the effects are wall time

    @property
    def cores(self) -> float:
        """That the program uses on average."""
        return self.cpu_seconds / max(self.wall_seconds, 1e-9)

    def in_wall_time(self) -> Globals:
        effects = (replace(each, time=each.wall_time) for each in self.effects)
        return replace(self, seconds=self.wall_seconds, effects=_ordered(effects), wall=True)

    @property
    def best(self) -> GlobalEffect | None:
        return next((each for each in self.effects if each.saves and each.malloc not in self.differing), None)


def installed(mallocs: Sequence[str]) -> tuple[list[str], list[str]]:
    """Those that are here, and those that are not."""
    here = [name for name in mallocs if is_there(name)]
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
    return program.run(Arm(None, library_of(malloc), litter), NO_SCOPE)


def globals_of(runs: dict[str, list[Once]], missing: tuple[str, ...] = ()) -> Globals:
    base, *others = runs
    own = runs[base]
    ends = {run.status for run in own}
    failed = {name: how for name in others if (how := odd_end(runs[name], ends))}
    outputs = {run.output for run in own}
    several = len(own) > 1
    effects = [_effect(name, runs[name], own) for name in others if name not in failed]
    cpu_seconds = median([run.cpu_seconds for run in own])
    return Globals(
        base=base,
        seconds=cpu_seconds,
        cpu_seconds=cpu_seconds,
        wall_seconds=median([run.wall_seconds for run in own]),
        peak_bytes=median([float(run.peak_bytes) for run in own]),
        faults=median([float(run.faults) for run in own]),
        rounds=len(own),
        status=own[0].status,
        same_output=len(outputs) == 1,
        same_end=len(ends) == 1,
        effects=_ordered(effects),
        failed=failed,
        differing=tuple(
            name
            for name in others
            if several and len(outputs) == 1 and {run.output for run in runs[name]} - outputs
        ),
        missing=missing,
    )


def _effect(malloc: str, runs: Sequence[Once], base: Sequence[Once]) -> GlobalEffect:
    cpu_time = difference(runs, base, cpu_of)
    return GlobalEffect(
        malloc=malloc,
        time=cpu_time,
        peak_bytes=difference(runs, base, lambda run: float(run.peak_bytes)),
        cpu_time=cpu_time,
        wall_time=difference(runs, base, wall_of),
    )


def _ordered(effects: Iterable[GlobalEffect]) -> tuple[GlobalEffect, ...]:
    return tuple(sorted(effects, key=lambda each: each.time.median))
