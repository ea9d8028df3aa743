"""The lock of the set-up: concurrent calls wait for it, and say so."""

import fcntl
import os
import shutil
import signal

import pytest
from advisor_programs import LONGEST


@pytest.fixture
def busy(ready):
    """A clone in which another call is building the runner."""
    lock = (ready.root / "build/release.lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    lock.write("4711 building mallard-bench with g++ 12 (Release) in build/release\n")
    lock.flush()
    yield ready
    lock.close()


def test_verb_without_a_build_does_not_wait(busy):
    done = busy.call("doctor")
    assert done.returncode == 0
    assert done.stderr == ""


def test_waiting_call_names_process_and_task(busy):
    busy.native_tools()
    call = busy.start("bench", "density")
    line = call.stderr.readline()
    os.killpg(call.pid, signal.SIGTERM)  # with the flock that waits
    call.communicate(timeout=LONGEST)
    assert line == (
        "mallard: waiting for process 4711, building mallard-bench with g++ 12 (Release) in build/release "
        "(0 s so far)\n"
    )


def test_recording_does_not_wait_for_another_build(busy):
    busy.native_tools()
    done = busy.call("record", "--", "cat")
    assert done.returncode == 0, done.stderr
    assert "waiting" not in done.stderr
    assert "building mallard-advisor" in done.stderr


@pytest.mark.parametrize(
    "words",
    [["--for", "soon"], ["--for", "0s"], ["--for", "9000h"], ["--limit", "2X"], ["--limit", "9" * 30]],
)
def test_bad_recording_option_does_not_wait(ready, words):
    shutil.rmtree(ready.root / "build/venv")
    with (
        (ready.root / "build/setup.lock").open("w") as setup,
        (ready.root / "build/advisor.lock").open("w") as advisor,
    ):
        fcntl.flock(setup, fcntl.LOCK_EX)
        fcntl.flock(advisor, fcntl.LOCK_EX)
        failed = ready.call("record", *words, "--", "cat")
    assert failed.returncode == 2
    assert failed.stderr.startswith(f"mallard: error: {words[0]}: ")
    assert "allowed are" in failed.stderr
