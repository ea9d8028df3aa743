"""Runs a command of the user by `sh -c`, in its own process group, which ends with mallard."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mallard.shared.errors import UsageError
from mallard.shared.parent_death import end_with_parent, kill_group, too_long

POLL_SECONDS = 0.005
MOST_LINES = 3  # of an error


@dataclass(frozen=True)
class CommandResult:
    name: str  # with the option
    status: int  # negative for a signal
    output: str
    errors: str

    @property
    def failure(self) -> str:
        """Empty if the command succeeded."""
        if self.status == 0:
            return ""
        end = f"by signal {-self.status}" if self.status < 0 else f"with exit status {self.status}"
        return f"{self.name} ended {end}{last_lines(self.errors or self.output)}"


def last_lines(text: str) -> str:
    """`` (the last lines)``, or an empty string."""
    lines = [line.strip() for line in re.split(r"[\r\n]+", text) if line.strip()]
    return f" ({' / '.join(lines[-MOST_LINES:])})" if lines else ""


def run_command(
    option: str,
    command: str,
    seconds_limit: float,
    folder: Path | None = None,
    is_needed: Callable[[], bool] = lambda: True,
) -> CommandResult:
    """The command is killed when it is no longer needed."""
    name = f"{option} '{command}'"
    with (
        tempfile.TemporaryFile(prefix="mallard-output-") as output,
        tempfile.TemporaryFile(prefix="mallard-errors-") as errors,
    ):
        process = subprocess.Popen(
            ["sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env={name: value for name, value in os.environ.items() if name != "MALLARD_ROOT"},
            cwd=folder,
            start_new_session=True,
            preexec_fn=end_with_parent(signal.SIGTERM),
        )
        deadline = time.monotonic() + seconds_limit
        try:
            while process.poll() is None and is_needed():
                if time.monotonic() > deadline:
                    raise too_long(name, seconds_limit)
                time.sleep(POLL_SECONDS)
        finally:
            kill_group(process)
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return CommandResult(name, process.returncode, *texts)


def require_success(option: str, command: str, seconds_limit: float, folder: Path | None = None) -> None:
    result = run_command(option, command, seconds_limit, folder)
    if result.failure:
        raise UsageError(f"{result.failure}; give a command that ends with exit status 0")
