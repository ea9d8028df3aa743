"""One command of a stage: its output goes to the log, its time is limited, its children end with it."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Workplace:
    """Where a stage works: the source tree, its log and how many processes may run at once."""

    root: Path
    log: Path
    jobs: int

    @property
    def build(self) -> Path:
        return self.root / "build"

    def run(
        self,
        command: Sequence[str],
        *,
        time_limit: float = 600,
        environment: Mapping[str, str] | None = None,
    ) -> int:
        """The exit status; 124 when the time limit passed, as `timeout` has it."""
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"$ {shlex.join(command)}\n")
            log.flush()
            process = subprocess.Popen(
                command,
                cwd=self.root,
                env={**os.environ, **generator(), **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                return process.wait(time_limit)
            except subprocess.TimeoutExpired:
                log.write(f"the time limit of {time_limit:.0f} s passed\n")
                return 124
            finally:
                end_group(process)

    def say(self, line: str) -> None:
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"{line}\n")


def generator() -> dict[str, str]:
    """CMake takes make unless it is told otherwise, and there may be none."""
    if shutil.which("ninja") and "CMAKE_GENERATOR" not in os.environ:
        return {"CMAKE_GENERATOR": "Ninja"}
    return {}


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Ends the command and what it started, which may outlive it (a browser, a hanging test)."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()
