"""Plans of utilization, contention and fragmentation; mallocs, compilers and limits of all plans."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from mallard.bench.expected_runner import expected_runner
from mallard.bench.papers.printed import P0089
from mallard.bench.papers.registry import tables_of
from mallard.bench.plan import Host, Plan, PlannedRow, Request, make_plan
from mallard.bench.runner import load_runner
from mallard.bench.strategy_names import of_papers
from mallard.shared import mallocs
from mallard.shared.errors import UsageError

GIB = 1 << 30
NOTATION = ("-20", "18", "32", "-3", "8")


@pytest.fixture
def planned(fake: Any) -> Any:
    runner = load_runner()

    def plan(
        experiment: str, scale: str = "quick", *, cores: int = 2, free: int = 64 * GIB, **options: Any
    ) -> Plan:
        return make_plan(Request(experiment, scale, **options), runner, Host(free, cores))

    return plan


def values(plan: Plan, *names: str) -> set[tuple[Any, ...]]:
    return {tuple(row.parameters[name] for name in names) for row in plan.rows}


def printed(experiment: str, *places: str) -> set[tuple[Any, ...]]:
    """The places and keys of P0089's tables."""
    tables = [table for table in tables_of(experiment) if table.paper == P0089]
    return {(*(table.place[name] for name in places), *key) for table in tables for key in table.rows}


def test_paper_has_every_printed_row_of_utilization(planned: Any) -> None:
    plan = planned("utilization", "paper")
    rows = values(plan, "total_log2", "active_log2", "block_log2")
    assert rows == printed("utilization")
    assert values(plan, "buffer", "final_frees") == {("warm", "timed")}
    assert set(plan.rows[0].strategies) == {
        "null",
        "new-delete",
        "new-delete/base",
        "monotonic",
        "monotonic/base",
        "multipool",
        "multipool/base",
        "multipool+monotonic",
        "multipool+monotonic/base",
    }


def test_options_select_utilization(planned: Any) -> None:
    options = {
        "total": "20,22",
        "active": "12",
        "block": "8..9",
        "buffer": "cold,none",
        "final-frees": "untimed",
    }
    plan = planned("utilization", options=options)
    assert values(plan, "total_log2", "active_log2", "block_log2", "buffer", "final_frees") == set(
        product((20, 22), (12,), (8, 9), ("cold", "none"), ("untimed",))
    )


def test_buffer_uses_totals_of_scale(planned: Any) -> None:
    def totals(**options: str) -> set[tuple[Any, ...]]:
        return values(planned("utilization", "standard", options=options), "buffer", "total_log2")

    warm = {("warm", total) for total in range(30, 36)}
    assert totals() == warm | {("none", 30)}
    assert totals(buffer="none") == {("none", 30)}
    assert totals(buffer="cold,none") == {("cold", total) for total in range(30, 36)} | {("none", 30)}
    assert values(planned("utilization", options={"buffer": "none"}), "buffer", "total_log2") == {
        ("none", 30)
    }


