"""mallard compared with other libraries: the two sides of a result, and its result."""

from __future__ import annotations

import math
from typing import Any

import pytest
from synthetic_experiments import locality_rows
from synthetic_peers import NOISY, block_rows, object_rows
from synthetic_rows import failed_row, to_rows

from mallard.bench.analysis.peers import (
    EVEN,
    FASTER,
    OPEN,
    SLOWER,
    TIME,
    UNFINISHED,
    UNRESOLVED,
    CellNames,
    CellResult,
    Side,
    Summary,
    by_quantity,
    cell_results,
    compared_quantities,
    counterparts,
    counts_text,
    has_contenders,
    is_memory,
    losses,
    peer_sentences,
    peers_in,
    ratio_figure,
    result_text,
    summaries,
    value_text,
)
from mallard.bench.contenders import PEERS

Natives = list[dict[str, Any]]


def timed(*runs: Natives) -> list[CellResult]:
    return [result for result in cell_results(to_rows(*runs)) if result.quantity == TIME]


def by_peer(compared: list[CellResult], size: int = 16) -> dict[str, CellResult]:
    return {result.peer: result for result in compared if dict(result.cell).get("object_bytes", size) == size}


def find_summary(compared: list[CellResult], peer: str) -> Summary:
    return next(
        summary for summary in summaries(compared) if summary.peer == peer and summary.quantity == TIME
    )


# ---- the two sides ------------------------------------------------------------------------------------


def test_compares_the_fastest_of_each_side() -> None:
    compared = by_peer(timed(object_rows()))
    assert {peer: (result.ours.strategy, result.theirs.strategy) for peer, result in compared.items()} == {
        "glibc": ("multipool", "new-delete"),
        "jemalloc": ("multipool", "new-delete@jemalloc"),
        "std::pmr": ("multipool", NOISY),
        "Boost.Pool": ("multipool", "boost-fast-pool"),
        "Loki": ("multipool", "loki"),
    }
    assert list(compared) == [peer for peer in PEERS if peer in compared], "in the order of tables"


def test_ignores_null_and_the_worst_reuse_order() -> None:
    rows = object_rows({"null": 0.1, "multipool-random": 0.2, "multipool": 4.0, "loki": 8.0}, (16,))
    (result,) = timed(rows)
    assert result.ours.strategy == "multipool"
    assert timed(object_rows({"null": 0.1, "multipool-random": 0.2, "loki": 8.0}, (16,))) == []


def test_ignores_strategies_idle_in_a_phase() -> None:
    rows = object_rows({"monotonic": 4.0, "multipool": 5.0, "loki": 8.0}, (16,))
    for row in rows:
        if row["strategy"] == "monotonic":
            row["figures"]["free_ns"] = 0.001
    frees = [result for result in cell_results(to_rows(rows)) if result.quantity.figure == "free_ns"]
    assert [result.ours.strategy for result in frees] == ["multipool"]


def test_ignores_unknown_strategies() -> None:
    (result,) = timed(object_rows({"multipool": 4.0, "mystery-pool": 0.1, "loki": 8.0}, (16,)))
    assert (result.ours.strategy, result.peer) == ("multipool", "Loki")


def test_ratios_pair_repetitions_with_mallard_first() -> None:
    compared = by_peer(timed(object_rows()))
    for peer, ratio in {"glibc": 0.25, "jemalloc": 0.5, "Boost.Pool": 4.0 / 4.4, "Loki": 2.0}.items():
        measured = compared[peer].ratio
        assert (measured.median, measured.low, measured.high) == pytest.approx((ratio, ratio, ratio))
    assert {peer: result.verdict for peer, result in compared.items()} == {
        "glibc": FASTER,
        "jemalloc": FASTER,
        "std::pmr": UNRESOLVED,
        "Boost.Pool": FASTER,
        "Loki": SLOWER,
    }


@pytest.mark.parametrize(("spread", "verdict"), [(0.01, EVEN), (0.3, UNRESOLVED)])
def test_wide_interval_is_not_even(spread: float, verdict: str) -> None:
    times = [1.0 - spread, 1.0, 1.0 + spread]
    result = CellResult(
        *(1, "density", TIME, (), "Loki"),
        Side("multipool", dict(enumerate(times))),
        Side("loki", dict.fromkeys(range(3), 1.0)),
    )
    assert result.verdict == verdict


def test_unfinished_peer_cells_count_but_have_no_mean() -> None:
    compared = timed(object_rows())
    loki = find_summary(compared, "Loki")
    assert loki.counts == {SLOWER: 1, UNFINISHED: 1}
    assert (loki.mean.median, loki.mean.n) == (pytest.approx(2.0), 1)
    large = by_peer(compared, 64)["Loki"]
    assert (large.theirs.status, large.ratio, large.verdict) == ("timed_out", None, UNFINISHED)


