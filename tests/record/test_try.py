"""Trials on real programs, from the command line to the table. Times decide nothing here."""

from __future__ import annotations

import json

import pytest
from advisor_programs import front

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
    done = front(*trial, "--", program, 200, folder=tmp_path, seconds=240)
    assert done.returncode == 0, done.stderr
    (effect,) = json.loads(done.stdout)["grounds"][0]["trial"]["effects"]
    assert effect["strategy"] == "monotonic"
    assert effect["counts"]["served"] >= 200 * 60  # a node and two texts for each of 20 fields
    assert effect["counts"]["started_again"] >= 199


def test_a_scope_without_the_function_that_keeps_blocks(toys, tmp_path):
    """A monotonic allocator begins again after each request, though blocks of the scope live longer."""
    program = toys.build("requests", ["requests.cpp"], "-g")
    trial = ("try", "--scope", "handle", "--strategy", "monotonic", "--rounds", 3, "--json")
    counts = []
    for without in ((), ("--without", "keep")):
        done = front(*trial, *without, "--", program, 200, "keep", folder=tmp_path, seconds=240)
        assert done.returncode == 0, done.stderr
        (effect,) = json.loads(done.stdout)["grounds"][0]["trial"]["effects"]
        counts.append(effect["counts"])
    assert counts[0]["started_again"] < 20
    assert counts[1]["started_again"] >= 199
    assert counts[1]["served"] < counts[0]["served"]


@pytest.mark.parametrize(
    ("without", "said"),
    [("kepe", "There is no scope 'kepe'"), ("main", "handle without main leaves out nothing")],
)
def test_a_function_that_is_not_called_in_the_scope_cannot_be_left_out(toys, tmp_path, without, said):
    program = toys.build("requests", ["requests.cpp"], "-g")
    words = ("try", "--scope", "handle", "--without", without, "--rounds", 3, "--", program, 200, "keep")
    done = front(*words, folder=tmp_path, seconds=240)
    assert done.returncode == 2
    assert said in done.stderr
