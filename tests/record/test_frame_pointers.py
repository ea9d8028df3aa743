"""Stacks by frame pointers are those of a walk by descriptions, in code that has none."""

import subprocess

import pytest

NO_DESCRIPTIONS = ("-fno-asynchronous-unwind-tables", "-fno-unwind-tables")


@pytest.fixture
def stacks_of(collector, record, toys):
    """Stacks by name, each with its bytes, and the words of the collector."""

    def found(name, stacks, *flags):
        program = toys.build(name, ["frames.c"], "-fno-omit-frame-pointer", *flags)
        done = record(program, options=["--stacks", stacks])
        assert done.status == 0, done.told
        profiler = collector.parents[1] / "advisor/mallard-profile"
        folded = done.trace.with_suffix(".folded")
        subprocess.run([profiler, "--export", "folded", "-o", folded, done.trace], check=True)
        return sorted(folded.read_text().splitlines()), done.told

    return found


@pytest.mark.parametrize("flags", [(), NO_DESCRIPTIONS], ids=["described", "not-described"])
def test_they_are_complete_and_those_of_a_walk_by_descriptions(stacks_of, flags):
    by_descriptions, _ = stacks_of("frames-described", "unwind")
    by_pointers, told = stacks_of(f"frames-{len(flags)}", "fp", *flags)
    assert "mallard: 100 % of" in told
    named = [each.rpartition(" ")[0].split(";") for each in by_pointers]
    assert any("main" in each and "compare" in each for each in named)
    assert any("in_thread" in each and each[-1] == "allocate" for each in named)
    assert by_pointers == by_descriptions


def test_code_without_descriptions_is_unknown_to_a_walk_by_them(stacks_of):
    _, told = stacks_of("frames-2", "unwind", *NO_DESCRIPTIONS)
    assert "mallard: 0.00 % of" in told
