"""Counterparts: neither side is chosen after the fact."""

from __future__ import annotations

import pytest
from synthetic_peers import block_rows, object_rows

from mallard.bench import described
from mallard.bench.analysis.peers import (
    MALLOCS,
    PAIRS,
    PLAIN,
    Counterpart,
    counterparts,
    nearest,
)
from mallard.bench.contenders import find_peer
from mallard.bench.result import Row


def measured_pairs(*groups: list[dict[str, object]]) -> dict[tuple[str, str], Counterpart]:
    rows = [Row.from_native(number, native) for number, group in enumerate(groups) for native in group]
    return {(pair.ours, pair.theirs): pair for pair in counterparts(rows)}


def test_pairs_name_strategies_of_the_right_side() -> None:
    theirs = {name for names in PAIRS.values() for name in names} - {MALLOCS}
    assert {*PAIRS, *theirs} <= set(described.STRATEGIES)
    assert not any(find_peer(name) for name in PAIRS)
    assert all(find_peer(name) for name in theirs)
    assert set(PLAIN) <= set(PAIRS)


def test_pair_has_every_common_cell() -> None:
    pairs = measured_pairs(object_rows(), block_rows())
    pair = pairs["multipool", "new-delete@jemalloc"]
    assert [summary.experiment for summary in pair.summaries] == ["small-objects", "utilization"]
    assert sum(pair.counts.values()) == 3
    assert pair.ratio == pytest.approx(0.5)
    assert pairs["multipool/base", "new-delete"].ratio == pytest.approx(5 / 16)
    assert ("multipool", "loki") not in pairs
    assert ("multipool", "boost-pool") not in pairs


def test_experiments_have_equal_weight() -> None:
    many = object_rows({"multipool": 1.0, "new-delete": 4.0}, sizes=(8, 16, 24))
    few = block_rows({"multipool": 4.0, "new-delete": 4.0})
    pair = measured_pairs(many, few)["multipool", "new-delete"]
    assert pair.ratio == pytest.approx(0.5), "the geometric mean of 1/4 and 1"
    assert pair.worst.experiment == "utilization"


def test_unfinished_cells_count_but_have_no_mean() -> None:
    pair = measured_pairs(object_rows({"small-object-pool": 4.0, "loki": 2.0}))["small-object-pool", "loki"]
    assert pair.counts == {"slower": 1, "not finished": 1}
    assert pair.ratio == pytest.approx(2.0)


def test_newest_run_decides_a_pair() -> None:
    old, new = ({"multipool": 4.0, "multipool/base": 6.0, "new-delete": base_ns} for base_ns in (8.0, 16.0))
    pairs = measured_pairs(block_rows(old), block_rows(new))
    assert pairs["multipool", "new-delete"].ratio == pytest.approx(0.25)
    assert pairs["multipool/base", "new-delete"].ratio == pytest.approx(0.375)


def test_nearest_is_the_fastest_counterpart() -> None:
    pairs = list(measured_pairs(object_rows()).values())
    assert {pair.ours: pair.theirs for pair in nearest(pairs)} == {
        "multipool": "new-delete@jemalloc",
        "multipool/base": "pmr-unsynchronized",
    }
