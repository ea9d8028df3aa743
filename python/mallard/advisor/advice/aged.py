"""Measures the last candidates on a heap with a past: the program's own malloc, the best other one, the best
of glibc's tunables, and the scopes that may gain, under the first two.

Each run makes the history first, which takes seconds. So the rounds are planned from one run at that age,
and arms are left out where the rounds would be too few.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from mallard.advisor.advice.candidates import Candidate
from mallard.advisor.advice.global_mallocs import Globals, compare_mallocs
from mallard.advisor.trial.campaign import (
    Baseline,
    Campaign,
    Promise,
    run_once,
    summarize_baseline,
    timed_run,
)
from mallard.advisor.trial.effect import Effect, run_cpu_seconds, run_wall_seconds
from mallard.advisor.trial.preloading import refuse_unaged
from mallard.advisor.trial.process import RunsDifferError, refuse_difference
from mallard.advisor.trial.program import AS_IT_IS, NULL, Program, RunResult, Scope, arm_under
from mallard.advisor.trial.rounds import Rounds, interleaved, refuse_killed
from mallard.shared.age import Age, young
from mallard.shared.errors import UsageError
from mallard.shared.stats import Ratio, paired_ratio

LEAST_ROUNDS, MOST_ROUNDS = 3, 21
LEAST_ARMS, MOST_ARMS = 1, 9  # without that on a young heap, which takes little time next to a history
ARMS_OF_A_SCOPE = 2  # the null, and the strategy
YOUNG_ARM = "on a young heap"  # its time shows how far the program ages


@dataclass(frozen=True)
class AgeProbe:
    """The first run at an age, which finds out whether the program can be aged, and the time of a run."""

    age: Age
    seconds: float = 0.0  # with the history
    reason: str = ""  # the program cannot be aged


@dataclass(frozen=True)
class AgedPlan:
    """The runs at an age."""

    age: Age
    run_seconds: float  # with the history
    budget_seconds: float
    rounds: int | None = None  # at most, as --rounds asks
    is_asked: bool = False  # by --age, and so measured even if that takes longer than the budget
    reason: str = ""  # nothing is measured

    @property
    def most_runs(self) -> int:
        if self.reason:
            return 0
        return max(self.rounds_of(arms) * arms for arms in range(LEAST_ARMS, MOST_ARMS + 1))

    def rounds_of(self, arms: int) -> int:
        """The rounds for which there is time; 0 if they are too few for an interval."""
        if self.is_asked and self.rounds:
            return self.rounds
        fitting = int(self.budget_seconds / (arms * max(self.run_seconds, 1e-3)))
        rounds = min(self.rounds or MOST_ROUNDS, fitting)
        if rounds < LEAST_ROUNDS:
            return LEAST_ROUNDS if self.is_asked else 0
        return rounds


@dataclass(frozen=True)
class ScopeTrial:
    """A scope to serve on the aged heap, by the strategy that did best on a young one."""

    candidate: Candidate
    scope: Scope
    strategy: str


@dataclass(frozen=True)
class AgedScope:
    candidate: Candidate
    baseline: Baseline
    on_top: Baseline | None = None  # under the best of the other mallocs on a young heap

    @property
    def effect(self) -> Effect | None:
        return next(iter(self.baseline.allowed), None)

    @property
    def promise(self) -> Promise | None:
        candidate, effect = self.candidate, self.effect
        return self.baseline.promise(candidate.name, effect, candidate.source) if effect else None

    @property
    def effect_on_top(self) -> Effect | None:
        return next(iter(self.on_top.allowed), None) if self.on_top else None


@dataclass(frozen=True)
class AgedHeap:
    """The last candidates on a heap with a past."""

    age: Age
    reason: str = ""  # nothing was measured
    rounds: int = 0
    slower: Ratio | None = None  # the unchanged program, than on a young heap
    globals: Globals | None = None  # the own malloc, and the best others
    scopes: tuple[AgedScope, ...] = ()
    omitted: tuple[str, ...] = ()  # mallocs and scopes for which there was no time

    @property
    def heap(self) -> str:
        return self.age.heap


def probe_age(program: Program, malloc: str, age: Age) -> AgeProbe:
    """Runs the program once at the age. Raises a UsageError if the program cannot be aged."""
    run, seconds = timed_run(program, malloc, age)
    if run.counts is None or not run.counts.is_replaced:
        refuse_unaged(program, run)
    assert program.first
    refuse_difference(program.first, run, f"the run on {age.heap}")
    return AgeProbe(age, seconds)


def failure_reason(error: UsageError) -> str:
    """The message without its remedies, which are options of other verbs."""
    if isinstance(error, RunsDifferError) and error.difference:
        return error.difference
    return str(error).splitlines()[0].partition("; ")[0]


def plan_aged(probe: AgeProbe, budget_seconds: float, rounds: int | None, *, is_asked: bool) -> AgedPlan:
    """`rounds` is None if the time decides."""
    plan = AgedPlan(probe.age, probe.seconds, budget_seconds, rounds, is_asked, probe.reason)
    if plan.reason or plan.rounds_of(LEAST_ARMS):
        return plan
    reason = (
        f"{LEAST_ROUNDS} runs with their history take {LEAST_ROUNDS * probe.seconds:.0f} s, and "
        f"{budget_seconds:.0f} s are left; --age young,{probe.age.name} takes the time"
    )
    return replace(plan, reason=reason)


@dataclass(frozen=True)
class _Arms:
    """The arms of the rounds by name."""

    count: int  # on the aged heap
    run: dict[str, Callable[[], RunResult]]
    mallocs: tuple[str, ...]
    omitted: tuple[str, ...]


def _part(completed: Rounds[RunResult], names: Mapping[str, str]) -> Rounds[RunResult]:
    """The runs of some arms, under the names that they have in a trial."""
    return Rounds(
        {name: completed.of(arm) for name, arm in names.items() if completed.of(arm)},
        {name: completed.failed[arm] for name, arm in names.items() if arm in completed.failed},
        {name: completed.odd[arm] for name, arm in names.items() if arm in completed.odd},
    )


def _scope_arm(trial: ScopeTrial, malloc: str, strategy: str) -> str:
    return f"{trial.candidate.title} by {strategy} under {malloc}"


def _choose_arms(
    program: Program, plan: AgedPlan, mallocs: Sequence[str], trials: Sequence[ScopeTrial]
) -> _Arms | None:
    """As many arms as there is time for, the most important first; None if there is none."""
    choices = [
        (mallocs, trials),
        (mallocs, trials[:1]),
        (mallocs[:2], trials[:1]),
        (mallocs[:1], trials[:1]),
        (mallocs[:1], ()),
    ]
    for chosen_mallocs, chosen in choices:
        served = [(trial, mallocs[0]) for trial in chosen]
        if chosen:
            served += [(chosen[0], malloc) for malloc in chosen_mallocs[1:2]]
        count = len(chosen_mallocs) + ARMS_OF_A_SCOPE * len(served)
        if not plan.rounds_of(count):
            continue
        arms: dict[str, Callable[[], RunResult]] = {}
        for malloc in chosen_mallocs:
            arms[malloc] = partial(_run_unchanged, program, malloc, plan.age)
        arms[YOUNG_ARM] = partial(_run_unchanged, program, mallocs[0], young())
        for trial, malloc in served:
            for strategy in (NULL, trial.strategy):
                arm = arm_under(malloc, strategy, plan.age)
                arms[_scope_arm(trial, malloc, strategy)] = partial(program.run, arm, trial.scope)
        omitted = [malloc for malloc in mallocs if malloc not in chosen_mallocs]
        omitted += [trial.candidate.title for trial in trials if trial not in chosen]
        return _Arms(count, arms, tuple(chosen_mallocs), tuple(omitted))
    return None


def _run_unchanged(program: Program, malloc: str, age: Age) -> RunResult:
    run = run_once(program, malloc, age)
    refuse_killed(run)
    return run


def measure_aged(
    program: Program,
    plan: AgedPlan,
    mallocs: Sequence[str],
    trials: Sequence[ScopeTrial],
    *,
    wall: bool,
    seed: int,
    tick: Callable[[int, int], None],
) -> AgedHeap:
    """The first malloc is the base. The result has a reason if the program does not run at that age."""
    if plan.reason:
        return AgedHeap(plan.age, plan.reason)
    arms = _choose_arms(program, plan, mallocs, trials)
    assert arms  # else the plan has a reason
    rounds = plan.rounds_of(arms.count)
    base = mallocs[0]
    try:
        completed = interleaved(arms.run, base, rounds, seed, tick, first=program.first)
    except UsageError as error:
        return AgedHeap(plan.age, failure_reason(error))
    seconds = run_wall_seconds if wall else run_cpu_seconds
    compared = compare_mallocs(_part(completed, {name: name for name in arms.mallocs}), rounds)
    compared = replace(compared, base=program.name_malloc(base), age=plan.age.name)

    def baseline(trial: ScopeTrial, malloc: str) -> Baseline | None:
        """None if it was not tried, or the program does not tolerate that the scope is found."""
        names = {name: _scope_arm(trial, malloc, name) for name in (NULL, trial.strategy)}
        part = _part(completed, {AS_IT_IS: malloc, **names})
        if not part.of(NULL) or not part.of(AS_IT_IS):
            return None
        rounds = len(part.of(NULL))
        campaign = Campaign((trial.strategy,), (malloc,), (plan.age,), rounds, seed, wall)
        return summarize_baseline(campaign, malloc, plan.age, part)

    times, young_times = ([seconds(run) for run in completed.of(arm)] for arm in (base, YOUNG_ARM))
    return AgedHeap(
        plan.age,
        rounds=rounds,
        slower=_slower(times, young_times),
        globals=compared.in_wall_time() if wall else compared,
        scopes=tuple(
            AgedScope(
                trial.candidate,
                below,
                next(filter(None, (baseline(trial, other) for other in mallocs[1:])), None),
            )
            for trial in trials
            if (below := baseline(trial, base)) is not None
        ),
        omitted=arms.omitted,
    )


def _slower(aged: Sequence[float], young_times: Sequence[float]) -> Ratio | None:
    """Against the runs on a young heap in the same rounds."""
    count = min(len(aged), len(young_times))
    if count == 0 or min(*aged[:count], *young_times[:count]) <= 0:
        return None
    return paired_ratio(aged[:count], young_times[:count])
