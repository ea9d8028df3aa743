"""The recording before a trial."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mallard.errors import UsageError
from mallard.native_file import COLLECTOR
from mallard.trial.limited import run_limited
from mallard.trial.measured import own_environment

ERROR = "error: "
TIMES_SLOWER = 4  # a program that does nothing but allocate is slowed more, and needs --sample
NOTHING_RECORDED = "before its first allocation"
END = re.compile(r"(ended with status|ended by signal) (\d+)")


class NothingRecordedError(UsageError):
    """The program made no call of the allocator that the recorder saw."""

    def ends_as(self, status: int) -> bool:
        """True if the recorded program ended with this status of wait(), or nobody said how it ended."""
        found = END.search(str(self))
        if found is None:
            return True
        by_signal = found[1].endswith("signal")
        own = os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        return (by_signal, int(found[2])) == (os.WIFSIGNALED(status), own)


def record(program: Sequence[str], stdin: Path | None, trace: Path, seconds_limit: float) -> Path:
    """Records the program once; its own words are kept out of the terminal. `seconds_limit` is that of a run
    without the recorder, which is slower.
    """
    words = [str(COLLECTOR.find()), "-o", str(trace), "--", *program]
    with tempfile.TemporaryFile(prefix="mallard-errors-") as errors:
        run_limited(
            words,
            own_environment(),
            f"{program[0]}, which is recorded,",
            TIMES_SLOWER * seconds_limit,
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        errors.seek(0)
        told = errors.read().decode(errors="replace")
    if not trace.is_file():
        said = _reason(told)
        error = NothingRecordedError if NOTHING_RECORDED in said else UsageError
        raise error(said or f"{program[0]} was not recorded")
    return trace


def _reason(said: str) -> str:
    """The line with the error; the last one if none says so."""
    lines = said.strip().splitlines()
    errors = [line.partition(ERROR)[2] for line in lines if ERROR in line]
    return (errors or lines[-1:] or [""])[0]
