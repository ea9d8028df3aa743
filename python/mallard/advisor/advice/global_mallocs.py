"""Measures the unchanged program under other mallocs, the cheapest change of all."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from mallard.advisor.trial.campaign import PRINTED_OTHER, run_once
from mallard.advisor.trial.effect import (
    difference,
    median_metric,
    metric_difference,
    run_cpu_seconds,
    run_wall_seconds,
)
from mallard.advisor.trial.process import refuse_difference
from mallard.advisor.trial.program import Program, RunResult
from mallard.advisor.trial.rounds import describe_failures
from mallard.shared.mallocs import is_available
from mallard.shared.stats import Difference, median


@dataclass(frozen=True)
class GlobalEffect:
    """The change from the base to another malloc, by round, in seconds. Less than 0 is saved."""

    malloc: str
    time: Difference
    peak_bytes: Difference
    cpu_time: Difference
    wall_time: Difference
    metric: Difference | None = None  # of the server's load

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
    status: int  # of wait()
    compared: bool  # False if outputs are ignored
    effects: tuple[GlobalEffect, ...]  # largest saving first
    failed: dict[str, str] = field(default_factory=dict)  # mallocs under which the program ended differently
    differing: tuple[str, ...] = ()  # mallocs under which the output differs
    missing: tuple[str, ...] = ()  # not installed
    same: tuple[str, ...] = ()  # not tried, because the program's own malloc is the same library
    heap: str = "clean"
    wall: bool = False  # `seconds` and the effects are wall time
    metric: float | None = None  # of the server's load

    @property
    def cores(self) -> float:
        """The cores that the program uses on average."""
        return self.cpu_seconds / max(self.wall_seconds, 1e-9)

    def in_wall_time(self) -> Globals:
        effects = (replace(effect, time=effect.wall_time) for effect in self.effects)
        return replace(self, seconds=self.wall_seconds, effects=_sort_by_saving(effects), wall=True)

    @property
    def failures(self) -> dict[str, str]:
        """What the program did under the mallocs that it does not tolerate."""
        return self.failed | dict.fromkeys(self.differing, PRINTED_OTHER)

    @property
    def allowed(self) -> list[GlobalEffect]:
        return [effect for effect in self.effects if effect.malloc not in self.differing]

    @property
    def as_fast_as_fastest(self) -> list[GlobalEffect]:
        """The mallocs that save time, largest saving first, without those that save less than another one
        beyond both intervals."""
        saving = [effect for effect in self.allowed if effect.saves]
        least = min((effect.time.high for effect in saving), default=0.0)
        return [effect for effect in saving if effect.time.low <= least]

    @property
    def best(self) -> GlobalEffect | None:
        """Of mallocs that are equally fast as far as measured, the one with the lower peak memory."""
        return min(self.as_fast_as_fastest, key=self._cost, default=None)

    def _cost(self, effect: GlobalEffect) -> tuple[float, float]:
        """Peaks that are shown as the same ratio are equal: the rest is noise."""
        return round(effect.peak_bytes.median / max(self.peak_bytes, 1.0), 1), effect.time.median


def run_globals(
    program: Program,
    mallocs: Sequence[str],
    rounds: int,
    seed: int,
    tick: Callable[[int, int], None],
    litter: int = 0,
) -> Globals:
    """The first malloc is the base, whose runs must end and print as the first one. Each malloc runs once in
    a round, in random order, on the heap of the trials.
    """
    missing = tuple(name for name in mallocs if not is_available(name))
    same = tuple(name for name in mallocs[1:] if name not in missing and program.brings(name))
    present = [name for name in mallocs if name not in (*missing, *same)]
    draw = random.Random(seed)
    runs: dict[str, list[RunResult]] = {name: [] for name in present}
    for round_ in range(rounds):
        order = list(present)
        draw.shuffle(order)
        for place, name in enumerate(order):
            tick(round_ * len(order) + place, rounds * len(order))
            runs[name].append(run_once(program, name, litter))
            if name == mallocs[0]:
                first = program.first or runs[name][0]
                refuse_difference(first, runs[name][-1], f"the run of round {round_ + 1} under {name}")
    compared = compare_mallocs(runs, missing)
    base, heap = program.name_malloc(compared.base), "littered" if litter else "clean"
    return replace(compared, base=base, same=same, heap=heap)


def compare_mallocs(runs: dict[str, list[RunResult]], missing: tuple[str, ...] = ()) -> Globals:
    base, *alternatives = runs
    base_runs = runs[base]
    ends = {run.status for run in base_runs}
    failed = {name: end for name in alternatives if (end := describe_failures(runs[name], ends))}
    outputs = {run.output for run in base_runs}
    effects = [_effect(name, runs[name], base_runs) for name in alternatives if name not in failed]
    cpu_seconds = median([run.cpu_seconds for run in base_runs])
    return Globals(
        base=base,
        seconds=cpu_seconds,
        cpu_seconds=cpu_seconds,
        wall_seconds=median([run.wall_seconds for run in base_runs]),
        peak_bytes=median([float(run.peak_bytes) for run in base_runs]),
        faults=median([float(run.faults) for run in base_runs]),
        rounds=len(base_runs),
        status=base_runs[0].status,
        compared=all(outputs),
        effects=_sort_by_saving(effects),
        failed=failed,
        differing=tuple(
            name
            for name in alternatives
            if name not in failed and {run.output for run in runs[name]} - outputs
        ),
        missing=missing,
        metric=median_metric(base_runs),
    )


def _effect(malloc: str, runs: Sequence[RunResult], base: Sequence[RunResult]) -> GlobalEffect:
    cpu_time = difference(runs, base, run_cpu_seconds)
    return GlobalEffect(
        malloc=malloc,
        time=cpu_time,
        peak_bytes=difference(runs, base, lambda run: float(run.peak_bytes)),
        cpu_time=cpu_time,
        wall_time=difference(runs, base, run_wall_seconds),
        metric=metric_difference(runs, base),
    )


def _sort_by_saving(effects: Iterable[GlobalEffect]) -> tuple[GlobalEffect, ...]:
    return tuple(sorted(effects, key=lambda effect: effect.time.median))
