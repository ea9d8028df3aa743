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
