"""The child of a fork begins a recording of its own, whatever its parent was doing."""

import json
import subprocess

import pytest

EVENTS_OF_CHILD = 2 * (1 + 1000)


@pytest.fixture
def forks(toys):
    library = toys.build("libin_library.so", ["in_library.c"], "-shared", "-fPIC")
    return toys.build("forks", ["forks.c"], str(library), f"-Wl,-rpath,{library.parent}")


def profiled(collector, *words):
    profiler = collector.parents[1] / "advisor/mallard-profile"
    return subprocess.run([profiler, *words], check=True, capture_output=True, text=True).stdout


def test_a_child_has_the_files_of_its_code_though_its_parent_knew_them(record, collector, forks):
    done = record(forks, "usually", options=["--follow"])
    assert done.status == 0, done.told
    told = json.loads(profiled(collector, done.trace))
    (child,) = [each for each in told["processes"] if each["events"] == EVENTS_OF_CHILD]
    folded = done.trace.with_suffix(".folded")
    profiled(
        collector, "--process", str(child["number"]), "--export", "folded", "-o", str(folded), done.trace
    )
    stacks = folded.read_text().splitlines()
    assert any(each.startswith("_start;") and ";main;in_child;call;in_library " in each for each in stacks), (
        stacks
    )


def test_a_child_of_a_program_whose_thread_went_through_the_loaded_files(record, forks):
    done = record(forks, "iterating", options=["--follow"])
    assert done.status == 0, done.told
    assert "in 2 processes" in done.told
    assert done.events >= EVENTS_OF_CHILD
