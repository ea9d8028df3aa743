"""Recordings that a signal to the collector begins and ends: --signal."""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from advisor_programs import LONGEST, profile_of, wait_until, worded

CALLS = 1000  # pairs in each `allocate`
EVENTS = 2 * CALLS + 2  # and the block that it keeps for the next one
OWN_STATUS = 3  # of the program
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the root folder and the user")


class Recorded:
    """The collector, and the program that obeys."""

    def __init__(self, words: "list[object]", trace: Path) -> None:
        self.trace = trace
        self.messages: list[str] = []
        self._unread: list[str] = []
        self.running = subprocess.Popen(
            [str(word) for word in words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def read_until(self, words: str) -> str:
        limit = threading.Timer(LONGEST, self.running.kill)  # which ends its standard error
        limit.start()
        try:
            while text := "".join(self._unread) or self.running.stderr.readline():
                self._unread = worded(text).splitlines(keepends=True)
                line = self._unread.pop(0)
                self.messages.append(line)
                if words in line:
                    return line
        finally:
            limit.cancel()
        raise AssertionError(self.messages)

    def request(self, requests: str) -> None:
        for request in requests:
            self.running.stdin.write(request)
            self.running.stdin.flush()
            assert self.running.stdout.read(1) == request

    def signal(self, words: str) -> str:
        self.running.send_signal(signal.SIGUSR2)
        return self.read_until(words)

    def end_program(self) -> int:
        """The status; the program ends with its standard input."""
        self.messages += [*self._unread, worded(self.running.communicate(timeout=LONGEST)[1])]
        return self.running.returncode

    @property
    def text(self) -> str:
        return "".join(self.messages)

    @property
    def is_clean(self) -> bool:
        return not Path(f"{self.trace}.parts").exists()


@pytest.fixture
def obeys(toys) -> Path:
    return toys.build("on_request", ["on_request.c"])


@pytest.fixture
def start(collector, tmp_path):
    @contextmanager
    def started(*program: object, options: "tuple[str, ...]" = ()) -> "Iterator[Recorded]":
        trace = tmp_path / "x"
        recorded = Recorded(
            [collector, "-o", trace, "--signal", str(signal.SIGUSR2.value), *options, "--", *program], trace
        )
        with recorded.running:
            try:
                recorded.read_until("idle; 'kill -USR2 ")
                yield recorded
            finally:
                recorded.running.kill()

    return started


def test_records_all_between_two_signals(start, obeys):
    with start(obeys) as recorded:
        assert f"kill -USR2 {recorded.running.pid}'" in recorded.text
        recorded.request("aa")
        recorded.signal("recording; ")
        recorded.request("aa")
        recorded.signal("next: mallard profile")
        assert "the recording ended by SIGUSR2; the program goes on" in recorded.text
        assert recorded.is_clean
        recorded.request("a")
        facts = profile_of(recorded.trace)
        assert facts["process"]["events"] == 2 * EVENTS
        assert facts["foreign"]["frees"] == 1
        assert facts["process"]["stopped"] == "asked"
        recorded.signal("the recording has ended; another one takes another 'mallard record'")
        assert recorded.end_program() == OWN_STATUS


def test_threads_begin_together(start, toys):
    with start(toys.build("attached", ["attached.cpp"], "-pthread"), 3) as recorded:
        output = recorded.running.stdout
        wait_until(lambda: int(output.readline()) > 0)
        recorded.signal("recording; ")
        turns = int(output.readline())
        wait_until(lambda: int(output.readline()) > turns + 1000)
        recorded.signal("next: mallard profile")
        facts = profile_of(recorded.trace)
        assert facts["process"]["threads"] == 3
        assert facts["process"]["events"] > 1000
        assert facts["foreign"]["frees"] > 0
        recorded.running.terminate()  # reaches the program
        assert recorded.running.wait(LONGEST) == 128 + signal.SIGTERM


def test_idle_program_keeps_its_status(start, obeys):
    with start(obeys) as recorded:
        recorded.request("a")
        assert recorded.end_program() == OWN_STATUS
        assert "nothing was recorded: SIGUSR2 had not begun the recording" in recorded.text
        assert "error" not in recorded.text
        assert recorded.is_clean
        assert not recorded.trace.exists()


def test_end_of_the_program_ends_the_recording(start, obeys):
    with start(obeys) as recorded:
        recorded.request("a")
        recorded.signal("recording; ")
        recorded.request("a")
        assert recorded.end_program() == OWN_STATUS
        facts = profile_of(recorded.trace)["process"]
        assert facts["events"] == EVENTS
        assert os.waitstatus_to_exitcode(facts["exit_status"]) == OWN_STATUS


def test_names_the_end_without_an_event(start, obeys):
    with start(obeys) as recorded:
        recorded.request("a")
        recorded.signal("recording; ")
        recorded.signal("did not allocate until the recording ended by SIGUSR2")
        assert recorded.end_program() == 2
        assert recorded.is_clean


def test_forks_of_an_idle_program_are_counted(start, obeys):
    with start(obeys) as recorded:
        recorded.request("fa")
        assert recorded.end_program() == OWN_STATUS
        assert "not followed: 1 fork; --follow records them too" in recorded.text


def test_forks_that_allocate_later_are_counted(start, obeys):
    with start(obeys) as recorded:
        recorded.request("f")
        recorded.signal("recording; ")
        recorded.request("a")
        recorded.signal("did not allocate until the recording ended by SIGUSR2")
        recorded.read_until("not followed: 1 fork; --follow records them too")
        assert recorded.end_program() == 2


@pytest.mark.parametrize("before", ["af", "ax", "afx", "axf", "axx", pytest.param("ufa", marks=needs_root)])
def test_follows_from_an_idle_program(start, obeys, before):
    with start(obeys, options=("--follow",)) as recorded:
        recorded.request(before)
        recorded.signal("recording; ")
        recorded.request("aa")
        recorded.signal("next: mallard profile")
        assert "followed: " not in recorded.text
        facts = profile_of(recorded.trace)
        foreign_frees = 0 if "x" in before else 1  # an executed program has no older block
        assert facts["process"]["events"] == 2 * EVENTS - 1 + foreign_frees
        assert facts["foreign"]["frees"] == foreign_frees
        assert recorded.end_program() == OWN_STATUS


@pytest.mark.parametrize("later", ["fa", "xa"])
def test_processes_of_a_recorded_program_record_at_once(start, obeys, later):
    with start(obeys, options=("--follow",)) as recorded:
        recorded.request("a")
        recorded.signal("recording; ")
        recorded.request("a" + later)
        line = recorded.signal("events of")
        events = 2 * EVENTS - (1 if later == "xa" else 0)
        assert f"{events:,} events of 2 threads in 2 processes" in line
        assert "followed: " not in recorded.text
        recorded.end_program()


@needs_root
def test_records_after_the_root_folder_and_the_user_changed(start, obeys, tmp_path):
    (tmp_path / "empty").mkdir()
    with start(obeys, tmp_path / "empty") as recorded:
        recorded.request("aj")
        recorded.signal("recording; ")
        recorded.request("a")
        recorded.signal("next: mallard profile")
        assert profile_of(recorded.trace)["process"]["events"] == EVENTS


def test_sandbox_of_an_idle_program_is_reported(start, obeys):
    with start(obeys) as recorded:
        recorded.request("as")
        recorded.signal("recording; ")
        recorded.request("a")
        recorded.signal("did not allocate until the recording ended by SIGUSR2")
        recorded.read_until(f"lost: {EVENTS:,} events of threads that first allocated after")


@pytest.mark.parametrize(("option", "value"), [("--for", "300"), ("--limit", str(100 << 10))])
def test_limits_count_from_the_begin(start, toys, option, value):
    program = toys.build("attached", ["attached.cpp"], "-pthread")
    with start(program, 3, options=(option, value)) as recorded:
        for _ in range(5):  # 500 ms
            assert recorded.running.stdout.readline()
        assert not recorded.trace.exists()
        recorded.signal(f"the recording ended by {option}; the program goes on")
        recorded.read_until("next: mallard profile")
        assert profile_of(recorded.trace)["process"]["events"] > 0
        recorded.signal("the recording has ended")


def test_signals_of_the_program_are_its_own(collector, tmp_path):
    words = ["grep", "^Sig[BIC]", "/proc/self/status"]
    options = [collector, "-o", tmp_path / "x", "--signal", str(signal.SIGUSR2.value), "--"]
    recorded = subprocess.run([*options, *words], capture_output=True, text=True, check=True)
    assert recorded.stdout == subprocess.run(words, capture_output=True, text=True, check=True).stdout


def test_idle_program_outlives_a_killed_collector(start, obeys):
    with start(obeys) as recorded:
        recorded.request("a")
        recorded.running.kill()
        recorded.running.wait()
        recorded.request("a")
