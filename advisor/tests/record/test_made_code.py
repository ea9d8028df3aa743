"""Code that threads generate at run time, describe, and unmap with its description."""

from advisor_programs import folded_stacks

THREADS, ROUNDS, CALLS, BYTES = 4, 400, 5, 40
CHAIN = ("make_and_use", "use", "unknown code", "allocate")


def test_unwinds_through_generated_code(record, toys):
    done = record(toys.build("made-code", ["made_code.cpp"]))
    assert done.status == 0, done.messages
    assert "mallard: 100 % of" in done.messages
    (through,) = [line for line in folded_stacks(done.trace) if "unknown code" in line]
    stack, _, all_bytes = through.rpartition(" ")
    assert tuple(name.rpartition("::")[2] for name in stack.split(";")[-len(CHAIN) :]) == CHAIN
    assert int(all_bytes) == THREADS * ROUNDS * CALLS * BYTES
