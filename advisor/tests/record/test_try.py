"""Trials on real programs, from the command line to the table. Times decide nothing here."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from advisor_programs import front, front_environment, programs_of_advisor

# Without the functions of headers, as docs/advisor/scopes.md advises.
INSTRUMENTED = ("-finstrument-functions", "-finstrument-functions-exclude-file-list=/usr/include,c++")


@pytest.mark.parametrize(
    ("flags", "scope"),
    [((), "handle"), (INSTRUMENTED, "handle(int)")],
    ids=["by its stack", "by its own word"],
)
def test_all_blocks_of_a_function_are_served(toys, tmp_path, flags, scope):
    program = toys.build(f"requests_{len(flags)}", ["requests.cpp"], "-g", *flags)
    trial = ("try", "--scope", scope, "--strategy", "monotonic", "--rounds", 3, "--json")
    done = front(*trial, "--", program, 200, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (effect,) = json.loads(done.stdout)["grounds"][0]["trial"]["effects"]
    assert effect["strategy"] == "monotonic"
    assert effect["counts"]["served"] >= 200 * 60  # a node and two texts for each of 20 fields
    assert effect["counts"]["started_again"] >= 199


@pytest.mark.parametrize("flags", [(), ("-fno-omit-frame-pointer",)], ids=["plain", "frame pointers"])
def test_both_detectors_find_the_same_requests(toys, tmp_path, monkeypatch, flags):
    """A return address is shared, and stacks are deep, of fibers or threads, or left by longjmp."""
    program = toys.build(f"one_helper_{len(flags)}", ["one_helper.cpp"], "-g", *flags)
    results = {}
    for detector in ("rules", "stack"):
        monkeypatch.setenv("MALLARD_DETECTOR", detector)
        trial = ("try", "--scope", "handle", "--strategy", "multipool", "--rounds", 3, "--json")
        done = front(*trial, "--", program, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        results[detector] = json.loads(done.stdout)
        assert results[detector]["scope"]["detector"]["method"] == detector
    rules, stack = (results[detector]["grounds"][0]["trial"]["null"] for detector in ("rules", "stack"))
    assert rules["in_null"] == stack["in_null"] == 20 * (100 + 100 + 20 + 50 + 1)
    assert rules["elsewhere"] == stack["elsewhere"]
    assert stack["by_stack"] == stack["in_null"] + stack["elsewhere"]
    assert rules["by_stack"] < stack["by_stack"] / 20


def test_rejects_an_unknown_detector(toys, tmp_path, monkeypatch):
    program = toys.build("requests", ["requests.cpp"], "-g")
    monkeypatch.setenv("MALLARD_DETECTOR", "tree")
    done = front("try", "--scope", "handle", "--rounds", 3, "--", program, 20, folder=tmp_path)
    assert done.returncode == 2
    assert "MALLARD_DETECTOR=tree is not a detector; give rules or stack" in done.stderr


def test_a_scope_without_the_function_that_keeps_blocks(toys, tmp_path):
    """A monotonic allocator begins again after each request, though blocks of the scope live longer."""
    program = toys.build("requests", ["requests.cpp"], "-g")
    trial = ("try", "--scope", "handle", "--strategy", "monotonic", "--rounds", 3, "--json")
    counts = []
    for without in ((), ("--without", "keep")):
        done = front(*trial, *without, "--", program, 200, "keep", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        (effect,) = json.loads(done.stdout)["grounds"][0]["trial"]["effects"]
        counts.append(effect["counts"])
    assert counts[0]["started_again"] < 20
    assert counts[1]["started_again"] >= 199
    assert counts[1]["served"] < counts[0]["served"]


def test_the_trial_path_contains_space_and_colon(toys, tmp_path):
    program = toys.build("requests", ["requests.cpp"], "-g")
    build = tmp_path / "two words: here"
    build.symlink_to(programs_of_advisor().parent)
    words = (
        "try",
        "--scope",
        "handle",
        "--strategy",
        "monotonic",
        "--rounds",
        3,
        "--json",
        "--",
        program,
        20,
    )
    done = front(*words, folder=tmp_path, build=build)
    assert done.returncode == 0, done.stderr
    (effect,) = json.loads(done.stdout)["grounds"][0]["trial"]["effects"]
    assert effect["counts"]["served"] > 0


RUNS = """
from pathlib import Path
from mallard.advisor.trial.{module} import {function}
{function}(["sh", "-c", "sleep 1000 & echo $! $$ > pids.new; mv pids.new pids; wait"], {arguments})
"""


@pytest.mark.parametrize(
    ("module", "function", "arguments"),
    [("process", "measure", "{}, None, 600"), ("process", "record", "None, Path('a.trace'), 600")],
)
def test_no_program_outlives_a_killed_mallard(tmp_path, module, function, arguments):
    script = RUNS.format(module=module, function=function, arguments=arguments)
    mallard = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, env=front_environment())
    while not (tmp_path / "pids").exists():
        assert mallard.poll() is None
        time.sleep(0.01)
    pids = list(map(int, (tmp_path / "pids").read_text().split()))
    mallard.kill()
    mallard.wait()
    while any(map(_runs, pids)):
        time.sleep(0.01)


def test_a_program_dies_with_its_measurer(tmp_path):
    program = ["sh", "-c", "echo $$ > pid.new; mv pid.new pid; read x"]
    with open(os.devnull, "wb") as result:
        words = [front_environment()["MALLARD_MEASURE"], str(result.fileno()), "--", *program]
        measurer = subprocess.Popen(words, cwd=tmp_path, stdin=subprocess.PIPE, pass_fds=(result.fileno(),))
    while not (tmp_path / "pid").exists():
        assert measurer.poll() is None
        time.sleep(0.01)
    measurer.send_signal(signal.SIGKILL)
    measurer.wait()
    while _runs(int((tmp_path / "pid").read_text())):
        time.sleep(0.01)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("without", "message"),
    [("kepe", "There is no scope 'kepe'"), ("main", "handle without main leaves out nothing")],
)
def test_refuses_to_exclude_an_uncalled_function(toys, tmp_path, without, message):
    program = toys.build("requests", ["requests.cpp"], "-g")
    words = ("try", "--scope", "handle", "--without", without, "--rounds", 3, "--", program, 200, "keep")
    done = front(*words, folder=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
