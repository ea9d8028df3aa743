"""The further ages of the advice: whether the program can be aged, and its last candidates there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from mallard.advisor.advice.aged import (
    ARMS_OF_A_SCOPE,
    LEAST_ARMS,
    LEAST_ROUNDS,
    AgedHeap,
    AgedPlan,
    AgeProbe,
    ScopeTrial,
    failure_reason,
    measure_aged,
    probe_age,
)
from mallard.advisor.advice.candidates import Candidate
from mallard.advisor.advice.plan import Plan, Request
from mallard.advisor.advice.study import Study
from mallard.advisor.trial.effect import SEVERAL_CORES
from mallard.advisor.trial.program import Program, RunResult
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import is_switch

LEAST_FOOTPRINT = 1 << 18  # bytes of a scope; fewer stay in the caches of a processor
LEAST_SCATTERED = 1000  # blocks
LEAST_AGING = 0.05  # the program ages if it is slower by more
TOO_FEW_BLOCKS = "the program allocates too few blocks to be scattered"

Step = Callable[[str], Callable[[int, int], None]]  # the name of a step -> its tick


def probe_ages(
    program: Program, first: RunResult, request: Request, step: Step
) -> tuple[float, list[AgeProbe]]:
    """The seconds of a run at the first age, and the probes of the further ones."""
    seconds = first.wall_seconds
    probes = []
    for index, age in enumerate(request.ages):
        if age.is_young:
            if index > 0:
                probes.append(AgeProbe(age, seconds))
            continue
        step(f"first run on {age.heap}")
        try:
            probe = probe_age(program, request.mallocs[0], age)
        except UsageError as error:
            if not request.may_omit_ages:
                raise
            probe = AgeProbe(age, reason=failure_reason(error))
        if index == 0:
            seconds = probe.seconds
        else:
            probes.append(probe)
    return seconds, probes


def trials_at_ages(study: Study) -> list[ScopeTrial]:
    """The chosen scope, and of the others the one whose blocks lie on most pages."""
    if study.trial is None or study.chosen is None:
        return []
    best = study.best or next(iter(study.trial.baselines[0].allowed), None)
    trials = [ScopeTrial(study.chosen, study.trial.scope, best.strategy)] if best else []
    others = [
        ScopeTrial(screened.candidate, screened.result.scope, screened.best.strategy)
        for screened in study.screened
        if screened.result and screened.best and screened.candidate.asked_as != study.chosen.asked_as
    ]
    others = [trial for trial in others if footprint(trial.candidate) >= LEAST_FOOTPRINT]
    return [*trials, *sorted(others, key=lambda trial: -footprint(trial.candidate))[:1]]


def footprint(candidate: Candidate) -> float:
    """The most live bytes of an activation."""
    return candidate.peak_max or 0.0


def measure_ages(
    program: Program,
    study: Study,
    request: Request,
    plans: Sequence[AgedPlan],
    trials: Sequence[ScopeTrial],
    step: Step,
) -> tuple[AgedHeap, ...]:
    mallocs = [request.mallocs[0], *_fastest_mallocs(study)]
    several = study.load is None and study.globals.cores > SEVERAL_CORES
    return tuple(
        measure_aged(
            program,
            plan,
            mallocs,
            trials,
            wall=study.baseline.trial.wall if study.baseline else several,
            seed=request.seed,
            tick=step(f"the last candidates on {plan.age.heap}"),
        )
        for plan in plans
    )


def _fastest_mallocs(study: Study) -> list[str]:
    """The fastest other malloc or tunable on a young heap, and the fastest one of the other kind."""
    names = [effect.malloc for effect in study.globals.allowed]
    first = study.best_malloc.malloc if study.best_malloc else next(iter(names), None)
    if first is None:
        return []
    return [first, *(name for name in names if is_switch(name) is not is_switch(first))][:2]


def measure_quiet_ages(
    program: Program,
    study: Study,
    request: Request,
    plan: Plan,
    locate: Callable[[], list[ScopeTrial]],
    step: Step,
) -> tuple[AgedHeap, ...]:
    """The ages of a program that spends hardly any time in malloc. Its blocks may still be scattered, so that
    reading them takes longer: only if the program ages, the scopes of `locate` are tried.
    """
    if study.allocations < LEAST_SCATTERED:
        return tuple(AgedHeap(aged.age, aged.reason or TOO_FEW_BLOCKS) for aged in plan.aged)
    heaps = []
    for aged in plan.aged:
        rounds = aged.rounds or LEAST_ROUNDS
        (heap,) = measure_ages(program, study, request, [replace(aged, rounds=rounds)], [], step)
        if heap.slower and heap.slower.low > 1 + LEAST_AGING:
            left = aged.budget_seconds - rounds * LEAST_ARMS * aged.run_seconds
            trials = locate()
            rest = replace(aged, budget_seconds=max(left, 0.0))
            if trials and rest.rounds_of(LEAST_ARMS + ARMS_OF_A_SCOPE):
                (heap,) = measure_ages(program, study, request, [rest], trials, step)
        heaps.append(heap)
    return tuple(heaps)
