"""Vectors that grow and shrink, bursts and a heap that ages, from rows with known figures."""

from __future__ import annotations

import pytest
from synthetic_heaps import (
    CHURN,
    ELEMENT_BYTES,
    LARGE,
    WITH_MAKING,
    burst_rows,
    calls_of,
    churn_rows,
    growth_rows,
    held_over_live,
    push_ns,
    range_ns,
    shrink_ns,
    shrink_rows,
)
from synthetic_rows import to_rows, without

from mallard.bench.analysis.cell_tables import figure_table, median_figure
from mallard.bench.analysis.labels import column_words, families
from mallard.bench.analysis.names import in_table_order, ranked_strategies
from mallard.bench.analysis.panel.phases import (
    SHARES,
    over_time,
    phase_sentences,
    phase_tables,
    timed,
)
from mallard.bench.analysis.peers import CellNames, cell_results, cell_times
from mallard.bench.experiments.heap_churn import FRAGMENTATION
from mallard.bench.experiments.vectors import PUSH_BACK, SHRINK, TOTAL
from mallard.bench.library import HEAPS

MIDDLE = 1.02  # the second of three repetitions


def starting_with(sentences: list[str], beginning: str) -> str:
    return next(text for text in sentences if text.startswith(beginning))


# ---- vectors that grow --------------------------------------------------------------------------------


def test_types_have_tables_and_iterations_do_not() -> None:
    tables = phase_tables("expansion-forward", to_rows(growth_rows(types=("myint", "int"))))
    assert [table.setting for table in tables] == [(("type", "int"),), (("type", "myint"),)]
    assert [line.place for line in tables[0].lines] == [(10,), (LARGE,), (1_000_000,)]


def test_calls_add_blocks_and_growths() -> None:
    for experiment in ("expansion-forward", "expansion-backward"):
        (table,) = phase_tables(experiment, to_rows(growth_rows(experiment)))
        for name in ("new-delete", "heap-v2", "heap-v2-masked"):
            assert median_figure(table.lines[0], name, "calls") == sum(calls_of(name, 10))


def test_failed_cells_stay_in_their_line() -> None:
    """The runner reports the number of vectors only if it made some."""
    (table,) = phase_tables("expansion-forward", to_rows(growth_rows()))
    cell = table.lines[-1].cells["boost-allocator-v1"]
    assert (cell.finished, cell.status) == (False, "out_of_memory")
    assert "boost-allocator-v1 did not finish (out of memory) if the number of elements is 1000000." in (
        phase_sentences("expansion-forward", table)
    )


def test_reports_growth_in_place() -> None:
    (table,) = phase_tables("expansion-forward", to_rows(growth_rows()))
    sentences = phase_sentences("expansion-forward", table)
    least, most = (MIDDLE * push_ns("heap-v2", elements) for elements in (LARGE, 10))
    first = f"Fastest to push an element back over 3 sizes: heap-v2 {least:.2f} to {most:.2f} ns a push_back"
    assert sentences[0].startswith(first)
    in_place = starting_with(sentences, "Growing forward in place takes, of the time of copying: ")
    ratios = [push_ns("heap-v2", n) / push_ns("heap-v2-masked", n) for n in (10, LARGE, 1_000_000)]
    percent = f"{100 * sum(ratios) / 3:.0f}"
    assert f"heap-v2 {percent} % ({percent} to {percent}) of heap-v2-masked's" in in_place
    assert "of boost-allocator-v2-masked's" in in_place
    calls = starting_with(sentences, "Calls of the allocator for 10 elements: ")
    assert "heap-v2 4" in calls
    assert "new-delete 5" in calls
    peak = starting_with(sentences, "Most bytes that a vector had at one time, at the largest size: ")
    assert "heap-v2 3.8 MiB" in peak
    assert "new-delete 5.7 MiB" in peak


def test_reports_growth_backward() -> None:
    (table,) = phase_tables("expansion-backward", to_rows(growth_rows("expansion-backward")))
    sentences = phase_sentences("expansion-backward", table)
    assert starting_with(sentences, "Growing backward takes, of the time of copying: heap-v2 ")


