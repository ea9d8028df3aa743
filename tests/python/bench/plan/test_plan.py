"""Plans: their cells, the order, and the parts left out with a message."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import groupby
from pathlib import Path

import pytest

from mallard.bench.expected_runner import expected_runner
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.footprint import cell_bytes, fitting_buffer, readable, structure_bytes
from mallard.bench.papers.catalogue import Strategy, Structure
from mallard.bench.plan import Host, Plan, Request, make_plan
from mallard.bench.runner import Described, Runner
from mallard.shared.errors import UsageError

GIB = 1 << 30
TYPES = (
    "vector<int>",
    "vector<string>",
    "vector<unordered_set<int>>",
    "unordered_set<unordered_set<string>>",
)
INNER = (0, 0, 7, 7)


@pytest.fixture
def runner() -> Runner:
    return Runner(
        path=Path("mallard-bench"),
        about={"build_id": "b1"},
        structures=tuple(
            Structure(f"DS{place + 1}", text, inner)
            for place, (text, inner) in enumerate(zip(TYPES, INNER, strict=True))
        ),
        sizes_log2=tuple(range(6, 17)),
        experiments={
            "density": Described(
                (
                    Strategy("null", "memory already there", "type parameter", "winked out"),
                    Strategy("new-delete", "global default", "type parameter", "normal"),
                    Strategy("monotonic", "monotonic", "type parameter", "normal"),
                    Strategy("multipool", "multipool", "type parameter", "normal"),
                ),
                {},
            ),
            "primitives": Described(
                (Strategy("new-delete", "", "", ""), Strategy("monotonic", "", "", "")), {}
            ),
        },
    )


def plan_density(
    request: Request, runner: Runner, available: int | None, continued: dict[str, object] | None = None
) -> Plan:
    return make_plan(request, runner, Host(available, 2), continued)


def cells(plan: Plan) -> set[tuple[object, object]]:
    return {(row.parameters["ds"], row.parameters["size_log2"]) for row in plan.rows}


def test_quick_takes_every_second_small_size(runner: Runner) -> None:
    plan = plan_density(Request(), runner, 64 * GIB)
    assert {size for name, size in cells(plan) if name == "DS1"} == {6, 8, 10, 12, 14, 16}
    # 2^14 elements of 2^7 leaves are more than 2^20.
    assert {size for name, size in cells(plan) if name == "DS3"} == {6, 8, 10, 12}
    (message,) = plan.messages
    assert message.startswith("left to --standard: DS3, DS4 from 2^14 on")


def test_standard_takes_every_size(runner: Runner) -> None:
    plan = plan_density(Request(scale="standard"), runner, 64 * GIB)
    assert len(plan.rows) == 4 * 11
    assert plan.messages == ()
    assert plan.time_limit == 600


def test_quick_measures_requested_large_size(runner: Runner) -> None:
    plan = plan_density(Request(options={"ds": "3", "size": "15"}), runner, 64 * GIB)
    assert cells(plan) == {("DS3", 15)}


def test_plan_has_parameters_of_result_row(runner: Runner) -> None:
    (row,) = plan_density(Request(options={"ds": "3", "size": "8", "hash": "full"}), runner, 64 * GIB).rows
    assert row.parameters == {
        "ds": "DS3",
        "size_log2": 8,
        "product_log2": 20,
        "inner_log2": 7,
        "buffer": "warm",
        "buffer_bytes": GIB,
        "hash": "full",
        "pages": "small",
    }


def test_no_buffer_has_no_size(runner: Runner) -> None:
    (row,) = plan_density(Request(options={"ds": "1", "size": "8", "buffer": "none"}), runner, 64 * GIB).rows
    assert row.parameters["buffer"] == "none"
    assert "buffer_bytes" not in row.parameters


def test_the_base_is_measured_with_every_selection(runner: Runner) -> None:
    plan = plan_density(Request(options={"size": "6"}, strategies="multipool,null"), runner, 64 * GIB)
    assert plan.rows[0].strategies == ("null", "new-delete", "multipool")
    assert "new-delete is measured as well: every ratio is to it" in plan.messages


def test_requested_size_beyond_memory_is_an_error(runner: Runner) -> None:
    with pytest.raises(UsageError) as error:
        plan_density(Request(options={"size": "6..16"}), runner, 2 * GIB)
    text = str(error.value)
    assert "--size: DS4 from 2^14 on cannot fit in memory" in text
    assert "2.0 GiB are free" in text
    assert "leave these sizes out of --size or these structures out of --ds" in text


def test_omits_unrequested_size_beyond_memory(runner: Runner) -> None:
    plan = plan_density(Request(scale="standard"), runner, 2 * GIB)
    assert ("DS4", 14) not in cells(plan)
    assert ("DS4", 13) in cells(plan)
    assert ("DS3", 16) in cells(plan)
    assert any(message.startswith("left out: DS4 from 2^14 on") for message in plan.messages)


def test_empty_plan_is_an_error(runner: Runner) -> None:
    with pytest.raises(UsageError, match="nothing is left to measure"):
        plan_density(Request(options={"ds": "4"}), runner, 1 << 20)


def test_reports_smaller_buffer(runner: Runner) -> None:
    plan = plan_density(Request(options={"ds": "1"}), runner, 2 * GIB)
    assert plan.options["buffer_bytes"] == GIB // 2
    assert any("512 MiB instead of 1.0 GiB" in message for message in plan.messages)


def test_continued_run_keeps_buffer_size(runner: Runner) -> None:
    request = Request(options={"ds": "1"})
    begun = plan_density(request, runner, 2 * GIB)
    later = plan_density(request, runner, 64 * GIB)
    assert begun.identity("machine", "b1") == later.identity("machine", "b1")
    resumed = plan_density(request, runner, 64 * GIB, begun.options)
    assert resumed.rows == begun.rows


@pytest.mark.parametrize(
    "changed",
    [
        Request(options={"ds": "2"}),
        Request(options={"ds": "1", "size": "6"}),
        Request(options={"ds": "1"}, strategies="new-delete,monotonic"),
        Request(options={"ds": "1"}, seed=2),
        Request(options={"ds": "1"}, repetitions=4),
        Request(options={"ds": "1", "buffer": "cold"}),
        Request(options={"ds": "1", "hash": "full"}),
        Request(options={"ds": "1"}, pin=False),
        Request(options={"ds": "1"}, scale="standard"),
    ],
)
def test_another_request_is_another_run(runner: Runner, changed: Request) -> None:
    plan = plan_density(Request(options={"ds": "1"}), runner, 64 * GIB)
    changed = plan_density(changed, runner, 64 * GIB)
    assert plan.identity("machine", "b1") != changed.identity("machine", "b1")


def test_another_machine_or_build_is_another_run(runner: Runner) -> None:
    plan = plan_density(Request(options={"ds": "1"}), runner, 64 * GIB)
    identities = {plan.identity(machine, build) for machine in ("m1", "m2") for build in ("b1", "b2")}
    assert len(identities) == 4


def test_equivalent_selections_have_one_identity(runner: Runner) -> None:
    one = plan_density(Request(options={"ds": "1-3", "size": "6..8"}), runner, 64 * GIB)
    rewritten = plan_density(
        Request(options={"ds": "DS3,2,1", "size": "8,7,6"}, time_limit=5.0), runner, 64 * GIB
    )
    assert one.identity("machine", "b1") == rewritten.identity("machine", "b1")


def test_every_repetition_of_every_cell_comes_once(runner: Runner) -> None:
    plan = plan_density(Request(), runner, 64 * GIB)
    seen = Counter(
        (
            str(repetition.parameters["ds"]),
            repetition.parameters["size_log2"],
            repetition.strategy,
            repetition.repetition,
        )
        for repetition in plan.in_order()
    )
    assert set(seen.values()) == {1}
    short = [row for row in plan.rows if row.parameters["ds"] in {"DS1", "DS5", "DS9"}]
    assert short
    assert len(seen) == plan.processes == (len(plan.rows) * 3 + len(short) * 6) * 4


def test_cells_of_a_millisecond_are_repeated_more_often(runner: Runner) -> None:
    def repetitions(request: Request) -> dict[str, int]:
        plan = plan_density(request, runner, 64 * GIB)
        return {str(row.parameters["ds"]): row.repetitions for row in plan.rows}

    assert repetitions(Request(options={"ds": "1,2"})) == {"DS1": 9, "DS2": 3}
    assert repetitions(Request(options={"ds": "1,2"}, repetitions=4)) == {"DS1": 4, "DS2": 4}
    assert repetitions(Request(options={"ds": "1,2"}, scale="paper")) == {"DS1": 3, "DS2": 3}


def test_strategies_of_row_are_shuffled_together(runner: Runner) -> None:
    plan = plan_density(Request(repetitions=5), runner, 64 * GIB)
    orders: defaultdict[int, set[tuple[str, ...]]] = defaultdict(set)
    blocks = groupby(plan.in_order(), key=lambda repetition: (repetition.repetition, repetition.parameters))
    for (repetition, _), block in blocks:
        strategies = tuple(repetition.strategy for repetition in block)
        assert sorted(strategies) == ["monotonic", "multipool", "new-delete", "null"]
        orders[repetition].add(strategies)
    assert all(len(order) > 5 for order in orders.values())


def test_the_order_comes_from_the_seed(runner: Runner) -> None:
    plans = [plan_density(Request(seed=seed), runner, 64 * GIB) for seed in (1, 1, 2)]
    orders = [[repetition.strategy for repetition in plan.in_order()] for plan in plans]
    assert orders[0] == orders[1]
    assert orders[0] != orders[2]


def test_default_pages_are_small() -> None:
    for name in EXPERIMENTS:
        plan = plan_density(Request(name), expected_runner(), 64 * GIB)
        assert {row.parameters["pages"] for row in plan.rows} == {"small"}, name
        both = plan_density(Request(name, pages="huge,small"), expected_runner(), 64 * GIB)
        assert len(both.rows) == 2 * len(plan.rows)
        assert both.options["pages"] == ["small", "huge"]
        assert both.identity("", "") != plan.identity("", "")


def test_primitives(runner: Runner) -> None:
    plan = plan_density(
        Request("primitives", options={"operation": "pair"}, strategies="monotonic"), runner, None
    )
    (row,) = plan.rows
    assert row.parameters == {"operation": "pair", "product_log2": 24, "pages": "small"}
    assert row.strategies == ("monotonic",)
    both = plan_density(Request("primitives", strategies="monotonic"), runner, None)
    assert [row.parameters["product_log2"] for row in both.rows] == [24, 24, 20]  # creating takes far longer
    with pytest.raises(UsageError, match="--operation 'free' is unknown; allowed are pair, create"):
        plan_density(Request("primitives", options={"operation": "free"}), runner, None)
    with pytest.raises(
        UsageError,
        match="--strategy 'multipool': primitives does not have it; allowed are new-delete, monotonic",
    ):
        plan_density(Request("primitives", strategies="multipool"), runner, None)


def test_footprints() -> None:
    assert structure_bytes(Structure("DS1", "vector<int>", 0), 10) == 4096
    nodes = structure_bytes(Structure("DS3", "unordered_set<int>", 0), 10)
    assert 30 * 1024 < nodes < 60 * 1024
    strings = structure_bytes(Structure("DS6", "vector<vector<string>>", 7), 16)
    assert 4.0 * GIB < strings < 5.0 * GIB
    of_sets = structure_bytes(Structure("DS12", "unordered_set<unordered_set<string>>", 7), 16)
    assert of_sets > structure_bytes(Structure("DS8", "vector<unordered_set<string>>", 7), 16) > strings


def test_monotonic_past_buffer_needs_more() -> None:
    structure = Structure("DS6", "vector<vector<string>>", 7)
    pool = cell_bytes(structure, 16, "multipool", GIB)
    assert cell_bytes(structure, 16, "monotonic", 16 * GIB) == pool
    assert cell_bytes(structure, 16, "monotonic", GIB) > pool
    assert cell_bytes(structure, 16, "monotonic", 0) > cell_bytes(structure, 16, "monotonic", GIB)


def test_a_buffer_that_fits() -> None:
    assert fitting_buffer(GIB, None) == GIB
    assert fitting_buffer(GIB, 4 * GIB) == GIB
    assert fitting_buffer(GIB, 4 * GIB - 1) == GIB // 2


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (GIB, "1.0 GiB"), (40 << 40, "40 TiB")],
)
def test_readable_sizes(size: int, text: str) -> None:
    assert readable(size) == text
