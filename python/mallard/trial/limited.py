"""A process of a user's program that is ended, with all that it started, when its time is over."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess

from mallard.errors import UsageError


def wait(process: subprocess.Popen[bytes], name: str, seconds_limit: float) -> None:
    """The process leads a group of its own, so Ctrl-C ends the program as well."""
    try:
        process.wait(seconds_limit)
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"{name} ran for more than {seconds_limit:g} s; give it less work, or --time-limit SECONDS"
        ) from None
    finally:
        if process.returncode is None:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
