"""malloc_trim and the like work as without the recorder, and each call is recorded with its time and line."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from advisor_programs import LONGEST, front, profile_of, profiled

from mallard.advisor.profile.document import read_profile
from mallard.advisor.view.profile.sites import LEAST_CONTROL_SHARE

COUNT = 20
NAME = re.compile(r"\b(?:malloc_trim|mallopt|mallinfo2?)\b")


def run_program(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=LONGEST, check=False)
    return done.returncode, done.stdout


def calls_of(trace):
    """The rows, with the line of each, as far as lines are known."""
    profile = profile_of(trace)
    return [row | {"line": profile["places"][row["place"]]["line"]} for row in profile["control_calls"]]


def number_of(calls, name):
    return sum(row["calls"] for row in calls if row["name"] == name)


@pytest.fixture
def program(toys):
    return toys.build("control_calls", ["control_calls.c"], "-g")


# A thread, or a child, has the call of its own end.
@pytest.mark.parametrize(
    ("scene", "recorded"), [("rounds", COUNT), ("handler", COUNT), ("thread", COUNT), ("fork", 0)]
)
def test_records_each_call(record, program, scene, recorded):
    expected = run_program(program, scene, COUNT)
    assert expected == (0, f"1 {COUNT} 1\n")
    done = record(program, scene, COUNT)
    assert done.status == 0, done.messages
    calls = calls_of(done.trace)
    assert number_of(calls, "malloc_trim") == recorded + 1, "with the call before main"
    assert number_of(calls, "mallopt") == 2
    assert number_of(calls, "mallinfo") == number_of(calls, "mallinfo2") == 1
    assert all(row["seconds"] > 0 for row in calls)


@pytest.mark.parametrize("scene", ["rounds", "handler", "small-stack", "thread", "fork"])
@pytest.mark.parametrize("options", [[], ["--follow"], ["--sample", "50"], ["--stacks", "fp"]])
def test_calls_work_with_the_recorder(record, collector, program, tmp_path, scene, options):
    words = (str(collector), "-o", str(tmp_path / "trace"), *options, "--", program, scene, COUNT)
    assert run_program(*words) == (0, f"1 {COUNT} 1\n")


def test_names_the_line_of_a_call_in_each_round(record, program, toys):
    done = record(program, "rounds", COUNT)
    line = int(toys.line("control_calls.c", "handle").split(":")[1])
    (row,) = [row for row in calls_of(done.trace) if row["line"] == line]
    assert row["calls"] == COUNT
    assert 1e-6 < row["seconds"] < 10


def test_a_sample_has_all_calls(record, program):
    done = record(program, "rounds", COUNT, options=["--sample", "50"])
    assert number_of(calls_of(done.trace), "malloc_trim") == COUNT + 1


def test_children_have_calls_of_their_own(record, collector, program):
    done = record(program, "fork", 1, options=["--follow"])
    assert done.status == 0, done.messages
    assert "in 2 processes" in done.messages


def test_a_program_without_symbols(record, toys):
    stripped = toys.build("control_calls_stripped", ["control_calls.c"], "-s")
    done = record(stripped, "rounds", COUNT)
    assert number_of(calls_of(done.trace), "malloc_trim") == COUNT + 1


def test_a_static_program_is_rejected(record, toys):
    done = record(toys.build("control_calls_static", ["control_calls.c"], "-static"), "rounds", 1)
    assert done.status == 2
    assert "static" in done.messages


ADVICE = ("advise", "--quick", "--age", "young", "--rounds", 3, "--global", "glibc")


def test_advice_names_the_line(program, toys, tmp_path):
    done = front(*ADVICE, "--json", "--", program, "rounds", 50, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    line = toys.line("control_calls.c", "handle")
    # Any other call that is interrupted takes time, too.
    calls = [fact["text"] for fact in document["facts"] if fact["label"] == "call"]
    (fact,) = [call for call in calls if call.startswith(f"malloc_trim at handle ({line}): ")]
    assert "measured in 50 calls. Remedy, not tried: call it once" in fact


def test_profiles_show_calls_that_take_time(record, program, tmp_path):
    """Those of this run: a call that is interrupted takes time, whatever it does."""
    trace = record(program, "rounds", 50).trace
    for options in ((), ("--all",), ("--html", "x.html")):
        done = front("profile", "x.trace", *options, folder=tmp_path)
        assert done.returncode == 0, done.stderr
    assert "control_calls.c" in (tmp_path / "x.html").read_text()
    profile = read_profile(profiled(trace))
    least = LEAST_CONTROL_SHARE * profile.busy_seconds
    costly = {calls.name for calls in profile.control_calls if calls.seconds >= least}
    assert "malloc_trim" in costly
    shown = front("profile", "x.trace", folder=tmp_path).stdout
    assert "Control calls" in shown
    assert set(NAME.findall(shown)) == costly
    every = front("profile", "x.trace", "--all", folder=tmp_path).stdout
    assert set(NAME.findall(every)) == {"malloc_trim", "mallopt", "mallinfo", "mallinfo2"}
