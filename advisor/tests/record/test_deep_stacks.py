"""Stacks of a deep recursion are complete, and their events take no more bytes than others."""

import re

import pytest
from advisor_programs import folded_stacks

LEVELS = 3_000
ROUNDS = 100_000  # of which a chunk holds a small part
BLOCK_BYTES = 16
MOST_BYTES_AN_EVENT = 4


@pytest.mark.parametrize("where", ["there", "handler"])
@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
def test_every_chunk_has_the_full_stack(record, toys, optimised, where):
    program = toys.build(f"deep{optimised}", ["deep.c"], optimised)
    done = record(program, LEVELS, ROUNDS, where)
    assert done.status == 0, done.messages
    assert "mallard: 100 % of" in done.messages
    bytes_an_event = re.search(r"([\d.]+) bytes an event", done.messages)
    assert bytes_an_event, done.messages
    assert float(bytes_an_event[1]) <= MOST_BYTES_AN_EVENT, done.messages
    stacks = [line.rpartition(" ") for line in folded_stacks(done.trace)]
    [(stack, _, allocated)] = [entry for entry in stacks if "down" in entry[0].split(";")]
    assert stack.split(";").count("down") == LEVELS
    assert int(allocated) == ROUNDS * BLOCK_BYTES
