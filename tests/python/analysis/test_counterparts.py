"""Counterpart beside counterpart: neither side is chosen after the fact."""

from __future__ import annotations

import pytest
from synthetic_peers import block_rows, object_rows

from mallard import described
from mallard.analysis.peers.counterparts import MALLOCS, PAIRS, PLAIN, Counterpart, counterparts, nearest
from mallard.contenders import peer_of
from mallard.result import Row


def found(*groups: list[dict[str, object]]) -> dict[tuple[str, str], Counterpart]:
    rows = [Row.from_native(number, native) for number, its in enumerate(groups) for native in its]
    return {(each.ours, each.theirs): each for each in counterparts(rows)}


def test_each_name_of_a_pair_is_a_strategy_and_none_plays_on_the_wrong_side() -> None:
    theirs = {name for others in PAIRS.values() for name in others} - {MALLOCS}
    assert {*PAIRS, *theirs} <= set(described.STRATEGIES)
    assert not any(peer_of(name) for name in PAIRS)
    assert all(peer_of(name) for name in theirs)
    assert set(PLAIN) <= set(PAIRS)


def test_a_pair_has_every_cell_that_both_have() -> None:
    pairs = found(object_rows(), block_rows())
    pair = pairs["multipool", "new-delete@jemalloc"]
    assert [each.experiment for each in pair.standings] == ["small-objects", "utilization"]
    assert sum(pair.counts.values()) == 3
    assert pair.ratio == pytest.approx(0.5)
    assert pairs["multipool/base", "new-delete"].ratio == pytest.approx(5 / 16)
    assert ("multipool", "loki") not in pairs
    assert ("multipool", "boost-pool") not in pairs


def test_an_experiment_with_many_cells_weighs_as_much_as_one_with_few() -> None:
    many = object_rows({"multipool": 1.0, "new-delete": 4.0}, sizes=(8, 16, 24))
    few = block_rows({"multipool": 4.0, "new-delete": 4.0})
    pair = found(many, few)["multipool", "new-delete"]
    assert pair.ratio == pytest.approx(0.5), "the geometric mean of 1/4 and 1"
    assert pair.worst is not None
    assert pair.worst.experiment == "utilization"


def test_what_one_side_did_not_finish_is_counted_and_in_no_mean() -> None:
    pair = found(object_rows({"small-object-pool": 4.0, "loki": 2.0}))["small-object-pool", "loki"]
    assert pair.counts == {"slower": 1, "not finished": 1}
    assert pair.ratio == pytest.approx(2.0)


def test_the_newest_run_decides_each_pair() -> None:
    old, new = ({"multipool": 4.0, "multipool/base": 6.0, "new-delete": each} for each in (8.0, 16.0))
    pairs = found(block_rows(old), block_rows(new))
    assert pairs["multipool", "new-delete"].ratio == pytest.approx(0.25)
    assert pairs["multipool/base", "new-delete"].ratio == pytest.approx(0.375)


def test_the_nearest_is_the_fastest_counterpart_of_each() -> None:
    every = list(found(object_rows()).values())
    assert {each.ours: each.theirs for each in nearest(every)} == {
        "multipool": "new-delete@jemalloc",
        "multipool/base": "pmr-unsynchronized",
    }
