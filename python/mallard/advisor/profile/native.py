"""Runs the native program `mallard-profile`.

It prints one JSON (docs/advisor/profile_format.md), or writes an export. Its errors are shown unchanged.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from typing import IO

from mallard.shared.errors import UsageError
from mallard.shared.native_file import PROFILER
from mallard.shared.parent_death import end_with_parent

OWN_NAME = f"{PROFILER.name}: "
ERROR = "error: "


def ask(words: Sequence[str], output: IO[bytes] | None = None) -> bytes:
    """Runs the program to completion. Returns its standard output, unless it goes to a file.

    Raises a UsageError with the program's message if it refuses, and with the signal if it crashes.
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


def _failure(status: int, output: str) -> str:
    output = output.strip()
    if status < 0:
        problem = f"{PROFILER.name} crashed ({_signal(-status)}), so nothing was written"
        remedy = "this is a defect of mallard; please report it with the trace"
        return f"{problem}; {remedy}{_last_words(output)}"
    if not output:
        return f"{PROFILER.name} failed (exit status {status}) without a message, so nothing was written"
    return output.removeprefix(OWN_NAME).removeprefix(ERROR)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _last_words(output: str) -> str:
    return f"; last message: {output.splitlines()[-1]}" if output else ""
