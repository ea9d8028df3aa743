"""The messages of `mallard record`, from the facts that the collector writes: a line of JSON each."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Mapping
from typing import Any

from mallard.advisor.recording.program import reason_for_no_event
from mallard.shared.caller import signal_name
from mallard.shared.prose import printable_name

Facts = Mapping[str, Any]

ERROR = "error: "
UNITS = ("kB", "MB", "GB", "TB")
FREE_SPACE = "the disk is full; free some space, or record to another disk with -o"
INCOMPLETE = {
    "unknown_code": "in code without unwind information (.eh_frame)",
    "unreadable": "where the stack or its description is damaged",
    "too_deep": "because they are too deep",
}
STOPPED = {
    "asked": "the collector stopped it",
    "disk full": FREE_SPACE,
    "file full": (
        "the collector could not keep up, and the part is full or the process is out of memory; record less "
        "with --sample N"
    ),
    "no memory": "out of memory; raise the memory limit, or record less with --sample N",
}
REMEDIES = {
    signal.SIGSYS: (
        "its sandbox (seccomp) forbids a system call of the recorder: turn it off for the recording"
    ),
    **dict.fromkeys(
        (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGKILL),
        "a stack or a memory limit is too small for both: raise it, or record with --stacks none, which "
        "needs least",
    ),
}


def message_lines(facts: Facts) -> list[str]:
    """The lines of one line of facts, as they are printed."""
    return [f"mallard: {printable_name(line)}" for line in _WORDS[facts["record"]](facts)]


def silent_programs(facts: Facts) -> str:
    """The followed programs whose events were not recorded, except for those that allocate nothing, with the
    reasons; empty if there are none."""
    return "; ".join(f"'{program}' {reason}" for program, reason, _ in _silent(facts))


def has_other_processes(facts: Facts) -> bool:
    """True if processes were not recorded, and --follow records them."""
    return bool(facts.get("forks") or facts.get("programs")) and not facts["follow"]


def has_no_allocation(facts: Facts) -> bool:
    """True if the recorder saw no allocation of a program that ended."""
    return facts.get("processes") == 0 and not (facts["failed"] or facts["is_disk_full"])


def error_text(facts: Facts) -> str:
    """Why there is no recording; empty if there is one."""
    lines = _WORDS[facts["record"]](facts)
    return next((line.removeprefix(ERROR) for line in lines if line.startswith(ERROR)), "")


def _idle(facts: Facts) -> list[str]:
    return [f"idle; '{_kill_command(facts)}' begins and ends the recording"]


def _begun(facts: Facts) -> list[str]:
    return [f"recording; '{_kill_command(facts)}' ends the recording"]


def _over(facts: Facts) -> list[str]:
    return ["the recording has ended; another one takes another 'mallard record'"]


def _attached(facts: Facts) -> list[str]:
    return [f"recording process {facts['process']} ('{facts['program']}'); Ctrl-C ends the recording"]


def _failed(facts: Facts) -> list[str]:
    return [f"{ERROR}{facts['text']}"]


def _kill_command(facts: Facts) -> str:
    return f"kill -{facts['signal']} {facts['collector']}"


def _summary(facts: Facts) -> list[str]:
    if facts["failed"]:
        lines = [f"{ERROR}{facts['failed']}"]
        if not facts["recover"]:
            lines.append(
                "the program continued without the recorder; free some space or memory, then: mallard record "
                f"--recover {facts['file']}"
            )
        return lines
    if not facts["processes"]:
        return _nothing_recorded(facts)
    lines = []
    if facts["events"]:
        lines += _completeness(facts)
    elif not facts["stopped"]:
        lines += _no_events(facts)
    return [
        *(*lines, _amounts(facts), *_end(facts), *_unrecorded(facts), *_lost(facts), *_failure(facts)),
        f"next: mallard profile {facts['file']}",
    ]


def _completeness(facts: Facts) -> list[str]:
    complete, events, incomplete = facts["complete"], facts["events"], facts["incomplete"]
    if complete is None:
        return ["no stacks, because of --stacks none; scopes will be withheld"]
    lines = [f"{_percent(complete, events)} of {events:,} stacks are complete"]
    if incomplete:
        lines.append(
            f"scopes will be withheld, which need 95 %: {_percent(incomplete['events'], events)} end "
            f"{INCOMPLETE[incomplete['end']]}, most often in {incomplete['file']}"
        )
    return lines


def _no_events(facts: Facts) -> list[str]:
    lines = [
        f"no event: '{facts['program']}' called neither malloc nor operator new in a way that can be recorded"
    ]
    if facts["programs"] and not facts["follow"]:
        lines.append("it executed another program, which was not followed; --follow records it too")
    return lines


def _amounts(facts: Facts) -> str:
    line = f"{_counted(facts['events'], 'event')} of {_counted(facts['threads'], 'thread')}"
    if facts["processes"] > 1:
        line += f" in {_counted(facts['processes'], 'process')}"
    line += f" in {facts['seconds']:.2f} s; {_bytes(facts['bytes'])}"
    if facts["events"]:
        line += f", {facts['bytes'] / facts['events']:.2f} bytes an event"
    return line


def _end(facts: Facts) -> list[str]:
    if facts["ended_by"]:
        return [f"the recording ended by {facts['ended_by']}; the program goes on"]
    if facts["stopped"]:
        return [f"the recording stopped before the program ended: {STOPPED[facts['stopped']]}"]
    return []


def _unrecorded(facts: Facts) -> list[str]:
    """The processes and threads of which there is no event."""
    lines = _not_followed(facts)
    if silent := _silent(facts):
        programs = _counted(sum(times for *_, times in silent), "executed program")
        lines.append(f"followed, but without an event: {programs}; {silent_programs(facts)}")
    if facts["unknown_threads"]:
        lines.append(
            f"lost: {_counted(facts['unknown_threads'], 'event')} of threads that first allocated after the "
            "program had restricted its system calls (seccomp)"
        )
    return lines


def _not_followed(facts: Facts) -> list[str]:
    counts = (("fork", facts["forks"]), ("executed program", facts["programs"]))
    processes = " and ".join(_counted(number, noun) for noun, number in counts if number)
    if not processes:
        return []
    if facts["follow"]:
        return [
            (
                f"could not be followed: {processes}; the reason may be a static program, another C library "
                "or a sanitizer (which then does not start), other rights (setuid), an environment without "
                f"LD_PRELOAD, or a process that cannot write to {facts['file']}.parts"
            )
        ]
    return [f"not followed: {processes}{'' if facts['recover'] else '; --follow records them too'}"]


def _silent(facts: Facts) -> list[tuple[str, str, int]]:
    times: list[tuple[str, int]] = sorted(Counter(facts.get("without_event", ())).items())
    reasons = [(program, reason_for_no_event(program), number) for program, number in times]
    return [(program, reason, number) for program, reason, number in reasons if reason]


def _lost(facts: Facts) -> list[str]:
    losses = (
        (
            facts["nested"],
            "event",
            " of signal handlers that interrupted the recorder, or whose stack has too little room",
        ),
        (facts["names"], "use", " of names, because the table of names is full"),
    )
    lines = [f"lost: {_counted(number, noun)}{reason}" for number, noun, reason in losses if number]
    if facts["damaged"]:
        lines.append(f"lost: the ends of {_counted(facts['damaged'], 'damaged chunk')}")
    return lines


def _failure(facts: Facts) -> list[str]:
    """A failure that may be due to the recorder, which the program's own messages do not name."""
    status = facts["status"]
    if status == 0:
        return []
    remedy = REMEDIES.get(status - 128, "")
    remedy = remedy and f"; if it does not fail without the recorder, {remedy}"
    return [f"the program {_describe_status(status)} with the recorder{remedy}"]


