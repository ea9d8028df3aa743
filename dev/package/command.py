"""Runs the programs that make a release."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from mallard.shared.errors import UsageError

SHOWN_LINES = 25  # of the output of a program that failed


def require_program(name: str, package: str) -> None:
    if shutil.which(name) is None:
        raise UsageError(
            f"{name} is missing; type: sudo apt-get install -y {package}; or name other products"
        )


def run(
    command: Sequence[str | Path],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> None:
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        output = "\n".join((done.stdout + done.stderr).splitlines()[-SHOWN_LINES:])
        raise UsageError(f"'{' '.join(words[:3])} ...' failed with exit status {done.returncode}:\n{output}")
