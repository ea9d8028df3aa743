"""mallard beside other libraries: the two sides of a comparison, and its result."""

from __future__ import annotations

import math
from typing import Any

import pytest
from synthetic_experiments import locality_rows
from synthetic_peers import NOISY, block_rows, object_rows
from synthetic_rows import failed_row

from mallard.analysis.peers.comparison import (
    FASTER,
    NO_DIFFERENCE,
    OPEN,
    SLOWER,
    UNFINISHED,
    Duel,
    Side,
    Standing,
    by_quantity,
    duels,
    has_contenders,
    losses,
    peers_in,
    standings,
)
from mallard.analysis.peers.contests import TIME, compared_quantities, is_memory
from mallard.analysis.peers.counterparts import counterparts
from mallard.analysis.peers.words import CellNames, counts_text, duel_text, figure, peer_sentences, value_text
from mallard.contenders import PEERS
from mallard.result import Row

Natives = list[dict[str, Any]]


def rows_of(*runs: Natives) -> list[Row]:
    return [Row.from_native(number, row) for number, rows in enumerate(runs, start=1) for row in rows]


def timed(*runs: Natives) -> list[Duel]:
    return [duel for duel in duels(rows_of(*runs)) if duel.quantity == TIME]


def by_peer(found: list[Duel], size: int = 16) -> dict[str, Duel]:
    return {duel.peer: duel for duel in found if dict(duel.cell).get("object_bytes", size) == size}


def standing_of(found: list[Duel], peer: str) -> Standing:
    return next(each for each in standings(found) if each.peer == peer and each.quantity == TIME)


# ---- the two sides ------------------------------------------------------------------------------------


def test_the_fastest_of_each_side_stand_beside_each_other() -> None:
    found = by_peer(timed(object_rows()))
    assert {peer: (duel.ours.strategy, duel.theirs.strategy) for peer, duel in found.items()} == {
        "glibc": ("multipool", "new-delete"),
        "jemalloc": ("multipool", "new-delete@jemalloc"),
        "std::pmr": ("multipool", NOISY),
        "Boost.Pool": ("multipool", "boost-fast-pool"),
        "Loki": ("multipool", "loki"),
    }
    assert list(found) == [peer for peer in PEERS if peer in found], "in the order of tables"


def test_null_and_the_worst_order_of_reuse_are_nobodys() -> None:
    rows = object_rows({"null": 0.1, "multipool-random": 0.2, "multipool": 4.0, "loki": 8.0}, (16,))
    (duel,) = timed(rows)
    assert duel.ours.strategy == "multipool"
    assert timed(object_rows({"null": 0.1, "multipool-random": 0.2, "loki": 8.0}, (16,))) == []


def test_who_has_nothing_to_do_in_a_phase_has_no_part_in_it() -> None:
    rows = object_rows({"monotonic": 4.0, "multipool": 5.0, "loki": 8.0}, (16,))
    for row in rows:
        if row["strategy"] == "monotonic":
            row["figures"]["free_ns"] = 0.001
    frees = [duel for duel in duels(rows_of(rows)) if duel.quantity.figure == "free_ns"]
    assert [duel.ours.strategy for duel in frees] == ["multipool"]


def test_a_strategy_that_nobody_knows_is_on_no_side() -> None:
    (duel,) = timed(object_rows({"multipool": 4.0, "mystery-pool": 0.1, "loki": 8.0}, (16,)))
    assert (duel.ours.strategy, duel.peer) == ("multipool", "Loki")


def test_ratios_are_mallards_time_by_the_others_and_paired() -> None:
    found = by_peer(timed(object_rows()))
    for peer, ratio in {"glibc": 0.25, "jemalloc": 0.5, "Boost.Pool": 4.0 / 4.4, "Loki": 2.0}.items():
        got = found[peer].ratio
        assert got is not None
        assert (got.median, got.low, got.high) == pytest.approx((ratio, ratio, ratio))
    assert {peer: duel.verdict for peer, duel in found.items()} == {
        "glibc": FASTER,
        "jemalloc": FASTER,
        "std::pmr": NO_DIFFERENCE,
        "Boost.Pool": FASTER,
        "Loki": SLOWER,
    }


def test_what_the_other_did_not_finish_is_told_and_is_in_no_mean() -> None:
    found = timed(object_rows())
    loki = standing_of(found, "Loki")
    assert loki.counts == {SLOWER: 1, UNFINISHED: 1}
    assert loki.mean is not None
    assert (loki.mean.median, loki.mean.n) == (pytest.approx(2.0), 1)
    large = by_peer(found, 64)["Loki"]
    assert (large.theirs.status, large.ratio, large.verdict) == ("timed_out", None, UNFINISHED)


