"""Notes of the advice: doubts about the program and its runs, and arms with fewer or further rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mallard.advisor.advice.global_mallocs import Globals
from mallard.advisor.advice.plan import FULL_ROUNDS, Request
from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.sentences import stopped
from mallard.advisor.trial.campaign import OUTPUT_IGNORED, Baseline
from mallard.advisor.trial.further_rounds import FIRST_ROUNDS, SURE
from mallard.advisor.trial.load import server_status
from mallard.advisor.trial.process import LIMITS
from mallard.advisor.trial.program import Program, RunResult
from mallard.shared.mallocs import package_name, title
from mallard.shared.prose import capitalised, in_prose
from mallard.shared.stats import Difference


def brief_note(briefly: Baseline | None, strategies: Sequence[str], *, quick: bool) -> list[str]:
    if briefly is None:
        return []
    count = briefly.trial.effects[0].time.n if briefly.trial.effects else 0
    best = in_prose(strategies)
    reason = "As --quick asks" if quick else "The program takes long"
    return [f"{reason}: each strategy had {count} rounds, and the best of them, {best}, had all rounds."]


def dropped_note(times: Mapping[str, Difference], planned: int) -> list[str]:
    names = [title(name) for name, time in times.items() if time.n == FIRST_ROUNDS < planned]
    if not names:
        return []
    end = f"after which {'it' if len(names) == 1 else 'they'} could not be the answer"
    return [f"{capitalised(in_prose(names))} had {FIRST_ROUNDS} of {planned} rounds, {end}."]


def rounds_note(planned: int, request: Request) -> list[str]:
    if request.rounds or planned >= FULL_ROUNDS:
        return []
    reason = "as --quick asks" if request.quick else "because the program takes long"
    return [f"{planned} rounds, {reason}; --rounds {FULL_ROUNDS} makes the interval narrower."]


def further_note(times: Mapping[str, Difference], planned: int) -> list[str]:
    """After further rounds of some arms."""
    names = [name for name, time in times.items() if time.n > planned]
    if not names:
        return []
    further = times[names[0]].n - planned
    reason = f"{planned} left intervals that are too wide for an answer"
    intervals = "its interval is" if len(names) == 1 else "their intervals are"
    intervals = f"as more looks need more certainty, {intervals} at {100 * SURE:g} %"
    return [f"{in_prose(names)} had {further} further rounds, because {reason}; {intervals}."]


def study_notes(program: Program, profile: Profile, mallocs: Globals) -> list[str]:
    """Doubts about the program and its runs."""
    notes = []
    if mallocs.status != 0:
        input_hint = "" if program.stdin else "; its standard input is empty, --input FILE gives it one"
        ended = RunResult(0, 0, 0, 0, mallocs.status, "", None).end
        notes.append(f"The program {ended}{input_hint}.")
    recorded = profile.process.exit_status
    if recorded is not None and program.surroundings.load:
        recorded = server_status(recorded)
    if recorded is not None and recorded not in (-1, mallocs.status):
        ends = [RunResult(0, 0, 0, 0, status, "", None).end for status in (recorded, mallocs.status)]
        notes.append(
            f"With the recorder the program {ends[0]}, and without it {ends[1]}: the recording may be "
            f"incomplete; {LIMITS}."
        )
    if profile.process.stopped not in (None, "asked"):
        notes.append(f"{stopped(profile.process)} The counts of blocks and operations are of its beginning.")
    if not mallocs.compared:
        notes.append(OUTPUT_IGNORED)
    notes += [f"{name} was not preloaded: it is {mallocs.base}." for name in mallocs.same]
    notes += [
        f"{name} is not installed, so it was not tried; its package is {package_name(name)}."
        for name in mallocs.missing
    ]
    if profile.process.programs_not_followed or profile.process.forks_not_followed:
        notes.append(
            "The program starts other processes. The figures include their time, but not their blocks."
            if program.process is None
            else "The program starts processes that could not be followed, so no figure includes them."
        )
    command = profile.process.command
    if program.process is None and command is not None and tuple(command) != tuple(program.words):
        notes.append(f"The recording is of '{' '.join(command)}', which is not the program that was tried.")
    return notes
