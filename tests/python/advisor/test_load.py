"""Servers under a load: when they are ready, how they end, and the figure of the load."""

from __future__ import annotations

import os
import socket
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from mallard.advisor.trial import load
from mallard.advisor.trial.command import CommandResult
from mallard.advisor.trial.effect import figure, metric_change, metric_difference
from mallard.advisor.trial.load import (
    FAILED_LOAD,
    Load,
    LoadResult,
    _find_metric,
    judge_end,
    listens,
    run_load,
    server_status,
)
from mallard.advisor.trial.process import Measured, measure, refuse_difference, refuse_failed_load
from mallard.cli import parse_command
from mallard.shared.errors import UsageError
from mallard.shared.stats import Difference

PARENT = os.getppid()
RUN = Measured(1.0, 1.0, 1, 1, 0, "")


@pytest.mark.parametrize(
    ("status", "expected"), [(15, 0), (143 << 8, 0), (0, 0), (1 << 8, 1 << 8), (11, 11), (9, 9)]
)
def test_sigterm_is_a_right_end(status: int, expected: int) -> None:
    assert server_status(status) == expected


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_finds_a_port_without_a_connection(kind: socket.SocketKind) -> None:
    with socket.socket(socket.AF_INET, kind) as server:
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
        if kind == socket.SOCK_STREAM:
            assert not listens(PARENT, port)  # bound, but not yet listening
            server.listen()
        assert listens(PARENT, port)
        assert not listens(1 << 30, port)  # of no server
    assert not listens(PARENT, port)


def test_finds_a_socket_among_names_of_any_bytes() -> None:
    own_name = Path("/proc/self/comm").read_bytes().strip()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(b"\0a\n%d \xff\x1c\x0b\xc2\x85" % os.getpid())
        server.listen()
        try:
            Path("/proc/self/comm").write_bytes(b"cut ) \xe2\x82")
            assert listens(PARENT, None)
        finally:
            Path("/proc/self/comm").write_bytes(own_name)


def test_finds_any_listening_socket(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        server.listen()
        assert listens(PARENT, None)
        assert not listens(1 << 30, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rate: 12\rrate: 1,234.5 /s", 1234.5),
        ("rate: 7\nrate: n/a", 7.0),
        ("nothing", None),
        ("rate: ", None),
    ],
)
def test_last_number_of_the_load_counts(text: str, expected: float | None) -> None:
    assert _find_metric(r"rate: ([^\s]*)", text) == expected


def test_metric_has_a_direction() -> None:
    assert metric_change(Difference(1234.5, 100.04, 2000.0, 3)) == "1,234 higher (100.0 to 2,000)"
    assert metric_change(Difference(-0.5, -0.75, 0.25, 3)) == "0.5000 lower (-0.2500 to 0.7500)"
    assert (figure(0), figure(98765.4), figure(1.23456)) == ("0", "98,770", "1.235")


def test_metric_is_compared_by_round() -> None:
    runs = [replace(RUN, load=LoadResult(metric=metric)) for metric in (10.0, 20.0, 30.0)]
    base = [replace(RUN, load=LoadResult(metric=metric)) for metric in (9.0, 19.0, 29.0)]
    change = metric_difference(runs, base)
    assert change.median == 1.0
    assert metric_difference(runs, [RUN] * 3) is None


def test_failed_load_is_not_the_end_of_the_first_run() -> None:
    failed = replace(RUN, status=FAILED_LOAD, load=LoadResult("--load 'x' ended with exit status 1"))
    with pytest.raises(UsageError, match="--load 'x' ended with exit status 1; try the server"):
        refuse_failed_load(failed)
    with pytest.raises(
        UsageError, match=r"a run failed its load \(--load 'x' .*\), and the first run ended with"
    ):
        refuse_difference(RUN, failed, "a run")


@pytest.mark.parametrize(
    ("result", "end"),
    [
        (LoadResult("--load 'x' ended with exit status 1"), "failed its load"),
        (
            LoadResult("x ended during the load", server_ended=True),
            "ended with exit status 1 before the end of its load",
        ),
        (LoadResult("x did not end within 1 s of SIGTERM", hung=True), "hung"),
    ],
)
def test_failed_load_is_not_a_normal_end(
    monkeypatch: pytest.MonkeyPatch, result: LoadResult, end: str
) -> None:
    """Of a server that always ends with exit status 1."""
    results = iter([LoadResult(), result])
    monkeypatch.setattr(
        "mallard.advisor.trial.process.run_limited",
        lambda *_, **__: ([1 << 8, 0, 0, 0, 0, 0, 0], next(results)),
    )
    first, failed = (measure(["x"], {}, None, 60.0) for _ in range(2))
    assert (first.end, failed.end) == ("ended with exit status 1", end)
    with pytest.raises(UsageError, match=rf"a run {end} \(.*\), and the first run ended with exit status 1"):
        refuse_difference(first, failed, "a run")


