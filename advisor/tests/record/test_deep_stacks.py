"""Stacks of a deep recursion are complete, and their events take no more bytes than others."""

import re
from collections import Counter

import pytest
from advisor_programs import profiled

from mallard.advisor.profile.stacks import FRAME, Stacks

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
    stacks = Stacks(profiled(done.trace, "--stacks"))
    names, paths = dict(stacks.rows("frames", f"{FRAME}, short_name")), list(stacks.paths())
    allocated: Counter[int] = Counter()
    for calls, (value,) in stacks.counts("allocated_bytes"):
        allocated[sum(names[frame] == "down" for call in calls for frame in paths[call])] += value
    del allocated[0]
    assert allocated == {LEVELS: ROUNDS * BLOCK_BYTES}
