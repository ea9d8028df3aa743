"""Runs one command of a stage. Its output goes to the log at once. A command that is silent for too long is
ended with its children. Its total time has no limit, because a slow or busy machine is no defect."""

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
"""The longest silent step is the compilation of one file: half a minute on a machine of today."""

MOST_PIECES_AFTER_END = 64
"""In pieces of 64 KiB: enough for the output left in the pipe, but not for that of a child left behind."""

SILENT = 124
"""The exit status of an ended command, as of `timeout`."""


@dataclass(frozen=True)
class Workplace:
    """The place of a stage's work: source tree, log, number of parallel processes, and progress."""

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
        """The exit status. `part` is the command's share of its stage, from one fraction to another."""
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

        A child that the command leaves behind may hold the pipe open, so only the command's own end
        counts."""
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
                    # A closed output would be selected for ever.
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
    """CMake's generator. Its default, make, may be missing."""
    if shutil.which("ninja") and "CMAKE_GENERATOR" not in os.environ:
        return {"CMAKE_GENERATOR": "Ninja"}
    return {}


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Ends the command and its children, such as a browser or a hanging test."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()
