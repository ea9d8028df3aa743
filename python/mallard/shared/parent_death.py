"""Ends child processes with mallard, even if it is killed, and at a time limit."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
from collections.abc import Callable

from mallard.shared.errors import UsageError

PR_SET_PDEATHSIG = 1
SECONDS_TO_END = 10.0  # between SIGTERM and SIGKILL
LESS_WORK = "give it less work, or --time-limit SECONDS"


def end_with_parent(number: signal.Signals = signal.SIGKILL) -> Callable[[], None]:
    """For `preexec_fn`: the kernel sends the signal to the child when the thread that started it ends.

    Start such a child from the main thread only.
    """
    parent = os.getpid()
    prctl = ctypes.CDLL(None).prctl

    def bind() -> None:
        prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(number))
        if os.getppid() != parent:  # the parent ended before prctl
            os.kill(os.getpid(), signal.SIGKILL)

    return bind


class TimeLimitError(UsageError):
    """A process ran for more than `seconds`, and was killed."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(f"{too_long(name, seconds)}; {LESS_WORK}")
        self.seconds = seconds


def wait(process: subprocess.Popen[bytes], name: str, seconds_limit: float) -> None:
    """Kills the process group on a timeout or Ctrl-C: the process leads its own group."""
    try:
        process.wait(seconds_limit)
    except subprocess.TimeoutExpired:
        raise TimeLimitError(name, seconds_limit) from None
    finally:
        kill_group(process)


def too_long(name: str, seconds_limit: float) -> str:
    return f"{name} ran for more than {seconds_limit:g} s"


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Has no effect on a process that has ended. On SIGTERM, mallard-measure first kills the processes of its
    program that left the group.
    """
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_END)
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
