"""The recording before a trial."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mallard.advisor.trial.limited import run_limited
from mallard.advisor.trial.measured import own_environment
from mallard.shared.errors import UsageError
from mallard.shared.native_file import COLLECTOR

ERROR = "error: "
TIMES_SLOWER = 4  # a program that only allocates is slowed more, and needs --sample
NOTHING_RECORDED = "before its first allocation"
END = re.compile(r"(ended with status|ended by signal) (\d+)")


class NothingRecordedError(UsageError):
    """The recorder saw no allocation."""

    def ends_as(self, status: int) -> bool:
        """True if the recorded program had this status of wait(), or if its end is unknown."""
        match = END.search(str(self))
        if match is None:
            return True
        by_signal = match[1].endswith("signal")
        code = os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        return (by_signal, int(match[2])) == (os.WIFSIGNALED(status), code)


def record(program: Sequence[str], stdin: Path | None, trace: Path, seconds_limit: float) -> Path:
    """Records the program once and hides its output. `seconds_limit` applies to a run without the recorder,
    which is slower.
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
        output = errors.read().decode(errors="replace")
    if not trace.is_file():
        reason = _reason(output)
        error = NothingRecordedError if NOTHING_RECORDED in reason else UsageError
        raise error(reason or f"{program[0]} was not recorded")
    return trace


def _reason(output: str) -> str:
    """The line with the error, or else the last line."""
    lines = output.strip().splitlines()
    errors = [line.partition(ERROR)[2] for line in lines if ERROR in line]
    return (errors or lines[-1:] or [""])[0]
