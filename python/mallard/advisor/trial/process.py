"""Runs the user's program once: measured, or recorded, and killed at its time limit.

`mallard-measure` kills the program and its children when the limit passes or when mallard exits, even by a
signal.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from mallard.advisor.recording.collector import program_words
from mallard.advisor.recording.messages import (
    Facts,
    error_text,
    has_no_allocation,
    has_other_processes,
    silent_programs,
)
from mallard.advisor.trial.command import last_lines, prepare_child, read_result
from mallard.advisor.trial.load import (
    FAILED_LOAD,
    Load,
    LoadResult,
    Watch,
    describe_end,
    end_signal,
    judge_end,
    run_load,
    server_status,
)
from mallard.advisor.trial.surroundings import UNCHANGED, Surroundings
from mallard.shared import caller, preload
from mallard.shared.errors import UsageError
from mallard.shared.native_file import COLLECTOR, MEASURER
from mallard.shared.parent_death import kill_group, wait


def run_limited(
    words: Sequence[str],
    environment: Mapping[str, str],
    name: str,
    seconds_limit: float,
    *,
    stdin: Path | None,
    stdout: IO[bytes] | int,
    stderr: IO[bytes] | int,
    folder: Path | None = None,
    load: Load | None = None,
    watch: Watch | None = None,
    pass_fds: Sequence[int] = (),
) -> tuple[list[int], LoadResult]:
    """Returns: the seven fields that mallard-measure writes, and the result of the load, if there is one,
    which is repeated as long as `watch` says.
    """
    # Preload libraries into the program, but not into mallard-measure.
    measurer_environment = {
        variable: value for variable, value in environment.items() if variable != preload.VARIABLE
    }
    preload_arguments = [
        f"{variable}={environment[variable]}" for variable in environment.keys() - measurer_environment.keys()
    ]
    with (
        open(stdin or os.devnull, "rb") as input_file,
        tempfile.TemporaryFile(prefix="mallard-result-") as result,
    ):
        process = subprocess.Popen(
            [
                *(str(MEASURER.find()), str(result.fileno()), *(["--server"] if load else [])),
                *(*preload_arguments, "--", *words),
            ],
            stdin=input_file,
            stdout=stdout,
            stderr=stderr,
            env=measurer_environment,
            cwd=folder,
            pass_fds=(result.fileno(), *pass_fds),
            start_new_session=True,
            preexec_fn=prepare_child(),
        )
        load_result = LoadResult()
        if load:
            try:
                load_result = run_load(process, load, name, seconds_limit, folder, watch)
            finally:
                kill_group(process)
        wait(process, name, seconds_limit)
        numbers = read_result(result, words[0], process.returncode)
    remaining = numbers.pop()
    if load:
        numbers[0] = server_status(numbers[0])
        load_result = judge_end(load_result, numbers[0], remaining, name)
    elif remaining:
        with suppress(ProcessLookupError):  # it may have ended
            os.kill(remaining, signal.SIGTERM)
        raise UsageError(
            f"{name} went into the background as process {remaining}, which got SIGTERM: figures would be of "
            "its launcher; give the option that keeps it in the foreground, with --load CMD for a server"
        )
    return numbers, load_result


DIGESTED_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Measured:
    """Measurements of one process."""

    cpu_seconds: float
    wall_seconds: float
    peak_bytes: int
    faults: int
    status: int  # of wait()
    output: str  # a digest; empty if outputs are not compared
    load: LoadResult = field(default=LoadResult(), kw_only=True)  # of a server

    @property
    def run_seconds(self) -> float:
        """Elapsed until the program ended."""
        return self.wall_seconds

    @property
    def ended_by(self) -> str:
        """The name of the signal that ended the process, or an empty string."""
        return end_signal(self.status)

    @property
    def end(self) -> str:
        if not self.status & FAILED_LOAD:
            return describe_end(self.status)
        if self.load.hung:
            return "hung"
        if self.load.server_ended:
            return f"{describe_end(self.status)} before the end of its load"
        return "failed its load"


IGNORE_OUTPUT = "for an output with times, addresses or lines in any order, give --ignore-output"
IGNORE_ADDRESSES = "(for addresses in it, give --ignore-output)"  # of an arm with another malloc


class RunsDifferError(UsageError):
    """Runs of the unchanged program differ, so that nothing can be compared with them."""

    difference = ""  # the run, what it did, and what the first run did


def refuse_difference(first: Measured, run: Measured, name: str) -> None:
    """Rejects a program whose run `name` ended or printed differently than its first run."""
    if run.status != first.status:
        reason = f" ({run.load.failure})" if run.load.failure else ""
        difference = f"{name} {run.end}{reason}, and the first run {first.end}"
        remedy = ""
    elif run.output != first.output:
        difference = f"{name} printed another output than the first run"
        remedy = f"; {IGNORE_OUTPUT}"
    else:
        return
    error = RunsDifferError(
        f"there is no answer, because the program's runs differ: {difference}; if a run changes files that "
        "the next one reads, give --prepare CMD to restore them before each run, or --scratch DIR for runs "
        f"in fresh copies of that folder{remedy}"
    )
    error.difference = difference
    raise error


def measure(
    words: Sequence[str],
    environment: Mapping[str, str],
    stdin: Path | None,
    seconds_limit: float,
    surroundings: Surroundings = UNCHANGED,
) -> Measured:
    """Hides the program's output from the terminal, and keeps its digest for comparison."""
    with (
        surroundings.enter_run() as folder,
        tempfile.TemporaryFile(prefix="mallard-output-") as output,
        tempfile.TemporaryFile(prefix="mallard-errors-") as errors,
    ):
        (status, user, system, wall, peak, minor, major), load = run_limited(
            *(words, environment, words[0], seconds_limit),
            stdin=stdin,
            stdout=output,
            stderr=errors,
            folder=folder,
            load=surroundings.load,
        )
        digest = _digest(output) if surroundings.compares_output else ""
        if load.failure and load.server_ended:
            load = replace(load, failure=f"{load.failure}{last_lines(_tail(errors) or _tail(output))}")
    return Measured(
        cpu_seconds=(user + system) * 1e-6,
        wall_seconds=wall * 1e-9,
        peak_bytes=peak * 1024,
        faults=minor + major,
        status=status | (FAILED_LOAD if load.failure else 0),
        output=digest,
        load=load,
    )


