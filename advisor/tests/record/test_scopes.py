"""Known scopes from source to profile, in code that hides the calling function."""

import pytest
from advisor_programs import profile_of
from source_tree import ROOT

ROUNDS = 200


@pytest.fixture(scope="module")
def profile(record_once, toys):
    flags = ("-O2", "-g", "-std=c++20", f"-I{ROOT / 'include'}")
    done = record_once(toys.build("scopes", ["scopes.cpp"], *flags))
    assert done.status == 0, done.messages
    return profile_of(done.trace)


def counts(figures):
    return tuple(
        figures[name]["allocations"] for name in ("contained", "escaped", "freed_by_other_thread", "alive")
    )


def scope(profile, function):
    names = [entry["name"] for entry in profile["functions"]]
    (scope,) = [scope for scope in profile["scopes"] if f"::{function}(" in names[scope["function"]]]
    return scope["activations"]["seen"], *counts(scope["figures"])


def marked(profile, name):
    (scope,) = [scope for scope in profile["markers"]["scopes"] if scope["name"] == name]
    return scope["activations"]["seen"], *counts(scope["figures"])


def test_the_callee_of_a_tail_call_is_a_scope(profile):
    assert scope(profile, "tail_callee") == (ROUNDS, 2 * ROUNDS, 0, 0, 0)
    assert not any("tail_caller" in function["name"] for function in profile["functions"])


def test_attributes_inlined_blocks_to_functions_and_marks(profile):
    assert scope(profile, "with_inlined") == (ROUNDS, 2 * ROUNDS, 0, 0, 0)
    assert marked(profile, "inlined") == (ROUNDS, ROUNDS, ROUNDS, 0, 0)


@pytest.mark.parametrize(("of", "name"), [(scope, "serve"), (marked, "task")])
def test_a_pooled_task_excludes_blocks_for_other_threads(profile, of, name):
    assert of(profile, name) == (ROUNDS, ROUNDS, ROUNDS, ROUNDS, 0)


def test_a_migrating_coroutine_is_one_instance(profile):
    (instance,) = profile["markers"]["instances"]
    assert (instance["name"], instance["instances"], instance["allocations"]) == (
        "request",
        ROUNDS,
        3 * ROUNDS,
    )
    assert [instance[name]["allocations"] for name in ("contained", "escaped", "alive")] == [
        2 * ROUNDS,
        ROUNDS,
        0,
    ]
