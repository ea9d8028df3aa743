"""Plans of small-objects, fixed-block and adaptive-pool."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from mallard.bench.expected_runner import expected_runner
from mallard.bench.papers.registry import table_named
from mallard.bench.plan import Host, Plan, Request, make_plan
from mallard.bench.runner import load_runner
from mallard.shared.errors import UsageError

SIZES = (1, 4, 8, 10, 16, 20, 24, 30, 32, 40, 48, 50, 64)


@pytest.fixture
def planned(fake: Any) -> Any:
    runner = load_runner()

    def plan(experiment: str, scale: str = "quick", **options: Any) -> Plan:
        return make_plan(Request(experiment, scale, **options), runner, Host(64 << 30, 2))

    return plan


def values(plan: Plan, *names: str) -> set[tuple[Any, ...]]:
    return {tuple(row.parameters.get(name) for name in names) for row in plan.rows}


def test_paper_has_every_size_and_order(planned: Any) -> None:
    plan = planned("small-objects", "paper")
    assert values(plan, "object_bytes", "order", "pages") == set(
        product(SIZES, ("shuffled", "in-order"), ("small",))
    )
    assert values(plan, "objects") == {(1_000_000,)}


@pytest.mark.parametrize("scale", ["quick", "standard", "paper"])
def test_every_scale_has_the_rows_of_the_blog(planned: Any, scale: str) -> None:
    plan = planned("small-objects", scale)
    printed = {key[0] for key in table_named("loki:time-shuffled").rows}
    rows = values(plan, "object_bytes", "order", "pages")
    assert {(size, "shuffled", "small") for size in printed} <= rows
    assert any(order == "in-order" for _, order, _ in rows)
    assert len(plan.rows) == len(rows), "no row twice"
    assert all("new-delete" in row.strategies for row in plan.rows)


def test_slower_scales_include_reuse_orders(planned: Any) -> None:
    assert not any(name.startswith("multipool-") for name in planned("small-objects").rows[0].strategies)
    assert "multipool-lowest" in planned("small-objects", "standard").rows[0].strategies
    named = planned("small-objects", strategies="multipool-lowest")
    assert named.rows[0].strategies == ("new-delete", "multipool-lowest")


def test_options_select_small_objects(planned: Any) -> None:
    options = {"object-bytes": "3,16..17", "objects": "2^10", "order": "in-order"}
    plan = planned("small-objects", options=options, pages="huge,small")
    assert values(plan, "object_bytes", "objects", "order", "pages") == set(
        product((3, 16, 17), (1024,), ("in-order",), ("small", "huge"))
    )
    assert values(planned("small-objects", options={"object-bytes": "8"}), "order", "pages") == {
        ("shuffled", "small")
    }


def test_words_outside_scale_use_first_values() -> None:
    def planned(**options: str) -> Plan:
        return make_plan(Request("reuse", options=options), expected_runner(), Host(64 << 30, 2))

    assert values(planned(pattern="reversed"), "pattern", "sizes", "block_bytes") == {
        ("reversed", "same", size) for size in (24, 64, 512)
    }
    assert values(planned(pattern="reversed", sizes="mixed"), "pattern", "sizes", "live") == {
        ("reversed", "mixed", 2**12),
        ("reversed", "mixed", 2**16),
    }


def test_works_list_capable_strategies(planned: Any) -> None:
    plan = planned("fixed-block")
    able = {(row.parameters["work"], row.parameters.get("version")): row.strategies for row in plan.rows}
    assert able["new-delete", None] == ("null", "new-delete", "multipool", "fixed-pool", "class-new")
    assert able["list", None] == ("null", "new-delete", "multipool", "fixed-pool")
    assert able["remove-ctrl", "as-printed"] == (*able["list", None], "fixed-string")
    assert [work for work, _ in able] == ["new-delete", "replace", "list", "map", *["remove-ctrl"] * 8]
    assert not any("count" in row.parameters for row in plan.rows), "the runner chooses"


def test_options_select_fixed_blocks(planned: Any) -> None:
    plan = planned("fixed-block", options={"work": "remove-ctrl,map", "version": "append", "count": "10^4"})
    assert values(plan, "work", "version", "count") == {
        ("map", None, 10_000),
        ("remove-ctrl", "append", 10_000),
    }
    named = planned("fixed-block", strategies="class-new")
    assert {row.parameters["work"] for row in named.rows if "class-new" in row.strategies} == {
        "new-delete",
        "replace",
    }


@pytest.mark.parametrize("scale", ["quick", "standard", "paper"])
def test_every_range_of_the_article(planned: Any, scale: str) -> None:
    plan = planned("adaptive-pool", scale)
    assert values(plan, "range", "nodes") == {(length, 2_000_000) for length in (10, 100, 1000, 10_000)}
    assert {"adaptive-pool", "adaptive-pool-burst", "new-delete"} <= set(plan.rows[0].strategies)


def test_options_select_adaptive_pools(planned: Any) -> None:
    plan = planned("adaptive-pool", options={"range": "2^3..2^4", "nodes": "2^12"})
    assert values(plan, "range", "nodes") == {(8, 4096), (16, 4096)}


@pytest.mark.parametrize(
    ("experiment", "options", "message"),
    [
        (
            "small-objects",
            {"object-bytes": "0"},
            "--object-bytes 0: there is no number 0; allowed are 1..1024",
        ),
        ("small-objects", {"order": "random"}, "--order 'random' is unknown; allowed are shuffled, in-order"),
        ("fixed-block", {"work": "tree"}, "--work 'tree' is unknown; allowed are new-delete, replace, list"),
        ("fixed-block", {"work": "list", "version": "append"}, "--version append: list has no versions"),
        ("fixed-block", {"version": "best"}, "--version 'best' is unknown; allowed are as-printed, append"),
        (
            "adaptive-pool",
            {"range": "300", "nodes": "1000"},
            "divisors of --nodes; choose another --range, or --nodes 900",
        ),
        ("adaptive-pool", {"range": "300", "nodes": "100"}, "or --nodes 300"),
    ],
)
def test_bad_input(planned: Any, experiment: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        planned(experiment, options=options)
    assert message in str(error.value)
