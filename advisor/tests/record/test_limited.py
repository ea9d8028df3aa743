"""Recordings that an option ends before the program: --for and --limit."""

import signal
import subprocess

import pytest
from advisor_programs import FOR_EVER, LONGEST, profile_of, wait_until, worded

CALLS = 20_000


def test_a_program_goes_on_after_its_time(collector, toys, tmp_path):
    trace = tmp_path / "x"
    calls = 1000 * FOR_EVER  # fast, once the recording has ended
    words = [collector, "-o", trace, "--for", "1000", "--", toys.calls, str(calls), "calls"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as running:
        wait_until(lambda: trace.is_file() and not (tmp_path / "x.parts").exists())
        assert running.poll() is None
        facts = profile_of(trace)["process"]
        assert facts["stopped"] == "asked"
        assert facts["events"] > 0
        assert facts["exit_status"] is None
        running.send_signal(signal.SIGTERM)  # reaches the program
        messages = worded(running.communicate(timeout=LONGEST)[1])
    assert running.returncode == 128 + signal.SIGTERM
    assert "the recording ended by --for; the program goes on" in messages


@pytest.mark.parametrize("limit", [str(100 << 10), str(1 << 20)])
def test_a_trace_stops_at_its_limit(record, toys, limit):
    done = record(toys.calls, 20_000_000, "_exit", options=["--limit", limit])
    assert done.status == 7
    assert "the recording ended by --limit; the program goes on" in done.messages
    assert done.trace.stat().st_size < 1 << 21
    assert 0 < done.events < 40_000_000
    assert not done.has_parts


def test_a_short_program_meets_no_limit(record, toys):
    done = record(toys.calls, CALLS, "_exit", options=["--limit", str(1 << 30), "--for", "3600000"])
    assert done.status == 7
    assert done.events == 2 * CALLS
    assert "the recording ended by" not in done.messages


def test_followed_processes_stop_too(record, toys):
    done = record(toys.calls, 20_000_000, "forks", options=["--follow", "--limit", str(1 << 20)])
    assert done.status == 0
    assert "the recording ended by --limit; the program goes on" in done.messages
    assert not done.has_parts


def test_nothing_in_the_time_is_an_error(record, toys):
    """It sleeps before its first call."""
    program = toys.build("late", ["late.c"])
    done = record(program, options=["--for", "10"])
    assert done.status == 2
    assert "had not allocated when the recording ended by --for" in done.messages
    assert not done.trace.exists()
    assert not done.has_parts


def test_limit_without_room_is_an_error(record, toys):
    done = record(toys.calls, 20_000_000, "_exit", options=["--limit", "1"])
    assert done.status == 2
    assert "--limit is less than the beginning of a trace; give more, such as --limit 1M" in done.messages
    assert "had not allocated" not in done.messages
    assert not done.trace.exists()
