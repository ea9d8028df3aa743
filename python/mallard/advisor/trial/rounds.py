"""Rounds of interleaved runs: each arm once in a round, in random order."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar

from mallard.advisor.trial.further_rounds import FIRST_ROUNDS
from mallard.advisor.trial.process import IGNORE_ADDRESSES, Measured, refuse_difference
from mallard.advisor.trial.program import AS_IT_IS, KILLED, NULL, Arm, Counts, Program, RunResult, Scope
from mallard.shared.errors import UsageError
from mallard.shared.parent_death import TimeLimitError
from mallard.shared.prose import in_prose
from mallard.shared.report.figures import count, plural
from mallard.shared.stats import median


def unserved_reasons(counts: Counts) -> str:
    """`900 too large and 100 aligned`; empty if all requests were served."""
    reasons = (
        (counts.too_large, "that are too large"),
        (counts.aligned, "with an explicit alignment"),
        (counts.no_room, "for which there was no room"),
    )
    phrases = [f"{count(requests)} {reason}" for requests, reason in reasons if requests]
    return in_prose(phrases) if phrases else ""


def refuse_unserved(tried: Sequence[Counts], scope: str) -> None:
    """`tried` has the counts of each strategy that ran."""
    if not tried or any(counts.served for counts in tried):
        return
    reasons = next((text for counts in tried if (text := unserved_reasons(counts))), "")
    raise UsageError(
        f"no block of {scope} could be served{f': {reasons}' if reasons else ''}; try another scope"
    )


Run = TypeVar("Run", bound=Measured)


@dataclass
class Rounds(Generic[Run]):
    """The runs of each arm by name, one run for each round."""

    runs: dict[str, list[Run]] = field(default_factory=dict)
    # The arms that ended in a way that the base never does, and how. They have no runs.
    failed: dict[str, str] = field(default_factory=dict)
    odd: dict[str, Run] = field(default_factory=dict)  # arm -> its first failed run
    given_up: dict[str, GivenUp] = field(default_factory=dict)  # arms that were too slow; they have no runs

    def of(self, arm: str) -> list[Run]:
        return self.runs.get(arm, [])


# Returns the arms of the next rounds; none ends the rounds.
Drop = Callable[[Rounds[Run]], Container[str]]
# Returns the number of further rounds, and the arms that take part in them.
Extend = Callable[[Rounds[Run]], tuple[int, Container[str]]]


def interleaved(
    arms: Mapping[str, Callable[[], Run]],
    base: str,
    rounds: int,
    seed: int,
    tick: Callable[[int, int], None],
    check_first: Callable[[Mapping[str, Run]], None] | None = None,
    check: Callable[[Rounds[Run]], None] | None = None,
    first: Measured | None = None,
    extend: Extend[Run] | None = None,
    drop: Drop[Run] | None = None,
    patience: Patience | None = None,
) -> Rounds[Run]:
    """An arm that ends in a way that the base never does has failed. `check_first` may reject the first
    round, `check` the first two. All runs of the base must end and print as the first one does: `first`, or
    that of the first round. `drop` may end arms after FIRST_ROUNDS, `extend` may add rounds after the planned
    ones, once. `patience` gives up arms that take too long.
    """
    random_order = random.Random(seed)
    completed: Rounds[Run] = Rounds({name: [] for name in arms})
    remaining = list(arms)
    planned, round_, done = rounds, 0, 0
    while round_ < rounds and remaining:
        names = list(remaining)
        random_order.shuffle(names)
        if patience and round_ == 0:
            names.remove(patience.against)
            names.insert(0, patience.against)
        results = {}
        for index, name in enumerate(names):
            tick(done + index, done + (rounds - round_) * len(names))
            try:
                results[name] = arms[name]()
            except TimeLimitError as error:
                if not patience or name not in patience.arms:
                    raise
                others = completed.of(patience.against) or [results[patience.against]]
                completed.given_up[name] = patience.judge_killed(round_ + 1, error.seconds, others)
                continue
            if name == base:
                first = first or results[base]
                refuse_difference(first, results[base], f"the run of round {round_ + 1}, {base},")
        if round_ == 0 and check_first:
            check_first(results)
        for name, result in results.items():
            completed.runs[name].append(result)
        if round_ == 1:
            if check:
                check(completed)
            # One unexpected end may be the program's own. After two, the arm is dropped.
            remaining = [name for name in remaining if not _always_ends_differently(completed, name, base)]
        done += len(names)
        round_ += 1
        if patience and round_ == FIRST_RUNS:
            _judge_slow(completed, remaining, patience)
        remaining = [name for name in remaining if name not in completed.given_up]
        if round_ == FIRST_ROUNDS < planned and drop:
            wanted = drop(_without_failed(completed, base))
            remaining = [name for name in remaining if name in wanted]
        if round_ == planned and extend:
            further, wanted = extend(_without_failed(completed, base))
            remaining = [name for name in remaining if name in wanted]
            rounds += further
    return _without_failed(completed, base)


def _judge_slow(completed: Rounds[Run], names: Sequence[str], patience: Patience) -> None:
    judged = [name for name in names if name in patience.arms and name not in completed.given_up]
    for name in judged:
        if verdict := patience.judge(completed.of(name), completed.of(patience.against)):
            completed.given_up[name] = verdict


def _always_ends_differently(completed: Rounds[Run], name: str, base: str) -> bool:
    return {run.status for run in completed.of(name)}.isdisjoint(run.status for run in completed.of(base))


def _without_failed(completed: Rounds[Run], base: str) -> Rounds[Run]:
    expected = {run.status for run in completed.of(base)}
    failed = {
        name: end
        for name, runs in completed.runs.items()
        if name not in completed.given_up and (end := describe_failures(runs, expected))
    }
    excluded = {*failed, *completed.given_up}
    sound = {name: runs for name, runs in completed.runs.items() if name not in excluded}
    odd = {name: next(run for run in completed.of(name) if run.status not in expected) for name in failed}
    return Rounds(sound, failed, odd, completed.given_up)


def describe_failures(runs: Sequence[Measured], expected: Container[int]) -> str:
    """How and how often runs ended with an unexpected status; empty if all were as expected."""
    unexpected = [run for run in runs if run.status not in expected]
    if not unexpected:
        return ""
    return unexpected[0].end + (
        "" if len(unexpected) == len(runs) else f" in {len(unexpected)} of {len(runs)} rounds"
    )


def run_rounds(
    program: Program,
    scope: Scope,
    arms: Mapping[str, Arm],
    rounds: int,
    seed: int,
    tick: Callable[[int, int], None],
    extend: Extend[RunResult] | None = None,
    drop: Drop[RunResult] | None = None,
) -> Rounds[RunResult]:
    """Rejects a scope that does not occur or cannot be served, because its trial would compare the program
    with itself.
    """

    strategies = [name for name, arm in arms.items() if arm.strategy == name != NULL]
    patience = None if program.surroundings.load else Patience(NULL, strategies)

    def run(program: Program, name: str) -> RunResult:
        result = program.run(arms[name], scope)
        if name == AS_IT_IS:
            refuse_killed(result)
        return result

    # The time of a run is that without its history.
    are_young = all(arm.age.is_young for arm in arms.values())
    run_arm = limit_runs(patience if are_young else None, program, run)
    runs = {name: partial(run_arm, name) for name in arms}
    completed = interleaved(
        runs,
        AS_IT_IS,
        rounds,
        seed,
        tick,
        lambda results: _check_first(results, arms, scope),
        lambda completed: _check_null(completed, scope),
        program.first,
        extend,
        drop,
        patience,
    )
    if NULL in completed.failed:
        raise _null_breaks(scope, completed.failed[NULL])
    return completed


def _check_first(results: Mapping[str, RunResult], arms: Mapping[str, Arm], scope: Scope) -> None:
    null, expected = results[NULL], results[AS_IT_IS].status
    if null.status != expected:
        return  # judged after the second round
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
    if scope.has_exceptions and null.counts.seen_excepted == 0:
        raise UsageError(
            f"{scope.name} leaves out nothing: the scope allocates nothing through that code; give a "
            "function that the scope calls, or leave --without out"
        )
    serving = [run for name, run in results.items() if arms[name].strategy not in (None, NULL)]
    refuse_unserved([run.counts or Counts() for run in serving if run.status == expected], scope.name)


def refuse_killed(run: RunResult) -> None:
    if run.status & KILLED:
        raise UsageError(
            "the process that is measured is killed by a signal, so it cannot report its own time; choose "
            "another one with --process, or let it end by itself"
        )


def _check_null(completed: Rounds[RunResult], scope: Scope) -> None:
    """Finding the scope must not change the program."""
    plain, null = completed.of(AS_IT_IS), completed.of(NULL)
    if _always_ends_differently(completed, NULL, AS_IT_IS):
        raise _null_breaks(scope, null[0].end)
    outputs = {run.output for run in plain}
    if len(outputs) == 1 and outputs.isdisjoint(run.output for run in null):
        raise _null_breaks(scope, f"has another output {IGNORE_ADDRESSES}")


def _null_breaks(scope: Scope, effect: str) -> UsageError:
    return UsageError(
        f"the program {effect} where a trial only finds {scope.name} and serves nothing; without the trial "
        "it does not, so nothing can be compared; a MALLARD_SCOPE is found without a look at the stack"
    )


def outputs_differ(rounds: Rounds[Run], arms: Sequence[str], base: str = AS_IT_IS) -> list[str]:
    """The arms whose output differs from the base's."""
    base_outputs = {run.output for run in rounds.of(base)}
    return [arm for arm in arms if {run.output for run in rounds.of(arm)} - base_outputs]


