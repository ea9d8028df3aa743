"""Ends child processes with mallard, even if it is killed."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable

PR_SET_PDEATHSIG = 1


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
