"""Recordings of programs that were running before: --pid."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from advisor_programs import LONGEST, wait_until

PROBE = (
    "import ctypes, os, subprocess as s; p = s.Popen(['sleep', '9']);"
    "r = ctypes.CDLL(None).ptrace(0x4206, p.pid, 0, 0); p.kill(); os._exit(r != 0)"
)
CAN_TRACE = (
    os.uname().machine == "x86_64"
    and subprocess.run(
        [
            sys.executable,
            "-c",
            PROBE,
        ],
        check=False,
    ).returncode
    == 0
)
pytestmark = pytest.mark.skipif(not CAN_TRACE, reason="ptrace is forbidden here, or is not that of x86-64")


def attach(collector: Path, folder: Path, pid: int, *options: str) -> "subprocess.CompletedProcess[str]":
    words = [str(collector), "-o", str(folder / "x.trace"), "--pid", str(pid), *options]
    return subprocess.run(words, capture_output=True, text=True, timeout=LONGEST, check=False)


def maps(pid: int) -> str:
    return Path(f"/proc/{pid}/maps").read_text()


def threads(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


@pytest.fixture
def allocating(toys) -> "Iterator[subprocess.Popen[str]]":
    program = toys.build("attached", ["attached.cpp"], "-pthread")
    with subprocess.Popen([program, "3"], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        running.stdout.readline()
        yield running
        running.kill()


def assert_goes_on(running: "subprocess.Popen[str]") -> None:
    """The program still works, and nothing of the recording is left but the library."""
    assert running.stdout is not None
    wait_until(lambda: threads(running.pid) == 4 and ".part" not in maps(running.pid))
    first = int(running.stdout.readline())
    wait_until(lambda: int(running.stdout.readline()) > first)
    assert running.poll() is None


def test_records_a_running_program_twice(collector, allocating, tmp_path):
    for _ in range(2):
        done = attach(collector, tmp_path, allocating.pid, "--for", "500ms")
        assert done.returncode == 0, done.stderr
        assert "the recording ended by --for; the program goes on" in done.stderr
        words = [collector.parent / "mallard-profile", tmp_path / "x.trace"]
        facts = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
        assert facts["process"]["threads"] == 3
        assert facts["process"]["events"] > 1000
        assert facts["foreign"]["frees"] > 0  # of blocks from before
        assert_goes_on(allocating)


def test_ctrl_c_ends_the_recording_only(collector, allocating, tmp_path):
    words = [collector, "-o", tmp_path / "x.trace", "--pid", str(allocating.pid)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as recording:
        wait_until(lambda: ".part" in maps(allocating.pid))
        time.sleep(0.2)
        recording.send_signal(signal.SIGINT)
        messages = recording.communicate(timeout=LONGEST)[1]
    assert recording.returncode == 0
    assert "the recording ended by Ctrl-C; the program goes on" in messages
    assert_goes_on(allocating)


def test_program_outlives_a_killed_collector(collector, allocating, tmp_path):
    words = [collector, "-o", tmp_path / "x.trace", "--pid", str(allocating.pid)]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as recording:
        wait_until(lambda: ".part" in maps(allocating.pid))
        recording.kill()
    assert_goes_on(allocating)
    recovered = subprocess.run(
        [collector, "--recover", tmp_path / "x.trace"], capture_output=True, text=True, check=False
    )
    assert recovered.returncode == 0, recovered.stderr
    assert (tmp_path / "x.trace").is_file()


def test_kills_while_attaching_do_no_harm(collector, allocating, tmp_path):
    for turn in range(20):
        words = [collector, "-o", tmp_path / f"{turn}.trace", "--pid", str(allocating.pid)]
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as recording:
            time.sleep(0.001 * (turn + 1))
            recording.kill()
        assert allocating.poll() is None
    assert_goes_on(allocating)


def test_the_rest_of_a_sleep_is_kept(collector, tmp_path):
    start = time.monotonic()
    with subprocess.Popen(["sleep", "3"]) as running:
        time.sleep(1.5)
        attach(collector, tmp_path, running.pid, "--for", "100ms")
        assert running.wait() == 0
    assert 2.9 < time.monotonic() - start < 4.4


def test_records_an_interpreter(collector, tmp_path):
    code = (
        "import time\nend = time.time() + 3\n"
        "while time.time() < end: [b'x' * n for n in range(2000)]\nprint('ok')"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as running:
        time.sleep(0.5)
        done = attach(collector, tmp_path, running.pid)
        assert running.communicate()[0] == "ok\n"
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "x.trace").is_file()


def refused(collector: Path, folder: Path, pid: int, options: Sequence[str] = ()) -> str:
    done = attach(collector, folder, pid, *options)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert not list(folder.glob("x.trace*"))
    return done.stderr


def test_refuses_what_is_no_process(collector, tmp_path):
    assert "there is no process 2147483647" in refused(collector, tmp_path, 2147483647)
    assert "is mallard itself, or started it" in refused(collector, tmp_path, os.getpid())
    assert "--pid '0'" in refused(collector, tmp_path, 0)


def test_refuses_a_stopped_process(collector, tmp_path):
    with subprocess.Popen(["sleep", "60"]) as running:
        running.send_signal(signal.SIGSTOP)
        wait_until(lambda: "State:\tT" in Path(f"/proc/{running.pid}/status").read_text())
        assert "is stopped; continue it first" in refused(collector, tmp_path, running.pid)
        running.kill()
        os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)
        assert "has ended (zombie)" in refused(collector, tmp_path, running.pid)


def test_refuses_a_static_program(collector, toys, tmp_path):
    program = toys.build("static_idle", ["attached.cpp"], "-pthread", "-static")
    with subprocess.Popen([program, "1"], stdout=subprocess.DEVNULL) as running:
        time.sleep(0.1)
        assert "it is statically linked" in refused(collector, tmp_path, running.pid)
        running.kill()


def test_refuses_a_second_recording(collector, allocating, tmp_path):
    words = [collector, "-o", tmp_path / "first.trace", "--pid", str(allocating.pid)]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as recording:
        wait_until(lambda: ".part" in maps(allocating.pid))
        try:
            assert "is being recorded already" in refused(collector, tmp_path, allocating.pid)
        finally:
            recording.send_signal(signal.SIGINT)
    assert_goes_on(allocating)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a process of another user")
def test_refuses_a_process_of_another_user(collector, tmp_path):
    with subprocess.Popen(["sleep", "60"], user=65534) as running:
        assert "runs as user 65534" in refused(collector, tmp_path, running.pid)
        running.kill()