def test_what_mallard_did_not_finish_is_lost_and_comes_first() -> None:
    parameters = {"object_bytes": 32, "objects": 1_000_000, "order": "shuffled", "pages": "small"}
    failed = failed_row("small-objects", parameters, "multipool", 0, "out_of_memory", "none left")
    rows = [*object_rows(), failed, *object_rows({"boost-pool": 5.0}, (32,))]
    lost = losses(timed(rows))
    assert [(duel.peer, duel.ours.status) for duel in lost] == [("Boost.Pool", "out_of_memory"), ("Loki", "")]
    assert standing_of(timed(rows), "Boost.Pool").worst == lost[0]


def test_where_neither_finished_there_is_nothing_to_compare() -> None:
    parameters = {"object_bytes": 32, "objects": 1_000_000, "order": "shuffled", "pages": "small"}
    rows = [failed_row("small-objects", parameters, name, 0, "crashed", "") for name in ("multipool", "loki")]
    assert timed(rows) == []


# ---- which run ----------------------------------------------------------------------------------------


def test_the_newest_run_decides() -> None:
    older, newer = (
        object_rows({"multipool": 4.0, "loki": 2.0}, (16,)),
        object_rows({"multipool": 1.0, "loki": 2.0}, (16,)),
    )
    (duel,) = timed(older, newer)
    assert (duel.run, duel.verdict) == (2, FASTER)


def test_a_run_without_an_interval_does_not_replace_one_with() -> None:
    older = object_rows({"multipool": 4.0, "loki": 2.0}, (16,))
    newer = object_rows({"multipool": 1.0, "loki": 2.0}, (16,), repetitions=1)
    assert [(duel.run, duel.verdict) for duel in timed(older, newer)] == [(1, SLOWER)]
    assert [(duel.run, duel.verdict) for duel in timed(newer)] == [(1, OPEN)]


def test_times_of_different_runs_are_not_paired() -> None:
    assert timed(object_rows({"multipool": 4.0}, (16,)), object_rows({"loki": 2.0}, (16,))) == []


def test_how_much_was_measured_is_no_part_of_a_cell() -> None:
    small, large = object_rows(sizes=(16,)), object_rows(sizes=(16,))
    for row in large:
        row["parameters"] = row["parameters"] | {"objects": 5}
    assert {duel.run for duel in timed(small, large)} == {2}


# ---- the compared cells ---------------------------------------------------------------------------------


def test_phases_and_memory_are_compared_too() -> None:
    found = duels(rows_of(object_rows()))
    table = by_quantity(standings(found))
    assert [quantity for _, quantity in table] == list(compared_quantities("small-objects"))
    memory = table["small-objects", compared_quantities("small-objects")[-1]]
    assert memory["glibc"].mean is not None
    assert memory["glibc"].mean.median == pytest.approx(0.5)
    assert memory["Loki"].counts == {NO_DIFFERENCE: 1, UNFINISHED: 1}


def test_a_figure_of_nothing_has_no_ratio() -> None:
    rows = object_rows({"multipool": 4.0, "loki": 2.0}, (16,))
    for row in rows:
        row["figures"] = row["figures"] | {"held_bytes": 0.0}
    assert {duel.quantity.figure for duel in duels(rows_of(rows))} >= {"", "free_ns"}
    assert "held_bytes" not in {duel.quantity.figure for duel in duels(rows_of(rows))}


def test_a_cell_of_locality_is_an_access_after_the_shuffle() -> None:
    found = timed(locality_rows(("new-delete", "new-delete@jemalloc", "multipool"), (1 << 12, 1 << 9)))
    assert len(found) == 2 * 3 * 2, "lengths, access factors, libraries"
    assert {dict(duel.cell)["access_factor"] for duel in found} == {256, 16, 1}
    assert {duel.peer for duel in found} == {"glibc", "jemalloc"}
    assert all(duel.verdict == FASTER for duel in found)


def test_the_mean_over_cells_is_geometric() -> None:
    rows = [
        *object_rows({"multipool": 4.0, "loki": 2.0}, (16,)),
        *object_rows({"multipool": 4.0, "loki": 8.0}, (16,), order="in-order"),
    ]
    standing = standing_of(timed(rows), "Loki")
    assert standing.mean is not None
    assert (standing.mean.median, standing.mean.n) == (pytest.approx(1.0), 2)
    assert standing.counts == {FASTER: 1, SLOWER: 1}
    assert standing.worst is not None
    assert dict(standing.worst.cell)["order"] == "shuffled"


def test_standings_keep_the_order_of_experiments() -> None:
    every = standings(duels(rows_of(object_rows(), block_rows())))
    assert list(dict.fromkeys(each.experiment for each in every)) == ["utilization", "small-objects"]
    assert peers_in(every) == ["glibc", "jemalloc", "std::pmr", "Boost.Pool", "Loki"]


