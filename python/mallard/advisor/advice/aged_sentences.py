"""What the last candidates save at further ages, as facts."""

from __future__ import annotations

from collections.abc import Iterator

from mallard.advisor.advice.aged import AgedHeap, AgedScope
from mallard.advisor.advice.global_mallocs import GlobalEffect
from mallard.advisor.advice.study import Study
from mallard.advisor.advice.wording import change, interval, scope_name, strategy_name, times
from mallard.advisor.trial.campaign import LEAST_EFFECT, Baseline, describe_failures_together
from mallard.advisor.trial.effect import Effect, slower_interval, times_slower
from mallard.shared.mallocs import title
from mallard.shared.prose import in_prose
from mallard.shared.stats import Difference


def best_aged_scope(aged: AgedHeap) -> AgedScope | None:
    """The scope that saves most there, if that is worth a change."""
    saving = [
        (scope.effect.time.median, index)
        for index, scope in enumerate(aged.scopes)
        if scope.effect and _is_worth(scope.effect, scope.baseline)
    ]
    return aged.scopes[min(saving)[1]] if saving else None


def _is_worth(effect: Effect, baseline: Baseline) -> bool:
    return effect.saves and -effect.time.median >= LEAST_EFFECT * baseline.trial.program_seconds


def best_aged_malloc(aged: AgedHeap) -> GlobalEffect | None:
    if aged.globals is None or aged.globals.best is None:
        return None
    best = aged.globals.best
    return best if -best.time.median >= LEAST_EFFECT * aged.globals.seconds else None


def measured_change(difference: Difference, seconds: float) -> str:
    """A change of the time; one whose interval contains zero is named as what it is."""
    text = change(difference, seconds)
    return f"no significant effect: {text}" if difference.low <= 0 <= difference.high else text


def still_saves(best: Effect) -> str:
    if best.saves:
        return f"still saves {times(-best.time.median)} ({interval(best.time)})"
    if best.costs:
        return change(best.time)
    return f"has no significant effect: {change(best.time)}"


def aged_facts(study: Study) -> Iterator[tuple[str, str]]:
    """The further ages, and the reason if one was not measured."""
    for aged in study.aged:
        if aged.reason:
            yield f"on {aged.heap}", f"not measured, because {aged.reason}"
            continue
        parts = []
        if aged.slower:
            parts.append(f"the program is {times_slower(aged.slower)}{slower_interval(aged.slower)}")
        if aged.globals:
            for effect in aged.globals.allowed:
                words = measured_change(effect.time, aged.globals.seconds)
                parts.append(f"{title(effect.malloc)} instead of {aged.globals.base}: {words}")
        for scope in aged.scopes:
            if scope.effect:
                name = strategy_name(scope.effect, scope.candidate).rstrip(",")
                words = measured_change(scope.effect.time, scope.baseline.trial.program_seconds)
                parts.append(f"{name} in {scope_name(scope.effect, scope.candidate)}: {words}")
            if scope.effect_on_top and scope.on_top:
                parts.append(f"on top of {title(scope.on_top.malloc)} it {still_saves(scope.effect_on_top)}")
            failures = scope.baseline.failures
            if failures:
                parts.append(describe_failures_together(failures))
        rounds = f"{aged.rounds} rounds"
        if aged.omitted:
            rounds += f", without {in_prose(aged.omitted)} for want of time"
        yield f"on {aged.heap}", f"{'; '.join(parts)}; {rounds}"
