"""The recording before a trial."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from mallard.errors import UsageError
from mallard.native_file import COLLECTOR

ERROR = "error: "
NOTHING_RECORDED = "before its first allocation"


class NothingRecordedError(UsageError):
    """The program made no call of the allocator that the recorder saw."""


def record(program: Sequence[str], stdin: Path | None, trace: Path) -> Path:
    """Records the program once; its own words are kept out of the terminal."""
    words = [str(COLLECTOR.find()), "-o", str(trace), "--", *program]
    with open(stdin or os.devnull, "rb") as given:
        done = subprocess.run(
            words, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
        )
    if not trace.is_file():
        said = _reason(done.stderr.decode(errors="replace"))
        error = NothingRecordedError if NOTHING_RECORDED in said else UsageError
        raise error(said or f"{program[0]} was not recorded")
    return trace


def _reason(said: str) -> str:
    """The line with the error; the last one if none says so."""
    lines = said.strip().splitlines()
    errors = [line.partition(ERROR)[2] for line in lines if ERROR in line]
    return (errors or lines[-1:] or [""])[0]
