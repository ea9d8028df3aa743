"""Several profiles as one: rows match by name, counts are added, and peaks are the highest."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from profile_rows import figures
from synthetic_profile import document, empty, hostile, withheld

from mallard.advisor.profile.database import Database
from mallard.advisor.profile.document import Profile, read_profile, read_rows, stored_profile
from mallard.advisor.profile.names import Names
from mallard.shared.errors import UsageError


def merged(*documents: dict[str, Any]) -> Profile:
    return stored_profile(together(*documents))


def together(*documents: dict[str, Any]) -> Database:
    database = Database()
    for one in documents:
        database.add(read_rows(json.dumps(one)).connection)
    return database


def moved() -> dict[str, Any]:
    """The document with one more function in front, so that all numbers of functions differ."""

    def shifted(value: Any) -> Any:
        if isinstance(value, list):
            return [shifted(item) for item in value]
        if not isinstance(value, dict):
            return value
        names = ("function", "freed_by", "container")
        return {
            key: item + 1 if key in names and isinstance(item, int) else shifted(item)
            for key, item in value.items()
        }

    result: dict[str, Any] = shifted(document())
    result["functions"].insert(0, {"name": "first()"})
    return result


def test_matches_rows_by_name() -> None:
    profile = merged(document(), moved())
    one = read_profile(json.dumps(document()))
    assert len(profile.sites) == len(one.sites)
    assert len(profile.scopes) == len(one.scopes)
    assert profile.flame == merged(document(), document()).flame
    assert len(profile.stacks) == len(one.stacks)
    sums = {Names(profile).scope(scope): scope.figures.allocations for scope in profile.scopes}
    assert sums == {Names(one).scope(scope): 2 * scope.figures.allocations for scope in one.scopes}


def test_adds_counts_and_takes_the_highest_peak() -> None:
    second = document()
    second["sites"][0]["peak_bytes"] = 50
    second["timeline"]["peak_bytes"] += 1
    second["trace"]["file"] = "second"
    second["peak"] = second["peak"][:1]
    second["peak_not_listed"]["sites"] = 9
    profile = merged(document(), second)
    one = read_profile(json.dumps(document()))
    assert profile.recordings == 2
    assert profile.sites[0].peak_bytes == one.sites[0].peak_bytes
    assert profile.figures.bytes == 2 * one.figures.bytes
    assert [site.bytes for site in profile.peak] == [60_000_000]
    assert profile.peak_not_listed.sites == 9
    assert profile.timeline.peak_bytes == (one.timeline.peak_bytes or 0) + 1
    assert "the peak and the timeline are those of second, which has the highest peak" in profile.warnings


def test_control_calls_are_added_by_line() -> None:
    trim = {"name": "malloc_trim", "place": 4, "calls": 200, "seconds": 0.25, "stack": 0}
    others = ("mallinfo", "mallopt")
    profile = merged(*(document(control_calls=[trim, trim | {"name": name}]) for name in others))
    calls = {each.name: (each.calls, each.seconds) for each in profile.control_calls}
    assert calls == {"malloc_trim": (400, 0.5), "mallinfo": (200, 0.25), "mallopt": (200, 0.25)}


def test_ratios_are_those_of_the_sums() -> None:
    first, second = document(), document()
    amount = {"allocations": 30, "bytes": 300}
    none = {"allocations": 0, "bytes": 0}
    sizes = {"allocations": 30, "bytes": 300, "alive": none, "size_classes": 1}
    first["figures"] = (
        figures(30, 300) | sizes | {"contained": amount, "escaped": none, "sizes": [[8, 30, 300]]}
    )
    second["figures"] = (
        figures(30, 300) | sizes | {"contained": none, "escaped": amount, "sizes": [[16, 30, 300]]}
    )
    total = merged(first, second).figures
    assert total.containment == 0.5
    assert total.sizes == ((8, 30, 300), (16, 30, 300))
    assert total.size_classes == 2
    assert math.isclose(total.dimension("V").raw or 0, 1.0)


def test_rate_is_of_all_the_time() -> None:
    """The gaps of 101 marks take 1 second in the first recording, and 10 in the second."""
    first, second = document(), document()
    for one, rate, between in ((first, 100.0, 10.0), (second, 10.0, 30.0)):
        row = {"name": "request", "count": 101, "per_second": rate, "allocations_between": between}
        one["markers"]["progress"] = [row, {"name": "once", "count": 1}]
    request, once = merged(first, second).markers.progress
    assert request.count == 202
    assert math.isclose(request.per_second or 0, 200 / 11)
    assert math.isclose(request.allocations_between or 0, 20)
    assert (once.count, once.per_second, once.allocations_between) == (2, None, None)


def test_limits_the_owners_of_a_site_only() -> None:
    first = document()
    (owner,) = first["owners"]
    first["owners"] = [owner | {"class": f"class {number}"} for number in range(8)]
    (of_site, *_) = first["sites"][0]["owners"]
    first["sites"][0]["owners"] = [of_site | {"function": number} for number in range(4)]
    second = document()
    second["sites"][0]["owners"] = [of_site | {"function": number} for number in range(4, 8)]
    profile = merged(first, second)
    assert len(profile.owners) == 9
    assert len(profile.sites[0].owners) == 5


def test_merging_in_steps_gives_the_same_counts() -> None:
    database = together(document(), document())
    database.add(together(document()).connection)
    steps, once = stored_profile(database), merged(document(), document(), document())
    assert steps.recordings == once.recordings == 3
    assert [site.figures.bytes for site in steps.sites] == [site.figures.bytes for site in once.sites]
    assert steps.completeness == once.completeness


def test_limits_the_escapes_of_a_scope() -> None:
    first, second = document(), document()
    for one, container in ((first, 0), (second, 1)):
        (escape, *_) = one["scopes"][0]["escapes"]
        one["scopes"][0]["escapes"] = [escape | {"freed_by": by, "container": container} for by in range(8)]
    assert len(merged(first, second).scopes[0].escapes) == 12


def test_a_number_without_its_row_stays_unknown() -> None:
    first = document()
    first["sites"][0]["stacks"] = [{"stack": 10**6, "allocations": 5, "bytes": 50}]
    profile = merged(first, document())
    assert Names(profile).stack(profile.sites[0].stacks[-1].stack) == ()


def test_a_tree_is_merged_from_its_root() -> None:
    """Nodes of one function below different callers remain two."""

    def flame(*nodes: tuple[int | None, int | None]) -> dict[str, Any]:
        counts = dict.fromkeys(("bytes", "contained_allocations", "contained_bytes", "operations"), 1)
        rows = [{"parent": parent, "function": function} for parent, function in nodes]
        return document(flame={"nodes": [row | {"allocations": 1} | counts for row in rows], "pruned": 1})

    profile = merged(flame((None, None), (0, 0), (1, 2)), flame((None, None), (0, 0), (0, 1), (2, 2), (1, 2)))
    assert [(node.parent, node.function, node.allocations) for node in profile.flame.nodes] == [
        *((None, None, 2), (0, 0, 2), (1, 2, 2), (0, 1, 1), (3, 2, 1)),
    ]
    assert profile.flame.pruned == 2


@pytest.mark.parametrize("make", [empty, hostile, withheld])
def test_merges_extreme_profiles(make: Any) -> None:
    one = read_profile(json.dumps(make()))
    assert merged(make(), document()).figures.allocations == (
        one.figures.allocations + document()["figures"]["allocations"]
    )


def test_recording_without_scopes_is_named() -> None:
    second = withheld() | {"trace": document()["trace"] | {"file": "broken"}}
    profile = merged(document(), second)
    assert not profile.completeness.withheld
    assert any(text.startswith("broken adds nothing to the scopes") for text in profile.warnings)


def test_refuses_samples_of_different_density() -> None:
    sample = document()
    sample["process"]["sampled_one_in"] = 10
    with pytest.raises(UsageError, match="counts cannot be added; merge recordings with the same --sample"):
        merged(document(), sample)
