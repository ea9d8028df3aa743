"""Plans of expansion-forward, expansion-backward, shrink-to-fit, burst and heap-churn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mallard.bench.plan import Host, Plan, Request, make_plan
from mallard.bench.runner import Missing, Runner, load_runner
from mallard.shared.errors import UsageError

GROWING = ("expansion-forward", "expansion-backward")
NO_BOOST = Missing("Boost.Container", "libboost-container-dev", "no boost/container/vector.hpp")


@pytest.fixture
def planned(fake: Any) -> Any:
    runner = load_runner()

    def plan(experiment: str, scale: str = "quick", runner: Runner = runner, **options: Any) -> Plan:
        return make_plan(Request(experiment, scale, **options), runner, Host(64 << 30, 2))

    return plan


def values(plan: Plan, *names: str) -> set[tuple[Any, ...]]:
    return {tuple(row.parameters.get(name) for name in names) for row in plan.rows}


def sizes(plan: Plan, type_: str) -> list[int]:
    return [row.parameters["elements"] for row in plan.rows if row.parameters["type"] == type_]


@pytest.mark.parametrize("scale", ["quick", "standard", "paper"])
@pytest.mark.parametrize("experiment", GROWING)
def test_growth_sizes_follow_the_article(planned: Any, experiment: str, scale: str) -> None:
    plan = planned(experiment, scale)
    assert sizes(plan, "int") == [10**power for power in range(1, 8)]
    assert {10, 100, 1000, 10_000} <= set(sizes(plan, "myint"))
    assert {"new-delete", "heap", "heap-v1", "heap-v2-masked", "heap-v2"} <= set(plan.rows[0].strategies)
    assert values(plan, "iterations", "step") == {(None, None)}, "the runner chooses"


@pytest.mark.parametrize("scale", ["quick", "standard", "paper"])
def test_shrinking_sizes_follow_the_article(planned: Any, scale: str) -> None:
    plan = planned("shrink-to-fit", scale)
    assert {10_000, 1_000_000} <= set(sizes(plan, "int"))
    assert {500, 10_000} <= set(sizes(plan, "myint"))
    assert len(plan.rows) == len(values(plan, "elements", "type")), "no row twice"


def test_realloc_is_a_contender_and_moves_bytes_only(planned: Any) -> None:
    assert not any("realloc" in row.strategies for row in planned("expansion-forward").rows)
    named = planned("expansion-forward", strategies="new-delete,realloc")
    with_it = {row.parameters["type"] for row in named.rows if "realloc" in row.strategies}
    assert with_it == {"int"}
    assert "boost-allocator-v2" in planned("shrink-to-fit", contenders=True).rows[0].strategies


def test_options_select_vectors(planned: Any) -> None:
    plan = planned(
        "expansion-backward", options={"elements": "10^1..10^2", "type": "myint", "iterations": "7"}
    )
    assert values(plan, "elements", "type", "iterations") == {(10, "myint", 7), (100, "myint", 7)}
    plan = planned("shrink-to-fit", options={"elements": "100", "step": "20"})
    assert values(plan, "elements", "type", "step") == {(100, "int", 20), (100, "myint", 20)}
    assert plan.options["types"] == ["int", "myint"]


def test_reports_strategies_without_their_container_library(planned: Any) -> None:
    runner = load_runner()
    described = runner.experiments["expansion-forward"]
    kept = tuple(
        strategy for strategy in described.strategies if strategy.name in ("null", "new-delete", "heap")
    )
    without = replace(
        runner,
        experiments={**runner.experiments, "expansion-forward": replace(described, strategies=kept)},
        missing=(NO_BOOST,),
    )
    plan = planned("expansion-forward", runner=without)
    assert plan.rows[0].strategies == ("null", "new-delete", "heap")
    (message,) = plan.messages
    ours = "heap-v1, heap-v2-masked, heap-v2, region-heap-v2"
    assert message.startswith(f"{ours} left out: no boost/container/vector.hpp")
    assert "libboost-container-dev" in message
    named = planned("expansion-forward", runner=without, strategies="new-delete,heap-v2")
    assert named.rows[0].strategies == ("new-delete",)
    assert named.messages[0].startswith("heap-v2 left out")
    named = planned("expansion-forward", runner=without, strategies="new-delete,boost-interprocess-v2")
    assert named.messages[0].startswith("boost-interprocess-v2 left out: no boost/container/vector.hpp")
    assert planned("expansion-forward", runner=without, strategies="new-delete,heap").messages == ()
    with pytest.raises(UsageError, match="none of these is available: heap-v2 left out"):
        planned("expansion-forward", runner=without, strategies="heap-v2")


@pytest.mark.parametrize("scale", ["quick", "standard", "paper"])
def test_bursts_have_every_range_of_the_article(planned: Any, scale: str) -> None:
    plan = planned("burst", scale)
    assert values(plan, "range", "nodes") == {(length, 2_000_000) for length in (10, 100, 1000, 10_000)}
    assert {"new-delete", "multipool", "heap", "heap-burst"} <= set(plan.rows[0].strategies)


@pytest.mark.parametrize(
    ("scale", "operations"), [("quick", 5 * 10**6), ("standard", 10**7), ("paper", 10**8)]
)
def test_a_heap_ages_by_millions_of_operations(planned: Any, scale: str, operations: int) -> None:
    plan = planned("heap-churn", scale)
    assert values(plan, "live", "operations", "least_bytes", "most_bytes") == {
        (100_000, operations, 16, 4096)
    }
    assert {"new-delete", "multipool", "heap", "heap/base"} <= set(plan.rows[0].strategies)


def test_options_select_heap(planned: Any) -> None:
    options = {"live": "10^2..10^3", "operations": "5000", "least-bytes": "9", "most-bytes": "64"}
    plan = planned("heap-churn", options=options)
    assert values(plan, "live", "operations", "least_bytes", "most_bytes") == {
        (100, 5000, 9, 64),
        (1000, 5000, 9, 64),
    }


def test_heap_runs_under_other_mallocs(planned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mallard.shared.mallocs.find_library", lambda name: "there")
    plan = planned("heap-churn", mallocs="mimalloc,jemalloc")
    assert {"new-delete@mimalloc", "new-delete@jemalloc"} <= set(plan.rows[0].strategies)


@pytest.mark.parametrize(
    ("experiment", "options", "message"),
    [
        ("expansion-forward", {"elements": "0"}, "--elements: 0 is not possible; allowed are 1 to 100000000"),
        ("expansion-forward", {"type": "string"}, "--type 'string' is unknown; allowed are int, myint"),
        (
            "shrink-to-fit",
            {"elements": "10", "step": "4"},
            "the last elements are erased in equal steps, so allowed are divisors of --elements",
        ),
        ("shrink-to-fit", {"elements": "3", "step": "4"}, "or --elements 4"),
        ("burst", {"range": "300", "nodes": "100"}, "or --nodes 300"),
        (
            "heap-churn",
            {"least-bytes": "64", "most-bytes": "32"},
            "--least-bytes 64 is more than --most-bytes 32: sizes are drawn between them; allowed is",
        ),
    ],
)
def test_explains_invalid_requests(
    planned: Any, experiment: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError) as error:
        planned(experiment, options=options)
    assert message in str(error.value)
