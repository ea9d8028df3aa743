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
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

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
from mallard.advisor.advice.candidates import (
    Candidate,
    disjoint,
    find_candidates,
    requested_candidates,
    requested_line,
)
from mallard.advisor.advice.ceiling import Ceiling, estimate_ceiling, fault_nanoseconds, width
from mallard.advisor.advice.code import type_changes
from mallard.advisor.advice.global_mallocs import Globals, glibc_switches, memory_switches, run_globals
from mallard.advisor.advice.loops import with_loop
from mallard.advisor.advice.memory import LEAST_SAVED
from mallard.advisor.advice.notes import brief_note, dropped_note, further_note, rounds_note, study_notes
from mallard.advisor.advice.patch import find_patches
from mallard.advisor.advice.patterns import find_control_calls, find_lines, find_patterns
from mallard.advisor.advice.plan import SCREENING, Plan, Request, aged_runs, plan_for
from mallard.advisor.advice.processes import Processes, find_processes, refuse_unfollowed, refuse_unrecorded
from mallard.advisor.advice.study import ScopePair, Screened, Study
from mallard.advisor.profile.document import Profile, ask, read_profile, trace_words
from mallard.advisor.profile.sentences import withheld
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
    locate_scope,
)
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import OWN, is_switch, linked_into
from mallard.shared.prose import capitalised

OUTLIVING = "the blocks that outlive it"
MOST_QUIET_SCOPES = 2
FINALISTS = 2  # strategies of the full trial, if the program takes long
LEAST_FOOTPRINT = 1 << 18  # bytes of a scope; fewer stay in the caches of a processor
LEAST_SCATTERED = 1000  # blocks
LEAST_AGING = 0.05  # the program ages if it is slower by more
TOO_FEW_BLOCKS = "the program allocates too few blocks to be scattered"

Step = Callable[[str], Callable[[int, int], None]]  # the name of a step -> its tick


