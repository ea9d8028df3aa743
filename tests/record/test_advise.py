"""Advice on real programs, from the command line to the answer. Times decide nothing here."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from source_tree import ROOT

LONGEST = 240  # seconds


def advise(collector, *words):
    built = collector.parents[1]
    environment = os.environ | {
        "PYTHONPATH": str(ROOT / "python"),
        "MALLARD_ROOT": str(ROOT),
        "MALLARD_COLLECTOR": str(collector),
        "MALLARD_PROFILE": str(built / "advisor" / "mallard-profile"),
        "MALLARD_TRIAL_LIBRARY": str(built / "trial" / "libmallard_trial.so"),
        "MALLARD_MEASURE": str(built / "trial" / "mallard-measure"),
    }
    command = [sys.executable, "-m", "mallard", "advise", *map(str, words)]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
    )


def test_a_program_that_allocates_nothing(collector, toys):
    done = advise(collector, "--", toys.build("idle", ["idle.c"]))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().startswith("Nothing worth doing: the program allocates ")


def test_a_program_that_allocates_all_the_time_gets_an_answer_of_a_known_kind(collector, toys):
    program = toys.build("requests", ["requests.cpp"], "-g")
    done = advise(collector, "--quick", "--rounds", 3, "--global", "glibc", "--json", "--", program, 2000)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["kind"] in ("nothing", "local", "global", "pattern", "unresolved")
    assert document["headline"]
    assert document["study"]["allocations"] > 2000
    if document["study"]["trial"]:
        assert document["study"]["trial"]["scope"]["name"] == "handle"


def test_a_program_that_does_not_start(collector):
    done = advise(collector, "--", "/no/such/program")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "/no/such/program" in done.stderr
