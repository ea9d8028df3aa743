"""Runs a program once and measures its process."""

from __future__ import annotations

import hashlib
import os
import signal
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from mallard.advisor.trial.limited import run_limited

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
