"""Servers: started, used by a load and ended in each run. Their recordings are whole, and nothing remains."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from advisor_programs import (
    LONGEST,
    find_processes,
    front,
    front_environment,
    heed_signals,
    programs_of_advisor,
    wait_until,
)

from mallard.advisor.trial.command import require_success, run_command
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
    trial = json.loads(done.stdout)["baselines"][0]["trial"]
    assert trial["effects"][0]["counts"]["served"] >= CONNECTIONS * BLOCKS
    assert trial["effects"][0]["end_bytes"]["n"] == 3, "what is resident after the load is known"
    assert (trial["metric"], trial["effects"][0]["metric"]["median"], trial["wall"]) == (4, 0, False)


def test_shows_the_metric_of_a_load(serves, tmp_path):
    options = (*load(serves), "--metric", r"(\d+) answers")
    shown = front(*TRIAL, *options, "--", serves, "socket", folder=tmp_path)
    assert "The metric of the load is 4.000; 0 higher (0 to 0) with multipool." in shown.stdout


def test_advice_on_a_server_names_its_load(serves, tmp_path):
    """Wherever the answer says it: which one it is depends on the times of this run."""
    options = ("--quick", "--rounds", 3, "--age", "young", "--global", "glibc")
    words = ("advise", *options, *load(serves), "--", serves, "socket")
    done = front(*words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(r"CPU time under its load|program under its load,", " ".join(done.stdout.split()))
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
    tables = json.loads(front("profile", "trace", "--json", folder=tmp_path).stdout)
    (figures,) = [row for row in tables["figures"] if row["scope"] is None and row["site"] is None]
    assert figures["allocations"] >= CONNECTIONS * BLOCKS
    assert not tables["recordings"][0]["process_torn"]


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


@pytest.mark.parametrize("verb", [TRIAL, ("advise",), ("age",)])
def test_ends_a_daemon_without_a_load(serves, tmp_path, verb):
    done = front(*verb, "--", serves, "socket", "daemon", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "went into the background as process " in done.stderr
    assert "give the option that keeps it in the foreground, with --load CMD for a server" in done.stderr


FORKS_TWICE = (
    "import os, time; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); "
    "print(os.getpid(), flush=True); time.sleep(1000)"
)


@pytest.mark.parametrize(
    ("words", "is_daemon"),
    [
        ((sys.executable, "-c", FORKS_TWICE), True),
        (("sh", "-c", "(while sleep 0.1; do :; done) & echo $!"), True),
        (("sh", "-c", "(while kill -0 $$; do :; done) 2> /dev/null & echo $!"), False),
        (("sh", "-c", "sleep 1000 & echo $!"), False),
    ],
    ids=["forks twice", "forks", "ends soon", "starts an agent"],
)
def test_finds_a_daemon(tmp_path, words, is_daemon):
    with (tmp_path / "output").open("wb") as output:
        assert measure(tmp_path, *words, options=(), stdout=output).wait(LONGEST) == 0
    daemon = int((tmp_path / "result").read_text().split()[-1])
    process = int((tmp_path / "output").read_text())
    assert daemon == (process if is_daemon else 0)
    if is_daemon or "sleep" in words[-1]:
        os.kill(process, signal.SIGKILL)


def test_ends_a_server_by_stop(serves, tmp_path):
    options = (*load(serves), "--stop", f"{serves} socket kill")
    done = front(*TRIAL, *options, "--json", "--", serves, "socket", "ignores", folder=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interrupted_trial_leaves_nothing(tmp_path, number):
    """Not even the processes of the server and of the load that have left their groups."""
    leaves = "setsid sh -c 'touch {}; exec sleep 1000' & exec sleep 1000"
    words = (
        *TRIAL,
        "--ready",
        "true",
        "--load",
        leaves.format("used"),
        "--",
        "sh",
        "-c",
        leaves.format("served"),
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "mallard", *map(str, words)],
        cwd=tmp_path,
        env=front_environment() | {"TMPDIR": str(tmp_path)},
        preexec_fn=heed_signals,
    )
    wait_until(lambda: (tmp_path / "used").exists() and (tmp_path / "served").exists())
    process.send_signal(number)
    assert process.wait(LONGEST) == (-number if number == signal.SIGKILL else INTERRUPTED)
    wait_until(lambda: not any(in_folder(tmp_path)))


def test_omits_a_strategy_whose_server_is_not_stopped(serves, tmp_path):
    server = f'echo $$ > pid; echo "$MALLARD_TRIAL" > strategy; exec {serves} socket exits'
    words = ("try", "--scope", "handle", "--strategy", "multipool,heap", "--rounds", 3)
    options = (*load(serves), "--stop", "kill $(cat pid); ! grep multipool strategy")
    done = front(*words, *options, "--json", "--", "sh", "-c", server, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    trial = json.loads(done.stdout)["baselines"][0]["trial"]
    assert trial["failed"] == {"multipool": "failed its load"}
    assert [effect["strategy"] for effect in trial["effects"]] == ["heap"]


def test_rejects_a_server_that_fails_under_its_load(tmp_path):
    """As if another server answered, whose port it could not have."""
    waits = "until test -e used; do sleep 0.01; done"
    server = f"echo $PPID > new; mv new parent; {waits}; echo in use >&2; exit 1"
    load = "touch used; while kill -0 $(cat parent); do sleep 0.01; done"
    options = ("--ready", "test -e parent", "--load", load)
    done = front(*TRIAL, *options, "--", "sh", "-c", server, folder=tmp_path)
    assert done.returncode == 2
    assert "sh ended" in done.stderr
    assert "(in use)" in done.stderr


def measure(folder: Path, *words: str, options=("--server",), stdout=None) -> subprocess.Popen[bytes]:
    with (folder / "result").open("wb") as result:
        program = str(programs_of_advisor() / "mallard-measure")
        return subprocess.Popen(
            [program, str(result.fileno()), *options, "--", *words],
            cwd=folder,
            stdout=stdout,
            pass_fds=(result.fileno(),),
            start_new_session=True,
        )


def test_reaps_the_orphans_of_a_server(tmp_path):
    """An orphan that has ended has a process ID until it is reaped."""
    orphan = "(sh -c 'echo $$ > new; mv new orphan' &)"
    reaped = "test -f orphan && ! kill -0 $(cat orphan)"
    process = measure(tmp_path, "sh", "-c", f"{orphan}; until {reaped}; do sleep 0.01; done")
    try:
        assert process.wait(LONGEST) == 0
    finally:
        process.kill()
    assert (tmp_path / "result").read_text().split()[0] == "0"


def test_kills_processes_outside_of_the_group(tmp_path):
    process = measure(tmp_path, "sh", "-c", "setsid sh -c 'touch begun; exec sleep 1000' & exec sleep 1000")
    wait_until((tmp_path / "begun").exists)
    process.terminate()
    assert process.wait(LONGEST) == 0
    assert not any(in_folder(tmp_path))
    status, *_, remaining = (tmp_path / "result").read_text().split()
    assert (status, remaining) == (str(int(signal.SIGKILL)), "0")


@pytest.mark.parametrize("background", ["", "setsid "])
def test_commands_of_a_load_leave_no_process(tmp_path, monkeypatch, background):
    monkeypatch.setenv("MALLARD_MEASURE", front_environment()["MALLARD_MEASURE"])
    result = run_command("--load", f"{background}sleep 1000 & kill -9 $$", LONGEST, tmp_path)
    assert result.failure.endswith("ended by signal 9")
    assert not any(in_folder(tmp_path))


def test_a_preparation_may_start_a_process(tmp_path, monkeypatch):
    monkeypatch.setenv("MALLARD_MEASURE", front_environment()["MALLARD_MEASURE"])
    require_success("--prepare", "sleep 1000 & echo $! > pid", LONGEST, tmp_path)
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


def in_folder(folder):
    """The processes that run there: the load, with what it started."""
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if os.readlink(link) == str(folder):
                yield link
