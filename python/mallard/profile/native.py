"""The native program `mallard-profile`: its place, and its answers.

It prints one JSON (docs/advisor/profile_format.md), or writes an export. Its errors are shown as they are.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from typing import IO

from mallard.errors import UsageError
from mallard.native_file import PROFILER
from mallard.parent_death import end_with_parent

OWN_NAME = f"{PROFILER.name}: "
ERROR = "error: "


def ask(words: Sequence[str], output: IO[bytes] | None = None) -> bytes:
    """Runs the program to its end. Returns its standard output, unless that goes to a file.

    Raises a UsageError with the program's own words if it refuses, and with its end if it crashes.
    """
    program = PROFILER.find()
    try:
        done = subprocess.run(
            [program, *words],
            stdout=output or subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
            preexec_fn=end_with_parent(),  # safe, because this process has one thread
        )
    except OSError as error:
        raise UsageError(f"{program} does not run: {error.strerror}; build it again") from None
    if done.returncode != 0:
        raise UsageError(_failure(done.returncode, done.stderr.decode(errors="replace")))
    return done.stdout or b""


def _failure(status: int, said: str) -> str:
    said = said.strip()
    if status < 0:
        what = f"{PROFILER.name} crashed ({_signal(-status)}), so nothing was written"
        remedy = "this is a defect of mallard; the trace that shows it would help to mend it"
        return f"{what}; {remedy}{_last_words(said)}"
    if not said:
        return f"{PROFILER.name} failed (exit status {status}) without a word, so nothing was written"
    return said.removeprefix(OWN_NAME).removeprefix(ERROR)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _last_words(said: str) -> str:
    return f"; it said: {said.splitlines()[-1]}" if said else ""
