"""Servers: started, used by a load and ended in each run. Their recordings are whole, and nothing remains."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from advisor_programs import LONGEST, find_processes, front, front_environment, heed_signals, wait_until

from mallard.cli.exit_status import INTERRUPTED

TRIAL = ("try", "--scope", "handle", "--strategy", "multipool", "--rounds", 3)
CONNECTIONS, BLOCKS = 4, 100 * 20  # at least, of each connection


@pytest.fixture
def serves(toys):
    program = toys.build("serves", ["serves.cpp"], "-g")
    yield program
    wait_until(lambda: not find_processes(program))


def load(serves, connections: int = CONNECTIONS) -> tuple[str, str]:
    return "--load", f"{serves} socket ask {connections}"


@pytest.mark.parametrize("how", ["", "exits"])
def test_serves_a_server_under_its_load(serves, tmp_path, how):
    options = (*load(serves), "--metric", r"(\d+) answers")
    done = front(*TRIAL, *options, "--json", "--", serves, "socket", how, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    trial = json.loads(done.stdout)["grounds"][0]["trial"]
    assert trial["effects"][0]["counts"]["served"] >= CONNECTIONS * BLOCKS
    assert (trial["metric"], trial["effects"][0]["metric"]["median"], trial["wall"]) == (4, 0, False)
    shown = front(*TRIAL, *options, "--", serves, "socket", how, folder=tmp_path)
    assert "The metric of the load is 4.000; 0 higher (0 to 0) with multipool." in shown.stdout


def test_advises_a_server_in_its_first_line(serves, tmp_path):
    words = ("advise", "--quick", "--global", "glibc", *load(serves), "--", serves, "socket")
    done = front(*words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "under this load" in " ".join(done.stdout.partition("\n  ")[0].split())
    assert "  load: '" in done.stdout
    assert "ended by SIGTERM" not in done.stdout


@pytest.mark.parametrize(("how", "status"), [("", 143), ("exits", 0)])
def test_records_a_server_up_to_sigterm(collector, serves, tmp_path, how, status):
    words = [collector, "-o", "trace", "--", serves, "socket", how]
    process = subprocess.Popen(list(map(str, words)), cwd=tmp_path)
    wait_until((tmp_path / "socket").exists)
    ask = [str(serves), "socket", "ask", str(CONNECTIONS)]
    wait_until(lambda: subprocess.run(ask, cwd=tmp_path, check=False, capture_output=True).returncode == 0)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == status
    profile = json.loads(front("profile", "trace", "--json", folder=tmp_path).stdout)
    assert profile["figures"]["allocations"] >= CONNECTIONS * BLOCKS
    assert not profile["process"]["torn"]


@pytest.mark.parametrize(
    ("options", "how", "message"),
    [
        (
            ("--load", "echo wrong >&2; false"),
            "",
            "--load 'echo wrong >&2; false' ended with exit status 1 (wrong)",
        ),
        (("--load", "true"), "daemon", "left a process in the background, as a daemon does"),
        (("--load", "true", "--time-limit", 50), "ignores", "did not end within 5 s of SIGTERM"),
        (("--load", "true", "--time-limit", 20, "--port", 1), "", "did not listen at port 1 within 2 s"),
        (("--load", "true", "--time-limit", 20, "--ready", "false"), "", "was not ready within 2 s: --ready"),
        (("--load", "echo 1", "--metric", "two (2)"), "", "--metric 'two (2)' finds no number"),
    ],
)
def test_rejects_a_run_that_cannot_be_measured(serves, tmp_path, options, how, message):
    done = front(*TRIAL, *options, "--", serves, "socket", how, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_ends_a_server_by_stop(serves, tmp_path):
    options = (*load(serves), "--stop", f"{serves} socket kill")
    done = front(*TRIAL, *options, "--json", "--", serves, "socket", "ignores", folder=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_trial_leaves_nothing(serves, tmp_path, number):
    words = (*TRIAL, "--load", f"{serves} socket ask 1; touch begun; sleep 1000", "--", serves, "socket")
    process = subprocess.Popen(
        [sys.executable, "-m", "mallard", *map(str, words)],
        cwd=tmp_path,
        env=front_environment(),
        preexec_fn=heed_signals,
    )
    wait_until((tmp_path / "begun").exists)
    process.send_signal(number)
    assert process.wait(LONGEST) == INTERRUPTED
    wait_until(lambda: not any(in_folder(tmp_path)))


def in_folder(folder):
    """The processes that run there: the load, with what it started."""
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if os.readlink(link) == str(folder):
                yield link
