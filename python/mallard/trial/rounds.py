"""Rounds of interleaved runs: each arm once in a round, in random order."""

from __future__ import annotations

import random
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from mallard.errors import UsageError
from mallard.trial.measured import Measured
from mallard.trial.program import AS_IT_IS, NULL, Arm, Once, Program, Scope
from mallard.trial.report import Counts
from mallard.trial.unserved import refuse_unserved

Run = TypeVar("Run", bound=Measured)


@dataclass
class Rounds(Generic[Run]):
    """The runs of each arm, by its name, a round at each place."""

    runs: dict[str, list[Run]] = field(default_factory=dict)
    # The arms that ended as the base never did, and how. They have no runs.
    failed: dict[str, str] = field(default_factory=dict)
    # The ends of the base, if they vary from run to run.
    ends: tuple[str, ...] = ()
    odd: dict[str, Run] = field(default_factory=dict)  # of each arm that failed, the first run that did

    def of(self, arm: str) -> list[Run]:
        return self.runs.get(arm, [])


def interleaved(
    arms: Mapping[str, Callable[[], Run]],
    base: str,
    rounds: int,
    seed: int,
    tick: Callable[[int, int], None],
    check_first: Callable[[Mapping[str, Run]], None],
    check: Callable[[Rounds[Run]], None] | None = None,
) -> Rounds[Run]:
    """An arm that ends as the base never does has failed. `check_first` may refuse the first round, `check`
    the first two."""
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
            kept.runs[name].append(result)
        if round_ == 1:
            if check:
                check(kept)
            # One odd end may be the program's own, two need no third.
            alive = [name for name in alive if not _always_ends_otherwise(kept, name, base)]
    return _without_failed(kept, base)


def _always_ends_otherwise(kept: Rounds[Run], name: str, base: str) -> bool:
    return {run.status for run in kept.of(name)}.isdisjoint(run.status for run in kept.of(base))


def _without_failed(kept: Rounds[Run], base: str) -> Rounds[Run]:
    usual = {run.status: run.end for run in kept.of(base)}
    failed = {name: how for name, runs in kept.runs.items() if (how := odd_end(runs, usual))}
    sound = {name: runs for name, runs in kept.runs.items() if name not in failed}
    odd = {name: next(run for run in kept.of(name) if run.status not in usual) for name in failed}
    return Rounds(sound, failed, tuple(usual.values()) if len(usual) > 1 else (), odd)


def odd_end(runs: Sequence[Measured], usual: Container[int]) -> str:
    """How runs ended that did not end as usual, and how many; empty if there are none."""
    odd = [run for run in runs if run.status not in usual]
    if not odd:
        return ""
    return odd[0].end + ("" if len(odd) == len(runs) else f" in {len(odd)} of {len(runs)} rounds")


def run_rounds(
    program: Program,
    scope: Scope,
    arms: Mapping[str, Arm],
    rounds: int,
    seed: int,
    tick: Callable[[int, int], None],
) -> Rounds[Once]:
    """Refuses a scope that does not occur, or that cannot be served: a trial of it would compare a program
    with itself."""
    runs = {name: lambda arm=arm: program.run(arm, scope) for name, arm in arms.items()}
    found = interleaved(
        runs,
        AS_IT_IS,
        rounds,
        seed,
        tick,
        lambda first: _check_first(first, arms, scope),
        lambda kept: _check_null(kept, scope),
    )
    if NULL in found.failed:
        raise _null_breaks(scope, found.failed[NULL])
    return found


def _check_first(results: Mapping[str, Once], arms: Mapping[str, Arm], scope: Scope) -> None:
    null, usual = results[NULL], results[AS_IT_IS].status
    if null.status != usual:
        return  # judged when there are two of them
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
    if scope.leaves_out and null.counts.seen_excepted == 0:
        raise UsageError(
            f"{scope.name} leaves out nothing: the scope allocates nothing through that code; give a "
            "function that the scope calls, or leave --without out"
        )
    serving = [results[name] for name, arm in arms.items() if arm.strategy not in (None, NULL)]
    refuse_unserved([run.counts or Counts() for run in serving if run.status == usual], scope.name)


def _check_null(kept: Rounds[Once], scope: Scope) -> None:
    """Finding the scope must not change the program."""
    plain, null = kept.of(AS_IT_IS), kept.of(NULL)
    if _always_ends_otherwise(kept, NULL, AS_IT_IS):
        raise _null_breaks(scope, null[0].end)
    outputs = {run.output for run in plain}
    if len(outputs) == 1 and outputs.isdisjoint(run.output for run in null):
        raise _null_breaks(scope, "has another output")


def _null_breaks(scope: Scope, how: str) -> UsageError:
    return UsageError(
        f"the program {how} where a trial only finds {scope.name} and serves nothing; without the trial it "
        "does not, so nothing can be compared; a MALLARD_SCOPE is found without a look at the stack"
    )


def outputs_differ(rounds: Rounds[Run], arms: Sequence[str], base: str = AS_IT_IS) -> list[str]:
    """The arms whose output differs from the base's; none if the base's own differs from round to round."""
    of_base = {run.output for run in rounds.of(base)}
    if len(of_base) != 1:
        return []
    return [arm for arm in arms if {run.output for run in rounds.of(arm)} - of_base]


def output_is_compared(rounds: Rounds[Run], base: str = AS_IT_IS) -> bool:
    return len({run.output for run in rounds.of(base)}) == 1
