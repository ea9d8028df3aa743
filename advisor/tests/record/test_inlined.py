"""Functions that the compiler inlined are scopes, as if they had been called."""

from __future__ import annotations

import json

import pytest
from advisor_programs import front, profile_of

REQUESTS = 200
WORDS = 20
GROWTHS = 6  # of a vector that 20 elements are pushed to
BLOCKS = REQUESTS * (WORDS + GROWTHS)  # at least: a library may make temporary strings
NOT_INLINED = ("-DNOINLINE",)


def build(toys, flags=()):
    return toys.build(f"inlined_{len(flags)}", ["inlined.cpp"], "-O2", "-g", *flags)


def figures(profile):
    """The figures of the program's own scopes, by name."""
    names = [function["short_name"] for function in profile["functions"]]
    keys = ("contained", "escaped", "alive")
    return {
        names[scope["function"]]: (
            [scope["figures"][key]["allocations"] for key in keys],
            scope["activations"]["allocating"],
            scope["rewind"],
            scope["separations"],
        )
        for scope in profile["scopes"]
        if names[scope["function"]] in ("fill", "handle")
    }


def test_inlined_scopes_have_the_figures_of_called_ones(record, toys):
    profiles = []
    for flags in ((), NOT_INLINED):
        done = record(build(toys, flags), REQUESTS)
        assert done.status == 0, done.messages
        profiles.append(profile_of(done.trace))
    inlined, called = map(figures, profiles)
    assert set(inlined) == {"fill", "handle"}
    contained, escaped, alive = inlined["handle"][0]
    assert contained >= BLOCKS
    assert (escaped, alive) == (0, 0)
    assert inlined["handle"][2]["returns"] == REQUESTS
    assert inlined["fill"][1] == REQUESTS
    for name in inlined:
        *same, separations = inlined[name]
        *expected, of_calls = called[name]
        assert same == expected
        # Of the functions with one return address each may have been called again.
        assert separations["seen"] == of_calls["seen"]
        assert separations["at_most"] >= max(of_calls["at_most"], REQUESTS)


def test_sites_and_flame_graph_name_inlined_functions(record, toys):
    done = record(build(toys), REQUESTS)
    profile = profile_of(done.trace)
    names = [function["short_name"] for function in profile["functions"]]
    places = [(names[place["function"]], place["inlined"]) for place in profile["places"]]
    site = max(profile["sites"], key=lambda site: site["figures"]["allocations"])
    assert places[site["place"]] == ("fill", True)
    stack = [places[place] for place in profile["stacks"][site["stacks"][0]["stack"]]]
    begin = stack.index(("fill", True))
    assert stack[begin : begin + 3] == [("fill", True), ("handle", True), ("main", False)]
    nodes = profile["flame"]["nodes"]
    (fill,) = [node for node in nodes if node["function"] is not None and names[node["function"]] == "fill"]
    handle = nodes[fill["parent"]]
    assert names[handle["function"]] == "handle"
    assert names[nodes[handle["parent"]]["function"]] == "main"
    assert handle["contained_allocations"] >= BLOCKS


@pytest.mark.parametrize("detector", ["rules", "stack"])
def test_a_trial_serves_an_inlined_scope(toys, tmp_path, monkeypatch, detector):
    """Requests are of the scope if they return into its ranges."""
    monkeypatch.setenv("MALLARD_DETECTOR", detector)
    counts = []
    for flags in ((), NOT_INLINED):
        words = ("--scope", "handle", "--strategy", "monotonic", "--rounds", 3, "--json")
        done = front("try", *words, "--", build(toys, flags), REQUESTS, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        (effect,) = json.loads(done.stdout)["baselines"][0]["trial"]["effects"]
        counts.append(effect["counts"])
    inlined, called = counts
    assert inlined["served"] >= BLOCKS
    assert inlined["started_again"] >= REQUESTS - 1
    for name in ("served", "served_bytes", "freed", "started_again"):
        assert inlined[name] == called[name]


def test_advice_names_an_inlined_scope_and_its_caller(toys, tmp_path):
    words = ("--age", "young", "--quick", "--rounds", 3, "--global", "glibc", "--json")
    done = front("advise", *words, "--scope", "handle", "--", build(toys), 2000, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (screened,) = json.loads(done.stdout)["study"]["screened"]
    candidate = screened["candidate"]
    assert candidate["name"] == "handle"
    assert candidate["source"].endswith("inlined.cpp:18")
    assert candidate["inlined"] == "inlined into main at inlined.cpp:27"
    assert not candidate["returns_each_time"]
