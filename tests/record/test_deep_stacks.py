"""Stacks of a deep recursion are whole, and an event takes no more bytes there than elsewhere."""

import re
import subprocess

import pytest

LEVELS = 3_000
ROUNDS = 100_000  # of which a chunk holds a small part
BLOCK_BYTES = 16
MOST_BYTES_AN_EVENT = 4


@pytest.mark.parametrize("where", ["there", "handler"])
@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
def test_each_chunk_has_the_whole_stack(collector, record, toys, optimised, where):
    program = toys.build(f"deep{optimised}", ["deep.c"], optimised)
    done = record(program, LEVELS, ROUNDS, where)
    assert done.status == 0, done.told
    assert "mallard: 100 % of" in done.told
    bytes_an_event = re.search(r"([\d.]+) bytes an event", done.told)
    assert bytes_an_event, done.told
    assert float(bytes_an_event[1]) <= MOST_BYTES_AN_EVENT, done.told
    folded = done.trace.with_suffix(".folded")
    profiler = collector.parents[1] / "advisor/mallard-profile"
    subprocess.run([profiler, "--export", "folded", "-o", folded, done.trace], check=True)
    stacks = [each.rpartition(" ") for each in folded.read_text().splitlines()]
    [(stack, _, allocated)] = [each for each in stacks if "down" in each[0].split(";")]
    assert stack.split(";").count("down") == LEVELS
    assert int(allocated) == ROUNDS * BLOCK_BYTES
