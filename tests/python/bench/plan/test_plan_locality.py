"""Plans of locality: the papers' grids, the scales, and the effect of options."""

from __future__ import annotations

from typing import Any

import pytest

from mallard.bench.plan import Host, Plan, Request, make_plan
from mallard.bench.runner import load_runner
from mallard.shared.errors import UsageError

GIB = 1 << 30


@pytest.fixture
def planned(fake: Any) -> Any:
    runner = load_runner()

    def plan(*notation: str, strategies: str | None = None, scale: str = "quick", **options: str) -> Plan:
        options = {name.replace("_", "-"): text for name, text in options.items()}
        request = Request("locality", scale, options, notation, strategies)
        return make_plan(request, runner, Host(64 * GIB, 2))

    return plan


def lengths(plan: Plan, links: int) -> list[int]:
    return sorted(row.parameters["list_length"] for row in plan.rows if row.parameters["links"] == links)


def powers(base: int, most: int) -> list[int]:
    return [base**exponent for exponent in range(most + 1)]


def test_paper_has_tables_15_to_21_in_full(planned: Any) -> None:
    plan = planned(scale="paper")
    assert lengths(plan, 2**21) == powers(2, 21)
    assert lengths(plan, 2**25) == powers(2, 25)
    assert lengths(plan, 10**7) == powers(10, 7)
    for row in plan.rows:
        if row.parameters["links"] == 10**7:
            assert row.parameters["shuffle_factors"] == "0,1,2,3,4,5,6,7,8,9"
            assert row.parameters["access_factors"] == "10"
            assert row.strategies == ("new-delete",)
        else:
            assert row.parameters["shuffle_factors"] == "0,5"
            assert row.parameters["access_factors"] == "256,128,64,32,16,8,4,2,1"
            assert row.parameters["accesses"] == 2560 * row.parameters["links"]
            assert row.strategies == ("new-delete", "multipool")


def test_quick_has_the_corners_and_the_ridge(planned: Any) -> None:
    plan = planned()
    assert lengths(plan, 2**21) == [2**exponent for exponent in (0, 5, 9, 14, 18, 20, 21)]
    assert {row.strategies for row in plan.rows} == {("new-delete", "multipool")}
    assert plan.processes == 7 * 2 * 3


def test_overlapping_grids_merge_rows(planned: Any) -> None:
    plan = planned(scale="standard")
    small = {
        row.parameters["list_length"]: row.strategies for row in plan.rows if row.parameters["links"] == 2**21
    }
    assert sorted(small) == powers(2, 21)
    assert small[2] == ("new-delete", "multipool")
    assert {"multipool/base", "multipool+monotonic/base", "multipool-hybrid", "multipool-random"} < set(
        small[2**18]
    )
    assert len(lengths(plan, 2**21)) == 22


def test_strategies_that_are_named_are_measured_everywhere(planned: Any) -> None:
    plan = planned(scale="standard", strategies="multipool/base,multipool-hybrid")
    assert {row.strategies for row in plan.rows} == {("new-delete", "multipool/base", "multipool-hybrid")}
    assert "new-delete is measured as well: every ratio is to it" in plan.messages


def test_options_define_a_grid(planned: Any) -> None:
    plan = planned(links="1024000,1000000", list_length="1,1000", af="1,2^3..2^4", sf="0..2", accesses="5000")
    with_1000 = [row for row in plan.rows if row.parameters["list_length"] == 1000]
    assert {row.parameters["links"] for row in plan.rows} == {1024000, 10**6}
    assert with_1000[0].parameters == {
        "links": 10**6,
        "list_length": 1000,
        "shuffle_factors": "0,1,2",
        "access_factors": "16,8,1",
        "accesses": 5000,
        "pages": "small",
    }


def test_lists_that_are_not_named_are_all_powers(planned: Any) -> None:
    assert lengths(planned(links="10^4"), 10**4) == powers(10, 4)
    assert lengths(planned(links="1024"), 1024) == powers(2, 10)


def test_notation_plans_both_sides_of_shuffle(planned: Any) -> None:
    for text in ("-20 18 32 -3 8", "-20 18 32 +3 8", "-20 18 32 3 8"):
        plan = planned(*text.split())
        (row,) = plan.rows
        assert row.parameters == {
            "links": 2**20,
            "list_length": 2**18,
            "shuffle_factors": "0,3",
            "access_factors": "32",
            "repeat_factor": 8,
            "pages": "small",
        }
        assert row.strategies == ("new-delete", "multipool")
        assert plan.time_limit == 3600
        assert plan.options["notation"] == text
        assert plan.messages[0].startswith(text)
    (row,) = planned(*["-20", "18", "32", "0", "8"]).rows
    assert row.parameters["shuffle_factors"] == "0"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"links": "2^28"}, "--links: 268435456 is not possible; allowed are 1024 to 134217728"),
        ({"links": "3000"}, "--links 3000 is not a power of two or ten"),
        ({"links": "2^20", "list_length": "2^21"}, "is longer than the whole system of 1048576"),
        ({"list_length": "3"}, "2097152 links (|G|) cannot be divided into lists of 3 (|S|)"),
        ({"af": "0"}, "--af: 0 is not possible; allowed are 1 to 1048576"),
        ({"sf": "101"}, "--sf 101: there is no number 101; allowed are 0..100"),
        ({"accesses": "1,2"}, "--accesses 1,2: give one number"),
    ],
)
def test_bad_options(planned: Any, options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        planned(**options)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-9 3 1 0 1", "512 links (|G|) fit in the nearest cache, so no shuffle can scatter them; allowed"),
        ("-20 3 2000000 0 1", "af is 2000000; allowed is up to 1048576"),
        ("-20 3 1 -101 1", "sf is 101; allowed is up to 100"),
        ("-20 3 1 0 2000000", "rf is 2000000; allowed is up to 1048576"),
    ],
)
def test_refuses_notation_beyond_limits(planned: Any, text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        planned(*text.split())
    assert message in str(error.value)


def test_the_notation_and_options_do_not_mix(planned: Any) -> None:
    with pytest.raises(UsageError, match="says the same as --links"):
        planned(*["-20", "18", "32", "-3", "8"], links="2^21")
