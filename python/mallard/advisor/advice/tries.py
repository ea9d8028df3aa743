"""Tries the candidates on the program: a short trial of each, then a long one of the best.

screening      each candidate, with two strategies
left out       the best candidate again, without the sites whose blocks outlive it
all, briefly   the best candidate, with every strategy, if the program is slow
in full        the best candidate, with every strategy or the best two
on top, both   under another malloc, and together with another scope
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mallard.advisor.advice.candidates import Candidate, disjoint, find_candidates, requested_candidates
from mallard.advisor.advice.code import type_changes
from mallard.advisor.advice.plan import FULL_ROUNDS, SCREENING, Plan, Request
from mallard.advisor.advice.study import LEAST_EFFECT, ScopePair, Screened, Study
from mallard.advisor.profile.document import Profile, read_profile
from mallard.advisor.profile.native import ask
from mallard.advisor.trial.campaign import Campaign, Ground, Result, run_campaign
from mallard.advisor.trial.program import EXCEPT, Program, Scope
from mallard.advisor.trial.scope_code import BY_STACK, CODE, exclude_code, locate_scope
from mallard.advisor.trial.strategies import STRATEGIES
from mallard.advisor.trial.verdict import SEVERAL_CORES
from mallard.shared.errors import UsageError
from mallard.shared.prose import in_prose

FINALISTS = 2  # strategies of the full trial, if the program takes long

Step = Callable[[str], Callable[[int, int], None]]  # the name of a step -> its tick


def run_trials(
    program: Program, baseline: Study, request: Request, plan: Plan, trace: Path, profile: Profile, step: Step
) -> Study:
    candidates = _find_requested(trace, request, profile) or find_candidates(profile, plan.candidates)
    if not candidates:
        return baseline
    screened = _screen_all(program, trace, candidates, request, plan, step)
    study = replace(baseline, candidates=tuple(candidates), screened=tuple(screened))
    tried = [screening for screening in screened if screening.result is not None]
    if not tried:
        return study
    runner = TrialRunner(program, step)
    best = _without_escapes(runner, tried[0], request, plan)
    tried[0] = best
    assert best.result
    scope = best.result.scope
    briefly = None if plan.strategies else _try_briefly(runner, best.result, request, plan)
    strategies = best_two(briefly) if briefly else plan.strategies or SCREENING
    full = _campaign(request, strategies, request.litters, plan.full_rounds)
    result = runner(f"measuring {best.candidate.name}", scope, full) or best.result
    notes = (*_brief_note(briefly, strategies, quick=request.quick), *_rounds_note(result, request))
    study = on_one_clock(
        replace(
            study,
            chosen=best.candidate,
            briefly=briefly,
            trial=result,
            changes=tuple(type_changes(profile, best.candidate)),
            notes=(*study.notes, *notes),
        )
    )
    if study.best:
        both = _both(runner, study, tried, request, plan)
        study = replace(study, on_top=_on_top(runner, scope, study, request, plan), both=both)
    return replace(study, notes=(*study.notes, *runner.notes))


@dataclass
class TrialRunner:
    """Runs trials. A failed trial adds a note, and keeps the earlier measurements."""

    program: Program
    step: Step
    notes: list[str] = field(default_factory=list)

    def __call__(self, name: str, scope: Scope, campaign: Campaign) -> Result | None:
        try:
            return run_campaign(self.program, scope, campaign, self.step(name))
        except UsageError as error:
            self.notes.append(f"Not measured: {name}. The reason: {_line(error)}.")
            return None

    def run_first(self, name: str, scope: Scope, campaign: Campaign) -> Ground | None:
        result = self(name, scope, campaign)
        return result.grounds[0] if result else None


def _screen_all(
    program: Program, trace: Path, candidates: list[Candidate], request: Request, plan: Plan, step: Step
) -> list[Screened]:
    """The best first."""
    alone = len(candidates) == 1 and not plan.strategies
    strategies = tuple(STRATEGIES) if alone else SCREENING
    campaign = _campaign(request, strategies, (request.litters[0],), plan.screening_rounds)
    screened = (
        _screen(program, trace, candidate, campaign, step(f"trying {candidate.name}"))
        for candidate in candidates
    )
    return sorted(screened, key=lambda screening: -screening.saved_share)


def _without_escapes(runner: TrialRunner, first: Screened, request: Request, plan: Plan) -> Screened:
    """The candidate with its lasting blocks left on the global heap, if that saves more."""
    assert first.result
    lasting = (*first.candidate.escape_sites, *first.candidate.alive_sites)
    sites = tuple({site.code: site for site in lasting if site.code}.values())
    scope = exclude_code(first.result.scope, [site.code for site in sites], "what outlives it")
    if scope is None:
        return first
    campaign = _campaign(request, SCREENING, (request.litters[0],), plan.screening_rounds)
    result = runner(f"trying {scope.name}", scope, campaign)
    retried = Screened(replace(first.candidate, left_out=sites), result)
    gain = retried.saved_seconds - max(first.saved_seconds, 0.0)
    return retried if result and gain > LEAST_EFFECT * result.grounds[0].trial.program_seconds else first


def _try_briefly(runner: TrialRunner, screened: Result, request: Request, plan: Plan) -> Ground | None:
    """Every strategy in a short trial, because running all of them in full would take too long."""
    ground = screened.grounds[0]
    if len(ground.trial.effects) + len(ground.trial.failed) == len(STRATEGIES):
        return ground
    campaign = _campaign(request, tuple(STRATEGIES), (request.litters[0],), plan.screening_rounds)
    return runner.run_first(f"every strategy in {screened.scope.name}", screened.scope, campaign)


def best_two(briefly: Ground) -> tuple[str, ...]:
    """The strategies that saved most or lost least."""
    return tuple(effect.strategy for effect in briefly.allowed[:FINALISTS]) or SCREENING


def _brief_note(briefly: Ground | None, strategies: Sequence[str], *, quick: bool) -> list[str]:
    if briefly is None:
        return []
    count = briefly.trial.effects[0].time.n if briefly.trial.effects else 0
    best = in_prose(strategies)
    reason = "As --quick asks" if quick else "The program takes long"
    return [f"{reason}: each strategy had {count} rounds, and the best of them, {best}, all."]


def on_one_clock(study: Study) -> Study:
    """Converts the mallocs and all estimates to wall time if the trial has wall time. Without a trial, a
    program that uses several cores has wall time.
    """
    wall = study.ground.trial.wall if study.ground else study.globals.cores > SEVERAL_CORES
    if not wall or study.globals.wall:
        return study
    # Estimates are scaled down in proportion, because they must not promise too much.
    share = min(1.0, study.globals.wall_seconds / max(study.globals.cpu_seconds, 1e-9))
    return replace(
        study,
        ceiling=study.ceiling.in_wall_time(),
        globals=study.globals.in_wall_time(),
        patterns=tuple(pattern.times(share) for pattern in study.patterns),
    )


def _find_requested(trace: Path, request: Request, profile: Profile) -> list[Candidate]:
    indices = {function.name: index for index, function in enumerate(profile.functions)}
    candidates = []
    for name in request.scopes:
        scope_profile = read_profile(ask([str(trace), "--scope", name]))
        assert scope_profile.scope
        candidate = requested_candidates(scope_profile, [scope_profile.scope.row])[0]
        candidates.append(replace(candidate, function=indices.get(candidate.asked_as)))
    return candidates


def _campaign(request: Request, strategies: Sequence[str], litters: tuple[int, ...], rounds: int) -> Campaign:
    return Campaign(tuple(strategies), (request.mallocs[0],), litters, (), rounds, request.seed)


def _screen(
    program: Program, trace: Path, candidate: Candidate, campaign: Campaign, tick: Callable[[int, int], None]
) -> Screened:
    """A candidate that cannot be served is skipped with a reason, because another may succeed."""
    try:
        scope = locate_scope(trace, candidate.asked_as)
        return Screened(candidate, run_campaign(program, scope, campaign, tick))
    except UsageError as error:
        return Screened(candidate, None, _line(error))


def _line(error: UsageError) -> str:
    return str(error).splitlines()[0]


def _on_top(runner: TrialRunner, scope: Scope, study: Study, request: Request, plan: Plan) -> Ground | None:
    """The chosen scope under the best of the other mallocs."""
    malloc = study.globals.best
    if malloc is None:
        return None
    assert study.best
    on_base = _campaign(request, (study.best.strategy,), (0,), plan.extra_rounds)
    campaign = replace(on_base, mallocs=(malloc.malloc,), wall=study.wall)
    return runner.run_first(f"on top of {malloc.malloc}", scope, campaign)


def _both(
    runner: TrialRunner, study: Study, screened: list[Screened], request: Request, plan: Plan
) -> ScopePair | None:
    """The chosen scope together with the next disjoint scope that saves time."""
    assert study.profile
    assert study.best
    first, *remaining = screened
    for second in remaining:
        if second.saved_seconds <= 0 or not disjoint(study.profile, first.candidate, second.candidate):
            continue
        assert first.result
        assert second.result
        scope = union(first.result.scope, second.result.scope)
        if scope is None:
            continue
        separate = _campaign(request, (study.best.strategy,), (request.litters[0],), plan.extra_rounds)
        campaign = replace(separate, wall=study.wall)
        ground = runner.run_first(f"both {first.candidate.name} and {second.candidate.name}", scope, campaign)
        return ScopePair(second.candidate, ground) if ground else None
    return None


def union(first: Scope, second: Scope) -> Scope | None:
    """Joins two scopes that are found by their code."""
    codes = [dict(scope.variables).get(CODE) for scope in (first, second)]
    if None in codes:
        return None
    code = ";".join(code for code in codes if code)
    left_out = [variable for variable in first.variables if variable[0] == EXCEPT]
    variables = (BY_STACK, (CODE, code), *left_out)
    return Scope(f"{first.name} and {second.name}", variables)


def _rounds_note(result: Result, request: Request) -> list[str]:
    if request.rounds or result.rounds >= FULL_ROUNDS:
        return []
    reason = "as --quick asks" if request.quick else "because the program takes long"
    return [f"{result.rounds} rounds, {reason}; --rounds {FULL_ROUNDS} makes the interval narrower."]
