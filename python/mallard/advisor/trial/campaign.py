"""Trials of one scope: under each global allocator, and on heaps of each age; and their duration."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from mallard.advisor.trial.effect import (
    Effect,
    Trial,
    summarize_trial,
)
from mallard.advisor.trial.further_rounds import further_rounds, possible_answers
from mallard.advisor.trial.process import IGNORE_ADDRESSES, refuse_difference, refuse_failed_load
from mallard.advisor.trial.program import AS_IT_IS, NULL, Arm, Program, RunResult, Scope, arm_under
from mallard.advisor.trial.rounds import Rounds, output_is_compared, outputs_differ, run_rounds
from mallard.shared.age import Age
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import OWN, own_name
from mallard.shared.prose import in_prose
from mallard.shared.report.figures import plural
from mallard.shared.stats import Difference

LEAST_EFFECT = 0.01  # of the program's time; less is not worth a change of code
MOST_SECONDS = 3600.0  # limit for a command without --rounds
SHORT_SECONDS = 0.05
EMPTY_INPUT = (
    "The program had no terminal, and its standard input was empty; if it reads it, give it --input FILE."
)


OUTPUT_IGNORED = "The program's output was not compared, as --ignore-output or --load asks."


def runs_again(program: Program) -> str:
    name, scratch = os.path.basename(program.words[0]), program.surroundings.scratch
    if scratch is not None:
        return f"{name} runs many times, each in a fresh copy of {scratch}."
    return f"{name} runs many times, in this folder: files that it writes are written again each time."


@dataclass(frozen=True)
class AgedRuns:
    """Runs on a heap with a past, which each of them makes first."""

    heap: str
    count: int
    seconds: float  # of one, with the history


def estimate(runs: int, seconds: float, aged: Sequence[AgedRuns] = ()) -> str:
    """`runs` are on a heap without a history."""
    runs_of_all, total_seconds = _total(runs, seconds, aged)
    return (
        f"A run takes {_run_times(seconds, aged)}; up to {runs_of_all:,} runs take about "
        f"{_long(total_seconds)}."
    )


def _run_times(seconds: float, aged: Sequence[AgedRuns]) -> str:
    """`0.3 s, and 2.1 s on an old heap`"""
    return _seconds(seconds) + "".join(f", and {_seconds(age.seconds)} on {age.heap}" for age in aged)


def _total(runs: int, seconds: float, aged: Sequence[AgedRuns]) -> tuple[int, float]:
    """The number of all runs, and their seconds."""
    count = runs + sum(age.count for age in aged)
    return count, runs * seconds + sum(age.count * age.seconds for age in aged)


def refuse_long(runs: int, seconds: float, aged: Sequence[AgedRuns] = ()) -> None:
    runs_of_all, total_seconds = _total(runs, seconds, aged)
    if total_seconds > MOST_SECONDS:
        raise UsageError(
            f"a run takes {_run_times(seconds, aged)}, so {runs_of_all:,} runs would take about "
            f"{_long(total_seconds)}; "
            "give the program less work, or --rounds N (at least 3, 21 for a narrow interval) to wait"
        )


def short(seconds: float) -> str:
    """A warning for a program that is too short to measure well; empty otherwise."""
    if seconds >= SHORT_SECONDS:
        return ""
    return (
        f"The program takes {1e3 * seconds:.0f} ms; with more work, the answer is surer, and its start "
        "weighs less."
    )


def faster_null(trial: Trial, least: float = 0.0) -> str:
    """The sentence about a null that takes less than the unchanged program, by at least that share of its
    time; empty if it does not.
    """
    if trial.finding.high >= 0 or -trial.finding.median < least * trial.program_seconds:
        return ""
    return (
        f"The null run, which only finds the scope, takes {_milliseconds(-trial.finding.median)} less than "
        "the unchanged program, because a preloaded library changes where things lie in memory; savings are "
        "relative to the null run."
    )


def is_wide(time: Difference, program_seconds: float) -> bool:
    """True if further rounds may narrow the interval to a saving that is worth a change, or to none."""
    return LEAST_EFFECT * program_seconds <= time.width < math.inf


def unresolved(
    times: Mapping[str, Difference], program_seconds: float, runs_per_round: int, run_seconds: float
) -> str:
    """The interval that leaves most room for a saving, and the rounds that halve it. Empty if no interval
    hides a saving that is worth a change. `times` has the change of time by strategy or malloc.
    """
    name, time = min(times.items(), key=lambda item: item[1].low, default=("", None))
    if time is None or not is_wide(time, program_seconds) or -time.low < LEAST_EFFECT * program_seconds:
        return ""
    rounds = 4 * time.n  # the width falls with the root of the rounds
    halves = f"--rounds {rounds} halves it, in about {_long(rounds * runs_per_round * run_seconds)}"
    if -time.low >= program_seconds:
        return (
            f"the saving of {name} is not known, because after {plural(time.n, 'round')} its interval "
            f"reaches to the whole run; {halves}"
        )
    return (
        f"{name} may save up to {_milliseconds(-time.low)}: its interval is "
        f"{_milliseconds(time.high - time.low)} wide after {plural(time.n, 'round')}, and {halves}"
    )


def _milliseconds(seconds: float) -> str:
    milliseconds = 1e3 * seconds
    decimals = 0 if milliseconds >= 9.95 else 1 if milliseconds >= 0.995 else 2
    return f"{milliseconds:.{decimals}f} ms"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def _long(seconds: float) -> str:
    for unit, name in ((3600, "hours"), (60, "minutes")):
        if seconds >= 1.5 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{max(seconds, 2):.0f} seconds"


PRINTED_OTHER = f"printed another output {IGNORE_ADDRESSES}"


def describe_failures_together(failures: Mapping[str, str]) -> str:
    """`under a and b the program ended by SIGABRT, and under c it printed another output (...)`"""
    names: dict[str, list[str]] = {}
    for name, end in failures.items():
        names.setdefault(end, []).append(name)
    first, *others = names.items()
    phrases = [f"under {in_prose(first[1])} the program {first[0]}"]
    return in_prose([*phrases, *(f"under {in_prose(arms)} it {end}" for end, arms in others)])


PAST_MALLOC = (
    "Such a program often calls the free() of glibc past a preloaded malloc: from a plug-in that it opens "
    "with RTLD_DEEPBIND, or by a pointer from dlsym() on libc. Open it without that flag, or ask dlsym() for "
    "RTLD_DEFAULT, and try again."
)

Tick = Callable[[int, int], None]


@dataclass(frozen=True)
class Campaign:
    strategies: tuple[str, ...]
    mallocs: tuple[str, ...]
    ages: tuple[Age, ...]
    rounds: int
    seed: int
    wall: bool | None = None  # times are wall time; None if the first trial's threads decide
    # Of the first baseline:
    further_runs: int = 0  # at most, in rounds after the planned ones
    drops: bool = False  # strategies that cannot be the answer end early

    @property
    def runs(self) -> int:
        """The total number of runs of the program."""
        return (2 + len(self.strategies)) * self.rounds * len(self.mallocs) * len(self.ages)


@dataclass(frozen=True)
class Promise:
    """The effect of an allocator on the unchanged program, to compare with that of the change."""

    scope: str  # empty for a malloc, which serves the whole program
    strategy: str  # or the malloc
    against: str  # the global allocator, and its heap
    time: Difference  # seconds; less than 0 is saved
    program_seconds: float  # more than 0
    source: str = ""  # of the scope
    peak_bytes: Difference | None = None  # resident; None in the advice of older versions
    end_bytes: Difference | None = None  # resident at the end; None if not known
    age: str = ""  # of the heap, as --age takes it; empty in the advice of older versions

    @property
    def title(self) -> str:
        return f"{self.strategy} in {self.scope}" if self.scope else self.strategy


@dataclass(frozen=True)
class Baseline:
    """The environment of a trial, a global allocator on a heap of an age, with the results."""

    malloc: str  # the malloc that the program brings, by name, if none is preloaded
    age: Age
    trial: Trial
    differing: tuple[str, ...]  # strategies under which the program's output differs
    compared: bool  # False if outputs are ignored

    @property
    def heap(self) -> str:
        return self.age.heap

    @property
    def title(self) -> str:
        return f"{self.malloc} on {self.heap}"

    def promise(self, scope: str, effect: Effect, source: str = "") -> Promise:
        return Promise(
            scope,
            effect.strategy,
            self.title,
            effect.time,
            self.trial.program_seconds,
            source,
            effect.peak_bytes,
            effect.end_bytes,
            self.age.name,
        )

    @property
    def failures(self) -> dict[str, str]:
        """What the program did under the strategies that it does not tolerate."""
        return self.trial.failed | dict.fromkeys(self.differing, PRINTED_OTHER)

    @property
    def is_unmeasured(self) -> bool:
        return not self.allowed and bool(self.failures)

    @property
    def allowed(self) -> list[Effect]:
        """The strategies that served blocks and left the output of the program unchanged."""
        return [
            effect
            for effect in self.trial.effects
            if effect.strategy not in self.differing and effect.counts.served
        ]

    @property
    def best(self) -> Effect | None:
        """The strategy that saves most, if its saving exceeds its interval."""
        return next((effect for effect in self.allowed if effect.saves), None)


@dataclass(frozen=True)
class Result:
    scope: Scope
    rounds: int
    baselines: tuple[Baseline, ...]

    @property
    def promise(self) -> Promise | None:
        """Of the first global allocator under which a strategy saves time."""
        promises = (
            baseline.promise(self.scope.name, baseline.best) for baseline in self.baselines if baseline.best
        )
        return next(promises, None)


def run_campaign(program: Program, scope: Scope, campaign: Campaign, tick: Tick) -> Result:
    baselines: list[Baseline] = []
    if program.surroundings.load:
        campaign = replace(campaign, wall=False)  # the wall time of a server is that of its load
    environments = [(malloc, age) for malloc in campaign.mallocs for age in campaign.ages]
    for index, (malloc, age) in enumerate(environments):

        def tick_campaign(done: int, total: int, index: int = index) -> None:
            tick(index * total + done, len(environments) * total)

        summarize = partial(summarize_baseline, campaign, malloc, age)
        rounds = run_rounds(
            program,
            scope,
            _arms(campaign, malloc, age),
            campaign.rounds,
            campaign.seed,
            tick_campaign,
            partial(_extend, summarize, campaign.further_runs)
            if campaign.further_runs and not baselines
            else None,
            partial(_drop, summarize) if campaign.drops and not baselines else None,
        )
        baselines.append(summarize(rounds))
        campaign = replace(
            campaign, wall=baselines[0].trial.wall, rounds=min(campaign.rounds, len(rounds.of(NULL)))
        )
    return Result(scope, campaign.rounds, tuple(baselines))


def _times(baseline: Baseline) -> tuple[dict[str, Difference], float]:
    """The change of time by strategy, and the least saving that is worth a change."""
    times = {effect.strategy: effect.time for effect in baseline.allowed}
    return times, LEAST_EFFECT * baseline.trial.program_seconds


def _extend(
    summarize: Callable[[Rounds[RunResult]], Baseline], runs: int, rounds: Rounds[RunResult]
) -> tuple[int, list[str]]:
    further, strategies = further_rounds(*_times(summarize(rounds)), runs, 2)
    return further, [AS_IT_IS, NULL, *strategies]


def _drop(summarize: Callable[[Rounds[RunResult]], Baseline], rounds: Rounds[RunResult]) -> list[str]:
    strategies = possible_answers(*_times(summarize(rounds)))
    return [AS_IT_IS, NULL, *strategies] if strategies else []


def run_alone(program: Program, campaign: Campaign) -> RunResult:
    """Runs the unchanged program once under the first malloc."""
    return run_once(program, campaign.mallocs[0])


def run_once(program: Program, malloc: str, age: Age | None = None) -> RunResult:
    run = program.run(arm_under(malloc, None, age), Scope("", ()))
    if program.first is None:
        refuse_failed_load(run)
    return run


def timed_run(program: Program, malloc: str, age: Age) -> tuple[RunResult, float]:
    """A run of the unchanged program, and its seconds with the history, which are not the program's time."""
    begin = time.monotonic()
    run = run_once(program, malloc, age)
    return run, time.monotonic() - begin


