"""Runs a program once and measures its process."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mallard.errors import UsageError
from mallard.native_file import MEASURER
from mallard.trial.limited import wait

PRELOAD = "LD_PRELOAD"


@dataclass(frozen=True)
class Measured:
    """One process."""

    cpu_seconds: float
    wall_seconds: float
    peak_bytes: int
    faults: int
    status: int  # as wait() gives it
    output: str  # a digest

    @property
    def ended_by(self) -> str:
        """The name of the signal, or ''."""
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
    """The program's own words are kept out of the terminal; their digest is compared."""
    # The program that measures is none of the arm's, so a preloaded library is not for it.
    own = {name: value for name, value in environment.items() if name != PRELOAD}
    handed = [f"{PRELOAD}={environment[PRELOAD]}"] if PRELOAD in environment else []
    with (
        open(stdin or os.devnull, "rb") as given,
        tempfile.TemporaryFile(prefix="mallard-output-") as output,
        tempfile.TemporaryFile(prefix="mallard-errors-") as errors,
        tempfile.TemporaryFile(prefix="mallard-result-") as result,
    ):
        command = [str(MEASURER.find()), str(result.fileno()), *handed, "--", *words]
        process = subprocess.Popen(
            command,
            stdin=given,
            stdout=output,
            stderr=errors,
            env=own,
            pass_fds=(result.fileno(),),
            start_new_session=True,
        )
        wait(process, words[0], seconds_limit)
        result.seek(0)
        told = result.read().split()
        output.seek(0)
        digest = hashlib.file_digest(output, "sha256").hexdigest()
    if len(told) == 2:
        raise UsageError(f"{words[0]} does not start: {os.strerror(int(told[1]))}")
    if len(told) != 7:
        raise UsageError(f"{MEASURER.name} ended without a result (exit status {process.returncode})")
    status, user, system, wall, peak, minor, major = map(int, told)
    return Measured(
        cpu_seconds=(user + system) * 1e-6,
        wall_seconds=wall * 1e-9,
        peak_bytes=peak * 1024,
        faults=minor + major,
        status=status,
        output=digest,
    )


def own_environment() -> dict[str, str]:
    """The user's; ./mallard has set a variable."""
    return {name: value for name, value in os.environ.items() if name != "MALLARD_ROOT"}
