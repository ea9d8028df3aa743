"""Runs a command of the user by `sh -c` under mallard-measure, which kills its processes if mallard ends."""

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
from typing import IO

from mallard.shared import caller
from mallard.shared.errors import UsageError
from mallard.shared.native_file import MEASURER
from mallard.shared.parent_death import LESS_WORK, end_with_parent, kill_group, too_long

POLL_SECONDS = 0.005
MOST_LINES = 3  # of an error


@dataclass(frozen=True)
class CommandResult:
    name: str  # with the option
    status: int  # negative for a signal
    output: str
    errors: str
    exceeded: float | None = None  # the time limit in seconds, at which the command was killed

    @property
    def failure(self) -> str:
        """Empty if the command succeeded."""
        if self.exceeded is not None:
            return too_long(self.name, self.exceeded)
        if self.status == 0:
            return ""
        end = f"by signal {-self.status}" if self.status < 0 else f"with exit status {self.status}"
        return f"{self.name} ended {end}{last_lines(self.errors or self.output)}"

    @property
    def remedy(self) -> str:
        return LESS_WORK if self.exceeded is not None else "give a command that ends with exit status 0"


def last_lines(text: str) -> str:
    """`` (the last lines)``, or an empty string."""
    lines = [line.strip() for line in re.split(r"[\r\n]+", text) if line.strip()]
    return f" ({' / '.join(lines[-MOST_LINES:])})" if lines else ""


def prepare_child() -> Callable[[], None]:
    """For `preexec_fn` of mallard-measure, which is safe, because this process has one thread.

    If mallard ends, mallard-measure gets SIGTERM and ends its processes. Signals that the caller of mallard
    ignores are ignored in the program.
    """
    bind = end_with_parent(signal.SIGTERM)

    def prepare() -> None:
        bind()
        caller.restore_ignored_signals()

    return prepare


def run_command(
    option: str,
    command: str,
    seconds_limit: float,
    folder: Path | None = None,
    is_needed: Callable[[], bool] = lambda: True,
    *,
    keep_background: bool = False,
) -> CommandResult:
    """The command is killed when it is no longer needed. Processes that it leaves behind are killed after a
    second, unless `keep_background` is set.
    """
    name = f"{option} '{command}'"
    with (
        tempfile.TemporaryFile(prefix="mallard-output-") as output,
        tempfile.TemporaryFile(prefix="mallard-errors-") as errors,
        tempfile.TemporaryFile(prefix="mallard-result-") as result,
    ):
        process = subprocess.Popen(
            [
                *(str(MEASURER.find()), str(result.fileno())),
                *([] if keep_background else ["--server"]),
                *("--", "sh", "-c", command),
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env=caller.environment(),
            cwd=folder,
            pass_fds=(result.fileno(),),
            start_new_session=True,
            preexec_fn=prepare_child(),
        )
        deadline = time.monotonic() + seconds_limit
        exceeded = None
        try:
            while process.poll() is None and is_needed():
                if time.monotonic() > deadline:
                    exceeded = seconds_limit
                    break
                time.sleep(POLL_SECONDS)
        finally:
            kill_group(process)
        # Without --server, mallard-measure is killed with its group.
        status = process.returncode
        if status >= 0:
            status = os.waitstatus_to_exitcode(read_result(result, "sh", status)[0])
        return CommandResult(name, status, _read_text(output), _read_text(errors), exceeded)


def _read_text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def read_result(result: IO[bytes], program: str, status: int) -> list[int]:
    """Returns: the fields that mallard-measure wrote before it exited with this status."""
    result.seek(0)
    fields = result.read().split()
    if len(fields) == 2:
        raise UsageError(f"{program} does not start: {os.strerror(int(fields[1]))}")
    disk = os.fstatvfs(result.fileno())
    if disk.f_blocks > disk.f_bavail == 0:
        raise UsageError(
            f"the disk of {tempfile.gettempdir()}, which takes the output of the program, is full; free some "
            "space, or set TMPDIR to a folder on another disk"
        )
    if len(fields) < 8:
        raise UsageError(f"{MEASURER.name} ended without a result (exit status {status})")
    return list(map(int, fields))


def require_success(option: str, command: str, seconds_limit: float, folder: Path | None = None) -> None:
    """The command may start a process that the runs need."""
    result = run_command(option, command, seconds_limit, folder, keep_background=True)
    if result.failure:
        raise UsageError(f"{result.failure}; {result.remedy}")