def output_is_compared(rounds: Rounds[Run], base: str = AS_IT_IS) -> bool:
    """False if outputs are ignored."""
    return all(run.output for run in rounds.of(base))


FIRST_RUNS = 2
MOST_TIMES_SLOWER = 3  # in each of the first runs
MOST_TIMES_IN_A_RUN = 10  # after which the run is killed
# Less does not lengthen a trial much, and may be an accident.
LEAST_SECONDS_MORE, LEAST_LIMIT_SECONDS = 0.05, 1.0
SHORTEST_SECONDS = 1e-6


@dataclass(frozen=True)
class GivenUp:
    """An arm that was too slow."""

    runs: int
    times_slower: float  # at least, if the last run was killed
    killed: bool = False

    @property
    def text(self) -> str:
        more = "more than " if self.killed else ""
        factor = f"{self.times_slower:.2g}" if self.times_slower < 10 else f"{self.times_slower:,.0f}"
        return f"given up after {plural(self.runs, 'run')}: {more}{factor} times slower"


@dataclass(frozen=True)
class Patience:
    """Judges `arms` by the runs of `against`, which comes first in the first round: it limits the others."""

    against: str
    arms: Collection[str]

    def judge(self, runs: Sequence[Measured], others: Sequence[Measured]) -> GivenUp | None:
        """`others` are the runs of `against` in the same rounds. None if a run was fast enough."""
        pairs = [
            (run.run_seconds, max(other.run_seconds, SHORTEST_SECONDS))
            for run, other in zip(runs, others, strict=True)
        ]
        if any(
            seconds <= MOST_TIMES_SLOWER * other or seconds - other < LEAST_SECONDS_MORE
            for seconds, other in pairs
        ):
            return None
        return GivenUp(len(pairs), median([seconds / other for seconds, other in pairs]))

    def judge_killed(self, runs: int, seconds: float, others: Sequence[Measured]) -> GivenUp:
        """Of an arm whose last run was killed after `seconds`."""
        slowest = max([SHORTEST_SECONDS, *(other.run_seconds for other in others)])
        return GivenUp(runs, seconds / slowest, killed=True)


def limit_runs(
    patience: Patience | None, program: Program, run: Callable[[Program, str], RunResult]
) -> Callable[[str], RunResult]:
    """Calls `run` with a program whose time limit follows from the last run of `patience.against`, or with
    `program` itself without patience.
    """
    if patience is None:
        return partial(run, program)
    limited = program

    def run_limited(name: str) -> RunResult:
        nonlocal limited
        result = run(limited if name in patience.arms else program, name)
        if name == patience.against:
            most = max(MOST_TIMES_IN_A_RUN * result.run_seconds, LEAST_LIMIT_SECONDS)
            limited = program.with_limit(min(program.seconds_limit, most))
        return result

    return run_limited
