"""Runs one command of a stage. The output goes to the log. A command that is silent for too long is killed
with its children. The total time has no limit, because a slow or busy machine is not a defect."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SILENCE_SECONDS = 900.0
"""The longest silent step is the compilation of one file: half a minute on a current machine."""

SILENT = 124
"""The exit status of a killed command, as of `timeout`."""
STOPPED = 130
"""That of one that was stopped with all others, as after ^C."""

# ninja: [35/179] Building CXX object ...   ctest: 3/12 Test  #5: ...   make, pytest: [ 20%]
STEP = re.compile(r"\[(\d+)/(\d+)\]|^ *(\d+)/(\d+) Test +#|\[ *(\d+)()%\]", re.MULTILINE)


@dataclass
class Workplace:
    """The environment of a stage: source tree, log, number of parallel processes. `show` receives the share
    of the stage that is complete."""

    root: Path
    log: Path
    jobs: int
    show: Callable[[float], None] = lambda share: None
    until: str | None = None
    """A native stage ends after this step, "configure" or "build"."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Ends the command and those that follow."""
    user: float = 0.0
    system: float = 0.0
    """Seconds of the commands that have ended, and of their children."""

    def run(
        self,
        command: Sequence[str],
        *,
        silence_limit: float = SILENCE_SECONDS,
        environment: Mapping[str, str] | None = None,
        part: tuple[float, float] = (0.0, 1.0),
    ) -> int:
        """Returns the exit status. `part` is the command's share of the stage, from one fraction to
        another."""
        # CMake's default generator, make, may be missing. Without a bytecode cache Python compiles at each
        # start.
        defaults = {"PYTHONPYCACHEPREFIX": str(self.root / "build/pycache")}
        defaults |= {"CMAKE_GENERATOR": "Ninja"} if shutil.which("ninja") else {}
        fixed = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONUNBUFFERED": "1"}
        with self.log.open("ab", buffering=0) as log, self.log.open("rb") as output:
            log.write(f"$ {shlex.join(command)}\n".encode())
            output.seek(0, os.SEEK_END)
            process = subprocess.Popen(
                command,
                cwd=self.root,
                env={**defaults, **os.environ, **fixed, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                heard, running = time.monotonic(), True
                while running:
                    if self.stop.wait(0.05):
                        return STOPPED
                    running = not self.has_ended(process)
                    if piece := output.read():
                        heard = time.monotonic()
                        self.show_step(piece.decode("utf-8", "replace"), part)
                    elif time.monotonic() - heard > silence_limit:
                        log.write(f"nothing was printed for {silence_limit:.0f} s: ended\n".encode())
                        return SILENT
                return process.returncode
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def has_ended(self, process: subprocess.Popen[bytes]) -> bool:
        """Adds the times of one that has."""
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            process.returncode = os.waitstatus_to_exitcode(status)
            self.user += usage.ru_utime
            self.system += usage.ru_stime
        return bool(ended)

    def show_step(self, text: str, part: tuple[float, float]) -> None:
        for step in list(STEP.finditer(text))[-1:]:
            done, total = (int(number) for number in [*filter(None, step.groups()), "100"][:2])
            self.show(part[0] + (part[1] - part[0]) * min(1.0, done / max(total, 1)))

    def say(self, line: str) -> None:
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"{line}\n")
