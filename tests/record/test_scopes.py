"""Programs whose scopes are known, from source to profile, where it is hard to tell which function called."""

import json
import subprocess

import pytest
from source_tree import ROOT

ROUNDS = 200


@pytest.fixture(scope="module")
def profile(record_once, collector, toys):
    flags = ("-O2", "-g", "-std=c++20", f"-I{ROOT / 'include'}")
    done = record_once(toys.build("scopes", ["scopes.cpp"], *flags))
    assert done.status == 0, done.told
    profiler = collector.parents[1] / "advisor/mallard-profile"
    words = [profiler, done.trace]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def counts(figures):
    return tuple(
        figures[name]["allocations"] for name in ("contained", "escaped", "freed_by_other_thread", "alive")
    )


def scope(profile, function):
    names = [each["name"] for each in profile["functions"]]
    (found,) = [each for each in profile["scopes"] if f"::{function}(" in names[each["function"]]]
    return found["activations"]["seen"], *counts(found["figures"])


def marked(profile, name):
    (found,) = [each for each in profile["markers"]["scopes"] if each["name"] == name]
    return found["activations"]["seen"], *counts(found["figures"])


def test_the_callee_of_a_tail_call_is_a_scope_and_the_caller_is_none(profile):
    assert scope(profile, "tail_callee") == (ROUNDS, 2 * ROUNDS, 0, 0, 0)
    assert not any("tail_caller" in each["name"] for each in profile["functions"])


def test_a_function_has_the_blocks_of_those_inlined_into_it_and_a_mark_has_its_own(profile):
    assert scope(profile, "with_inlined") == (ROUNDS, 2 * ROUNDS, 0, 0, 0)
    assert marked(profile, "inlined") == (ROUNDS, ROUNDS, ROUNDS, 0, 0)


@pytest.mark.parametrize(("of", "name"), [(scope, "serve"), (marked, "task")])
def test_a_task_of_a_thread_pool_does_not_contain_the_block_for_another_thread(profile, of, name):
    assert of(profile, name) == (ROUNDS, ROUNDS, ROUNDS, ROUNDS, 0)


def test_a_coroutine_that_goes_on_in_other_threads_is_one_instance_of_its_mark(profile):
    (found,) = profile["markers"]["instances"]
    assert (found["name"], found["instances"], found["allocations"]) == ("request", ROUNDS, 3 * ROUNDS)
    assert [found[name]["allocations"] for name in ("contained", "escaped", "alive")] == [
        2 * ROUNDS,
        ROUNDS,
        0,
    ]