@dataclass
class Session:
    """The trials of a program in scopes of its recording. One that fails adds a note, and keeps the earlier
    measurements.
    """

    program: Program
    request: Request
    plan: Plan
    trace: Path
    profile: Profile
    step: Step
    notes: list[str] = field(default_factory=list)

    def run(self, study: Study) -> Study:
        """Tries the best candidates, and the best of them in full."""
        plan, request = self.plan, self.request
        least_seconds = LEAST_EFFECT * study.ceiling.program_seconds
        study = self._screen_all(
            study,
            self._find_requested()
            or [
                *find_candidates(self.profile, plan.candidates),
                *find_lines(study.patterns, plan.lines, least_seconds),
            ],
            _preference,
        )
        tried = [each for each in study.screened if each.result is not None and not each.is_given_up]
        if not tried:
            return study
        best = tried[0] = self._without_escapes(tried[0])
        assert best.result
        scope = best.result.scope
        kept = scope.of_line if best.candidate.is_line else ()
        briefly = None if plan.strategies or kept else self._try_briefly(best.result)
        strategies = kept or (best_two(briefly) if briefly else plan.strategies or SCREENING)
        strategies = _without_given_up(strategies, best.result.baselines[0], briefly)
        full = replace(
            self._campaign(strategies, plan.full_rounds),
            further_runs=plan.further_runs,
            drops=not request.rounds,
        )
        in_full = self._try(f"{best.candidate.title} in all rounds", scope, full) if strategies else None
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
                changes=() if best.candidate.is_line else tuple(type_changes(self.profile, best.candidate)),
                notes=(*study.notes, *notes),
            )
        )
        if study.best:
            study = replace(study, both=self._both(study, tried), on_top=self._on_top(study))
        return replace(study, notes=(*study.notes, *self.notes))

    def run_for_memory(self, study: Study) -> Study:
        """Tries the scopes with the most live bytes, and the leanest of them with every strategy."""
        plan, least = self.plan, LEAST_SAVED * study.globals.peak_bytes
        candidates = self._find_requested()
        if not candidates:
            held = sorted(find_candidates(self.profile), key=footprint, reverse=True)
            candidates = [each for each in held if footprint(each) >= least][: plan.candidates]
        study = self._screen_all(study, candidates, lambda tried: (tried.peak_bytes, _preference(tried)))
        best = next(iter(study.screened), None)
        if best is None or best.result is None or best.is_given_up:
            return study
        strategies = _without_given_up(plan.strategies or SCREENING, best.result.baselines[0])
        full = self._campaign(strategies, plan.full_rounds)
        result = self._try(f"{best.candidate.title} in all rounds", best.result.scope, full) or best.result
        changes = tuple(type_changes(self.profile, best.candidate))
        notes = (*study.notes, *self.notes)
        return replace(study, chosen=best.candidate, trial=result, changes=changes, notes=notes)

    def measure_ages(
        self, study: Study, plans: Sequence[AgedPlan], trials: Sequence[ScopeTrial]
    ) -> tuple[AgedHeap, ...]:
        """The last candidates at further ages."""
        mallocs = [self.request.mallocs[0], *_fastest_mallocs(study)]
        several = study.load is None and study.globals.cores > SEVERAL_CORES
        wall = study.baseline.trial.wall if study.baseline else several
        return tuple(
            measure_aged(
                *(self.program, plan, mallocs, trials),
                wall=wall,
                seed=self.request.seed,
                tick=self.step(f"the last candidates on {plan.age.heap}"),
            )
            for plan in plans
        )

    def measure_quiet_ages(self, study: Study) -> Study:
        """The ages of a program that spends hardly any time in malloc. Its blocks may still be scattered, so
        that reading them takes longer: only if the program ages, scopes are tried.
        """
        if study.allocations < LEAST_SCATTERED:
            reasons = (AgedHeap(aged.age, aged.reason or TOO_FEW_BLOCKS) for aged in self.plan.aged)
            return replace(study, aged=tuple(reasons))
        heaps = []
        for aged in self.plan.aged:
            rounds = aged.rounds or LEAST_ROUNDS
            (heap,) = self.measure_ages(study, [replace(aged, rounds=rounds)], [])
            if heap.slower and heap.slower.low > 1 + LEAST_AGING:
                left = aged.budget_seconds - rounds * LEAST_ARMS * aged.run_seconds
                trials = self._locate_quiet_scopes()
                rest = replace(aged, budget_seconds=max(left, 0.0))
                if trials and rest.rounds_of(LEAST_ARMS + ARMS_OF_A_SCOPE):
                    (heap,) = self.measure_ages(study, [rest], trials)
            heaps.append(heap)
        return replace(study, aged=tuple(heaps))

    def _locate_quiet_scopes(self) -> list[ScopeTrial]:
        """The scopes with the most live bytes."""
        candidates = self._find_requested() or find_candidates(self.profile)
        trials: list[ScopeTrial] = []
        for candidate in sorted(candidates, key=footprint, reverse=True)[:MOST_QUIET_SCOPES]:
            with suppress(UsageError):
                scope = self._learn_rules(self._locate(candidate))
                trials.append(ScopeTrial(candidate, scope, SCREENING[1]))
        return trials

    def _find_requested(self) -> list[Candidate]:
        indices = {function.name: index for index, function in enumerate(self.profile.functions)}
        candidates = []
        for name in self.request.scopes:
            if is_line(name):
                candidates.append(requested_line(self.profile, name))
                continue
            words = [*trace_words(self.trace, self.request.process), "--scope", name]
            scope_profile = read_profile(ask(words))
            assert scope_profile.scope
            candidate = requested_candidates(scope_profile, [scope_profile.scope.row])[0]
            candidates.append(replace(candidate, function=indices.get(candidate.asked_as)))
        return candidates

    def _screen_all(
        self, study: Study, candidates: Sequence[Candidate], order: Callable[[Screened], Any]
    ) -> Study:
        """With the candidates in this order, the best first."""
        candidates = [with_loop(self.profile, candidate, Path.cwd()) for candidate in candidates]
        alone = len(candidates) == 1 and not self.plan.strategies
        campaign = self._campaign(STRATEGIES if alone else SCREENING, self.plan.screening_rounds)
        screened = sorted((self._screen(candidate, campaign) for candidate in candidates), key=order)
        return replace(study, candidates=tuple(candidates), screened=tuple(screened))

    def _screen(self, candidate: Candidate, campaign: Campaign) -> Screened:
        """A candidate that cannot be served is skipped with a reason, because another may succeed."""
        try:
            scope = self._locate(candidate)
            if candidate.is_line:
                campaign = replace(campaign, strategies=scope.of_line)
            return Screened(candidate, self._run(candidate.name, scope, campaign))
        except RunsDifferError:
            raise
        except UsageError as error:
            return Screened(candidate, None, failure_reason(error))

    def _try(self, subject: str, scope: Scope, campaign: Campaign) -> Result | None:
        try:
            return self._run(subject, scope, campaign)
        except RunsDifferError:
            raise
        except UsageError as error:
            self.notes.append(f"A trial of {subject} was not possible: {failure_reason(error)}.")
            return None

    def _try_first(self, subject: str, scope: Scope, campaign: Campaign) -> Baseline | None:
        result = self._try(subject, scope, campaign)
        return result.baselines[0] if result else None

    def _run(self, name: str, scope: Scope, campaign: Campaign) -> Result:
        scope = self._learn_rules(scope)
        return run_campaign(self.program, scope, campaign, self.step(f"trying {name}"))

    def _campaign(
        self, strategies: Iterable[str], rounds: int, malloc: str = "", wall: bool | None = None
    ) -> Campaign:
        request = self.request
        mallocs = (malloc or request.mallocs[0],)
        return Campaign(tuple(strategies), mallocs, request.ages[:1], rounds, request.seed, wall)

    def _locate(self, candidate: Candidate) -> Scope:
        if candidate.is_line:
            return line_scope(candidate.with_source, candidate.code.split(";"), candidate.reserved_bytes)
        return locate_scope(self.trace, candidate.asked_as, self.request.process)

    def _learn_rules(self, scope: Scope) -> Scope:
        is_of_this_call = self.request.trace is None
        return learn_rules(self.trace, scope, self.request.process, is_of_this_call=is_of_this_call)

    def _without_escapes(self, first: Screened) -> Screened:
        """The candidate with its lasting blocks left on the global heap, if that saves more."""
        assert first.result
        lasting = (*first.candidate.escape_sites, *first.candidate.alive_sites)
        sites = tuple({site.code: site for site in lasting if site.code}.values())
        scope = exclude_code(first.result.scope, [site.code for site in sites], OUTLIVING)
        if scope is None:
            return first
        campaign = self._campaign(SCREENING, self.plan.screening_rounds)
        result = self._try(f"{first.candidate.title} without {OUTLIVING}", scope, campaign)
        retried = Screened(replace(first.candidate, left_out=sites), result)
        gain = retried.saved_seconds - max(first.saved_seconds, 0.0)
        saves = result and gain > LEAST_EFFECT * result.baselines[0].trial.program_seconds
        return retried if saves else first

    def _try_briefly(self, screened: Result) -> Baseline | None:
        """Every strategy in a short trial, because running all of them in full would take too long."""
        baseline = screened.baselines[0]
        trial = baseline.trial
        if len(trial.effects) + len(trial.failed) + len(trial.given_up) == len(STRATEGIES):
            return baseline
        campaign = self._campaign(_without_given_up(STRATEGIES, baseline), self.plan.screening_rounds)
        return self._try_first(f"every strategy in {screened.scope.name}()", screened.scope, campaign)

    def _on_top(self, study: Study) -> Baseline | None:
        """The chosen scope under the best of the other mallocs."""
        malloc = study.best_malloc
        if malloc is None:
            return None
        assert study.best
        assert study.chosen
        assert study.trial
        strategies = (study.best.strategy,)
        campaign = self._campaign(strategies, self.plan.extra_rounds, malloc.malloc, study.wall)
        return self._try_first(f"{study.chosen.title} under {malloc.malloc}", study.trial.scope, campaign)

    def _both(self, study: Study, screened: list[Screened]) -> ScopePair | None:
        """The chosen scope together with the next disjoint scope that saves time."""
        assert study.best
        first, *remaining = screened
        assert first.result
        for second in remaining:
            if second.saved_seconds <= 0 or not disjoint(self.profile, first.candidate, second.candidate):
                continue
            assert second.result
            scope = union(first.result.scope, second.result.scope)
            if scope is None:
                continue
            campaign = self._campaign((study.best.strategy,), self.plan.extra_rounds, wall=study.wall)
            subject = f"{first.candidate.title} together with {second.candidate.title}"
            baseline = self._try_first(subject, scope, campaign)
            return ScopePair(second.candidate, baseline) if baseline else None
        return None


