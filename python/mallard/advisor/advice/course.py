"""Runs the advice: measures the program, records it, and tries the best candidates on it.

Each step costs runs of the program. The time for all of them is planned from the first run, so that the
answer takes about two minutes. A slow program gets fewer rounds and a wider interval.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from mallard.advisor.advice.ceiling import Ceiling, estimate_ceiling, fault_nanoseconds, width
from mallard.advisor.advice.globals import Globals, run_globals, run_once
from mallard.advisor.advice.patterns import find_patterns
from mallard.advisor.advice.plan import Request, plan_for
from mallard.advisor.advice.study import Study
from mallard.advisor.advice.tries import Step, on_one_clock, run_trials
from mallard.advisor.profile.document import Profile, read_profile
from mallard.advisor.profile.native import ask
from mallard.advisor.profile.sentences import withheld
from mallard.advisor.trial.estimate import EMPTY_INPUT, estimate, refuse_long, runs_again, short
from mallard.advisor.trial.native import NothingRecordedError, record
from mallard.advisor.trial.program import Program, RunResult
from mallard.shared.errors import UsageError

LIMITS = "'What it takes' in docs/advisor/recording.md says what helps"
MOST_RECORDINGS, SECONDS_TO_RECORD = 3, 20.0
DISTURBED = 0.3  # width of an interval, relative to its median

Notify = Callable[[str], None]


def ignore_message(_: str) -> None: ...


def study(
    program: Program,
    request: Request,
    trace: Path | None,
    folder: Path,
    step: Step,
    notify: Notify = ignore_message,
) -> Study:
    notify(runs_again(program.words[0]))
    return on_one_clock(_study(program, request, trace, folder, step, notify))


def _study(
    program: Program, request: Request, trace: Path | None, folder: Path, step: Step, notify: Notify
) -> Study:
    """Runs the program as often as the answer needs. Below an estimate of 2 % nothing is tried."""
    step("first run")
    first = run_once(program, request.mallocs[0])
    plan = plan_for(first.wall_seconds, request)
    if request.rounds is None:
        refuse_long(plan.runs, first.wall_seconds)
    notify(estimate(plan.runs, first.wall_seconds))
    step("recording")
    try:
        recording, profile = _load_or_record(program, trace, folder)
    except NothingRecordedError as error:
        if not error.ends_as(first.status):
            raise UsageError(
                f"{error}; without the recorder the program {first.end}, so the recorder, or a limit that "
                f"leaves it no room, is the cause: {LIMITS}"
            ) from None
        return _study_without_events(program, request, first, str(error))
    fault_ns = fault_nanoseconds()
    if not estimate_ceiling(
        profile, first.cpu_seconds, first.wall_seconds, first.faults, fault_ns
    ).worth_a_trial:
        return _start(program, request, profile, _single_run(first, request), fault_ns)
    mallocs = run_globals(
        program, request.mallocs, plan.global_rounds, request.seed, step("other mallocs"), request.litters[0]
    )
    baseline = _start(program, request, profile, mallocs, fault_ns)
    if not baseline.ceiling.worth_a_trial:
        return baseline
    # The first run may have read files that later runs find in memory.
    plan = plan_for(mallocs.wall_seconds, request)
    return run_trials(program, baseline, request, plan, recording, profile, step)


def _study_without_events(program: Program, request: Request, first: RunResult, reason: str) -> Study:
    """The study of a program in which the recorder saw no allocation."""
    return Study(
        words=tuple(program.words),
        base=request.mallocs[0],
        allocations=0,
        peak_live_bytes=0,
        threads=0,
        withheld="",
        ceiling=Ceiling(0.0, 0.0, 0.0, first.cpu_seconds, 0, None, 0, 0.0, first.wall_seconds),
        globals=_single_run(first, request),
        notes=(f"{reason[:1].upper()}{reason[1:]}.", *_input_note(program, request)),
    )


def _load_or_record(program: Program, trace: Path | None, folder: Path) -> tuple[Path, Profile]:
    """Records again if other processes disturbed the times, and keeps the quietest recording."""
    if trace is not None:
        return trace, read_profile(ask([str(trace)]))
    recordings = []
    begin = time.monotonic()
    for number in range(MOST_RECORDINGS):
        file = record(program.words, program.stdin, folder / f"{number}.trace", program.seconds_limit)
        recordings.append((file, read_profile(ask([str(file)]))))
        if width(recordings[-1][1]) < DISTURBED or time.monotonic() - begin > SECONDS_TO_RECORD:
            break
    return min(recordings, key=lambda recording: width(recording[1]))


def _single_run(first: RunResult, request: Request) -> Globals:
    return Globals(
        base=request.mallocs[0],
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


def _start(program: Program, request: Request, profile: Profile, mallocs: Globals, fault_ns: float) -> Study:
    ceiling = estimate_ceiling(
        profile, mallocs.cpu_seconds, mallocs.wall_seconds, round(mallocs.faults), fault_ns
    )
    return Study(
        words=tuple(program.words),
        base=request.mallocs[0],
        allocations=profile.figures.allocations,
        peak_live_bytes=profile.timeline.peak_bytes if profile.timeline else None,
        threads=profile.process.threads,
        withheld=withheld(profile),
        ceiling=ceiling,
        globals=mallocs,
        patterns=tuple(find_patterns(profile)) if ceiling.worth_a_trial else (),
        notes=(*study_notes(program, profile, mallocs, ceiling), *_input_note(program, request)),
        profile=profile,
    )


def _input_note(program: Program, request: Request) -> list[str]:
    return [EMPTY_INPUT] if request.terminal and program.stdin is None else []


def study_notes(program: Program, profile: Profile, mallocs: Globals, ceiling: Ceiling) -> list[str]:
    """Doubts about the program and its runs."""
    notes = []
    if mallocs.status != 0:
        input_hint = "" if program.stdin else "; its standard input is empty, --input FILE gives it one"
        ended = RunResult(0, 0, 0, 0, mallocs.status, "", None).end
        notes.append(f"The program {ended}{input_hint}.")
    recorded = profile.process.exit_status
    if mallocs.same_end and recorded is not None and recorded not in (-1, mallocs.status):
        ends = [RunResult(0, 0, 0, 0, status, "", None).end for status in (recorded, mallocs.status)]
        notes.append(
            f"With the recorder the program {ends[0]}, and without it {ends[1]}: the recording may be "
            f"incomplete; {LIMITS}."
        )
    if not mallocs.same_end:
        notes.append("The program ended differently from run to run, so runs are hard to compare.")
    if not mallocs.same_output:
        notes.append("The program's output differs from run to run, so it was not compared.")
    if ceiling.worth_a_trial and (advice := short(mallocs.seconds)):
        notes.append(advice)
    notes += [
        f"Under {name} the program {end}, and without it does not." for name, end in mallocs.failed.items()
    ]
    notes += [f"Under {name} the program's output differs." for name in mallocs.differing]
    notes += [f"{name} is not installed, so it was not tried." for name in mallocs.missing]
    if profile.process.programs_not_followed or profile.process.forks_not_followed:
        notes.append(
            "The program starts other processes. The figures include their time, but not their blocks."
        )
    command = profile.process.command
    if command is not None and tuple(command) != tuple(program.words):
        notes.append(f"The recording is of '{' '.join(command)}', which is not the program that was tried.")
    return notes
