"""Advice on real programs, from the command line to the answer. Times decide nothing here."""

from __future__ import annotations

import json

import pytest
from advisor_programs import front


@pytest.fixture
def advise(tmp_path):
    return lambda *words: front("advise", *words, folder=tmp_path)


def test_a_program_that_allocates_nothing(advise, toys):
    done = advise("--", toys.build("idle", ["idle.c"]))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().startswith("Nothing worth doing: the program allocates ")


def test_advises_an_allocation_heavy_program(advise, toys):
    program = toys.build("requests", ["requests.cpp"], "-g")
    done = advise("--quick", "--rounds", 3, "--global", "glibc", "--json", "--", program, 2000)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["kind"] in ("nothing", "local", "global", "pattern", "unresolved")
    assert document["headline"]
    assert document["study"]["allocations"] > 2000
    if document["study"]["trial"]:
        assert document["study"]["trial"]["scope"]["name"] == "handle"


def test_a_program_that_does_not_start(advise):
    done = advise("--", "/no/such/program")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "/no/such/program" in done.stderr
