"""The child of a fork begins its own recording, in any state of the parent."""

import pytest
from advisor_programs import folded_stacks, profile_of

EVENTS_OF_CHILD = 2 * (1 + 1000)


@pytest.fixture
def forks(toys):
    library = toys.build("libin_library.so", ["in_library.c"], "-shared", "-fPIC")
    return toys.build("forks", ["forks.c"], str(library), f"-Wl,-rpath,{library.parent}")


def test_a_child_records_its_mapped_files(record, forks):
    done = record(forks, "usually", options=["--follow"])
    assert done.status == 0, done.messages
    profile = profile_of(done.trace)
    (child,) = [process for process in profile["processes"] if process["events"] == EVENTS_OF_CHILD]
    stacks = folded_stacks(done.trace, "--process", str(child["number"]))
    assert any(
        stack.startswith("_start;") and ";main;in_child;call;in_library " in stack for stack in stacks
    ), stacks


def test_forks_during_a_walk_of_loaded_files(record, forks):
    done = record(forks, "iterating", options=["--follow"])
    assert done.status == 0, done.messages
    assert "in 2 processes" in done.messages
    assert done.events >= EVENTS_OF_CHILD
