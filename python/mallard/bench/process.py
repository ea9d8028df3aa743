"""Runs one repetition of one cell in a separate process, under a time limit and a memory limit.

Every process results in a row: the row that the runner printed, or a row with the kind of failure.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from mallard.bench.result import (
    CRASHED,
    FAILED,
    FORMAT,
    OK,
    OUT_OF_MEMORY,
    TIMED_OUT,
    Parameters,
    Row,
    RowError,
)
from mallard.shared import mallocs
from mallard.shared.errors import UsageError
from mallard.shared.parent_death import end_with_parent

EXIT_OUT_OF_MEMORY = 3
TICK_SECONDS = 1.0
# Deferred while a process is started: an interrupt at that moment would leave the process running.
INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Repetition:
    experiment: str
    parameters: Parameters
    strategy: str
    repetition: int
    seed: int

    def command(self, runner: Path, cpu: int | None) -> list[str]:
        words = [str(runner), self.experiment]
        for name, value in self.native_parameters.items():
            words += [f"--{OPTION_NAMES.get(name, name.replace('_', '-'))}", str(value)]
        words += ["--strategy", self.native_strategy]
        words += ["--seed", str(self.seed), "--repetition", str(self.repetition)]
        return words if cpu is None else [*words, "--cpu", str(cpu)]

    @property
    def native_strategy(self) -> str:
        """The strategy's name for the runner, which does not know the preloaded malloc."""
        return mallocs.split(self.strategy)[0]

    @property
    def native_parameters(self) -> Parameters:
        return {name: value for name, value in self.parameters.items() if name not in OUR_PARAMETERS}


# The options whose names differ from their parameters.
OPTION_NAMES = {"size_log2": "size", "product_log2": "product", "inner_log2": "inner"}
# Parameters that choose the runner, and are not arguments of it.
OUR_PARAMETERS = ("compiler",)


@dataclass(frozen=True)
class Limits:
    seconds: float
    memory_bytes: int | None  # address space; None if the machine does not report its memory


def measure(
    repetition: Repetition,
    runner: Path,
    cpu: int | None,
    limits: Limits,
    run_id: int,
    tick: Callable[[], None],
) -> Row:
    """Runs the repetition, and calls `tick` about once a second. An interrupt kills the process."""
    process = None
    try:
        with _interrupts_held():
            process = _start(repetition, repetition.command(runner, cpu), limits.memory_bytes)
        deadline = time.monotonic() + limits.seconds
        while True:
            wait = min(TICK_SECONDS, deadline - time.monotonic())
            if wait <= 0:
                _kill(process)
                return _failure(repetition, run_id, TIMED_OUT, f"not done after {limits.seconds:g} s")
            try:
                output, errors = process.communicate(timeout=wait)
                break
            except subprocess.TimeoutExpired:
                tick()
    except BaseException:
        if process is not None:
            _kill(process)
        raise
    return _outcome(repetition, run_id, process.returncode, output, errors)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Defers interrupts until the end of the block. It uses handlers, because a mask applies to one thread
    only, and libraries may start threads."""
    held: list[int] = []
    previous = {number: signal.getsignal(number) for number in INTERRUPTS}
    for number, handler in previous.items():
        if handler not in (signal.SIG_IGN, None):  # not installed by Python
            signal.signal(number, lambda arrived, _: held.append(arrived))
    try:
        yield
    finally:
        for number, handler in previous.items():
            if handler is not None:
                signal.signal(number, handler)
        for arrived in held:
            signal.raise_signal(arrived)


def _start(repetition: Repetition, command: list[str], memory_bytes: int | None) -> subprocess.Popen[str]:
    # A runner that outlives a killed `mallard bench` would disturb the resumed run.
    end_with_mallard = end_with_parent()

    def confine() -> None:
        end_with_mallard()
        _confine(None if mallocs.is_from_file(repetition.strategy) else memory_bytes)

    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=mallocs.environment(repetition.strategy),
            # In a new session, Ctrl-C reaches mallard only, which then ends the process.
            start_new_session=True,
            # Safe, because this process has one thread, so no other thread holds a lock. Some mallocs reserve
            # more addresses than any limit leaves.
            preexec_fn=confine,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(
            f"{command[0]} cannot be started: {error}; finished rows are kept; repeat the command when it can"
        ) from None


def _confine(memory_bytes: int | None) -> None:
    """Limits the memory of the new process, to protect the machine."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory_bytes is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    # If memory still runs out, the kernel kills this process first.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _kill(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _outcome(repetition: Repetition, run_id: int, code: int, output: str, errors: str) -> Row:
    message = errors.strip().splitlines()[-1] if errors.strip() else "no message"
    if code < 0:
        hint = " (the kernel does this when memory runs out)" if -code == signal.SIGKILL else ""
        return _failure(
            repetition, run_id, CRASHED, f"signal {-code}, {_signal_name(-code)}{hint}: {message}"
        )
    if code == EXIT_OUT_OF_MEMORY:
        return _failure(repetition, run_id, OUT_OF_MEMORY, message)
    if code != 0:
        return _failure(repetition, run_id, FAILED, f"exit status {code}: {message}")
    try:
        row = _row(repetition, run_id, output)
    except RowError as error:
        return _failure(repetition, run_id, FAILED, f"no result row of format {FORMAT}: {error}")
    wrong = _wrong_malloc(repetition, row)
    return _failure(repetition, run_id, FAILED, wrong) if wrong else row


def _wrong_malloc(repetition: Repetition, row: Row) -> str:
    """The error if the process had another malloc than its strategy names; else empty."""
    _, malloc = mallocs.split(repetition.strategy)
    known = malloc in mallocs.MALLOCS
    if (known and row.malloc != malloc) or (malloc and not known and row.malloc in ("", mallocs.OWN)):
        return f"the process had the malloc {row.malloc or 'unknown'}, but {malloc} was preloaded"
    if not malloc and row.malloc in mallocs.MALLOCS:
        return f"the process had the malloc {row.malloc}, but none was preloaded: unset LD_PRELOAD"
    return ""


def _row(repetition: Repetition, run_id: int, output: str) -> Row:
    lines = output.strip().splitlines()
    if not lines:
        raise RowError("nothing was printed")
    try:
        native = json.loads(lines[-1])
    except ValueError:
        raise RowError(f"the last line is {lines[-1][:60]!r}") from None
    if not isinstance(native, dict):
        raise RowError(f"the last line is {lines[-1][:60]!r}")
    row = Row.from_native(run_id, native)
    answered, expected = _flat(row), _flat(repetition)
    expected |= {"strategy": repetition.native_strategy}
    for name, value in expected.items():
        if name not in OUR_PARAMETERS and answered.get(name) != value:
            raise RowError(f"'{name}' is {answered.get(name)!r}, but {value!r} was requested")
    if row.status != OK:
        raise RowError(f"status '{row.status}' with exit status 0")
    # The runner may report further parameters, such as a constant size.
    return replace(row, strategy=repetition.strategy, parameters=row.parameters | repetition.parameters)


def _flat(source: Row | Repetition) -> dict[str, Any]:
    flat = asdict(source)
    flat.update(flat.pop("parameters"))
    return flat


def _failure(repetition: Repetition, run_id: int, status: str, detail: str) -> Row:
    return Row(
        run_id=run_id,
        experiment=repetition.experiment,
        parameters=repetition.parameters,
        strategy=repetition.strategy,
        repetition=repetition.repetition,
        seed=repetition.seed,
        status=status,
        detail=detail,
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown signal"
