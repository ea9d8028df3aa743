"""Runs a user's program under `mallard-measure`, which ends it, with all that it started, when its time is
over or when mallard ends. A kill of mallard counts.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from mallard import preload
from mallard.errors import UsageError
from mallard.native_file import MEASURER
from mallard.parent_death import end_with_parent


def run_limited(
    words: Sequence[str],
    environment: Mapping[str, str],
    name: str,
    seconds_limit: float,
    *,
    stdin: Path | None,
    stdout: IO[bytes] | int,
    stderr: IO[bytes] | int,
) -> list[int]:
    """Returns: what mallard-measure tells of the process."""
    # A preloaded library is for the program, and not for the one that measures it.
    own = {variable: value for variable, value in environment.items() if variable != preload.VARIABLE}
    handed = [f"{variable}={environment[variable]}" for variable in environment.keys() - own.keys()]
    with (
        open(stdin or os.devnull, "rb") as given,
        tempfile.TemporaryFile(prefix="mallard-result-") as result,
    ):
        process = subprocess.Popen(
            [str(MEASURER.find()), str(result.fileno()), *handed, "--", *words],
            stdin=given,
            stdout=stdout,
            stderr=stderr,
            env=own,
            pass_fds=(result.fileno(),),
            start_new_session=True,
            # Safe, because this process has one thread. On SIGTERM mallard-measure ends its group.
            preexec_fn=end_with_parent(signal.SIGTERM),
        )
        wait(process, name, seconds_limit)
        result.seek(0)
        told = result.read().split()
    if len(told) == 2:
        raise UsageError(f"{words[0]} does not start: {os.strerror(int(told[1]))}")
    if len(told) != 7:
        raise UsageError(f"{MEASURER.name} ended without a result (exit status {process.returncode})")
    return list(map(int, told))


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
