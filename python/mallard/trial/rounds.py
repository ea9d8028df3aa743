"""Rounds of interleaved runs: each arm once in a round, in random order."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from mallard.errors import UsageError
from mallard.trial.measured import Measured
from mallard.trial.program import NULL, Arm, Once, Program, Scope

LEAST_ROUNDS = 21
SHORT_SECONDS = 0.05

Run = TypeVar("Run", bound=Measured)


@dataclass
class Rounds(Generic[Run]):
    """The runs of each arm, by its name, a round at each place."""

    runs: dict[str, list[Run]] = field(default_factory=dict)
    # The arms that ended otherwise than the base did, and how.
    failed: dict[str, str] = field(default_factory=dict)

    def of(self, arm: str) -> list[Run]:
        return self.runs.get(arm, [])


def interleaved(
    arms: Mapping[str, Callable[[], Run]],
    base: str,
    rounds: int,
    seed: int,
    tick: Callable[[int, int], None],
    check_first: Callable[[Mapping[str, Run]], None],
) -> Rounds[Run]:
    """An arm that ends otherwise than the base in a round is dropped. `check_first` may refuse the first
    round."""
    draw = random.Random(seed)
    kept: Rounds[Run] = Rounds({name: [] for name in arms})
    alive = list(arms)
    for round_ in range(rounds):
        order = list(alive)
        draw.shuffle(order)
        results = {}
        for place, name in enumerate(order):
            tick(round_ * len(order) + place, rounds * len(order))
            results[name] = arms[name]()
        if round_ == 0:
            check_first(results)
        for name, result in results.items():
            if result.status != results[base].status:
                kept.failed[name] = result.end
                alive.remove(name)
                kept.runs.pop(name)
            else:
                kept.runs[name].append(result)
    return kept


def run_rounds(
    program: Program,
    scope: Scope,
    arms: Mapping[str, Arm],
    rounds: int,
    seed: int,
    tick: Callable[[int, int], None],
) -> Rounds[Once]:
    """Refuses a scope that does not occur: a trial of it would compare a program with itself."""
    runs = {name: lambda arm=arm: program.run(arm, scope) for name, arm in arms.items()}
    return interleaved(runs, NULL, rounds, seed, tick, lambda first: _check_null(first, scope))


def _check_null(results: Mapping[str, Once], scope: Scope) -> None:
    null = results[NULL]
    if null.counts is None:
        raise UsageError(
            "the trial did not begin in the program: it is linked statically, or it is a script that starts "
            "another program; give that program itself"
        )
    if null.counts.requests == 0:
        raise UsageError(
            f"no block was allocated inside of {scope.name}, so there is nothing to try; 'mallard profile "
            "TRACE' lists the scopes that allocate"
        )


def outputs_differ(rounds: Rounds[Run], arms: Sequence[str], base: str = NULL) -> list[str]:
    """The arms whose output differs from the base's; none if the base's own differs from round to round."""
    of_base = {run.output for run in rounds.of(base)}
    if len(of_base) != 1:
        return []
    return [arm for arm in arms if {run.output for run in rounds.of(arm)} - of_base]


def output_is_compared(rounds: Rounds[Run], base: str = NULL) -> bool:
    return len({run.output for run in rounds.of(base)}) == 1