def _describe_status(status: int) -> str:
    if status <= 128:
        return f"ended with status {status}"
    return f"was killed by {signal_name(status - 128)}"


def _nothing_recorded(facts: Facts) -> list[str]:
    program, status, ended_by = facts["program"], facts["status"], facts["ended_by"]
    unchanged = f"; '{facts['file']}' is unchanged" if facts["has_file"] else ""
    rest = [*_unrecorded(facts), *_failure(facts)]
    error = f"{ERROR}nothing was recorded"
    if facts["signal"] and facts["is_idle"]:
        return [
            f"nothing was recorded: SIG{facts['signal']} had not begun the recording{unchanged}",
            *rest,
        ]
    if facts["is_disk_full"]:
        return [f"{error}: {FREE_SPACE}{unchanged}", *_failure(facts)]
    if ended_by == "--limit":
        return [
            (
                f"{error}: --limit is less than the beginning of a trace; give more, such as --limit 1M"
                f"{unchanged}"
            ),
            *_failure(facts),
        ]
    if ended_by or facts["signal"]:
        end = f"the recording ended by {ended_by}" if ended_by else f"it {_describe_status(status)}"
        allocated = "did not allocate until" if facts["signal"] else "had not allocated when"
        return [f"{error}: '{program}' {allocated} {end}{unchanged}", *rest]
    if not program:
        return [f"{error}, because the recording had not started"]
    return [
        (
            f"{error}: '{program}' {_describe_status(status)} before its first allocation, or did not load "
            f"the recorder{unchanged}"
        ),
        *_unrecorded(facts),
        "a program does not load the recorder if its parent clears LD_PRELOAD",
        *_failure(facts),
    ]


def _percent(part: int, total: int) -> str:
    """Rounded down, so that only the total is 100 %."""
    return "100 %" if part == total else f"{min(part * 10_000 // total, 9_999) / 100:.2f} %"


def _bytes(number: float) -> str:
    """`12.3 MB`."""
    if number < 1000:
        return f"{number} bytes"
    unit = -1
    while number >= 1000 and unit + 1 < len(UNITS):
        number /= 1000
        unit += 1
    return f"{number:.{1 if number < 100 else 0}f} {UNITS[unit]}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 'es' if noun.endswith('s') else 's'}"


_WORDS = {
    "idle": _idle,
    "begun": _begun,
    "over": _over,
    "attached": _attached,
    "error": _failed,
    "summary": _summary,
}
