"""The course of the advice: run the program as it is, record it, try the best candidates on it.

Each step costs runs of the program. The time for all of them is planned from the first run, so that the
answer comes in about two minutes; a long program gets fewer rounds, and a wider interval.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from mallard.advice.ceiling import Ceiling, ceiling_of, fault_nanoseconds, width
from mallard.advice.globals import Globals, run_globals, run_once
from mallard.advice.patterns import patterns_of
from mallard.advice.plan import Asked, plan_for
from mallard.advice.study import Study
from mallard.advice.tries import Step, on_one_clock, tried_on
from mallard.errors import UsageError
from mallard.profile.document import Profile, read_profile
from mallard.profile.native import ask
from mallard.profile.sentences import withheld
from mallard.trial.estimate import EMPTY_INPUT, estimate, refuse_long, runs_again, short
from mallard.trial.native import NothingRecordedError, record
from mallard.trial.program import Once, Program

LIMITS = "'What it takes' in docs/advisor/recording.md says what helps"
MOST_RECORDINGS, SECONDS_TO_RECORD = 3, 20.0
DISTURBED = 0.3  # width of an interval beside its middle

Say = Callable[[str], None]


def silent(_: str) -> None: ...


def study(
    program: Program, asked: Asked, trace: Path | None, folder: Path, step: Step, say: Say = silent
) -> Study:
    say(runs_again(program.words[0]))
    return on_one_clock(_study(program, asked, trace, folder, step, say))


def _study(program: Program, asked: Asked, trace: Path | None, folder: Path, step: Step, say: Say) -> Study:
    """Runs the program as often as the answer needs: below an estimate of 2 % nothing is tried."""
    step("first run")
    first = run_once(program, asked.mallocs[0])
    plan = plan_for(first.wall_seconds, asked)
    if asked.rounds is None:
        refuse_long(plan.runs, first.wall_seconds)
    say(estimate(plan.runs, first.wall_seconds))
    step("recording")
    try:
        recording, profile = _recorded(program, trace, folder)
    except NothingRecordedError as error:
        if not error.ends_as(first.status):
            raise UsageError(
                f"{error}; without the recorder the program {first.end}, so the recorder, or a limit that "
                f"leaves it no room, is the reason: {LIMITS}"
            ) from None
        return _silent(program, asked, first, str(error))
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
    return tried_on(program, begun, asked, plan, recording, profile, step)


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
        notes=(f"{reason[:1].upper()}{reason[1:]}.", *_input_note(program, asked)),
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
        notes=(*notes_of(program, profile, mallocs, ceiling), *_input_note(program, asked)),
        profile=profile,
    )


def _input_note(program: Program, asked: Asked) -> list[str]:
    return [EMPTY_INPUT] if asked.terminal and program.stdin is None else []


def notes_of(program: Program, profile: Profile, mallocs: Globals, ceiling: Ceiling) -> list[str]:
    """Doubts about the program that runs."""
    notes = []
    if mallocs.status != 0:
        given = "" if program.stdin else "; its standard input is empty, --input FILE gives it one"
        end = Once(0, 0, 0, 0, mallocs.status, "", None).end
        notes.append(f"The program {end}{given}.")
    recorded = profile.process.exit_status
    if mallocs.same_end and recorded is not None and recorded not in (-1, mallocs.status):
        ends = [Once(0, 0, 0, 0, status, "", None).end for status in (recorded, mallocs.status)]
        notes.append(
            f"With the recorder the program {ends[0]}, without it it {ends[1]}: the recording may lack its "
            f"end; {LIMITS}."
        )
    if not mallocs.same_end:
        notes.append("The program ended differently from run to run, so runs are hard to compare.")
    if not mallocs.same_output:
        notes.append("The program's output differs from run to run, so it was not compared.")
    if ceiling.worth_a_trial and (said := short(mallocs.seconds)):
        notes.append(said)
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
