"""A server's run under a load: waits until the server is ready, runs the load, and ends the server.

A run whose load fails, or whose server hangs, is not an error here: it may be the effect of the allocator
that is tried.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Protocol

from mallard.advisor.trial.command import last_lines, run_command
from mallard.shared.caller import signal_name

POLL_SECONDS = 0.01
READY_SHARE = 0.1  # of the time limit: for the start, and for the end
GRACE_SECONDS = 1.0  # for a load whose last step ends the server
FAILED_LOAD = 1 << 17  # added to the status of wait(), which may be the server's normal one


@dataclass(frozen=True)
class Load:
    command: str
    ready: str | None = None  # a command that succeeds when the server is ready
    port: int | None = None  # at which the server listens when it is ready; None for any
    stop: str | None = None  # the command that ends the server; None for SIGTERM
    metric: str | None = None  # a regular expression for the load's output; its first group is a number
    churn: str | None = None  # a command that ages the server between repetitions of the load
    start_share: float = READY_SHARE  # of the time limit


@dataclass(frozen=True)
class LoadResult:
    failure: str = ""  # why the load did not succeed, or the server did not start or end
    remedy: str = "try the server and the load by hand"
    hung: bool = False  # a time limit was exceeded
    server_ended: bool = False  # by itself, before the end of the load
    metric: float | None = None
    cpu_seconds: float | None = None  # of the server for the load, without its start and its end
    resident_bytes: int | None = None  # of the server's processes after the load


class Step(Enum):
    """What follows a load."""

    END = "end"
    LOAD = "load"
    CHURN = "churn, then load"


class Watch(Protocol):
    """Observes the repeated load of a server, whose processes are below that of mallard-measure."""

    def begin_load(self, measurer: int) -> None: ...

    def end_load(self, measurer: int) -> Step: ...


def server_status(status: int) -> int:
    """The status of wait(), with 0 for each right end of a server that SIGTERM stops."""
    by_term = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGTERM
    return 0 if by_term or status == (128 + signal.SIGTERM) << 8 else status


def run_load(
    server: subprocess.Popen[bytes],
    load: Load,
    name: str,
    seconds_limit: float,
    folder: Path | None,
    watch: Watch | None = None,
) -> LoadResult:
    """`server` is mallard-measure with --server. The caller kills it if it still runs afterwards."""
    return _ServerRun(server, load, name, seconds_limit, folder).run(watch)


@dataclass(frozen=True)
class _ServerRun:
    server: subprocess.Popen[bytes]
    load: Load
    name: str
    seconds_limit: float
    folder: Path | None

    def run(self, watch: Watch | None) -> LoadResult:
        if failed := self._wait_until_ready():
            return failed
        result = self._repeat_load(watch) if watch else self._run_once()
        if self._is_running():
            failed = self._end_server()
            return failed if failed and not result.failure else result
        return result if result.failure else replace(result, server_ended=True)

    def _is_running(self) -> bool:
        return self.server.poll() is None

    def _run_once(self) -> LoadResult:
        before, _ = server_use(self.server.pid)
        result = self._run_load()
        if result.failure or not self._is_running():
            return result
        seconds, resident = server_use(self.server.pid)
        return replace(result, cpu_seconds=seconds - before, resident_bytes=resident)

    def _repeat_load(self, watch: Watch) -> LoadResult:
        """Returns: the result of the last command, which is the first one that failed."""
        while True:
            watch.begin_load(self.server.pid)
            result = self._run_load()
            if result.failure or not self._is_running():
                return result
            step = watch.end_load(self.server.pid)
            if step is Step.CHURN:
                result = self._run_command("--churn", self.load.churn or "true")[0]
            if step is Step.END or result.failure or not self._is_running():
                return result

    def _wait_until_ready(self) -> LoadResult | None:
        """Returns: None if the server is ready."""
        load, limit = self.load, self.load.start_share * self.seconds_limit
        deadline = time.monotonic() + limit
        failure = ""
        while self._is_running():
            if load.ready is None:
                is_ready = listens(self.server.pid, load.port)
            else:
                remaining = deadline - time.monotonic()
                ready = run_command("--ready", load.ready, remaining, self.folder, self._is_running)
                is_ready = ready.status == 0
                if ready.exceeded is None:
                    failure = ready.failure
            if is_ready and self._is_running():
                return None
            if time.monotonic() > deadline:
                return self._not_ready(limit, failure or f"--ready '{load.ready}' did not end")
            time.sleep(POLL_SECONDS)
        return LoadResult(f"{self.name} ended before it was ready", server_ended=True)

    def _not_ready(self, limit: float, failure: str) -> LoadResult:
        """`failure` is that of --ready."""
        patience = "a longer --time-limit, a tenth of which is for the start"
        if self.load.ready is not None:
            text = f"was not ready within {limit:g} s: {failure}"
            remedy = f"give another command, or {patience}"
        else:
            port = self.load.port
            place = "any TCP port or Unix socket" if port is None else f"port {port}"
            text = f"did not listen at {place} within {limit:g} s"
            remedy = (
                f"give --ready CMD, which ends with exit status 0 when the server is ready, or {patience}"
            )
        return LoadResult(f"{self.name} {text}", remedy, hung=True)

    def _run_load(self) -> LoadResult:
        result, text = self._run_command("--load", self.load.command)
        if result.failure or self.load.metric is None:
            return result
        metric = _find_metric(self.load.metric, text)
        if metric is None:
            return LoadResult(
                f"--metric '{self.load.metric}' finds no number in the output of --load{last_lines(text)}"
            )
        return LoadResult(metric=metric)

    def _run_command(self, option: str, command: str) -> tuple[LoadResult, str]:
        """Also returns what the command wrote."""
        end: float | None = None

        def is_needed() -> bool:
            nonlocal end
            if not self._is_running():
                end = end or time.monotonic()
            return end is None or time.monotonic() < end + GRACE_SECONDS

        result = run_command(option, command, self.seconds_limit, self.folder, is_needed)
        if result.exceeded is not None:
            return LoadResult(result.failure, result.remedy, hung=True), ""
        if result.failure and not self._is_running():
            return LoadResult(f"{self.name} ended during the load", server_ended=True), ""
        return LoadResult(result.failure), f"{result.output}\n{result.errors}".replace("\r", "\n")

    def _end_server(self) -> LoadResult | None:
        """Returns: None if the server has ended."""
        load, limit = self.load, READY_SHARE * self.seconds_limit
        deadline = time.monotonic() + limit
        if load.stop is None:
            self.server.send_signal(signal.SIGUSR1)
        else:
            stop = run_command("--stop", load.stop, limit, self.folder)
            if stop.failure:
                return LoadResult(stop.failure, stop.remedy, hung=stop.exceeded is not None)
        try:
            self.server.wait(max(deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            cause = "SIGTERM" if load.stop is None else f"--stop '{load.stop}'"
            return LoadResult(
                f"{self.name} did not end within {limit:g} s of {cause}, so it was killed",
                "give --stop CMD, a command that ends it",
                hung=True,
            )
        return None


def _find_metric(pattern: str, text: str) -> float | None:
    """The last number, because some loads print their progress by the same words."""
    number = None
    for match in re.finditer(pattern, text, re.MULTILINE):
        with suppress(ValueError):
            number = float((match[1] or "").replace(",", ""))
    return number


def describe_end(status: int) -> str:
    """`ended by SIGSEGV` or `ended with exit status 1`, for a status of wait()."""
    if name := end_signal(status):
        return f"ended by {name}"
    return f"ended with exit status {os.WEXITSTATUS(status)}"


def end_signal(status: int) -> str:
    """The name of the signal, or an empty string."""
    return signal_name(os.WTERMSIG(status)) if os.WIFSIGNALED(status) else ""


def judge_end(result: LoadResult, status: int, remaining: int, name: str) -> LoadResult:
    """The result, as a failure if the server ended wrongly. `remaining` is the number of its processes that
    outlived the first one: their time cannot be read.
    """
    if result.failure and not result.server_ended:
        return result
    # A daemon's first process may also end just when SIGTERM is sent.
    if remaining and (status == 0 or not result.server_ended):
        left = "a process" if remaining == 1 else f"{remaining} processes"
        return LoadResult(
            f"{name} ended and left {left} in the background, as a daemon does",
            "give the option that keeps it in the foreground, a script that starts it by 'exec', or --stop "
            "CMD that ends all",
            server_ended=result.server_ended,
        )
    if result.server_ended and status != 0 and not result.failure:
        return LoadResult(
            f"{name} {describe_end(status)} before the end of the load, which succeeded",
            "give it an address that no other program uses, or --stop CMD to end it",
            server_ended=True,
        )
    return result


def descendants(process: int) -> Iterator[int]:
    """The process IDs below a process. The orphans of a server become children of mallard-measure, so all of
    the server's processes are below it, also those with a session of their own, as PostgreSQL's have.
    """
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):
            # Behind the name in parentheses, of any bytes: state, parent.
            parent = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(folder.name))
    below = children.pop(process, [])
    while below:
        yield (child := below.pop())
        below += children.pop(child, [])


def server_use(measurer: int) -> tuple[float, int]:
    """CPU seconds and resident bytes of the processes below mallard-measure. Children that a process has
    waited for count as its own.
    """
    seconds, resident = 0.0, 0
    tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    for process in descendants(measurer):
        folder = Path(f"/proc/{process}")
        with suppress(OSError, ValueError, IndexError):
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            # The clock of a process, in nanoseconds, also of threads that ended: clock_getcpuclockid(3).
            seconds += time.clock_gettime((~process << 3) | 2)
            seconds += (int(fields[13]) + int(fields[14])) / tick
            resident += int((folder / "statm").read_bytes().split()[1]) * page
    return seconds, resident


def listens(measurer: int, port: int | None) -> bool:
    """True if a process below mallard-measure has a listening socket: looked up, because a connection would
    be one more for the server.
    """
    inodes = set(_listening_inodes(port))
    return bool(inodes) and any(inode in inodes for inode in _socket_inodes(measurer))


TCP_LISTENS, UDP_BOUND, UNIX_LISTENS = b"0A", b"07", 1 << 16


def _listening_inodes(port: int | None) -> Iterator[str]:
    # A client's UDP socket is bound, too, so it counts only with a port.
    states = {"tcp": TCP_LISTENS, "tcp6": TCP_LISTENS}
    if port is not None:
        states |= {"udp": UDP_BOUND, "udp6": UDP_BOUND}
    for table, state in states.items():
        for fields in _rows(table):
            if fields[3] == state and port in (None, int(fields[1].rpartition(b":")[2], 16)):
                yield fields[9].decode()
    if port is None:
        for fields in _rows("unix"):
            # The name of a socket may have a line break, whose second part is not a row.
            with suppress(IndexError, ValueError):
                if int(fields[3], 16) & UNIX_LISTENS:
                    yield fields[6].decode()


def _rows(table: str) -> list[list[bytes]]:
    with suppress(OSError):
        lines = Path("/proc/net", table).read_bytes().split(b"\n")
        return [fields for line in lines[1:] if (fields := line.split())]
    return []


def _socket_inodes(measurer: int) -> Iterator[str]:
    for process in descendants(measurer):
        folder = Path(f"/proc/{process}/fd")
        with suppress(OSError):
            for descriptor in os.listdir(folder):
                with suppress(OSError):
                    target = os.readlink(folder / descriptor)
                    if target.startswith("socket:["):
                        yield target[len("socket:[") : -1]
