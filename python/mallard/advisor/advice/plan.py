"""Plans the rounds of each step of the advice, so that the answer takes about two minutes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mallard.advisor.advice.aged import AgedPlan, AgeProbe, plan_aged
from mallard.advisor.advice.choice import Goal
from mallard.advisor.advice.global_mallocs import MOST_SWITCHES
from mallard.advisor.trial.campaign import SHORT_SECONDS, AgedRuns
from mallard.advisor.trial.further_rounds import MOST_ROUNDS
from mallard.advisor.trial.program import OF_LINES, STRATEGIES
from mallard.shared.age import Age, young_only

SCREENING = ("monotonic", "multipool")  # of each candidate
MOST_LINES = 2  # that keep their blocks, besides these
SECONDS, QUICK_SECONDS = 100.0, 25.0
AGED_SECONDS, QUICK_AGED_SECONDS = 45.0, 12.0  # of these, for all further ages together
AGED_SHARE = 0.3  # of the time at the first age, if a program takes long
SECONDS_WITH_FURTHER = 140.0  # rounds, if the planned ones take less
FULL_ROUNDS, LEAST_ROUNDS = 21, 5
MOST_ROUNDS_IF_SHORT = 41
LEAST_GLOBAL_ROUNDS, MOST_GLOBAL_ROUNDS = 3, 11
QUICK_GLOBAL_ROUNDS = 5  # at least: after three, nearly no interval excludes zero
LEAST_SCREENING_ROUNDS, MOST_SCREENING_ROUNDS = 3, 5
WITHOUT_STRATEGY = 2  # arms: the unchanged program, and the null
FIRST_RUNS = 2  # the second finds the program's own malloc
RUNS_OF_A_RECORDING = 2  # the recorder slows a program


@dataclass(frozen=True)
class Request:
    """The options of `mallard advise`."""

    mallocs: tuple[str, ...]  # the first is the base
    switches: bool = False  # also glibc's tunables for which there is a reason
    scopes: tuple[str, ...] = ()
    process: str | None = None  # the name of its executable; None for the busiest one
    trace: Path | None = None  # an earlier recording; None for one of this call
    rounds: int | None = None
    ages: tuple[Age, ...] = field(default_factory=young_only)
    may_omit_ages: bool = False  # the further ones, if there is no time or the program cannot be aged
    quick: bool = False
    terminal: bool = False  # the user's standard input, which the program does not get
    seed: int = 1
    goal: Goal = "time"

    @property
    def global_arms(self) -> int:
        """At most."""
        return len(self.mallocs) + (MOST_SWITCHES[self.goal] if self.switches else 0)

    @property
    def seconds(self) -> float:
        return QUICK_SECONDS if self.quick else SECONDS

    @property
    def aged_seconds(self) -> float:
        return QUICK_AGED_SECONDS if self.quick else AGED_SECONDS


@dataclass(frozen=True)
class Plan:
    """The rounds of each step, chosen for the duration of a run."""

    global_rounds: int
    screening_rounds: int
    full_rounds: int
    extra_rounds: int  # on top of another malloc, and of two scopes
    candidates: int
    lines: int  # besides these
    strategies: tuple[str, ...]  # of the full trial; empty for the best two of a short one
    runs: int  # of the program in total; some may be skipped
    further_runs: int  # of these, for intervals that are too wide
    aged: tuple[AgedPlan, ...] = ()  # further ages, with further runs


def plan_for(seconds: float, request: Request, probes: Sequence[AgeProbe] = ()) -> Plan:
    """`seconds` are those of a run at the first age, `probes` of the further ones."""
    run_seconds = max(seconds, 0.002)
    measured = [probe for probe in probes if not probe.reason]
    budget = request.seconds - (request.aged_seconds if measured else 0.0)

    def rounds(share: float, arms: int, least: int, most: int) -> int:
        return max(least, min(most, int(share * budget / (arms * run_seconds))))

    arms, fewer_arms = WITHOUT_STRATEGY + len(STRATEGIES), WITHOUT_STRATEGY + len(SCREENING)
    most = MOST_ROUNDS_IF_SHORT if seconds < SHORT_SECONDS else FULL_ROUNDS
    all_fit = FULL_ROUNDS * arms * run_seconds <= 0.6 * budget
    full_arms = arms if all_fit else fewer_arms
    # The interval of 21 rounds is worth more time than planned, up to a program of about a second.
    least = LEAST_ROUNDS if request.quick or run_seconds > 1.5 else FULL_ROUNDS
    of_mallocs = rounds(
        0.3 if request.switches else 0.2, request.global_arms, LEAST_GLOBAL_ROUNDS, MOST_GLOBAL_ROUNDS
    )
    is_short_of_time = request.quick and of_mallocs < QUICK_GLOBAL_ROUNDS
    of_mallocs = max(of_mallocs, request.rounds or (QUICK_GLOBAL_ROUNDS if request.quick else 0))
    screening = rounds(0.2, 3 * fewer_arms, LEAST_SCREENING_ROUNDS, MOST_SCREENING_ROUNDS)
    full = request.rounds or rounds(0.5, full_arms, least, max(most, least))
    extra = full if all_fit else max(LEAST_ROUNDS, full // 2)
    if request.goal == "memory":  # peaks vary less than times, and nothing is tried on top of a malloc
        full, extra = min(full, of_mallocs), 0
    most_candidates = 1 if is_short_of_time else 5 if run_seconds < 0.3 else 3 if run_seconds < 0.7 else 2
    candidates = len(request.scopes) or most_candidates
    is_fast = run_seconds < 0.3 and not request.quick
    lines = 0 if request.scopes or request.goal == "memory" else MOST_LINES if is_fast else 1
    runs = (
        FIRST_RUNS
        + RUNS_OF_A_RECORDING
        + of_mallocs * request.global_arms
        + screening * fewer_arms * (candidates + 1)  # the best one again, without the blocks that escape
        + screening * (WITHOUT_STRATEGY + len(OF_LINES)) * lines
        + (0 if all_fit else screening * arms)
        + full * full_arms
        + 2 * extra * (WITHOUT_STRATEGY + 1)
    )
    strategies = tuple(STRATEGIES) if all_fit else ()
    aged_seconds = max(request.aged_seconds, AGED_SHARE * runs * run_seconds) / max(len(measured), 1)
    is_asked = not request.may_omit_ages
    aged = tuple(plan_aged(probe, aged_seconds, request.rounds, is_asked=is_asked) for probe in probes)
    further = 0
    if not request.rounds and not request.quick and request.goal == "time":
        most = (MOST_ROUNDS - of_mallocs) * request.global_arms + (MOST_ROUNDS - full) * full_arms
        left = SECONDS_WITH_FURTHER - sum(plan.most_runs * plan.run_seconds for plan in aged)
        further = max(0, min(most, int(left / run_seconds) - runs))
    return Plan(
        of_mallocs, screening, full, extra, candidates, lines, strategies, runs + further, further, aged
    )


def aged_runs(plans: Sequence[AgedPlan]) -> list[AgedRuns]:
    """With the run that found out their time."""
    return [
        AgedRuns(plan.age.heap, plan.most_runs + 1, plan.run_seconds) for plan in plans if plan.run_seconds
    ]
