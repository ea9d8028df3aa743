"""The user's request, and the rounds that fit into the time for an answer."""

from __future__ import annotations

from dataclasses import dataclass

from mallard.advisor.trial.estimate import SHORT_SECONDS
from mallard.advisor.trial.strategies import STRATEGIES

SCREENING = ("monotonic", "multipool")  # of each candidate
SECONDS, QUICK_SECONDS = 100.0, 25.0
FULL_ROUNDS, LEAST_ROUNDS = 21, 5
MOST_ROUNDS_IF_SHORT = 41
LEAST_GLOBAL_ROUNDS, MOST_GLOBAL_ROUNDS = 3, 11
LEAST_SCREENING_ROUNDS, MOST_SCREENING_ROUNDS = 3, 5
WITHOUT_STRATEGY = 2  # arms: the unchanged program, and the null
RUNS_OF_A_RECORDING = 2  # the recorder slows a program


@dataclass(frozen=True)
class Request:
    """The options of `mallard advise`."""

    mallocs: tuple[str, ...]  # the first is the base
    scopes: tuple[str, ...] = ()
    rounds: int | None = None
    litters: tuple[int, ...] = (0,)
    quick: bool = False
    terminal: bool = False  # the user's standard input, which the program does not get
    seed: int = 1

    @property
    def seconds(self) -> float:
        return QUICK_SECONDS if self.quick else SECONDS


@dataclass(frozen=True)
class Plan:
    """The rounds of each step, chosen for the duration of a run."""

    global_rounds: int
    screening_rounds: int
    full_rounds: int
    extra_rounds: int  # on top of another malloc, and of two scopes
    candidates: int
    strategies: tuple[str, ...]  # of the full trial; empty for the best two of a short one
    runs: int  # of the program in total; some may be skipped


def plan_for(seconds: float, request: Request) -> Plan:
    run_seconds = max(seconds, 0.002)
    budget = request.seconds

    def rounds(share: float, arms: int, least: int, most: int) -> int:
        return max(least, min(most, int(share * budget / (arms * run_seconds))))

    arms, fewer_arms = WITHOUT_STRATEGY + len(STRATEGIES), WITHOUT_STRATEGY + len(SCREENING)
    most = MOST_ROUNDS_IF_SHORT if seconds < SHORT_SECONDS else FULL_ROUNDS
    all_fit = FULL_ROUNDS * arms * run_seconds <= 0.6 * budget * len(request.litters)
    full_arms = (arms if all_fit else fewer_arms) * len(request.litters)
    # The interval of 21 rounds is worth more time than planned, up to a program of about a second.
    least = LEAST_ROUNDS if request.quick or run_seconds > 1.5 else FULL_ROUNDS
    of_mallocs = rounds(0.2, len(request.mallocs), LEAST_GLOBAL_ROUNDS, MOST_GLOBAL_ROUNDS)
    screening = rounds(0.2, 3 * fewer_arms, LEAST_SCREENING_ROUNDS, MOST_SCREENING_ROUNDS)
    full = request.rounds or rounds(0.5, full_arms, least, max(most, least))
    extra = full if all_fit else max(LEAST_ROUNDS, full // 2)
    candidates = len(request.scopes) or (5 if run_seconds < 0.3 else 3 if run_seconds < 0.7 else 2)
    runs = (
        1
        + RUNS_OF_A_RECORDING
        + of_mallocs * len(request.mallocs)
        + screening * fewer_arms * (candidates + 1)  # the best one again, without the blocks that escape
        + (0 if all_fit else screening * arms)
        + full * full_arms
        + 2 * extra * (WITHOUT_STRATEGY + 1)
    )
    strategies = tuple(STRATEGIES) if all_fit else ()
    return Plan(of_mallocs, screening, full, extra, candidates, strategies, runs)
