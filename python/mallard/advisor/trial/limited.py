"""Runs a user's program under `mallard-measure`, which kills the program and its children when the time limit
passes or when mallard exits, even by a signal.
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

from mallard.shared import preload
from mallard.shared.errors import UsageError
from mallard.shared.native_file import MEASURER
from mallard.shared.parent_death import end_with_parent


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
    """Returns: the fields that mallard-measure writes."""
    # Preload libraries into the program, but not into mallard-measure.
    measurer_environment = {
        variable: value for variable, value in environment.items() if variable != preload.VARIABLE
    }
    preload_arguments = [
        f"{variable}={environment[variable]}" for variable in environment.keys() - measurer_environment.keys()
    ]
    with (
        open(stdin or os.devnull, "rb") as input_file,
        tempfile.TemporaryFile(prefix="mallard-result-") as result,
    ):
        process = subprocess.Popen(
            [str(MEASURER.find()), str(result.fileno()), *preload_arguments, "--", *words],
            stdin=input_file,
            stdout=stdout,
            stderr=stderr,
            env=measurer_environment,
            pass_fds=(result.fileno(),),
            start_new_session=True,
            # Safe, because this process has one thread. On SIGTERM mallard-measure ends its group.
            preexec_fn=end_with_parent(signal.SIGTERM),
        )
        wait(process, name, seconds_limit)
        result.seek(0)
        fields = result.read().split()
    if len(fields) == 2:
        raise UsageError(f"{words[0]} does not start: {os.strerror(int(fields[1]))}")
    if len(fields) != 7:
        raise UsageError(f"{MEASURER.name} ended without a result (exit status {process.returncode})")
    return list(map(int, fields))


def wait(process: subprocess.Popen[bytes], name: str, seconds_limit: float) -> None:
    """Kills the process group on a timeout or Ctrl-C: the process leads its own group."""
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
