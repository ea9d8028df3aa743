"""The candidates, tried on the program: a short trial of each, then a long one of the best.

screening      each candidate, with two strategies
left out       the best candidate again, without the sites whose blocks outlive it
all, briefly   the best candidate, with every strategy, if the program takes long
in full        the best candidate, with every strategy or the best two
on top, both   under another malloc, and together with another scope
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mallard.advice.candidates import Candidate, candidates_of, disjoint, named
from mallard.advice.code import type_changes
from mallard.advice.plan import FULL_ROUNDS, SCREENING, Asked, Plan
from mallard.advice.study import LEAST_EFFECT, Both, Screened, Study
from mallard.errors import UsageError
from mallard.profile.document import Profile, read_profile
from mallard.profile.native import ask
from mallard.selection import in_prose
from mallard.trial.campaign import Campaign, Ground, Result, run_campaign
from mallard.trial.program import EXCEPT, Program, Scope
from mallard.trial.scope_code import BY_STACK, CODE, less_code, scope_of
from mallard.trial.strategies import STRATEGIES
from mallard.trial.verdict import SEVERAL_CORES

KEPT = 2  # strategies of the full trial, if the program takes long

Step = Callable[[str], Callable[[int, int], None]]  # the name of a step -> its tick


def tried_on(
    program: Program, begun: Study, asked: Asked, plan: Plan, trace: Path, profile: Profile, step: Step
) -> Study:
    candidates = _asked_for(trace, asked, profile) or candidates_of(profile, plan.candidates)
    if not candidates:
        return begun
    screened = _screened(program, trace, candidates, asked, plan, step)
    now = replace(begun, candidates=tuple(candidates), screened=tuple(screened))
    tried = [each for each in screened if each.result is not None]
    if not tried:
        return now
    run = Guarded(program, step)
    first = _without_escapes(run, tried[0], asked, plan)
    tried[0] = first
    assert first.result
    scope = first.result.scope
    briefly = None if plan.strategies else _briefly(run, first.result, asked, plan)
    strategies = best_two(briefly) if briefly else plan.strategies or SCREENING
    full = _campaign(asked, strategies, asked.litters, plan.full_rounds)
    result = run(f"measuring {first.candidate.name}", scope, full) or first.result
    notes = (*_brief_note(briefly, strategies, quick=asked.quick), *_rounds_note(result, asked))
    now = on_one_clock(
        replace(
            now,
            chosen=first.candidate,
            briefly=briefly,
            trial=result,
            changes=tuple(type_changes(profile, first.candidate)),
            notes=(*now.notes, *notes),
        )
    )
    if now.best:
        both = _both(run, now, tried, asked, plan)
        now = replace(now, on_top=_on_top(run, scope, now, asked, plan), both=both)
    return replace(now, notes=(*now.notes, *run.notes))


@dataclass
class Guarded:
    """Runs trials. One that fails costs a note, and nothing that was measured before."""

    program: Program
    step: Step
    notes: list[str] = field(default_factory=list)

    def __call__(self, name: str, scope: Scope, campaign: Campaign) -> Result | None:
        try:
            return run_campaign(self.program, scope, campaign, self.step(name))
        except UsageError as error:
            self.notes.append(f"Not measured: {name}. The reason: {_line(error)}.")
            return None

    def one(self, name: str, scope: Scope, campaign: Campaign) -> Ground | None:
        result = self(name, scope, campaign)
        return result.grounds[0] if result else None


def _screened(
    program: Program, trace: Path, candidates: list[Candidate], asked: Asked, plan: Plan, step: Step
) -> list[Screened]:
    """The best first."""
    alone = len(candidates) == 1 and not plan.strategies
    strategies = tuple(STRATEGIES) if alone else SCREENING
    campaign = _campaign(asked, strategies, (asked.litters[0],), plan.screening_rounds)
    screened = (_screen(program, trace, each, campaign, step(f"trying {each.name}")) for each in candidates)
    return sorted(screened, key=lambda each: -each.saved_share)


def _without_escapes(run: Guarded, first: Screened, asked: Asked, plan: Plan) -> Screened:
    """The candidate with the blocks that outlive it left on the global heap, if that saves more."""
    assert first.result
    lasting = (*first.candidate.escape_sites, *first.candidate.alive_sites)
    sites = tuple({each.code: each for each in lasting if each.code}.values())
    scope = less_code(first.result.scope, [each.code for each in sites], "what outlives it")
    if scope is None:
        return first
    campaign = _campaign(asked, SCREENING, (asked.litters[0],), plan.screening_rounds)
    result = run(f"trying {scope.name}", scope, campaign)
    again = Screened(replace(first.candidate, left_out=sites), result)
    more = again.saved_seconds - max(first.saved_seconds, 0.0)
    return again if result and more > LEAST_EFFECT * result.grounds[0].trial.program_seconds else first


def _briefly(run: Guarded, screened: Result, asked: Asked, plan: Plan) -> Ground | None:
    """Every strategy in a short trial, because all of them in full would take too long."""
    there = screened.grounds[0]
    if len(there.trial.effects) + len(there.trial.failed) == len(STRATEGIES):
        return there
    campaign = _campaign(asked, tuple(STRATEGIES), (asked.litters[0],), plan.screening_rounds)
    return run.one(f"every strategy in {screened.scope.name}", screened.scope, campaign)


def best_two(briefly: Ground) -> tuple[str, ...]:
    """Those that saved most, or lost least."""
    return tuple(each.strategy for each in briefly.allowed[:KEPT]) or SCREENING


def _brief_note(briefly: Ground | None, strategies: Sequence[str], *, quick: bool) -> list[str]:
    if briefly is None:
        return []
    count = briefly.trial.effects[0].time.n if briefly.trial.effects else 0
    best = in_prose(strategies)
    why = "As --quick asks" if quick else "The program takes long"
    return [f"{why}: each strategy had {count} rounds, and the best of them, {best}, all."]


def on_one_clock(study: Study) -> Study:
    """With the mallocs and all estimates in wall time, if the trial has wall time. Without a trial, a program
    that uses several cores has it."""
    wall = study.ground.trial.wall if study.ground else study.globals.cores > SEVERAL_CORES
    if not wall or study.globals.wall:
        return study
    # An estimate must not promise too much, so it takes its share of the program's time.
    part = min(1.0, study.globals.wall_seconds / max(study.globals.cpu_seconds, 1e-9))
    return replace(
        study,
        ceiling=study.ceiling.in_wall_time(),
        globals=study.globals.in_wall_time(),
        patterns=tuple(each.times(part) for each in study.patterns),
    )


def _asked_for(trace: Path, asked: Asked, profile: Profile) -> list[Candidate]:
    numbers = {each.name: place for place, each in enumerate(profile.functions)}
    found = []
    for name in asked.scopes:
        one = read_profile(ask([str(trace), "--scope", name]))
        assert one.scope
        candidate = named(one, [one.scope.row])[0]
        found.append(replace(candidate, function=numbers.get(candidate.asked_as)))
    return found


def _campaign(asked: Asked, strategies: Sequence[str], litters: tuple[int, ...], rounds: int) -> Campaign:
    return Campaign(tuple(strategies), (asked.mallocs[0],), litters, (), rounds, asked.seed)


def _screen(
    program: Program, trace: Path, candidate: Candidate, campaign: Campaign, tick: Callable[[int, int], None]
) -> Screened:
    """A candidate that cannot be served is no error: another one may be."""
    try:
        scope = scope_of(trace, candidate.asked_as)
        return Screened(candidate, run_campaign(program, scope, campaign, tick))
    except UsageError as error:
        return Screened(candidate, None, _line(error))


def _line(error: UsageError) -> str:
    return str(error).splitlines()[0]


def _on_top(run: Guarded, scope: Scope, now: Study, asked: Asked, plan: Plan) -> Ground | None:
    """The same scope under the best of the other mallocs."""
    other = now.globals.best
    if other is None:
        return None
    assert now.best
    usual = _campaign(asked, (now.best.strategy,), (0,), plan.extra_rounds)
    campaign = replace(usual, mallocs=(other.malloc,), wall=now.wall)
    return run.one(f"on top of {other.malloc}", scope, campaign)


def _both(run: Guarded, now: Study, tried: list[Screened], asked: Asked, plan: Plan) -> Both | None:
    """The chosen scope together with the next one that saves time, if neither lies inside the other."""
    assert now.profile
    assert now.best
    first, *others = tried
    for second in others:
        if second.saved_seconds <= 0 or not disjoint(now.profile, first.candidate, second.candidate):
            continue
        assert first.result
        assert second.result
        scope = union(first.result.scope, second.result.scope)
        if scope is None:
            continue
        usual = _campaign(asked, (now.best.strategy,), (asked.litters[0],), plan.extra_rounds)
        campaign = replace(usual, wall=now.wall)
        ground = run.one(f"both {first.candidate.name} and {second.candidate.name}", scope, campaign)
        return Both(second.candidate, ground) if ground else None
    return None


def union(one: Scope, other: Scope) -> Scope | None:
    """Two scopes that are found by their code, as one."""
    by_code = [dict(each.variables).get(CODE) for each in (one, other)]
    if None in by_code:
        return None
    code = ";".join(each for each in by_code if each)
    left_out = [each for each in one.variables if each[0] == EXCEPT]
    variables = (BY_STACK, (CODE, code), *left_out)
    return Scope(f"{one.name} and {other.name}", variables)


def _rounds_note(result: Result, asked: Asked) -> list[str]:
    if asked.rounds or result.rounds >= FULL_ROUNDS:
        return []
    reason = "as --quick asks" if asked.quick else "because the program takes long"
    return [f"{result.rounds} rounds, {reason}; --rounds {FULL_ROUNDS} makes the interval narrower."]
