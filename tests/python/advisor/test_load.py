"""Servers under a load: when they are ready, how they end, and the figure of the load."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from mallard.advisor.trial.effect import figure, metric_change, metric_difference
from mallard.advisor.trial.load import FAILED_LOAD, LoadResult, _find_metric, listens, server_status
from mallard.advisor.trial.process import Measured, refuse_difference, refuse_failed_load
from mallard.cli import parse_command
from mallard.shared.errors import UsageError
from mallard.shared.stats import Difference

SESSION = os.getsid(0)
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
            assert not listens(SESSION, port)  # bound, but not yet listening
            server.listen()
        assert listens(SESSION, port)
        assert not listens(1 << 30, port)  # of another session
    assert not listens(SESSION, port)


def test_finds_any_listening_socket(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        server.listen()
        assert listens(SESSION, None)
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
    assert change
    assert change.median == 1.0
    assert metric_difference(runs, [RUN] * 3) is None


def test_failed_load_is_not_the_end_of_the_first_run() -> None:
    failed = replace(RUN, status=FAILED_LOAD, load=LoadResult("--load 'x' ended with exit status 1"))
    with pytest.raises(UsageError, match="--load 'x' ended with exit status 1; try the server"):
        refuse_failed_load(failed)
    with pytest.raises(UsageError, match="a run failed its load, and the first run ended with exit status 0"):
        refuse_difference(RUN, failed, "a run")


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