def test_no_verdict_without_base() -> None:
    for experiment, natives in (("expansion-forward", growth_rows()), ("shrink-to-fit", shrink_rows())):
        (table,) = phase_tables(experiment, without(natives, "new-delete"))
        assert (
            phase_sentences(experiment, table)[0] == "No verdict: new-delete has not finished in every row."
        )
    (table,) = phase_tables("burst", without(burst_rows(), "new-delete"))
    assert phase_sentences("burst", table)[0] == "No verdict: new-delete has not finished in every row."
    (table,) = phase_tables("heap-churn", without(churn_rows(), "new-delete"))
    assert phase_sentences("heap-churn", table)[0] == "No verdict: new-delete has not finished in every row."


# ---- vectors that shrink ------------------------------------------------------------------------------


def test_shrink_time_excludes_building_the_vector() -> None:
    (table,) = phase_tables("shrink-to-fit", to_rows(shrink_rows()))
    line = figure_table(table, "shrink_ns").line(LARGE)
    for name in ("new-delete", "heap-v2"):
        assert line.cells[name].ns_per_operation == pytest.approx(MIDDLE * shrink_ns(name, LARGE))
    assert [dict(table.setting)[name] for name in dict(table.setting)] == ["int"], "no step, no iterations"
    shrink, with_build = (timed(table, time).lines[-1] for time in (SHRINK, TOTAL))
    assert with_build.cells["heap-v2"].ns_per_operation == pytest.approx(
        WITH_MAKING * shrink.cells["heap-v2"].ns_per_operation, rel=1e-4
    )


def test_missing_time_has_no_lines() -> None:
    (table,) = phase_tables("shrink-to-fit", to_rows(shrink_rows(sizes=(500,))))
    assert timed(table, PUSH_BACK).lines == []


def test_reports_shrinking() -> None:
    (table,) = phase_tables("shrink-to-fit", to_rows(shrink_rows()))
    sentences = phase_sentences("shrink-to-fit", table)
    first = "Fastest to erase the last elements and shrink over 5 sizes: heap-v2 20.4 to 22.4 ns a shrink"
    assert sentences[0].startswith(first)
    assert sentences[1].startswith(
        "Fastest to make a vector and shrink it to nothing, each shrink over 5 sizes: "
    )
    in_place = starting_with(sentences, "Shrinking in place takes, of the time of copying: ")
    assert "of heap-v1's" in in_place
    assert "of boost-allocator-v1's" in in_place
    returned = starting_with(sentences, "Given back to the system of 1000000 elements: ")
    assert "heap-v1 25 %" in returned
    assert "heap-v2 100 %" in returned


def test_small_vectors_report_no_returned_memory() -> None:
    (table,) = phase_tables("shrink-to-fit", to_rows(shrink_rows(sizes=(500, LARGE))))
    sentences = phase_sentences("shrink-to-fit", table)
    assert not any(text.startswith("Given back") for text in sentences)


# ---- bursts -------------------------------------------------------------------------------------------


def test_reports_bursts() -> None:
    (table,) = phase_tables("burst", to_rows(burst_rows()))
    sentences = phase_sentences("burst", table)
    first = MIDDLE * range_ns("multipool-burst")[0]
    assert sentences[0].startswith(f"Fastest to insert the first time: multipool-burst {first:.2f} ns a node")
    assert starting_with(sentences, "Fastest to push one node back: multipool 5.10 ns a node")
    assert starting_with(sentences, "Fastest to clear the list: multipool-burst 2.04 ns a node")
    assert "heap 50 % (50 to 50)" in starting_with(
        sentences, "To insert once more in bursts takes, of the time node by"
    )
    assert "multipool 2.6 %" in starting_with(sentences, "Overhead of system memory, at most: ")


# ---- a heap that ages ---------------------------------------------------------------------------------