def test_unfinished_mallard_cells_are_the_worst_losses() -> None:
    parameters = {"object_bytes": 32, "objects": 1_000_000, "order": "shuffled", "pages": "small"}
    failed = failed_row("small-objects", parameters, "multipool", 0, "out_of_memory", "none left")
    rows = [*object_rows(), failed, *object_rows({"boost-pool": 5.0}, (32,))]
    lost = losses(timed(rows))
    assert [(result.peer, result.ours.status) for result in lost] == [
        ("Boost.Pool", "out_of_memory"),
        ("Loki", ""),
    ]
    assert find_summary(timed(rows), "Boost.Pool").worst == lost[0]


def test_no_result_if_neither_finished() -> None:
    parameters = {"object_bytes": 32, "objects": 1_000_000, "order": "shuffled", "pages": "small"}
    rows = [failed_row("small-objects", parameters, name, 0, "crashed", "") for name in ("multipool", "loki")]
    assert timed(rows) == []


# ---- runs ----------------------------------------------------------------------------------------


def test_newest_run_decides() -> None:
    older, newer = (
        object_rows({"multipool": 4.0, "loki": 2.0}, (16,)),
        object_rows({"multipool": 1.0, "loki": 2.0}, (16,)),
    )
    (result,) = timed(older, newer)
    assert (result.run, result.verdict) == (2, FASTER)


def test_run_without_interval_does_not_replace_another() -> None:
    older = object_rows({"multipool": 4.0, "loki": 2.0}, (16,))
    newer = object_rows({"multipool": 1.0, "loki": 2.0}, (16,), repetitions=1)
    assert [(result.run, result.verdict) for result in timed(older, newer)] == [(1, SLOWER)]
    assert [(result.run, result.verdict) for result in timed(newer)] == [(1, OPEN)]


def test_does_not_pair_times_of_different_runs() -> None:
    assert timed(object_rows({"multipool": 4.0}, (16,)), object_rows({"loki": 2.0}, (16,))) == []


def test_amount_of_work_is_not_in_the_cell() -> None:
    small, large = object_rows(sizes=(16,)), object_rows(sizes=(16,))
    for row in large:
        row["parameters"] = row["parameters"] | {"objects": 5}
    assert {result.run for result in timed(small, large)} == {2}


# ---- the compared cells ---------------------------------------------------------------------------------


def test_compares_phases_and_memory() -> None:
    compared = cell_results(to_rows(object_rows()))
    table = by_quantity(summaries(compared))
    assert [quantity for _, quantity in table] == list(compared_quantities("small-objects"))
    memory = table["small-objects", compared_quantities("small-objects")[-1]]
    assert memory["glibc"].mean.median == pytest.approx(0.5)
    assert memory["Loki"].counts == {EVEN: 1, UNFINISHED: 1}


def test_zero_figures_have_no_ratio() -> None:
    rows = object_rows({"multipool": 4.0, "loki": 2.0}, (16,))
    for row in rows:
        row["figures"] = row["figures"] | {"held_bytes": 0.0}
    assert {result.quantity.figure for result in cell_results(to_rows(rows))} >= {"", "free_ns"}
    assert "held_bytes" not in {result.quantity.figure for result in cell_results(to_rows(rows))}


def test_locality_cells_are_shuffled_accesses() -> None:
    compared = timed(locality_rows(("new-delete", "new-delete@jemalloc", "multipool"), (1 << 12, 1 << 9)))
    assert len(compared) == 2 * 3 * 2, "lengths, access factors, libraries"
    assert {dict(result.cell)["access_factor"] for result in compared} == {256, 16, 1}
    assert {result.peer for result in compared} == {"glibc", "jemalloc"}
    assert all(result.verdict == FASTER for result in compared)


def test_a_locality_cell_may_be_unfinished() -> None:
    rows = locality_rows(("new-delete", "multipool"), (1 << 12,))
    failed = failed_row("locality", rows[0]["parameters"], "new-delete@jemalloc", 0, "timed_out", "10 s")
    verdicts = {result.peer: result.verdict for result in timed([*rows, failed])}
    assert verdicts == {"glibc": FASTER, "jemalloc": UNFINISHED}


def test_mean_over_cells_is_geometric() -> None:
    rows = [
        *object_rows({"multipool": 4.0, "loki": 2.0}, (16,)),
        *object_rows({"multipool": 4.0, "loki": 8.0}, (16,), order="in-order"),
    ]
    summary = find_summary(timed(rows), "Loki")
    assert (summary.mean.median, summary.mean.n) == (pytest.approx(1.0), 2)
    assert summary.counts == {FASTER: 1, SLOWER: 1}
    assert dict(summary.worst.cell)["order"] == "shuffled"


