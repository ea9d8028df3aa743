"""The course of the advice: run the program as it is, record it, try the best candidates on it.

Each step costs runs of the program. The time for all of them is planned from the first run, so that the
answer comes in about two minutes; a long program gets fewer rounds, and a wider interval.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mallard.advice.candidates import Candidate, candidates_of, disjoint, named
from mallard.advice.ceiling import Ceiling, ceiling_of, fault_nanoseconds, width
from mallard.advice.code import type_changes
from mallard.advice.globals import Globals, run_globals, run_once
from mallard.advice.patterns import patterns_of
from mallard.advice.study import Both, Screened, Study
from mallard.errors import UsageError
from mallard.profile.document import Profile, read_profile
from mallard.profile.native import ask
from mallard.profile.sentences import withheld
from mallard.trial.campaign import Campaign, Ground, Result, run_campaign
from mallard.trial.native import NothingRecordedError, record
from mallard.trial.program import Once, Program, Scope
from mallard.trial.scope_code import scope_of
from mallard.trial.strategies import STRATEGIES
from mallard.trial.verdict import SEVERAL_CORES

SCREENING = ("monotonic", "multipool")
SECONDS, QUICK_SECONDS = 100.0, 25.0
FULL_ROUNDS, LEAST_ROUNDS = 21, 5
MOST_ROUNDS_IF_SHORT = 41
SHORT_SECONDS = 0.05
MOST_RECORDINGS, SECONDS_TO_RECORD = 3, 20.0
DISTURBED = 0.3  # width of an interval beside its middle
LEAST_GLOBAL_ROUNDS, MOST_GLOBAL_ROUNDS = 3, 11
LEAST_SCREENING_ROUNDS, MOST_SCREENING_ROUNDS = 3, 5

Step = Callable[[str], Callable[[int, int], None]]  # the name of a step -> its tick


@dataclass(frozen=True)
class Asked:
    """What the user asked for."""

    mallocs: tuple[str, ...]  # the first is the base
    scopes: tuple[str, ...] = ()
    rounds: int | None = None
    litters: tuple[int, ...] = (0,)
    quick: bool = False
    seed: int = 1

    @property
    def seconds(self) -> float:
        return QUICK_SECONDS if self.quick else SECONDS


@dataclass(frozen=True)
class Plan:
    """Rounds of each step, for a program that takes so long."""

    global_rounds: int
    screening_rounds: int
    full_rounds: int
    candidates: int
    strategies: tuple[str, ...]  # of the full trial; empty for the best two of the screening


def plan_for(seconds: float, asked: Asked) -> Plan:
    each = max(seconds, 0.002)
    budget = asked.seconds

    def rounds(share: float, arms: int, least: int, most: int) -> int:
        return max(least, min(most, int(share * budget / (arms * each))))

    arms = 2 + len(STRATEGIES)
    most = MOST_ROUNDS_IF_SHORT if seconds < SHORT_SECONDS else FULL_ROUNDS
    all_fit = FULL_ROUNDS * arms * each <= 0.6 * budget * len(asked.litters)
    full_arms = (arms if all_fit else 2 + len(SCREENING)) * len(asked.litters)
    # The interval of 21 rounds is worth more time than planned, up to a program of about a second.
    least = LEAST_ROUNDS if asked.quick or each > 1.5 else FULL_ROUNDS
    return Plan(
        rounds(0.2, len(asked.mallocs), LEAST_GLOBAL_ROUNDS, MOST_GLOBAL_ROUNDS),
        rounds(0.2, 3 * 4, LEAST_SCREENING_ROUNDS, MOST_SCREENING_ROUNDS),
        asked.rounds or rounds(0.5, full_arms, least, max(most, least)),
        5 if each < 0.3 else 3 if each < 3 else 2,
        tuple(STRATEGIES) if all_fit else (),
    )


def study(program: Program, asked: Asked, trace: Path | None, folder: Path, step: Step) -> Study:
    return on_one_clock(_study(program, asked, trace, folder, step))


def _study(program: Program, asked: Asked, trace: Path | None, folder: Path, step: Step) -> Study:
    """Runs the program as often as the answer needs: below a ceiling of 2 % nothing is tried."""
    step("first run")
    first = run_once(program, asked.mallocs[0])
    step("recording")
    try:
        recording, profile = _recorded(program, trace, folder)
    except NothingRecordedError as error:
        return _silent(program, asked, first, str(error))
    plan = plan_for(first.wall_seconds, asked)
    fault_ns = fault_nanoseconds()
    if not ceiling_of(profile, first.cpu_seconds, first.wall_seconds, first.faults, fault_ns).worth_a_trial:
        return _start(program, asked, profile, _alone(first, asked), fault_ns)
    mallocs = run_globals(
        program, asked.mallocs, plan.global_rounds, asked.seed, step("other mallocs"), asked.litters[0]
    )
    begun = _start(program, asked, profile, mallocs, fault_ns)
    if not begun.ceiling.worth_a_trial:
        return begun
    # The first run may have read files that the others find in memory.
    plan = plan_for(mallocs.wall_seconds, asked)
    return _tried(program, begun, asked, plan, recording, profile, step)


def _silent(program: Program, asked: Asked, first: Once, reason: str) -> Study:
    """A program that never allocates, as far as the recorder saw."""
    return Study(
        words=tuple(program.words),
        base=asked.mallocs[0],
        allocations=0,
        peak_live_bytes=0,
        threads=0,
        withheld="",
        ceiling=Ceiling(0.0, 0.0, 0.0, first.cpu_seconds, 0, None, 0, 0.0, first.wall_seconds),
        globals=_alone(first, asked),
        notes=(f"{reason[:1].upper()}{reason[1:]}.",),
    )


def _recorded(program: Program, trace: Path | None, folder: Path) -> tuple[Path, Profile]:
    """Records again where other processes disturbed the times, and keeps the quietest recording."""
    if trace is not None:
        return trace, read_profile(ask([str(trace)]))
    found = []
    begin = time.monotonic()
    for number in range(MOST_RECORDINGS):
        file = record(program.words, program.stdin, folder / f"{number}.trace", program.seconds_limit)
        found.append((file, read_profile(ask([str(file)]))))
        if width(found[-1][1]) < DISTURBED or time.monotonic() - begin > SECONDS_TO_RECORD:
            break
    return min(found, key=lambda each: width(each[1]))


def _alone(first: Once, asked: Asked) -> Globals:
    return Globals(
        base=asked.mallocs[0],
        seconds=first.cpu_seconds,
        cpu_seconds=first.cpu_seconds,
        wall_seconds=first.wall_seconds,
        peak_bytes=float(first.peak_bytes),
        faults=float(first.faults),
        rounds=1,
        status=first.status,
        same_output=True,
        same_end=True,
        effects=(),
    )


def _start(program: Program, asked: Asked, profile: Profile, mallocs: Globals, fault_ns: float) -> Study:
    ceiling = ceiling_of(profile, mallocs.cpu_seconds, mallocs.wall_seconds, round(mallocs.faults), fault_ns)
    return Study(
        words=tuple(program.words),
        base=asked.mallocs[0],
        allocations=profile.figures.allocations,
        peak_live_bytes=profile.timeline.peak_bytes if profile.timeline else None,
        threads=profile.process.threads,
        withheld=withheld(profile),
        ceiling=ceiling,
        globals=mallocs,
        patterns=tuple(patterns_of(profile)) if ceiling.worth_a_trial else (),
        notes=tuple(notes_of(program, profile, mallocs, ceiling)),
        profile=profile,
    )


def _tried(
    program: Program, begun: Study, asked: Asked, plan: Plan, trace: Path, profile: Profile, step: Step
) -> Study:
    candidates = _asked_for(trace, asked, profile) or candidates_of(profile, plan.candidates)
    if not candidates:
        return begun
    screening = _campaign(asked, SCREENING, (asked.litters[0],), plan.screening_rounds)
    screened = sorted(
        (_screen(program, trace, each, screening, step(f"trying {each.name}")) for each in candidates),
        key=lambda each: -each.saved_share,
    )
    now = replace(begun, candidates=tuple(candidates), screened=tuple(screened))
    tried = [each for each in screened if each.result is not None]
    if not tried:
        return now
    chosen = tried[0]
    assert chosen.result
    strategies = plan.strategies or SCREENING
    full = _campaign(asked, strategies, asked.litters, plan.full_rounds)
    scope = chosen.result.scope
    result = run_campaign(program, scope, full, step(f"measuring {chosen.candidate.name}"))
    now = replace(
        now,
        chosen=chosen.candidate,
        trial=result,
        changes=tuple(type_changes(profile, chosen.candidate)),
        notes=(*now.notes, *_rounds_note(result, asked)),
    )
    now = on_one_clock(now)
    if now.best is None:
        return now
    best = now.best.strategy
    on_top = _on_top(program, scope, now, asked, plan, best, step)
    return replace(now, on_top=on_top, both=_both(program, now, tried, asked, plan, step))


def on_one_clock(study: Study) -> Study:
    """With the ceiling, the mallocs and the estimates in wall time, if the trial has wall time. Without a
    trial, a program that uses several cores has it."""
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
        return Screened(candidate, None, str(error).splitlines()[0])


def _on_top(
    program: Program, scope: Scope, now: Study, asked: Asked, plan: Plan, strategy: str, step: Step
) -> Ground | None:
    """The same scope under the best of the other mallocs."""
    other = now.globals.best
    if other is None:
        return None
    rounds = max(LEAST_ROUNDS, plan.full_rounds // 2)
    usual = _campaign(asked, (strategy,), (0,), rounds)
    campaign = replace(usual, mallocs=(other.malloc,), wall=now.wall)
    return run_campaign(program, scope, campaign, step(f"on top of {other.malloc}")).grounds[0]


def _both(
    program: Program, now: Study, tried: list[Screened], asked: Asked, plan: Plan, step: Step
) -> Both | None:
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
        usual = _campaign(asked, (now.best.strategy,), (asked.litters[0],), plan.full_rounds)
        campaign = replace(usual, wall=now.wall)
        tick = step(f"both {first.candidate.name} and {second.candidate.name}")
        return Both(second.candidate, run_campaign(program, scope, campaign, tick).grounds[0])
    return None


def union(one: Scope, other: Scope) -> Scope | None:
    """Two scopes that are found by their code, as one."""
    by_code = [dict(each.variables).get("MALLARD_TRIAL_CODE") for each in (one, other)]
    if None in by_code:
        return None
    code = ";".join(each for each in by_code if each)
    return Scope(
        f"{one.name} and {other.name}", (("MALLARD_TRIAL_BY", "stack"), ("MALLARD_TRIAL_CODE", code))
    )


def notes_of(program: Program, profile: Profile, mallocs: Globals, ceiling: Ceiling) -> list[str]:
    """Doubts about the program that runs."""
    notes = []
    if mallocs.status != 0:
        given = "" if program.stdin else "; its standard input is empty, --input FILE gives it one"
        end = Once(0, 0, 0, 0, mallocs.status, "", None).end
        notes.append(f"The program {end}{given}.")
    if not mallocs.same_end:
        notes.append("The program ended differently from run to run, so runs are hard to compare.")
    if not mallocs.same_output:
        notes.append("The program's output differs from run to run, so it was not compared.")
    if ceiling.worth_a_trial and mallocs.seconds < SHORT_SECONDS:
        notes.append(
            f"The program takes {1e3 * mallocs.seconds:.0f} ms; with more work, the answer is surer, and its "
            "start weighs less."
        )
    notes += [
        f"Under {name} the program {how}; without it, it does not." for name, how in mallocs.failed.items()
    ]
    notes += [f"Under {name} the program's output is another one." for name in mallocs.differing]
    notes += [f"{name} is not installed, so it was not tried." for name in mallocs.missing]
    if profile.process.programs_not_followed or profile.process.forks_not_followed:
        notes.append(
            "The program starts other processes. Their time is part of the figures, and their blocks are not."
        )
    command = profile.process.command
    if command is not None and tuple(command) != tuple(program.words):
        notes.append(f"The recording is of '{' '.join(command)}', and not of the program that was tried.")
    return notes


def _rounds_note(result: Result, asked: Asked) -> list[str]:
    if asked.rounds or result.rounds >= FULL_ROUNDS:
        return []
    reason = "as --quick asks" if asked.quick else "because the program takes long"
    return [f"{result.rounds} rounds, {reason}; --rounds {FULL_ROUNDS} makes the interval narrower."]