def test_without_other_libraries_there_is_nothing_to_show() -> None:
    assert not has_contenders(rows_of(object_rows({"null": 0.1, "new-delete": 16.0, "multipool": 4.0})))
    assert has_contenders(rows_of(object_rows({"multipool": 4.0, "loki": 2.0})))
    assert has_contenders(rows_of(object_rows({"multipool": 4.0, "new-delete@mimalloc": 2.0})))


# ---- words --------------------------------------------------------------------------------------------


def test_cells_are_named_by_what_tells_them_apart() -> None:
    found = duels(rows_of(object_rows(), block_rows()))
    names = CellNames(found)
    said = {names.of(duel) for duel in found}
    assert said == {
        "16 bytes, shuffled, small pages",
        "64 bytes, shuffled, small pages",
        "T = 2^30, A = 2^15, S = 2^10",
    }


def test_a_setting_is_said_where_cells_differ_in_it() -> None:
    cold = block_rows()
    for row in cold:
        row["parameters"] = row["parameters"] | {"buffer": "cold"}
    found = duels(rows_of(block_rows() + cold))
    assert {CellNames(found).of(duel).rpartition(", ")[2] for duel in found} == {"buffer warm", "buffer cold"}


def test_a_duel_in_words() -> None:
    found = duels(rows_of(object_rows()))
    lost = losses(found)
    texts = [duel_text(duel, CellNames(found)) for duel in lost]
    assert texts[0].startswith("16 bytes, shuffled, small pages")
    assert any(text.endswith("multipool 4.08 ns, loki 2.04 ns, ratio 2.00 (2.00 to 2.00)") for text in texts)
    assert any(", free: multipool 1.22 ns, loki 0.61 ns" in text for text in texts)


def test_values_have_their_unit_or_say_how_it_ended() -> None:
    found = duels(rows_of(object_rows()))
    memory = next(duel for duel in found if is_memory(duel.quantity) and duel.peer == "glibc")
    assert value_text(memory.theirs, memory) == "31 MiB"
    large = by_peer([duel for duel in found if duel.quantity == TIME], 64)["Loki"]
    assert value_text(large.theirs, large) == "timed out"
    assert value_text(Side("loki"), large) == "not finished"


def test_the_sentences_say_wins_and_losses_alike() -> None:
    said = peer_sentences(duels(rows_of(object_rows(), block_rows())))
    assert said[0] == (
        "Chosen after the fact, each side's fastest strategy of a cell, beside 5 other libraries: "
        "mallard's is faster in 9, no different in 3, slower in 2, the other not finished in 1. 3 wins are "
        "over the C library's malloc, 0 more in locality. Slower by more than 5 %: 2, 2 of them beyond the "
        "interval."
    )
    assert said[1].startswith("utilization: Loki is faster in 1 of 1 cell; at the worst T = 2^30")
    assert said[2].startswith(
        "small-objects: Loki is faster in 1 of 2 cells; at the worst 16 bytes, shuffled"
    )
    assert len(said) == 3


def test_the_sentences_begin_with_the_counterparts() -> None:
    rows = rows_of(object_rows(), block_rows())
    said = peer_sentences(duels(rows), counterparts(rows))
    assert said[0] == (
        "Counterpart beside counterpart, in 5 pairs, cell by cell, mallard's is faster in 12, "
        "no different in 3."
    )
    assert said[1:] == peer_sentences(duels(rows))


def test_without_a_loss_it_is_said() -> None:
    said = peer_sentences(duels(rows_of(block_rows({"multipool": 1.0, "loki": 2.0}))))
    first, second = said
    assert first == (
        "Chosen after the fact, each side's fastest strategy of a cell, beside 1 other library: "
        "mallard's is faster in 1."
    )
    assert second == "No other library is faster in any cell beyond the interval."
    assert peer_sentences([]) == []


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (1.0, "1.00"),
        (12.345, "12.35"),
        (0.456, "0.46"),
        (0.0456, "0.046"),
        (0.0001, "<0.001"),
        (math.inf, "inf"),
    ],
)
def test_ratios_keep_their_digits(ratio: float, text: str) -> None:
    assert figure(ratio) == text


def test_counts_leave_out_what_is_none() -> None:
    standing = standing_of(timed(object_rows()), "Loki")
    assert counts_text(standing.counts) == "slower in 1, the other not finished in 1"


def test_a_cell_without_an_interval_takes_none_from_the_mean() -> None:
    rows = [
        *object_rows({"multipool": 4.0, "loki": 2.0}, (16,)),
        *object_rows({"multipool": 4.0, "loki": 8.0}, (16,), repetitions=1, order="in-order"),
    ]
    mean = standing_of(timed(rows), "Loki").mean
    assert mean is not None
    assert (mean.bounded, mean.median, mean.n) == (True, pytest.approx(2.0), 1)
    alone = standing_of(
        timed(object_rows({"multipool": 4.0, "loki": 8.0}, (16,), repetitions=1)), "Loki"
    ).mean
    assert alone is not None
    assert not alone.bounded
