"""A server's run under a load: waits until the server is ready, runs the load, and ends the server.

A run whose load fails is not an error here: it may be the effect of the allocator that is tried.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mallard.advisor.trial.command import last_lines, require_success, run_command
from mallard.shared.errors import UsageError

POLL_SECONDS = 0.01
READY_SHARE = 0.1  # of the time limit: for the start, and for the end
GRACE_SECONDS = 1.0  # for a load whose last step ends the server
FAILED_LOAD = 1 << 17  # beside the status of wait(): the server is sound as far as its own status tells


@dataclass(frozen=True)
class Load:
    command: str
    ready: str | None = None  # a command that succeeds when the server is ready
    port: int | None = None  # at which the server listens when it is ready; None for any
    stop: str | None = None  # the command that ends the server; None for SIGTERM
    metric: str | None = None  # a regular expression for the load's output; its first group is a number


@dataclass(frozen=True)
class LoadResult:
    failure: str = ""  # why the load did not succeed
    server_ended: bool = False  # by itself, before or during the load
    metric: float | None = None


def server_status(status: int) -> int:
    """The status of wait(), with 0 for each right end of a server that SIGTERM stops."""
    by_term = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGTERM
    return 0 if by_term or status == (128 + signal.SIGTERM) << 8 else status


def run_load(
    server: subprocess.Popen[bytes], load: Load, name: str, seconds_limit: float, folder: Path | None
) -> LoadResult:
    """`server` is mallard-measure with --server. The caller kills it if this function raises."""

    def is_running() -> bool:
        return server.poll() is None

    if not _wait_until_ready(is_running, server.pid, load, name, seconds_limit, folder):
        return LoadResult(f"{name} ended before it was ready", server_ended=True)
    result = _run_command(is_running, load, name, seconds_limit, folder)
    if is_running():
        if load.stop is not None:
            require_success("--stop", load.stop, seconds_limit, folder)
        else:
            server.send_signal(signal.SIGUSR1)
        _wait_for_end(server, load, name, seconds_limit)
    return result


def _wait_until_ready(
    is_running: Callable[[], bool],
    session: int,
    load: Load,
    name: str,
    seconds_limit: float,
    folder: Path | None,
) -> bool:
    """Returns: False if the server has ended."""
    limit = READY_SHARE * seconds_limit
    deadline = time.monotonic() + limit
    while is_running():
        if load.ready is None:
            is_ready = listens(session, load.port)
        else:
            ready = run_command("--ready", load.ready, limit, folder, is_running)
            is_ready = ready.status == 0
        if is_ready:
            return is_running()
        if time.monotonic() > deadline:
            raise UsageError(_not_ready(load, name, limit, "" if load.ready is None else ready.failure))
        time.sleep(POLL_SECONDS)
    return False


def _not_ready(load: Load, name: str, limit: float, failure: str) -> str:
    patience = "a longer --time-limit, a tenth of which is for the start"
    if load.ready is not None:
        return f"{name} was not ready within {limit:g} s: {failure}; give another command, or {patience}"
    place = "TCP port or Unix socket" if load.port is None else f"port {load.port}"
    return (
        f"{name} did not listen at {'any ' if load.port is None else ''}{place} within {limit:g} s; give "
        f"--ready CMD, which ends with exit status 0 when the server is ready, or {patience}"
    )


def _run_command(
    is_running: Callable[[], bool], load: Load, name: str, seconds_limit: float, folder: Path | None
) -> LoadResult:
    end: float | None = None

    def is_needed() -> bool:
        nonlocal end
        if not is_running():
            end = end or time.monotonic()
        return end is None or time.monotonic() < end + GRACE_SECONDS

    result = run_command("--load", load.command, seconds_limit, folder, is_needed)
    if result.failure and end:
        return LoadResult(f"{name} ended during the load", server_ended=True)
    if result.failure:
        return LoadResult(result.failure)
    if load.metric is None:
        return LoadResult()
    text = f"{result.output}\n{result.errors}".replace("\r", "\n")
    metric = _find_metric(load.metric, text)
    if metric is None:
        return LoadResult(
            f"--metric '{load.metric}' finds no number in the output of --load{last_lines(text)}"
        )
    return LoadResult(metric=metric)


def _find_metric(pattern: str, text: str) -> float | None:
    """The last number, because some loads print their progress by the same words."""
    number = None
    for match in re.finditer(pattern, text, re.MULTILINE):
        with suppress(ValueError):
            number = float((match[1] or "").replace(",", ""))
    return number


def _wait_for_end(server: subprocess.Popen[bytes], load: Load, name: str, seconds_limit: float) -> None:
    limit = READY_SHARE * seconds_limit
    try:
        server.wait(limit)
    except subprocess.TimeoutExpired:
        cause = "SIGTERM" if load.stop is None else f"--stop '{load.stop}'"
        raise UsageError(
            f"{name} did not end within {limit:g} s of {cause}, so it was killed; give --stop CMD, a command "
            "that ends it"
        ) from None


def refuse_remaining(remaining: int, result: LoadResult, name: str) -> None:
    """Rejects a server whose processes outlive the first one: their time cannot be read."""
    if remaining == 0:
        return
    if result.server_ended:
        raise UsageError(
            f"{name} ended and left a process in the background, as a daemon does; give it the option that "
            "keeps it in the foreground"
        )
    raise UsageError(
        f"{name} ended at SIGTERM or --stop, but {remaining} of the processes that it had started did not; "
        "give the server itself, a script that starts it by 'exec', or --stop CMD that ends all"
    )


def listens(session: int, port: int | None) -> bool:
    """True if a process of the session has a listening socket: looked up, because a connection would be one
    more for the server.
    """
    inodes = set(_listening_inodes(port))
    return bool(inodes) and any(inode in inodes for inode in _socket_inodes(session))


TCP_LISTENS, UDP_BOUND, UNIX_LISTENS = "0A", "07", 1 << 16


def _listening_inodes(port: int | None) -> Iterator[str]:
    # A client's UDP socket is bound, too, so it counts only with a port.
    states = {"tcp": TCP_LISTENS, "tcp6": TCP_LISTENS}
    if port is not None:
        states |= {"udp": UDP_BOUND, "udp6": UDP_BOUND}
    for table, state in states.items():
        for fields in _rows(table):
            if fields[3] == state and port in (None, int(fields[1].rpartition(":")[2], 16)):
                yield fields[9]
    if port is None:
        yield from (fields[6] for fields in _rows("unix") if int(fields[3], 16) & UNIX_LISTENS)


def _rows(table: str) -> list[list[str]]:
    with suppress(OSError):
        return [line.split() for line in Path("/proc/net", table).read_text().splitlines()[1:]]
    return []


def _socket_inodes(session: int) -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            # Behind the name in parentheses: state, parent, group, session.
            if int((process / "stat").read_text().rpartition(")")[2].split()[3]) != session:
                continue
            for descriptor in os.listdir(process / "fd"):
                with suppress(OSError):
                    target = os.readlink(process / "fd" / descriptor)
                    if target.startswith("socket:["):
                        yield target[len("socket:[") : -1]
