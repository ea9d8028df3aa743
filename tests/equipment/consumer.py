"""The program of a library's user, and the commands that build it."""

from __future__ import annotations

import fcntl
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from source_tree import ROOT

PROJECT = ROOT / "tests/consumer/project"
EXPECTED = "sum 500500, 100 classes\n"


def run(*command: object, folder: Path | None = None, **variables: object) -> str:
    """The output of a command, which is shown whole if it fails."""
    environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Tests run side by side, and the first one builds what they share."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