def _preference(screened: Screened) -> tuple[bool, float]:
    """A function with a name, if that saves time: nobody can change one without."""
    is_named = not screened.candidate.is_unnamed and screened.saved_share >= LEAST_EFFECT
    return not is_named, -screened.saved_share


def _without_given_up(strategies: Iterable[str], *baselines: Baseline | None) -> tuple[str, ...]:
    """Without those that were too slow in an earlier trial."""
    given_up = {name for baseline in baselines if baseline for name in baseline.trial.given_up}
    return tuple(name for name in strategies if name not in given_up)


def best_two(briefly: Baseline) -> tuple[str, ...]:
    """The strategies that saved most or lost least."""
    return tuple(effect.strategy for effect in briefly.allowed[:FINALISTS]) or SCREENING


def footprint(candidate: Candidate) -> float:
    """The most live bytes of an activation."""
    return candidate.peak_max or 0.0


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


def _fastest_mallocs(study: Study) -> list[str]:
    """The fastest other malloc or tunable on a young heap, and the fastest one of the other kind."""
    names = [effect.malloc for effect in study.globals.allowed]
    first = study.best_malloc.malloc if study.best_malloc else next(iter(names), None)
    if first is None:
        return []
    return [first, *(name for name in names if is_switch(name) is not is_switch(first))][:2]


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
    session = Session(program, request, plan, recording, profile, step)
    ceiling = estimate_ceiling(profile, first.cpu_seconds, first.wall_seconds, first.faults, fault_ns)
    if not ceiling.worth_a_trial and not for_memory:
        mallocs = _single_run(program, first, request)
        return session.measure_quiet_ages(_start(program, request, profile, mallocs, fault_ns, processes))
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
        return session.run_for_memory(baseline)
    if not baseline.ceiling.worth_a_trial:
        return session.measure_quiet_ages(baseline)
    times = {effect.malloc: effect.time for effect in mallocs.effects}
    notes = (
        *baseline.notes,
        *dropped_note(times, plan.global_rounds),
        *further_note(times, plan.global_rounds),
    )
    session.plan = _plan_trials(request, announced, plan, mallocs, probes)
    study = session.run(replace(baseline, notes=notes))
    return replace(study, aged=session.measure_ages(study, plan.aged, trials_at_ages(study)))


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
