"""No event is lost, however the program exits. An independent counter gives the reference."""

import signal
import sys
from pathlib import Path

import pytest

CALLS = 20_000  # several chunks


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("calls", 3),
        ("_exit", 7),
        ("killed", 128 + signal.SIGKILL),
        ("aborts", 128 + signal.SIGABRT),
        ("thread", 3),
        ("thread-dies", 3),
        ("closes", 3),
    ],
)
def test_records_every_call_and_keeps_the_status(record, toys, ending, status):
    done = record(toys.calls, CALLS, ending, 3, count=True)
    assert done.status == status, done.messages
    assert done.events == done.counted >= 2 * CALLS
    assert "mallard: 100 % of" in done.messages
    assert not done.has_parts


@pytest.mark.parametrize(("ending", "factor"), [("forks", 2), ("executes", 2), ("forks-and-executes", 3)])
def test_forks_and_executed_programs_are_followed_on_request(record, toys, ending, factor):
    done = record(toys.calls, CALLS, ending, options=["--follow"], count=True)
    assert done.status == 0
    assert done.events == done.counted >= 2 * CALLS * factor
    assert "in 2 processes" in done.messages or ending == "forks-and-executes"
    assert "not followed" not in done.messages


@pytest.mark.parametrize(
    ("ending", "message"),
    [("forks", "not followed: 1 fork; --follow"), ("executes", "not followed: 1 executed program; --follow")],
)
def test_counts_forks_and_executed_programs(record, toys, ending, message):
    done = record(toys.calls, CALLS, ending)
    assert done.events == 2 * CALLS
    assert message in done.messages


def test_reports_a_program_without_events(record, toys):
    done = record(toys.calls, 0, "calls")
    assert done.status == 2
    assert "error: nothing was recorded" in done.messages
    assert "ended with status 0 before its first allocation" in done.messages
    assert "unchanged" not in done.messages, "there is no trace of before"
    assert not done.trace.exists()
    assert not done.has_parts
    done.trace.write_text("old")
    assert f"'{done.trace}' is unchanged" in record(toys.calls, 0, "calls").messages
    assert done.trace.read_text() == "old"


def test_without_stacks_nothing_else_is_missing(record, toys):
    done = record(toys.calls, CALLS, "calls", options=["--stacks", "none"])
    assert "no stacks, because of --stacks none" in done.messages
    assert done.events == 2 * CALLS


def test_the_program_sees_the_users_environment(record, toys, tmp_path):
    script = tmp_path / "script"
    script.write_text('#!/bin/sh\nenv | grep -E "^(LD_PRELOAD|MALLARD_RECORD)" >seen\n')
    script.chmod(0o755)
    done = record(script, count=True)
    assert done.status == 0, done.messages
    assert (tmp_path / "seen").read_text() == f"LD_PRELOAD={toys.counter}\n"


def test_records_a_script_through_the_interpreter(record, tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python3").symlink_to(Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}")
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    script = tmp_path / "script"
    script.write_text("#!/usr/bin/env python3\nimport sys\nsys.exit(int(sys.argv[1]))\n")
    script.chmod(0o755)
    done = record(script, 5, count=True)
    assert done.status == 5, done.messages
    assert done.events == done.counted > 1000


def ignore_ends_of_children():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


@pytest.mark.parametrize("options", [[], ["--follow"]])
def test_a_caller_that_ignores_the_ends_of_children(record, toys, options):
    done = record(toys.calls, 100, "calls", 3, options=options, preexec_fn=ignore_ends_of_children)
    assert done.status == 3, done.messages
    assert done.events >= 200


def test_the_program_inherits_signal_dispositions(record, tmp_path):
    copy = tmp_path / "status"
    record("cp", "/proc/self/status", copy, preexec_fn=ignore_ends_of_children)
    (ignored,) = [line.split()[1] for line in copy.read_text().splitlines() if line.startswith("SigIgn")]
    assert int(ignored, 16) >> (signal.SIGCHLD - 1) & 1


def test_the_program_may_take_all_keys(record, toys):
    done = record(toys.build("keys", ["keys.c"]), count=True)
    assert done.status == 0, done.messages
    assert done.events == done.counted


def test_a_pending_cancellation_waits_for_the_program(record, toys):
    done = record(toys.build("cancelled", ["cancelled.c"]), options=["--follow"])
    assert done.status == 0, done.messages
    assert "in 2 processes" in done.messages