def test_single_exponent_selects_printed_rows(planned: Any) -> None:
    assert values(planned("utilization", options={"active": "20"}), "block_log2") == {
        (block,) for block in range(10, 16)
    }
    assert values(planned("utilization", options={"block": "10"}), "active_log2") == {
        (active,) for active in range(15, 21)
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"active": "12"}, "--active 12: the papers have no row with 2^12; give --block as well"),
        ({"active": "12", "block": "13"}, "a block of 2^13 bytes (S) is larger than the 2^12"),
        (
            {"total": "18", "active": "20", "block": "10"},
            "2^20 bytes live at a time (A) are more than the 2^18",
        ),
        ({"total": "41"}, "--total 41: there is no size 41; allowed are 10..40"),
        ({"buffer": "static"}, "--buffer 'static' is unknown; allowed are warm, cold, none"),
    ],
)
def test_bad_utilization(planned: Any, options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        planned("utilization", options=options)
    assert message in str(error.value)


def test_paper_has_every_printed_row_of_contention(planned: Any) -> None:
    plan = planned("contention", "paper")
    own = Plan(
        **{**vars(plan), "rows": tuple(row for row in plan.rows if row.parameters["freed_by"] == "self")}
    )
    rows = values(own, "iterations_log2", "block_log2", "threads")
    assert rows == printed("contention", "iterations_log2", "block_log2")
    assert values(plan, "multiplier") == {(100,)}
    assert values(own, "buffer") == {("static",), ("none",)}


def test_contention_goes_beyond_the_cores_on_request_only(planned: Any) -> None:
    assert {threads for (threads,) in values(planned("contention", cores=3), "threads")} == {1, 2, 3}
    assert {threads for (threads,) in values(planned("contention", cores=64), "threads")} == set(range(1, 9))
    plan = planned("contention", options={"threads": "1,4"}, cores=2)
    assert {threads for (threads,) in values(plan, "threads")} == {1, 4}
    assert "up to 4 threads share 2 cores" in plan.messages


def test_chunks_from_the_heap_need_capable_allocators(planned: Any) -> None:
    """Orders of reuse have one upstream each, as contenders have."""
    plan = planned("fragmentation", strategies="new-delete,multipool,multipool-last")
    by_upstream: dict[str, set[str]] = {}
    for row in plan.rows:
        by_upstream.setdefault(row.parameters["upstream"], set()).update(row.strategies)
    assert by_upstream["heap"] == {"new-delete", "multipool"}
    assert by_upstream["cache"] == {"new-delete", "multipool", "multipool-last"}
    assert not any("left out" in message for message in plan.messages)


def test_strategies_that_no_row_can_have_are_named(planned: Any) -> None:
    plan = planned(
        "fragmentation",
        strategies="new-delete,multipool,multipool-last",
        options={"upstream": "heap", "freed": "half"},
    )
    (message,) = (message for message in plan.messages if "left out" in message)
    assert "multipool-last" in message


def test_freed_by_other_needs_capable_allocators(planned: Any) -> None:
    plan = planned("contention", options={"threads": "1..3"})
    foreign = [row for row in plan.rows if row.parameters["freed_by"] == "other"]
    assert {row.strategies for row in foreign} == {
        ("new-delete", "new-delete/base", "synchronized-multipool", "concurrent-multipool")
    }
    assert {row.parameters["threads"] for row in foreign} == {2, 3}
    alone = planned("contention", strategies="new-delete,multipool", options={"threads": "2"})
    assert {row.strategies for row in alone.rows if row.parameters["freed_by"] == "other"} == {
        ("new-delete",)
    }


def test_threads_are_not_pinned(planned: Any) -> None:
    assert planned("contention").options["pin"] is False
    assert planned("utilization").options["pin"] is True


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"options": {"threads": "0"}}, "there is no number 0; allowed are 1..64, as in --threads 1..64"),
        ({"options": {"freed-by": "other", "threads": "1"}}, "needs another thread: --threads 2 or more"),
        (
            {"options": {"freed-by": "other"}, "strategies": "new-delete,multipool"},
            "--freed-by other: multipool give each thread a private allocator",
        ),
        ({"options": {"iterations": "20"}}, "no row with 2^20; give --block as well"),
        (
            {"options": {"iterations": "25", "block": "8", "threads": "2"}},
            "2 static buffers for 2^25 blocks of 2^8 bytes take 16 GiB, and a process may take 12 GiB",
        ),
    ],
)
def test_bad_contention(planned: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        planned("contention", **options)
    assert message in str(error.value)


def test_paper_has_benchmark_v_in_full(planned: Any) -> None:
    plan = planned("fragmentation", "paper")
    assert values(plan, "ds", "size_log2", "freed", "upstream") == set(
        product(
            (f"DS{number}" for number in range(1, 13)),
            range(6, 17),
            ("none", "all", "half", "quarter", "eighth"),
            ("cache",),
        )
    )
    assert {row.parameters["product_log2"] for row in plan.rows} == {27}
    assert plan.rows[0].strategies == ("null", "new-delete", "new-delete-keep", *of_papers(2))


@pytest.mark.parametrize("scale", ["quick", "standard", "paper"])
def test_fragmentation_rows_have_fresh_counterparts(planned: Any, scale: str) -> None:
    rows = {key(row): row for row in planned("fragmentation", scale).rows}
    for row in rows.values():
        base = rows[key(row, freed="none")]
        assert set(row.strategies) <= set(base.strategies)
        assert "new-delete" in row.strategies


def key(row: PlannedRow, **changes: str) -> tuple[Any, ...]:
    parameters = row.parameters | changes
    return tuple(parameters[name] for name in ("ds", "size_log2", "upstream", "freed"))


def test_local_allocator_on_heap_has_no_buffer(planned: Any) -> None:
    options = {"ds": "2", "size": "8", "freed": "half", "upstream": "cache,heap"}
    plan = planned("fragmentation", options=options)
    assert values(plan, "upstream", "buffer", "freed") == {
        ("cache", "warm", "none"),
        ("cache", "warm", "half"),
        ("heap", "none", "none"),
        ("heap", "none", "half"),
    }
    assert all(
        "buffer_bytes" not in row.parameters for row in plan.rows if row.parameters["buffer"] == "none"
    )


def test_nothing_freed_and_nothing_allocated_is_density(planned: Any) -> None:
    with pytest.raises(UsageError, match="--freed none alone is density"):
        planned("fragmentation", options={"freed": "none"})


def test_mallocs_add_the_strategies_that_use_them(planned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mallocs, "find_library", lambda name: Path("x") if name == "jemalloc" else None)
    plan = planned(
        "density", strategies="new-delete,new-delete/base,multipool", mallocs="glibc,jemalloc,tcmalloc"
    )
    assert {row.strategies for row in plan.rows} == {
        ("new-delete", "new-delete/base", "multipool", "new-delete@jemalloc", "new-delete/base@jemalloc")
    }
    assert (
        "tcmalloc is left out: its library is not installed; run 'apt-get install libtcmalloc-minimal4'"
        in plan.messages
    )
    alone = planned("density", strategies="new-delete,multipool", mallocs="jemalloc")
    assert alone.rows[0].strategies == ("new-delete", "multipool", "new-delete@jemalloc")
    assert alone.identity("m", "b") != planned("density", strategies="new-delete,multipool").identity(
        "m", "b"
    )


@pytest.mark.parametrize(("age", "crossed"), [("young", False), ("old", True), ("young,old", True)])
def test_pools_are_over_other_mallocs_in_old_processes(
    monkeypatch: pytest.MonkeyPatch, age: str, *, crossed: bool
) -> None:
    monkeypatch.setattr(mallocs, "find_library", lambda name: Path("x") if name == "jemalloc" else None)
    request = Request("programs", strategies="new-delete,multipool", mallocs="jemalloc", options={"age": age})
    over = ["multipool@jemalloc"] if crossed else []
    for row in make_plan(request, expected_runner(), Host(64 * GIB, 2)).rows:
        assert row.strategies == ("new-delete", "multipool", "new-delete@jemalloc", *over)


def test_a_malloc_that_is_unknown(planned: Any) -> None:
    with pytest.raises(
        UsageError, match="--malloc 'hoard' is unknown; allowed are glibc, jemalloc, mimalloc"
    ):
        planned("density", mallocs="hoard")


@pytest.mark.parametrize("experiment", ["density", "locality", "utilization", "contention", "fragmentation"])
def test_compilers_stand_side_by_side_in_every_row(planned: Any, experiment: str) -> None:
    plan = planned(experiment, compilers="clang++,g++")
    assert [row.parameters["compiler"] for row in plan.rows[:4]] == ["g++", "clang++", "g++", "clang++"]
    once = planned(experiment)
    assert len(plan.rows) == 2 * len(once.rows)
    assert not any("compiler" in row.parameters for row in once.rows)


def test_the_limit_of_a_process(planned: Any) -> None:
    assert planned("utilization").memory_limit == 12 * GIB
    assert planned("utilization", free=8 * GIB).memory_limit == int(0.95 * 8 * GIB)
    assert planned("utilization", memory_limit=2 * GIB).memory_limit == 2 * GIB
    assert planned("utilization", memory_limit=20 * GIB).memory_limit == 20 * GIB
    assert planned("utilization", memory_limit=99 * GIB).memory_limit == int(0.95 * 64 * GIB)


def test_omitted_structure_names_memory_limit_option(planned: Any) -> None:
    plan = planned("density", "paper", memory_limit=2 * GIB)
    assert any("2.0 GiB is the limit of a process: --memory-limit GIB" in text for text in plan.messages)
    with pytest.raises(UsageError, match="is the limit of a process: --memory-limit GIB"):
        planned("density", memory_limit=2 * GIB, options={"ds": "12", "size": "16"})


@pytest.mark.parametrize(
    ("experiment", "options", "message"),
    [
        (
            "density",
            {"options": {"threads": "2"}},
            "density has no option --threads; it is an option of contention and dimensions; leave it out",
        ),
        ("contention", {"options": {"upstream": "heap"}}, "'mallard bench fragmentation'"),
        ("density", {"notation": NOTATION}, "P0089's notation for a run of locality"),
        (
            "density",
            {"strategies": "concurrent-multipool"},
            "--strategy 'concurrent-multipool': density does not have it",
        ),
    ],
)
def test_an_option_of_another_experiment(planned: Any, experiment: str, options: Any, message: str) -> None:
    with pytest.raises(UsageError) as error:
        planned(experiment, **options)
    assert message in str(error.value)
