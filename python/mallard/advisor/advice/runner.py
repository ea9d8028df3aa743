"""Runs the advice: measures the program, records it, and tries the best candidates on it.

Each step costs runs of the program. The time for all of them is planned from the first run, so that the
answer takes about two minutes. A slow program gets fewer rounds and a wider interval. The trials:

screening      each candidate, with two strategies
left out       the best candidate again, without the sites whose blocks outlive it
all, briefly   the best candidate, with every strategy, if the program is slow
in full        the best candidate, with every strategy or the best two
on top, both   under another malloc, and together with another scope
aged           the last candidates on a heap with a past (aged.py)
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from mallard.advisor.advice.aged import AgeProbe, ScopeTrial, failure_reason
from mallard.advisor.advice.ages import (
    Step,
    footprint,
    measure_ages,
    measure_quiet_ages,
    probe_ages,
    trials_at_ages,
)
from mallard.advisor.advice.candidates import (
    Candidate,
    disjoint,
    find_candidates,
    line_candidate,
    requested_candidates,
)
from mallard.advisor.advice.ceiling import Ceiling, estimate_ceiling, fault_nanoseconds, width
from mallard.advisor.advice.code import type_changes
from mallard.advisor.advice.global_mallocs import Globals, glibc_switches, memory_switches, run_globals
from mallard.advisor.advice.loops import with_loop
from mallard.advisor.advice.memory import LEAST_SAVED
from mallard.advisor.advice.notes import brief_note, dropped_note, further_note, rounds_note, study_notes
from mallard.advisor.advice.patch import find_patches
from mallard.advisor.advice.patterns import Pattern, find_control_calls, find_patterns
from mallard.advisor.advice.plan import SCREENING, Plan, Request, aged_runs, plan_for
from mallard.advisor.advice.processes import Processes, find_processes
from mallard.advisor.advice.study import ScopePair, Screened, Study
from mallard.advisor.profile.document import Profile, ask, read_profile, trace_words
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.records import Amount
from mallard.advisor.profile.sentences import program_name, withheld
from mallard.advisor.trial.campaign import (
    EMPTY_INPUT,
    LEAST_EFFECT,
    Baseline,
    Campaign,
    Result,
    estimate,
    refuse_long,
    refuse_second_difference,
    run_campaign,
    run_once,
    runs_again,
)
from mallard.advisor.trial.effect import SEVERAL_CORES
from mallard.advisor.trial.process import (
    LIMITS,
    NothingRecordedError,
    RecordingDiffersError,
    RunsDifferError,
    record,
    refuse_failed_load,
)
from mallard.advisor.trial.program import (
    EXCEPT,
    STRATEGIES,
    Program,
    RunResult,
    Scope,
    refuse_other_program,
    tried_process,
)
from mallard.advisor.trial.rounds import refuse_killed
from mallard.advisor.trial.scope_code import (
    BY_STACK,
    CODE,
    exclude_code,
    is_line,
    learn_rules,
    line_scope,
    line_sites,
    locate_scope,
    reserved_bytes,
)
from mallard.shared.age import Age
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import OWN, linked_into
from mallard.shared.prose import capitalised

OUTLIVING = "the blocks that outlive it"
MOST_QUIET_SCOPES = 2
FINALISTS = 2  # strategies of the full trial, if the program takes long


def run_trials(
    program: Program, baseline: Study, request: Request, plan: Plan, trace: Path, profile: Profile, step: Step
) -> Study:
    candidates = _find_requested(trace, request, profile) or [
        *find_candidates(profile, plan.candidates),
        *find_lines(baseline.patterns, plan.lines, LEAST_EFFECT * baseline.ceiling.program_seconds),
    ]
    if not candidates:
        return baseline
    candidates = [with_loop(profile, candidate, Path.cwd()) for candidate in candidates]
    screened = _screen_all(program, trace, candidates, request, plan, step)
    study = replace(baseline, candidates=tuple(candidates), screened=tuple(screened))
    tried = [
        screening for screening in screened if screening.result is not None and not screening.is_given_up
    ]
    if not tried:
        return study
    runner = TrialRunner(program, trace, request, step)
    best = _without_escapes(runner, tried[0], request, plan)
    tried[0] = best
    assert best.result
    scope = best.result.scope
    kept = scope.of_line if best.candidate.is_line else ()
    briefly = None if plan.strategies or kept else _try_briefly(runner, best.result, request, plan)
    strategies = kept or (best_two(briefly) if briefly else plan.strategies or SCREENING)
    strategies = _without_given_up(strategies, best.result.baselines[0], briefly)
    full = replace(
        _campaign(request, strategies, request.ages[:1], plan.full_rounds),
        further_runs=plan.further_runs,
        drops=not request.rounds,
    )
    in_full = runner(f"{best.candidate.title} in all rounds", scope, full) if strategies else None
    result = in_full or best.result
    planned = plan.full_rounds if in_full else result.rounds
    times = {effect.strategy: effect.time for effect in result.baselines[0].trial.effects}
    notes = (
        *brief_note(briefly, strategies, quick=request.quick),
        *rounds_note(planned, request),
        *dropped_note(times, planned),
        *further_note(times, planned),
    )
    study = on_one_clock(
        replace(
            study,
            chosen=best.candidate,
            briefly=briefly,
            trial=result,
            changes=() if best.candidate.is_line else tuple(type_changes(profile, best.candidate)),
            notes=(*study.notes, *notes),
        )
    )
    if study.best:
        both = _both(runner, study, tried, request, plan)
        study = replace(study, on_top=_on_top(runner, scope, study, request, plan), both=both)
    return replace(study, notes=(*study.notes, *runner.notes))


@dataclass
class TrialRunner:
    """Runs trials. A failed trial adds a note, and keeps the earlier measurements. `subject` names the trial
    in the note.
    """

    program: Program
    trace: Path
    request: Request
    step: Step
    notes: list[str] = field(default_factory=list)

    def __call__(self, subject: str, scope: Scope, campaign: Campaign) -> Result | None:
        try:
            scope = _learn_rules(self.trace, scope, self.request)
            return run_campaign(self.program, scope, campaign, self.step(f"trying {subject}"))
        except RunsDifferError:
            raise
        except UsageError as error:
            self.notes.append(f"A trial of {subject} was not possible: {failure_reason(error)}.")
            return None

    def run_first(self, subject: str, scope: Scope, campaign: Campaign) -> Baseline | None:
        result = self(subject, scope, campaign)
        return result.baselines[0] if result else None


def run_memory_trial(
    program: Program, baseline: Study, request: Request, plan: Plan, trace: Path, profile: Profile, step: Step
) -> Study:
    """Tries the scopes with the most live bytes, and the leanest of them with every strategy."""
    least = LEAST_SAVED * baseline.globals.peak_bytes
    candidates = _find_requested(trace, request, profile) or [
        candidate
        for candidate in sorted(find_candidates(profile), key=footprint, reverse=True)
        if footprint(candidate) >= least
    ]
    candidates = candidates if request.scopes else candidates[: plan.candidates]
    if not candidates:
        return baseline
    candidates = [with_loop(profile, candidate, Path.cwd()) for candidate in candidates]
    screened = _screen_all(program, trace, candidates, request, plan, step)
    screened.sort(key=lambda tried: tried.peak_bytes)
    study = replace(baseline, candidates=tuple(candidates), screened=tuple(screened))
    best = screened[0]
    if best.result is None or best.is_given_up:
        return study
    runner = TrialRunner(program, trace, request, step)
    strategies = _without_given_up(plan.strategies or SCREENING, best.result.baselines[0])
    full = _campaign(request, strategies, request.ages[:1], plan.full_rounds)
    result = runner(f"{best.candidate.title} in all rounds", best.result.scope, full) or best.result
    changes = tuple(type_changes(profile, best.candidate))
    notes = (*study.notes, *runner.notes)
    return replace(study, chosen=best.candidate, trial=result, changes=changes, notes=notes)


def _screen_all(
    program: Program, trace: Path, candidates: list[Candidate], request: Request, plan: Plan, step: Step
) -> list[Screened]:
    """The best first."""
    alone = len(candidates) == 1 and not plan.strategies
    strategies = tuple(STRATEGIES) if alone else SCREENING
    campaign = _campaign(request, strategies, (request.ages[0],), plan.screening_rounds)
    screened = (
        _screen(program, trace, candidate, request, campaign, step(f"trying {candidate.name}"))
        for candidate in candidates
    )
    return sorted(screened, key=_preference)


def _preference(screened: Screened) -> tuple[bool, float]:
    """A function with a name, if that saves time: nobody can change one without."""
    is_named = not screened.candidate.is_unnamed and screened.saved_share >= LEAST_EFFECT
    return not is_named, -screened.saved_share


def _without_escapes(runner: TrialRunner, first: Screened, request: Request, plan: Plan) -> Screened:
    """The candidate with its lasting blocks left on the global heap, if that saves more."""
    assert first.result
    lasting = (*first.candidate.escape_sites, *first.candidate.alive_sites)
    sites = tuple({site.code: site for site in lasting if site.code}.values())
    scope = exclude_code(first.result.scope, [site.code for site in sites], OUTLIVING)
    if scope is None:
        return first
    campaign = _campaign(request, SCREENING, (request.ages[0],), plan.screening_rounds)
    result = runner(f"{first.candidate.title} without {OUTLIVING}", scope, campaign)
    retried = Screened(replace(first.candidate, left_out=sites), result)
    gain = retried.saved_seconds - max(first.saved_seconds, 0.0)
    return retried if result and gain > LEAST_EFFECT * result.baselines[0].trial.program_seconds else first


def _without_given_up(strategies: Sequence[str], *baselines: Baseline | None) -> tuple[str, ...]:
    """Without those that were too slow in an earlier trial."""
    given_up = {name for baseline in baselines if baseline for name in baseline.trial.given_up}
    return tuple(name for name in strategies if name not in given_up)


def _try_briefly(runner: TrialRunner, screened: Result, request: Request, plan: Plan) -> Baseline | None:
    """Every strategy in a short trial, because running all of them in full would take too long."""
    baseline = screened.baselines[0]
    trial = baseline.trial
    if len(trial.effects) + len(trial.failed) + len(trial.given_up) == len(STRATEGIES):
        return baseline
    strategies = _without_given_up(tuple(STRATEGIES), baseline)
    campaign = _campaign(request, strategies, (request.ages[0],), plan.screening_rounds)
    return runner.run_first(f"every strategy in {screened.scope.name}()", screened.scope, campaign)


def best_two(briefly: Baseline) -> tuple[str, ...]:
    """The strategies that saved most or lost least."""
    return tuple(effect.strategy for effect in briefly.allowed[:FINALISTS]) or SCREENING


def on_one_clock(study: Study) -> Study:
    """Converts the mallocs and all estimates to wall time if the trial has wall time. Without a trial, a
    program that uses several cores has wall time. A server has CPU time: its load decides when it ends.
    """
    if study.load:
        return study
    wall = study.baseline.trial.wall if study.baseline else study.globals.cores > SEVERAL_CORES
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


def find_lines(patterns: Sequence[Pattern], most: int, least_seconds: float) -> list[Candidate]:
    """The lines of the first patterns that a trial can follow, if that may save so much."""
    by_source: dict[str, list[Pattern]] = {}
    for pattern in patterns:
        if pattern.code and is_line(pattern.source) and (pattern.estimated_seconds or 0.0) >= least_seconds:
            by_source.setdefault(pattern.source, []).append(pattern)
    return [
        line_candidate(
            group[0].function,
            source,
            [pattern.code for pattern in group],
            Amount(sum(pattern.allocations for pattern in group), sum(pattern.bytes for pattern in group)),
            max(pattern.reserved_bytes for pattern in group),
        )
        for source, group in list(by_source.items())[:most]
    ]


def _requested_line(profile: Profile, line: str) -> Candidate:
    sites, names = line_sites(profile, line), Names(profile)
    return line_candidate(
        names.place_function(sites[0].place),
        names.place_source(sites[0].place),
        [site.code for site in sites],
        Amount(sum(site.figures.allocations for site in sites), sum(site.figures.bytes for site in sites)),
        reserved_bytes(sites),
    )


def _find_requested(trace: Path, request: Request, profile: Profile) -> list[Candidate]:
    indices = {function.name: index for index, function in enumerate(profile.functions)}
    candidates = []
    for name in request.scopes:
        if is_line(name):
            candidates.append(_requested_line(profile, name))
            continue
        scope_profile = read_profile(ask([*trace_words(trace, request.process), "--scope", name]))
        assert scope_profile.scope
        candidate = requested_candidates(scope_profile, [scope_profile.scope.row])[0]
        candidates.append(replace(candidate, function=indices.get(candidate.asked_as)))
    return candidates


def _campaign(request: Request, strategies: Sequence[str], ages: tuple[Age, ...], rounds: int) -> Campaign:
    return Campaign(tuple(strategies), (request.mallocs[0],), ages, rounds, request.seed)


def _screen(
    program: Program,
    trace: Path,
    candidate: Candidate,
    request: Request,
    campaign: Campaign,
    tick: Callable[[int, int], None],
) -> Screened:
    """A candidate that cannot be served is skipped with a reason, because another may succeed."""
    try:
        scope = _learn_rules(trace, _locate(trace, candidate, request), request)
        if candidate.is_line:
            campaign = replace(campaign, strategies=scope.of_line)
        return Screened(candidate, run_campaign(program, scope, campaign, tick))
    except RunsDifferError:
        raise
    except UsageError as error:
        return Screened(candidate, None, failure_reason(error))


def _locate(trace: Path, candidate: Candidate, request: Request) -> Scope:
    if candidate.is_line:
        return line_scope(candidate.with_source, candidate.code.split(";"), candidate.reserved_bytes)
    return locate_scope(trace, candidate.asked_as, request.process)


def _learn_rules(trace: Path, scope: Scope, request: Request) -> Scope:
    return learn_rules(trace, scope, request.process, is_of_this_call=request.trace is None)


def _on_top(runner: TrialRunner, scope: Scope, study: Study, request: Request, plan: Plan) -> Baseline | None:
    """The chosen scope under the best of the other mallocs."""
    malloc = study.best_malloc
    if malloc is None:
        return None
    assert study.best
    on_base = _campaign(request, (study.best.strategy,), (request.ages[0],), plan.extra_rounds)
    campaign = replace(on_base, mallocs=(malloc.malloc,), wall=study.wall)
    assert study.chosen
    return runner.run_first(f"{study.chosen.title} under {malloc.malloc}", scope, campaign)


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
        separate = _campaign(request, (study.best.strategy,), (request.ages[0],), plan.extra_rounds)
        campaign = replace(separate, wall=study.wall)
        subject = f"{first.candidate.title} together with {second.candidate.title}"
        baseline = runner.run_first(subject, scope, campaign)
        return ScopePair(second.candidate, baseline) if baseline else None
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


MOST_RECORDINGS, SECONDS_TO_RECORD = 3, 20.0
MOSTLY_UNFOLLOWED = 0.5  # of the time of all processes
ANNOUNCED_AGAIN = 1.1  # times the announced runs
DISTURBED = 0.3  # width of an interval, relative to its median

Notify = Callable[[str], None]


def ignore_message(_: str) -> None: ...


def study(
    program: Program,
    request: Request,
    folder: Path,
    step: Step,
    notify: Notify = ignore_message,
) -> Study:
    notify(runs_again(program))
    return on_one_clock(_study(program, request, folder, step, notify))


def _study(program: Program, request: Request, folder: Path, step: Step, notify: Notify) -> Study:
    """Runs the program as often as the answer needs. Below an estimate of 2 % nothing is tried."""
    step("first run")
    program = replace(program, reports_held=request.goal == "memory")
    first = run_once(program, request.mallocs[0])
    program = replace(program, first=first)
    for_memory = request.goal == "memory"
    seconds, probes = probe_ages(program, first, request, step)
    announced = plan_for(seconds, request, probes)
    if request.rounds is None:
        refuse_long(announced.runs, seconds, aged_runs(announced.aged))
    notify(estimate(announced.runs, seconds, aged_runs(announced.aged)))
    step("recording")
    try:
        recording, profile, unrecorded = _load_or_record(program, request, folder)
    except RecordingDiffersError:
        refuse_second_difference(program, request.mallocs[0])
        raise
    except NothingRecordedError as error:
        if program.surroundings.load is None and not error.ends_as(first.status):
            refuse_second_difference(program, request.mallocs[0])
            raise UsageError(
                f"{error}; without the recorder the program {first.end}, so the recorder, or a limit that "
                f"leaves it no room, is the cause: {LIMITS}"
            ) from None
        return _study_without_events(program, request, first, str(error))
    program = replace(program, process=tried_process(profile))
    if request.trace is not None:
        refuse_other_program(program, profile)
    second = first
    if request.mallocs[0] == OWN:
        second = program.run_null()
        program = replace(program, malloc_file=second.counts.malloc_file if second.counts else "")
    all_seconds = first.cpu_seconds
    if unrecorded and request.process is None:
        refuse_unrecorded(profile, all_seconds, unrecorded)
    if program.process:
        first = second = run_once(program, request.mallocs[0])
        refuse_failed_load(first)
        refuse_killed(first)
        if request.process is None:
            refuse_unfollowed(profile, first.cpu_seconds, all_seconds)
    run_seconds = second.run_seconds if second.status == first.status else seconds
    plan = _plan_again(request, announced, run_seconds, probes)
    if plan.runs > ANNOUNCED_AGAIN * announced.runs:
        notify(estimate(plan.runs, run_seconds, aged_runs(plan.aged)))
        announced = plan
    processes = find_processes(program, profile, request, first.cpu_seconds, all_seconds)
    fault_ns = fault_nanoseconds()

    def measure_quiet(study: Study) -> Study:
        locate = partial(_locate_quiet_scopes, study, request, recording)
        return replace(study, aged=measure_quiet_ages(program, study, request, plan, locate, step))

    ceiling = estimate_ceiling(profile, first.cpu_seconds, first.wall_seconds, first.faults, fault_ns)
    if not ceiling.worth_a_trial and not for_memory:
        mallocs = _single_run(program, first, request)
        return measure_quiet(_start(program, request, profile, mallocs, fault_ns, processes))
    is_glibc = request.mallocs[0] == OWN and program.name_malloc(OWN) == OWN
    reasoned = memory_switches(profile) if for_memory else glibc_switches(profile, ceiling)
    switches = reasoned if request.switches and is_glibc else ()
    mallocs = run_globals(
        program,
        (*request.mallocs, *switches),
        plan.global_rounds,
        request.seed,
        step("other mallocs"),
        request.ages[0],
        plan.further_runs // 2,  # the trial gets those that remain
        drops=not request.rounds and not for_memory,
    )
    baseline = _start(program, request, profile, mallocs, fault_ns, processes)
    if for_memory:
        return run_memory_trial(program, baseline, request, plan, recording, profile, step)
    if not baseline.ceiling.worth_a_trial:
        return measure_quiet(baseline)
    times = {effect.malloc: effect.time for effect in mallocs.effects}
    notes = (
        *baseline.notes,
        *dropped_note(times, plan.global_rounds),
        *further_note(times, plan.global_rounds),
    )
    study = run_trials(
        program,
        replace(baseline, notes=notes),
        request,
        _plan_trials(request, announced, plan, mallocs, probes),
        recording,
        profile,
        step,
    )
    trials = trials_at_ages(study)
    return replace(study, aged=measure_ages(program, study, request, plan.aged, trials, step))


def _locate_quiet_scopes(study: Study, request: Request, trace: Path) -> list[ScopeTrial]:
    """The scopes with the most live bytes."""
    assert study.profile
    candidates = _find_requested(trace, request, study.profile) or find_candidates(study.profile)
    trials: list[ScopeTrial] = []
    for candidate in sorted(candidates, key=footprint, reverse=True)[:MOST_QUIET_SCOPES]:
        with suppress(UsageError):
            located = _locate(trace, candidate, request)
            trials.append(ScopeTrial(candidate, _learn_rules(trace, located, request), SCREENING[1]))
    return trials


def _plan_again(request: Request, announced: Plan, seconds: float, probes: Sequence[AgeProbe]) -> Plan:
    """The plan for a later run, because the first one may have read files that later ones find in memory."""
    return plan_for(seconds, request, probes) if request.ages[0].is_young else announced


def _plan_trials(
    request: Request, announced: Plan, of_mallocs: Plan, mallocs: Globals, probes: Sequence[AgeProbe] = ()
) -> Plan:
    """The plan after the comparison of mallocs, within the announced number of runs."""
    plan = _plan_again(request, of_mallocs, mallocs.run_seconds, probes)
    used = (mallocs.rounds - of_mallocs.global_rounds) * request.global_arms
    planned = plan.runs - plan.further_runs
    further = max(0, min(plan.runs, announced.runs) - planned - used)
    return replace(plan, further_runs=further)


def _study_without_events(program: Program, request: Request, first: RunResult, reason: str) -> Study:
    """The study of a program in which the recorder saw no allocation."""
    return Study(
        words=tuple(program.words),
        base=program.name_malloc(request.mallocs[0]),
        allocations=0,
        peak_live_bytes=0,
        threads=0,
        withheld="",
        linked_malloc=_find_linked_malloc(program, None),
        goal=request.goal,
        ceiling=Ceiling(0.0, 0.0, 0.0, first.cpu_seconds, 0, None, 0, 0.0, first.wall_seconds),
        globals=_single_run(program, first, request),
        load=program.surroundings.load,
        notes=(f"{capitalised(reason)}.", *_input_note(program, request)),
    )


def refuse_unrecorded(profile: Profile, all_seconds: float, programs: str) -> None:
    """Refuses a launcher of a program with its own malloc, by the time of all processes."""
    recorded = sum(process.cpu_seconds or 0.0 for process in profile.processes)
    if recorded < MOSTLY_UNFOLLOWED * all_seconds:
        raise UsageError(
            f"{program_name(profile.process)} becomes or starts a program that takes most of the time, and "
            f"of which no library sees a request: {programs}; advice would be of its launcher. Link it with "
            "the malloc of the C library, and try again, or name a process with --process"
        )


def refuse_unfollowed(profile: Profile, own_seconds: float, all_seconds: float) -> None:
    """Refuses a launcher of a program that could not be followed, by the time of all processes."""
    others = sum(process.cpu_seconds or 0.0 for process in profile.processes if not process.chosen)
    unfollowed = profile.programs_not_followed or profile.process.forks_not_followed
    if unfollowed and own_seconds + others < MOSTLY_UNFOLLOWED * all_seconds:
        raise UsageError(
            f"{program_name(profile.process)} starts a program that takes most of the time and was not "
            "followed: it clears LD_PRELOAD or the environment, or that program is static or has other "
            "rights, as another user, or the recording was made without --follow; give that program itself, "
            "and call mallard as its user"
        )


def _load_or_record(program: Program, request: Request, folder: Path) -> tuple[Path, Profile, str]:
    """Records again if other processes disturbed the times, and keeps the quietest recording. Also returns
    the started programs of which nothing was recorded, with the reasons.
    """
    if request.trace is not None:
        return request.trace, read_profile(ask(trace_words(request.trace, request.process))), ""
    recordings: list[tuple[Path, Profile]] = []
    unrecorded: list[str] = []
    begin = time.monotonic()
    for number in range(MOST_RECORDINGS):
        file = record(
            *(program.words, program.stdin, folder / f"{number}.trace", program.seconds_limit),
            program.surroundings,
            program.first,
            follow=True,
            notify=unrecorded.append,
        )
        recordings.append((file, read_profile(ask(trace_words(file, request.process)))))
        if width(recordings[-1][1]) < DISTURBED or time.monotonic() - begin > SECONDS_TO_RECORD:
            break
    file, profile = min(recordings, key=lambda recording: width(recording[1]))
    return file, profile, unrecorded[-1] if unrecorded else ""


def _single_run(program: Program, first: RunResult, request: Request) -> Globals:
    return Globals(
        base=program.name_malloc(request.mallocs[0]),
        seconds=first.cpu_seconds,
        cpu_seconds=first.cpu_seconds,
        wall_seconds=first.wall_seconds,
        peak_bytes=float(first.peak_bytes),
        faults=float(first.faults),
        rounds=1,
        status=first.status,
        compared=bool(first.output),
        effects=(),
        metric=first.load.metric,
    )


def _start(
    program: Program,
    request: Request,
    profile: Profile,
    mallocs: Globals,
    fault_ns: float,
    processes: Processes | None,
) -> Study:
    ceiling = estimate_ceiling(
        profile, mallocs.cpu_seconds, mallocs.wall_seconds, round(mallocs.faults), fault_ns
    )
    find = find_patterns if ceiling.worth_a_trial else find_control_calls
    patterns = tuple(find(profile, ceiling))
    return Study(
        words=tuple(program.words),
        base=program.name_malloc(request.mallocs[0]),
        allocations=profile.figures.allocations,
        peak_live_bytes=profile.timeline.peak_bytes if profile.timeline else None,
        threads=profile.process.threads,
        load=program.surroundings.load,
        processes=processes,
        withheld=withheld(profile),
        linked_malloc=_find_linked_malloc(program, profile),
        goal=request.goal,
        ceiling=ceiling,
        globals=mallocs,
        patterns=patterns,
        patches=find_patches(profile, patterns, Path.cwd()),
        notes=(*study_notes(program, profile, mallocs), *_input_note(program, request)),
        profile=profile,
    )


def _find_linked_malloc(program: Program, profile: Profile | None) -> str:
    executable = profile.process.executable if profile else None
    return linked_into(executable or shutil.which(program.words[0]) or program.words[0])


def _input_note(program: Program, request: Request) -> list[str]:
    return [EMPTY_INPUT] if request.terminal and program.stdin is None else []
