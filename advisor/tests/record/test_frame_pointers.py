"""Stacks by frame pointers equal stacks unwound by descriptions, also in code without descriptions."""

import pytest
from advisor_programs import folded_stacks

NO_DESCRIPTIONS = ("-fno-asynchronous-unwind-tables", "-fno-unwind-tables")


@pytest.fixture
def record_stacks(record, toys):
    """Stacks by name, each with its bytes, and the words of the collector."""

    def record_program(name, stacks, *flags):
        program = toys.build(name, ["frames.c"], "-fno-omit-frame-pointer", *flags)
        done = record(program, options=["--stacks", stacks])
        assert done.status == 0, done.messages
        return folded_stacks(done.trace), done.messages

    return record_program


@pytest.mark.parametrize("flags", [(), NO_DESCRIPTIONS], ids=["described", "not-described"])
def test_matches_unwinding_by_descriptions(record_stacks, flags):
    by_descriptions, _ = record_stacks("frames-described", "unwind")
    by_pointers, messages = record_stacks(f"frames-{len(flags)}", "fp", *flags)
    assert "mallard: 100 % of" in messages
    named = [line.rpartition(" ")[0].split(";") for line in by_pointers]
    assert any("main" in stack and "compare" in stack for stack in named)
    assert any("in_thread" in stack and stack[-1] == "allocate" for stack in named)
    assert by_pointers == by_descriptions


def test_unwinding_fails_without_descriptions(record_stacks):
    _, messages = record_stacks("frames-2", "unwind", *NO_DESCRIPTIONS)
    assert "mallard: 0.00 % of" in messages