@pytest.mark.parametrize(
    ("result", "status", "remaining", "failure"),
    [
        (LoadResult(), 1 << 8, 0, ""),
        (LoadResult(server_ended=True), 0, 0, ""),
        (
            LoadResult(server_ended=True),
            1 << 8,
            0,
            "x ended with exit status 1 before the end of the load, which succeeded",
        ),
        (
            LoadResult(server_ended=True),
            11,
            0,
            "x ended by SIGSEGV before the end of the load, which succeeded",
        ),
        (LoadResult("x ended during the load", server_ended=True), 11, 2, "x ended during the load"),
        (
            LoadResult("x ended before it was ready", server_ended=True),
            0,
            1,
            "x ended and left a process in the background, as a daemon does",
        ),
        (
            LoadResult(),
            0,
            2,
            "x ended and left 2 processes in the background, as a daemon does",
        ),
        (LoadResult("x did not end", hung=True), 9, 2, "x did not end"),
    ],
)
def test_the_end_of_a_server_is_judged(result: LoadResult, status: int, remaining: int, failure: str) -> None:
    assert judge_end(result, status, remaining, "x").failure == failure


class HangingServer(subprocess.Popen[bytes]):
    def __init__(self) -> None:
        self.pid = 1 << 30
        self.waited: list[float | None] = []

    def __del__(self) -> None:
        pass

    def poll(self) -> None:
        return None

    def wait(self, timeout: float | None = None) -> int:
        self.waited.append(timeout)
        raise subprocess.TimeoutExpired("server", timeout or 0)


def test_start_and_end_have_their_own_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tries of --ready together, and --stop with the server's end."""
    now = 0.0
    calls: list[tuple[str, float]] = []

    def run_command(option: str, command: str, limit: float, *_: object) -> CommandResult:
        nonlocal now
        calls.append((option, limit))
        now += 4.0
        return CommandResult(option, int(len(calls) < 3), "", "")

    monkeypatch.setattr(load, "run_command", run_command)
    monkeypatch.setattr(load, "time", SimpleNamespace(monotonic=lambda: now, sleep=lambda _: None))
    server = HangingServer()
    result = run_load(server, Load("load", ready="ready", stop="stop"), "x", 100.0, None)
    assert calls == [
        ("--ready", 10.0),
        ("--ready", 6.0),
        ("--ready", 2.0),
        ("--load", 100.0),
        ("--stop", 10.0),
    ]
    assert server.waited == [6.0]
    assert result.hung
    assert result.failure == "x did not end within 10 s of --stop 'stop', so it was killed"


@pytest.mark.parametrize("option", ["--ready", "--load", "--stop"])
def test_a_hanging_command_is_a_failed_load(monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    now = 0.0

    def run_command(name: str, command: str, limit: float, *_: object) -> CommandResult:
        nonlocal now
        now += limit + 1
        return CommandResult(
            f"{name} 'c'", -9 if name == option else 0, "", "", limit if name == option else None
        )

    monkeypatch.setattr(load, "run_command", run_command)
    monkeypatch.setattr(load, "time", SimpleNamespace(monotonic=lambda: now, sleep=lambda _: None))
    result = run_load(HangingServer(), Load("c", ready="c", stop="c"), "x", 100.0, None)
    assert result.hung
    assert (
        result.failure
        == {
            "--ready": "x was not ready within 10 s: --ready 'c' did not end",
            "--load": "--load 'c' ran for more than 100 s",
            "--stop": "--stop 'c' ran for more than 10 s",
        }[option]
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "7"], "--port is of a server; give the command that uses it by --load CMD"),
        (["--metric", "(x)"], "--metric is of a server"),
        (["--load", "x", "--port", "7", "--ready", "y"], "--ready and --port both say"),
        (["--load", "x", "--port", "65536"], "'65536' is not a port; allowed are 1 to 65535"),
        (["--load", "x", "--metric", "x"], "'x' has no group"),
        (["--load", "x", "--metric", "(x"], "is not a regular expression"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [["advise", "--", "sh"], ["try", "--scope", "f", "--", "sh"], ["verify", "sh", "env", "--"]],
)
def test_rejects_options_of_servers(command: list[str], options: list[str], message: str) -> None:
    verb, *words = command
    with pytest.raises(UsageError) as caught:
        parse_command([verb, *options, *words])
    assert message in str(caught.value)