def test_summaries_follow_the_order_of_experiments() -> None:
    ordered = summaries(cell_results(to_rows(object_rows(), block_rows())))
    assert list(dict.fromkeys(summary.experiment for summary in ordered)) == [
        "utilization",
        "small-objects",
    ]
    assert peers_in(ordered) == ["glibc", "jemalloc", "std::pmr", "Boost.Pool", "Loki"]


def test_detects_contenders() -> None:
    assert not has_contenders(to_rows(object_rows({"null": 0.1, "new-delete": 16.0, "multipool": 4.0})))
    assert has_contenders(to_rows(object_rows({"multipool": 4.0, "loki": 2.0})))
    assert has_contenders(to_rows(object_rows({"multipool": 4.0, "new-delete@mimalloc": 2.0})))


# ---- text --------------------------------------------------------------------------------------------


def test_cell_names_have_differing_parameters() -> None:
    compared = cell_results(to_rows(object_rows(), block_rows()))
    names = CellNames(compared)
    texts = {names.of(result) for result in compared}
    assert texts == {
        "16 bytes, shuffled, small pages",
        "64 bytes, shuffled, small pages",
        "T = 2^30, A = 2^15, S = 2^10",
    }


def test_cell_names_have_differing_settings() -> None:
    cold = block_rows()
    for row in cold:
        row["parameters"] = row["parameters"] | {"buffer": "cold"}
    compared = cell_results(to_rows(block_rows() + cold))
    assert {CellNames(compared).of(result).rpartition(", ")[2] for result in compared} == {
        "buffer warm",
        "buffer cold",
    }


def test_formats_a_result() -> None:
    compared = cell_results(to_rows(object_rows()))
    lost = losses(compared)
    texts = [result_text(result, CellNames(compared)) for result in lost]
    assert texts[0].startswith("16 bytes, shuffled, small pages")
    assert any(text.endswith("multipool 4.08 ns, loki 2.04 ns, ratio 2.00 (2.00 to 2.00)") for text in texts)
    assert any(", free: multipool 1.22 ns, loki 0.61 ns" in text for text in texts)


def test_formats_values_and_failures() -> None:
    compared = cell_results(to_rows(object_rows()))
    memory = next(result for result in compared if is_memory(result.quantity) and result.peer == "glibc")
    assert value_text(memory.theirs, memory) == "31 MiB"
    large = by_peer([result for result in compared if result.quantity == TIME], 64)["Loki"]
    assert value_text(large.theirs, large) == "timed out"
    assert value_text(Side("loki"), large) == "not finished"


def test_sentences_report_wins_and_losses() -> None:
    sentences = peer_sentences(cell_results(to_rows(object_rows(), block_rows())))
    assert sentences[0] == (
        "Chosen after the fact, each side's fastest strategy of a cell, against 5 other libraries: "
        "mallard's is faster in 9, not resolved in 3, slower in 2, the other not finished in 1. 3 wins are "
        "over the C library's malloc, 0 more in locality. Slower by more than 5 %: 2, 2 of them beyond the "
        "interval."
    )
    assert sentences[1].startswith("utilization: Loki is faster in 1 of 1 cell; at the worst T = 2^30")
    assert sentences[2].startswith(
        "small-objects: Loki is faster in 1 of 2 cells; at the worst 16 bytes, shuffled"
    )
    assert len(sentences) == 3


def test_sentences_begin_with_counterparts() -> None:
    rows = to_rows(object_rows(), block_rows())
    sentences = peer_sentences(cell_results(rows), counterparts(rows))
    assert sentences[0] == (
        "Counterpart against counterpart, in 5 pairs, cell by cell, mallard's is faster in 12, "
        "not resolved in 3."
    )
    assert sentences[1:] == peer_sentences(cell_results(rows))


def test_sentences_report_no_losses() -> None:
    sentences = peer_sentences(cell_results(to_rows(block_rows({"multipool": 1.0, "loki": 2.0}))))
    first, second = sentences
    assert first == (
        "Chosen after the fact, each side's fastest strategy of a cell, against 1 other library: "
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
def test_formats_ratios(ratio: float, text: str) -> None:
    assert ratio_figure(ratio) == text


def test_counts_omit_zeros() -> None:
    summary = find_summary(timed(object_rows()), "Loki")
    assert counts_text(summary.counts) == "slower in 1, the other not finished in 1"


def test_mean_ignores_cells_without_interval() -> None:
    rows = [
        *object_rows({"multipool": 4.0, "loki": 2.0}, (16,)),
        *object_rows({"multipool": 4.0, "loki": 8.0}, (16,), repetitions=1, order="in-order"),
    ]
    mean = find_summary(timed(rows), "Loki").mean
    assert (mean.bounded, mean.median, mean.n) == (True, pytest.approx(2.0), 1)
    alone = find_summary(
        timed(object_rows({"multipool": 4.0, "loki": 8.0}, (16,), repetitions=1)), "Loki"
    ).mean
    assert not alone.bounded
