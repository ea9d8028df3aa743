"""One command of a stage: its output goes to the log as it comes, and it is ended, with its children, when it
is silent for too long. How long it takes altogether ends nothing: a slow or busy machine is no defect."""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from mallard.stages.progress import Progress

SILENCE_SECONDS = 900.0
"""The longest step that prints nothing is one file that is compiled: half a minute, on a machine of today."""

MOST_PIECES_AFTER_END = 64
"""Of 64 KiB: what a command left in the pipe, but not what a child that it left behind goes on to say."""

SILENT = 124
"""The exit status of a command that was ended, as `timeout` has it."""


@dataclass(frozen=True)
class Workplace:
    """Where a stage works: the source tree, its log, how many processes may run at once, how far it is."""

    root: Path
    log: Path
    jobs: int
    progress: Progress = field(default_factory=Progress)

    @property
    def build(self) -> Path:
        return self.root / "build"

    def run(
        self,
        command: Sequence[str],
        *,
        silence_limit: float = SILENCE_SECONDS,
        environment: Mapping[str, str] | None = None,
        part: tuple[float, float] = (0.0, 1.0),
    ) -> int:
        """The exit status. The command is the `part` of its stage from one fraction of it to another."""
        self.progress.begin(part)
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"$ {shlex.join(command)}\n")
            log.flush()
            process = subprocess.Popen(
                command,
                cwd=self.root,
                env={**os.environ, **generator(), **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                if self.follow(process, log, silence_limit):
                    return process.wait()
                log.write(f"nothing was printed for {silence_limit:.0f} s: ended\n")
                return SILENT
            finally:
                end_group(process)
                if process.stdout is not None:
                    process.stdout.close()

    def follow(self, process: subprocess.Popen[bytes], log: IO[str], silence_limit: float) -> bool:
        """Copies the output to the log until the command has ended; False if it was silent for too long.

        A child that the command leaves behind may hold the pipe open: the command's own end counts."""
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        line = b""
        heard = time.monotonic()
        pieces_after_end = 0
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                ended = process.poll() is not None
                pieces_after_end += ended
                selector.select(0 if ended else 0.2)
                piece = process.stdout.read(1 << 16)
                if piece:
                    log.write(piece.decode("utf-8", "replace"))
                    log.flush()
                    heard = time.monotonic()
                    *lines, line = (line + piece).split(b"\n")
                    for complete in lines:
                        self.progress.read(complete.decode("utf-8", "replace"))
                elif piece == b"" and not ended:
                    # It has closed its output, which would be selected for ever.
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(0.2)
                if ended and (not piece or pieces_after_end > MOST_PIECES_AFTER_END):
                    return True
                if time.monotonic() - heard > silence_limit:
                    return False

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
