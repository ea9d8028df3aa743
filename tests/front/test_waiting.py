"""The lock of the set-up: concurrent calls wait for it, and say so."""

import fcntl

import pytest


@pytest.fixture
def busy(ready):
    """A clone that another call is building in."""
    lock = (ready.root / "build/lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    lock.write("4711 building mallard-advisor with g++ 12 (Release) in build/advisor\n")
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
    call.terminate()
    call.communicate(timeout=60)
    assert line == (
        "mallard: waiting for process 4711, building mallard-advisor with g++ 12 (Release) in build/advisor "
        "(0 s so far)\n"
    )
