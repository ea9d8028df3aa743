"""Small objects, fixed blocks and adaptive pools, from rows with known figures: figures that replace times,
and sentences.
"""

from __future__ import annotations

import pytest
from synthetic_pools import (
    OBJECTS,
    SIZES,
    adaptive_pool_rows,
    bytes_held,
    fixed_block_rows,
    program_rows,
    range_ns,
    small_ns,
    small_objects_rows,
)
from synthetic_rows import to_rows, without

from mallard.bench.analysis.cell_tables import figure_table, median_figure
from mallard.bench.analysis.panel.phases import (
    bytes_text,
    cell_amount,
    phase_sentences,
    phase_tables,
    span_text,
    with_bursts,
)
from mallard.bench.analysis.panel.works import (
    group_works,
    mean_over_works,
    work_sentences,
    work_strategies,
)
from mallard.bench.experiments.small_objects import HELD

MIDDLE = 1.02  # the second of three repetitions


def test_figure_replaces_the_time() -> None:
    (table,) = phase_tables("small-objects", to_rows(small_objects_rows()))
    frees = figure_table(table, "free_ns")
    for line in frees.lines:
        size = line.place[0]
        for name in ("new-delete", "multipool", "small-object-pool"):
            assert line.cells[name].ns_per_operation == pytest.approx(MIDDLE * small_ns(name, size)[1])
        ratio = line.cells["small-object-pool"].ratio
        assert ratio.median == pytest.approx(0.25)
    assert [line.place for line in frees.lines] == [(size,) for size in SIZES]


def test_drops_idle_cells_and_keeps_failures() -> None:
    (table,) = phase_tables("small-objects", to_rows(small_objects_rows()))
    largest = figure_table(table, "free_ns").lines[-1]
    assert "null" not in largest.cells, "it frees nothing"
    assert (largest.cells["loki"].finished, largest.cells["loki"].status) == (False, "timed_out")
    assert figure_table(table, "free_ns").setting == table.setting


def test_missing_figure_leaves_no_cells() -> None:
    (table,) = phase_tables("small-objects", to_rows(small_objects_rows(("new-delete", "multipool"))))
    assert all(not line.cells for line in figure_table(table, "wink_ns").lines)
    assert median_figure(table.lines[0], "new-delete", "wink_ns") is None
    assert median_figure(table.lines[0], "multipool/base", "held_bytes") is None


def test_tables_by_setting_start_with_the_blog() -> None:
    natives = small_objects_rows(("new-delete",), orders=("in-order", "shuffled"), pages=("huge", "small"))
    settings = [dict(table.setting) for table in phase_tables("small-objects", to_rows(natives))]
    assert [(setting["order"], setting["pages"]) for setting in settings] == [
        ("shuffled", "small"),
        ("shuffled", "huge"),
        ("in-order", "small"),
        ("in-order", "huge"),
    ]
    assert {setting["objects"] for setting in settings} == {OBJECTS}


def test_divides_memory_by_objects() -> None:
    (table,) = phase_tables("small-objects", to_rows(small_objects_rows()))
    for line in table.lines:
        held = cell_amount(table, line, "small-object-pool", HELD, "objects")
        assert held == pytest.approx(bytes_held("small-object-pool", line.place[0]))
    assert cell_amount(table, table.lines[0], "multipool/base", HELD, "objects") is None


def test_reports_small_objects() -> None:
    (table,) = phase_tables("small-objects", to_rows(small_objects_rows()))
    sentences = phase_sentences("small-objects", table)
    all_phases = next(
        text for text in sentences if text.startswith("Fastest to go through all phases over 4 sizes")
    )
    assert "small-object-pool" in all_phases
    assert f"{100 * 11.5 / 65:.0f} % ({100 * 11.5 / 65:.0f} to" in all_phases
    assert any(
        text.startswith("Fastest to allocate them all: multipool") and "fixed-pool" in text
        for text in sentences
    )
    assert any(
        "Fastest to touch each new object" in text and "small-object-pool" in text for text in sentences
    )
    assert any(text.startswith("Taking the pages alone (null)") and "2.0 times" in text for text in sentences)
    assert any(
        "Bytes held for each byte asked for, least and new-delete: small-object-pool 1.02" in t
        for t in sentences
    )
    still_held = next(text for text in sentences if text.startswith("Still held after the first free"))
    assert "small-object-pool 64 KiB" in still_held
    assert "loki did not finish (timed out) if N is 64." in sentences


