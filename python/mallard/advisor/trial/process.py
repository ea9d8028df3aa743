"""Runs the user's program once: measured, or recorded, and killed at its time limit.

`mallard-measure` kills the program and its children when the limit passes or when mallard exits, even by a
signal.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from mallard.shared import preload
from mallard.shared.errors import UsageError
from mallard.shared.native_file import COLLECTOR, MEASURER
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


DIGESTED_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Measured:
    """Measurements of one process."""

    cpu_seconds: float
    wall_seconds: float
    peak_bytes: int
    faults: int
    status: int  # of wait()
    output: str  # a digest

    @property
    def ended_by(self) -> str:
        """The name of the signal that ended the process, or an empty string."""
        if not os.WIFSIGNALED(self.status):
            return ""
        try:
            return signal.Signals(os.WTERMSIG(self.status)).name
        except ValueError:
            return f"signal {os.WTERMSIG(self.status)}"

    @property
    def end(self) -> str:
        if self.ended_by:
            return f"ended by {self.ended_by}"
        return f"ended with exit status {os.WEXITSTATUS(self.status)}"


def measure(
    words: Sequence[str], environment: Mapping[str, str], stdin: Path | None, seconds_limit: float
) -> Measured:
    """Hides the program's output from the terminal, and keeps its digest for comparison."""
    with (
        tempfile.TemporaryFile(prefix="mallard-output-") as output,
        tempfile.TemporaryFile(prefix="mallard-errors-") as errors,
    ):
        status, user, system, wall, peak, minor, major = run_limited(
            words, environment, words[0], seconds_limit, stdin=stdin, stdout=output, stderr=errors
        )
        output.seek(0)
        digest = sha256_of_file(output)
    return Measured(
        cpu_seconds=(user + system) * 1e-6,
        wall_seconds=wall * 1e-9,
        peak_bytes=peak * 1024,
        faults=minor + major,
        status=status,
        output=digest,
    )


def own_environment() -> dict[str, str]:
    """The user's environment, without the variable that ./mallard sets."""
    return {name: value for name, value in os.environ.items() if name != "MALLARD_ROOT"}


def sha256_of_file(file: IO[bytes]) -> str:
    """The digest of the file from its current position. The file may be larger than memory."""
    digest = hashlib.sha256()
    while piece := file.read(DIGESTED_AT_ONCE):
        digest.update(piece)
    return digest.hexdigest()


ERROR = "error: "
TIMES_SLOWER = 4  # a program that only allocates is slowed more, and needs --sample
NOTHING_RECORDED = "before its first allocation"
END = re.compile(r"(ended with status|ended by signal) (\d+)")


class NothingRecordedError(UsageError):
    """The recorder saw no allocation."""

    def ends_as(self, status: int) -> bool:
        """True if the recorded program had this status of wait(), or if its end is unknown."""
        match = END.search(str(self))
        if match is None:
            return True
        by_signal = match[1].endswith("signal")
        code = os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        return (by_signal, int(match[2])) == (os.WIFSIGNALED(status), code)


def record(program: Sequence[str], stdin: Path | None, trace: Path, seconds_limit: float) -> Path:
    """Records the program once and hides its output. `seconds_limit` applies to a run without the recorder,
    which is slower.
    """
    words = [str(COLLECTOR.find()), "-o", str(trace), "--", *program]
    with tempfile.TemporaryFile(prefix="mallard-errors-") as errors:
        run_limited(
            words,
            own_environment(),
            f"{program[0]}, which is recorded,",
            TIMES_SLOWER * seconds_limit,
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        errors.seek(0)
        output = errors.read().decode(errors="replace")
    if not trace.is_file():
        reason = _reason(output)
        error = NothingRecordedError if NOTHING_RECORDED in reason else UsageError
        raise error(reason or f"{program[0]} was not recorded")
    return trace


def _reason(output: str) -> str:
    """The line with the error, or else the last line."""
    lines = output.strip().splitlines()
    errors = [line.partition(ERROR)[2] for line in lines if ERROR in line]
    return (errors or lines[-1:] or [""])[0]