def refuse_failed_load(first: Measured) -> None:
    """Rejects a first run whose load did not succeed, because nothing can be compared with it."""
    if first.load.failure:
        raise UsageError(f"{first.load.failure}; {first.load.remedy}")


def _digest(output: IO[bytes]) -> str:
    output.seek(0)
    return sha256_of_file(output)


MOST_TAIL_BYTES = 4096


def _tail(output: IO[bytes]) -> str:
    output.seek(max(0, output.seek(0, os.SEEK_END) - MOST_TAIL_BYTES))
    return output.read().decode(errors="replace")


def sha256_of_file(file: IO[bytes]) -> str:
    """The digest of the file from its current position. The file may be larger than memory."""
    digest = hashlib.sha256()
    while piece := file.read(DIGESTED_AT_ONCE):
        digest.update(piece)
    return digest.hexdigest()


TIMES_SLOWER = 4  # a program that only allocates is slowed more, and needs --sample
LIMITS = "'What it takes' in docs/advisor/recording.md says what helps"


class NothingRecordedError(UsageError):
    """The recorder saw no allocation of a program that ended with `code`, as a shell returns it."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self._code = code

    def ends_as(self, status: int) -> bool:
        """True if the recorded program had this status of wait()."""
        return self._code == shell_status(status)


class RecordingDiffersError(RunsDifferError):
    """The recorded run ended or printed differently than the first run."""


def record(
    program: Sequence[str],
    stdin: Path | None,
    trace: Path,
    seconds_limit: float,
    surroundings: Surroundings = UNCHANGED,
    first: Measured | None = None,
    *,
    follow: bool = False,
    notify: Callable[[str], None] = lambda _: None,
) -> Path:
    """Records the program once and hides its output, and again if `follow` is set and it becomes or starts
    other processes: with these. `seconds_limit` applies to a run without the recorder, which is faster.
    `notify` is called with the started programs of which nothing was recorded, and the reasons, if there are
    some. Raises a RecordingDiffersError if a run differs from `first`.
    """
    facts = _record(program, stdin, trace, seconds_limit, surroundings, first)
    if follow and has_other_processes(facts):
        trace.unlink(missing_ok=True)
        facts = _record(program, stdin, trace, seconds_limit, surroundings, first, "--follow", "--until-end")
    silent = silent_programs(facts)
    if not trace.is_file():
        reason = error_text(facts)
        if silent:
            raise UsageError(
                f"{reason}; it becomes or starts a program of which no library sees a request: {silent}. "
                "Link it with the malloc of the C library, and try again"
            )
        if has_no_allocation(facts):
            raise NothingRecordedError(reason, facts["status"])
        raise UsageError(reason or f"{program[0]} was not recorded")
    if silent:
        notify(silent)
    return trace


def _record(
    program: Sequence[str],
    stdin: Path | None,
    trace: Path,
    seconds_limit: float,
    surroundings: Surroundings,
    first: Measured | None,
    *options: str,
) -> Facts:
    """Returns: what the collector reports."""
    with (
        surroundings.enter_run() as folder,
        tempfile.TemporaryFile(prefix="mallard-output-") as output,
        tempfile.TemporaryFile(prefix="mallard-errors-") as errors,
        tempfile.TemporaryFile("w+", prefix="mallard-facts-", encoding="utf-8") as lines,
    ):
        words, _ = program_words(program, str(folder or ""))
        facts = str(lines.fileno())
        (status, *_), load = run_limited(
            [str(COLLECTOR.find()), "-o", str(trace), "--facts", facts, *options, *words],
            caller.environment(),
            f"{program[0]}, which is recorded,",
            TIMES_SLOWER * seconds_limit,
            stdin=stdin,
            stdout=output,
            stderr=errors,
            folder=folder,
            load=surroundings.load,
            pass_fds=(lines.fileno(),),
        )
        lines.seek(0)
        reported = [json.loads(line) for line in lines]
        digest = _digest(output) if surroundings.compares_output else ""
        collector_end = _tail(errors).strip().rpartition("\n")[2]
    if load.failure and (load.hung or trace.is_file()):
        raise RecordingDiffersError(f"with the recorder, {load.failure}; {LIMITS}")
    if trace.is_file() and first is not None:
        _refuse_other_recording(first, os.WEXITSTATUS(status), digest)
    return reported[-1] if reported else {"record": "error", "text": collector_end}


def _refuse_other_recording(first: Measured, code: int, output: str) -> None:
    """`code` is the exit status of mallard-record, which a shell would return for the program."""
    if code != shell_status(first.status):
        end = f"ended by signal {code - 128}" if code > 128 else f"ended with exit status {code}"
        difference = f"the program {end} with the recorder, and without it {first.end}"
        remedy = LIMITS
    elif output != first.output:
        difference = "the program printed another output with the recorder than without it"
        remedy = f"{IGNORE_OUTPUT}; else {LIMITS}"
    else:
        return
    raise RecordingDiffersError(f"{difference}, so the recording is of another run: {remedy}")


def shell_status(status: int) -> int:
    """The exit status that a shell returns for this status of wait()."""
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