def test_every_tenth_of_a_run_is_a_line() -> None:
    (table,) = phase_tables("heap-churn", to_rows(churn_rows()))
    series = over_time(table.lines[0], FRAGMENTATION)
    assert [line.place for line in series.lines] == [(share,) for share in SHARES]
    for line in series.lines:
        for name in CHURN:
            expected = held_over_live(name, line.place[0])
            assert line.cells[name].ns_per_operation == pytest.approx(expected)


def test_run_without_tenths_has_no_lines() -> None:
    natives = churn_rows()
    for native in natives:
        native["figures"] = {"pair_ns": native["figures"]["pair_ns"]}
    (table,) = phase_tables("heap-churn", to_rows(natives))
    assert over_time(table.lines[0], FRAGMENTATION).lines == []
    assert phase_sentences("heap-churn", table)[0].startswith(
        "Fastest to free a block and allocate another: heap"
    )


def test_reports_a_heap_that_ages() -> None:
    (table,) = phase_tables("heap-churn", to_rows(churn_rows()))
    sentences = phase_sentences("heap-churn", table)
    assert sentences[0].startswith(
        "Fastest to free a block and allocate another: heap 20.4 ns a pair, 33 % (33 to"
    )
    assert "heap 1.06" in starting_with(sentences, "Peak held over peak live, lowest and new-delete: ")
    ageing = starting_with(sentences, "Held over live, after a tenth of the operations and at the end: ")
    assert "multipool 1.30 to 1.48" in ageing
    assert "heap 1.05 to 1.06" in ageing
    assert "boost-interprocess" not in ageing, "no contender is told of among mallard's"
    assert "new-delete 493" in starting_with(sentences, "Overhead in bytes a block at the end, at most")
    assert "heap 0 B" in starting_with(sentences, "Held after all blocks were freed and trimmed")
    assert starting_with(sentences, "Under other mallocs: new-delete@mimalloc 67 % (67 to 67)")


# ---- names and results ----------------------------------------------------------------------------


def test_heap_is_sorted_between_pools_and_libraries() -> None:
    names = ["boost-allocator-v2", "heap-v2", "realloc", "heap", "new-delete", "fixed-pool", "heap/base/wink"]
    ordered = in_table_order(names)
    assert ordered[:5] == ["new-delete", "fixed-pool", "heap", "heap/base/wink", "heap-v2"]
    assert ranked_strategies(names) == ordered[:5]
    assert families(ordered) == [
        ("new-delete", 1),
        ("other pools", 1),
        ("heap", 3),
        ("Boost.Container", 1),
        ("glibc", 1),
    ]


def test_heap_columns_have_binding_and_destruction() -> None:
    assert [column_words(name) for name in HEAPS] == [
        ("type", ""),
        ("type", "/wink"),
        ("/base", ""),
        ("/base", "/wink"),
    ]
    assert column_words("heap-v2") == ("heap-v2", "")


def test_vector_results_have_one_size_and_type() -> None:
    rows = to_rows(growth_rows(types=("int", "myint")))
    compared = [result for result in cell_results(rows) if result.peer == "Boost.Container"]
    names = CellNames(compared)
    assert [names.of(result) for result in compared][:2] == ["10 elements, int", "10000 elements, int"]
    assert {result.ours.strategy for result in compared} == {"heap-v2"}
    assert compared[0].ratio.median == pytest.approx(0.5)
    (large,) = [c for c in cell_times(rows) if dict(c.cell) == {"elements": 1_000_000, "type": "int"}]
    assert large.unfinished == {"boost-allocator-v1": "out_of_memory"}


def test_compares_backward_growth_by_memory() -> None:
    compared = [d for d in cell_results(to_rows(growth_rows("expansion-backward"))) if d.peer == "glibc"]
    memory = [result for result in compared if result.quantity.figure == "peak_live_bytes"]
    assert len(memory) == 3
    for result in memory:
        assert result.ours.value == ELEMENT_BYTES * dict(result.cell)["elements"]  # type: ignore[operator]