def split_by_age(program: Program, campaign: Campaign) -> tuple[int, list[AgedRuns]]:
    """The runs on young heaps, and those on others with their time, for which the program runs once at each
    age."""
    at_one_age = campaign.runs // len(campaign.ages)
    aged = [
        AgedRuns(age.heap, at_one_age + 1, timed_run(program, campaign.mallocs[0], age)[1])
        for age in campaign.ages
        if not age.is_young
    ]
    return at_one_age * (len(campaign.ages) - len(aged)), aged


def refuse_second_difference(program: Program, malloc: str) -> None:
    """Runs the program again after a recording that differs: if this run does too, the recorder is not the
    cause.
    """
    assert program.first
    refuse_difference(program.first, run_once(program, malloc), "the run after the recording")


def _arms(campaign: Campaign, malloc: str, age: Age) -> dict[str, Arm]:
    arms = {AS_IT_IS: arm_under(malloc, None, age), NULL: arm_under(malloc, NULL, age)}
    return arms | {strategy: arm_under(malloc, strategy, age) for strategy in campaign.strategies}


def summarize_baseline(campaign: Campaign, malloc: str, age: Age, rounds: Rounds[RunResult]) -> Baseline:
    trial = summarize_trial(rounds, campaign.strategies, campaign.wall, campaign.rounds)
    return Baseline(
        malloc=own_name(trial.null.malloc_file) if malloc == OWN else malloc,
        age=age,
        trial=trial,
        differing=tuple(outputs_differ(rounds, campaign.strategies)),
        compared=output_is_compared(rounds),
    )