def test_no_verdict_without_base() -> None:
    (table,) = phase_tables("small-objects", without(small_objects_rows(), "new-delete"))
    assert (
        phase_sentences("small-objects", table)[0] == "No verdict: new-delete has not finished in every row."
    )
    (table,) = phase_tables("adaptive-pool", without(adaptive_pool_rows(), "new-delete"))
    assert (
        phase_sentences("adaptive-pool", table)[0] == "No verdict: new-delete has not finished in every row."
    )
    (works,) = group_works("fixed-block", without(fixed_block_rows(), "new-delete")).values()
    assert work_sentences("fixed-block", works)[0] == "new-delete: no verdict, new-delete has not finished."


def test_works_follow_the_order_of_the_book() -> None:
    by_setting = group_works("fixed-block", to_rows(fixed_block_rows()[::-1]))
    assert list(by_setting) == [()]
    (works,) = by_setting.values()
    assert [work.label for work in works] == [
        "new-delete",
        "replace",
        "list",
        "map",
        "remove-ctrl, as-printed",
        "remove-ctrl, append",
    ]
    assert work_strategies(works)[:4] == ["null", "new-delete", "multipool", "fixed-pool"]


def test_reports_fixed_blocks() -> None:
    (works,) = group_works("fixed-block", to_rows(fixed_block_rows())).values()
    sentences = work_sentences("fixed-block", works)
    assert sentences[0].startswith(
        "new-delete: class-new 0.51 ns a pair, 5.0 % (5.0 to 5.0) of new-delete's time"
    )
    comparison = next(text for text in sentences if text.startswith("Default / blocks of one size"))
    assert "new-delete 20.0 (16.0)" in comparison
    assert "list 10.0 (6.6)" in comparison
    assert "remove-ctrl" in comparison, "as printed"
    better = next(text for text in sentences if text.startswith("remove-ctrl as printed"))
    assert "append 2040 ns: 12.0 times as fast." in better


def test_programs_are_compared_with_the_fastest_malloc_of_each() -> None:
    works = next(iter(group_works("programs", to_rows(program_rows())).values()))
    assert [work.label for work in works] == ["json", "cache"]
    sentences = work_sentences("programs", works)
    assert sentences[0].startswith(
        "monotonic takes 50 % (50 to 50) of the time of the malloc that is fastest"
    )
    assert "in json, 50 to 50 %." in sentences[0]
    assert sentences[1].startswith("multipool takes 91 % (91 to 91)")
    assert sentences[1].endswith("75 to 110 %. A malloc is faster in cache (tcmalloc, 110 %).")
    mean = mean_over_works(works, "multipool")
    assert mean.median == pytest.approx((0.6 * 0.55) ** 0.5)
    assert mean_over_works(works, "heap") is None


def test_one_malloc_is_not_called_the_fastest() -> None:
    rows = [row for row in to_rows(program_rows()) if "@" not in row.strategy]
    works = next(iter(group_works("programs", rows).values()))
    assert "of the C library's malloc, the only one measured, in" in work_sentences("programs", works)[0]


def test_reports_adaptive_pools() -> None:
    (table,) = phase_tables("adaptive-pool", to_rows(adaptive_pool_rows()))
    sentences = phase_sentences("adaptive-pool", table)
    first = MIDDLE * range_ns("fixed-pool-burst")[0]
    assert sentences[0].startswith(
        f"Fastest to insert the first time: fixed-pool-burst {span_text([first])} ns a node"
    )
    bursts = next(text for text in sentences if text.startswith("To insert the first time in bursts"))
    assert "adaptive-pool 50 % (50 to 50)" in bursts
    overhead = next(text for text in sentences if text.startswith("Overhead of system memory"))
    assert "fixed-pool 0.5 %" in overhead
    assert "new-delete 33.5 %" in overhead
    held = next(text for text in sentences if text.startswith("Held after all nodes were erased"))
    assert "adaptive-pool 64 KiB" in held
    kept = next(text for text in sentences if text.startswith("Kept by the pools themselves"))
    assert "adaptive-pool 16 KiB" in kept


def test_pairs_plain_and_burst_strategies() -> None:
    assert with_bursts(["new-delete", "a", "a-burst", "b-burst"]) == [("a", "a-burst")]


def test_formats_figures() -> None:
    assert span_text([2.0]) == "2.00"
    assert span_text([3.0, 1.5]) == "1.50 to 3.00"
    assert bytes_text(-4096.0) == "0 B"
    assert bytes_text(float(3 << 20)) == "3.0 MiB"
