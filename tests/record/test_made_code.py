"""Code that threads make at run time, describe, and unmap with its description."""

import subprocess

THREADS, ROUNDS, CALLS, BYTES = 4, 400, 5, 40
CHAIN = ("make_and_use", "use", "unknown code", "allocate")


def test_all_stacks_through_made_code_are_complete(record, collector, toys):
    done = record(toys.build("made-code", ["made_code.cpp"]))
    assert done.status == 0, done.told
    assert "mallard: 100 % of" in done.told
    profiler = collector.parents[1] / "advisor/mallard-profile"
    folded = done.trace.with_suffix(".folded")
    subprocess.run([profiler, "--export", "folded", "-o", folded, done.trace], check=True)
    (through,) = [each for each in folded.read_text().splitlines() if "unknown code" in each]
    stack, _, all_bytes = through.rpartition(" ")
    assert tuple(each.rpartition("::")[2] for each in stack.split(";")[-len(CHAIN) :]) == CHAIN
    assert int(all_bytes) == THREADS * ROUNDS * CALLS * BYTES
