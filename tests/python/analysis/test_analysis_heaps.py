"""Vectors that grow and shrink, bursts and a heap that ages, from rows whose figures are known beforehand."""

from __future__ import annotations

from typing import Any

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

from mallard.analysis.labels import column_words, families
from mallard.analysis.names import contestants, in_table_order
from mallard.analysis.panel.phases import SHARES, figure_table, median_figure, over_time, phase_tables, timed
from mallard.analysis.panel.sentences import phase_sentences
from mallard.analysis.peers.comparison import duels
from mallard.analysis.peers.contests import contests
from mallard.analysis.peers.words import CellNames
from mallard.experiments.heap_churn import FRAGMENTATION
from mallard.experiments.shrink_to_fit import SHRINK, WHOLE
from mallard.experiments.vectors_that_grow import PUSH_BACK
from mallard.library import HEAPS
from mallard.result import Row

MIDDLE = 1.02  # the second of three repetitions


def rows_of(natives: list[dict[str, Any]]) -> list[Row]:
    return [Row.from_native(1, native) for native in natives]


def without(natives: list[dict[str, Any]], strategy: str) -> list[Row]:
    return rows_of([native for native in natives if native["strategy"] != strategy])


def saying(said: list[str], beginning: str) -> str:
    return next(text for text in said if text.startswith(beginning))


# ---- vectors that grow --------------------------------------------------------------------------------


def test_types_have_tables_of_their_own_and_iterations_are_no_setting() -> None:
    tables = phase_tables("expansion-forward", rows_of(growth_rows(types=("myint", "int"))))
    assert [table.setting for table in tables] == [(("type", "int"),), (("type", "myint"),)]
    assert [line.place for line in tables[0].lines] == [(10,), (LARGE,), (1_000_000,)]


def test_calls_are_blocks_and_growths_together() -> None:
    for experiment in ("expansion-forward", "expansion-backward"):
        (table,) = phase_tables(experiment, rows_of(growth_rows(experiment)))
        for name in ("new-delete", "heap-v2", "heap-v2-masked"):
            assert median_figure(table.lines[0], name, "calls") == sum(calls_of(name, 10))


def test_what_failed_stands_beside_what_finished_of_its_size() -> None:
    """The runner tells the number of vectors only if it made some."""
    (table,) = phase_tables("expansion-forward", rows_of(growth_rows()))
    cell = table.lines[-1].cells["boost-allocator-v1"]
    assert (cell.finished, cell.status) == (False, "out_of_memory")
    assert "boost-allocator-v1 did not finish (out of memory) if the number of elements is 1000000." in (
        phase_sentences("expansion-forward", table)
    )


def test_sentences_of_growth_in_place() -> None:
    (table,) = phase_tables("expansion-forward", rows_of(growth_rows()))
    said = phase_sentences("expansion-forward", table)
    least, most = (MIDDLE * push_ns("heap-v2", elements) for elements in (LARGE, 10))
    first = f"Fastest to push an element back over 3 sizes: heap-v2 {least:.2f} to {most:.2f} ns a push_back"
    assert said[0].startswith(first)
    in_place = saying(said, "Growing forward in place takes, of the time of copying: ")
    ratios = [push_ns("heap-v2", n) / push_ns("heap-v2-masked", n) for n in (10, LARGE, 1_000_000)]
    percent = f"{100 * sum(ratios) / 3:.0f}"
    assert f"heap-v2 {percent} % ({percent} to {percent}) of heap-v2-masked's" in in_place
    assert "of boost-allocator-v2-masked's" in in_place
    calls = saying(said, "Calls of the allocator for 10 elements: ")
    assert "heap-v2 4" in calls
    assert "new-delete 5" in calls
    peak = saying(said, "Most bytes that a vector had at one time, at the largest size: ")
    assert "heap-v2 3.8 MiB" in peak
    assert "new-delete 5.7 MiB" in peak


def test_sentences_of_growth_backward() -> None:
    (table,) = phase_tables("expansion-backward", rows_of(growth_rows("expansion-backward")))
    said = phase_sentences("expansion-backward", table)
    assert saying(said, "Growing backward takes, of the time of copying: heap-v2 ")


def test_without_as1_there_is_no_verdict_and_nothing_breaks() -> None:
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


def test_a_shrink_is_timed_apart_from_the_making_of_the_vector() -> None:
    (table,) = phase_tables("shrink-to-fit", rows_of(shrink_rows()))
    line = figure_table(table, "shrink_ns").line(LARGE)
    assert line is not None
    for name in ("new-delete", "heap-v2"):
        assert line.cells[name].ns_per_operation == pytest.approx(MIDDLE * shrink_ns(name, LARGE))
    assert [dict(table.setting)[name] for name in dict(table.setting)] == ["int"], "no step, no iterations"
    apart, whole = (timed(table, time).lines[-1] for time in (SHRINK, WHOLE))
    assert whole.cells["heap-v2"].ns_per_operation == pytest.approx(
        WITH_MAKING * apart.cells["heap-v2"].ns_per_operation, rel=1e-4
    )


def test_a_time_that_nobody_took_has_no_lines() -> None:
    (table,) = phase_tables("shrink-to-fit", rows_of(shrink_rows(sizes=(500,))))
    assert timed(table, PUSH_BACK).lines == []


def test_sentences_of_shrinking() -> None:
    (table,) = phase_tables("shrink-to-fit", rows_of(shrink_rows()))
    said = phase_sentences("shrink-to-fit", table)
    first = "Fastest to erase the last elements and shrink over 5 sizes: heap-v2 20.4 to 22.4 ns a shrink"
    assert said[0].startswith(first)
    assert said[1].startswith("Fastest to make a vector and shrink it to nothing, each shrink over 5 sizes: ")
    in_place = saying(said, "Shrinking in place takes, of the time of copying: ")
    assert "of heap-v1's" in in_place
    assert "of boost-allocator-v1's" in in_place
    returned = saying(said, "Given back to the system of 1000000 elements: ")
    assert "heap-v1 25 %" in returned
    assert "heap-v2 100 %" in returned


def test_small_vectors_tell_nothing_of_the_memory_that_is_given_back() -> None:
    (table,) = phase_tables("shrink-to-fit", rows_of(shrink_rows(sizes=(500, LARGE))))
    said = phase_sentences("shrink-to-fit", table)
    assert not any(text.startswith("Given back") for text in said)


# ---- bursts -------------------------------------------------------------------------------------------


def test_sentences_of_bursts() -> None:
    (table,) = phase_tables("burst", rows_of(burst_rows()))
    said = phase_sentences("burst", table)
    first = MIDDLE * range_ns("multipool-burst")[0]
    assert said[0].startswith(f"Fastest to insert the first time: multipool-burst {first:.2f} ns a node")
    assert saying(said, "Fastest to push one node back: multipool 5.10 ns a node")
    assert saying(said, "Fastest to clear the list: multipool-burst 2.04 ns a node")
    assert "heap 50 % (50 to 50)" in saying(said, "To insert once more in bursts takes, of the time node by")
    assert "multipool 2.6 %" in saying(said, "Overhead of system memory, at most: ")


# ---- a heap that ages ---------------------------------------------------------------------------------


def test_every_tenth_of_a_run_is_a_line_of_its_own() -> None:
    (table,) = phase_tables("heap-churn", rows_of(churn_rows()))
    series = over_time(table.lines[0], FRAGMENTATION)
    assert [line.place for line in series.lines] == [(share,) for share in SHARES]
    for line in series.lines:
        for name in CHURN:
            expected = held_over_live(name, line.place[0])
            assert line.cells[name].ns_per_operation == pytest.approx(expected)


def test_a_run_without_tenths_has_no_lines() -> None:
    natives = churn_rows()
    for native in natives:
        native["figures"] = {"pair_ns": native["figures"]["pair_ns"]}
    (table,) = phase_tables("heap-churn", rows_of(natives))
    assert over_time(table.lines[0], FRAGMENTATION).lines == []
    assert phase_sentences("heap-churn", table)[0].startswith(
        "Fastest to free a block and allocate another: heap"
    )


def test_sentences_of_a_heap_that_ages() -> None:
    (table,) = phase_tables("heap-churn", rows_of(churn_rows()))
    said = phase_sentences("heap-churn", table)
    assert said[0].startswith(
        "Fastest to free a block and allocate another: heap 20.4 ns a pair, 33 % (33 to"
    )
    assert "heap 1.06" in saying(said, "Peak held over peak live, lowest and new-delete: ")
    ageing = saying(said, "Held over live, after a tenth of the operations and at the end: ")
    assert "multipool 1.30 to 1.48" in ageing
    assert "heap 1.05 to 1.06" in ageing
    assert "boost-interprocess" not in ageing, "no contender is told of among mallard's"
    assert "new-delete 493" in saying(said, "Overhead in bytes a block at the end, at most")
    assert "heap 0 B" in saying(said, "Held after all blocks were freed and trimmed")
    assert saying(said, "Under other mallocs: new-delete@mimalloc 67 % (67 to 67)")


# ---- names and comparisons ----------------------------------------------------------------------------


def test_the_heap_stands_after_the_pools_and_before_other_libraries() -> None:
    names = ["boost-allocator-v2", "heap-v2", "realloc", "heap", "new-delete", "fixed-pool", "heap/base/wink"]
    ordered = in_table_order(names)
    assert ordered[:5] == ["new-delete", "fixed-pool", "heap", "heap/base/wink", "heap-v2"]
    assert contestants(names) == ordered[:5]
    assert families(ordered) == [
        ("new-delete", 1),
        ("other pools", 1),
        ("heap", 3),
        ("Boost.Container", 1),
        ("glibc", 1),
    ]


def test_the_heap_is_told_apart_by_binding_and_end() -> None:
    assert [column_words(name) for name in HEAPS] == [
        ("type", ""),
        ("type", "/wink"),
        ("/base", ""),
        ("/base", "/wink"),
    ]
    assert column_words("heap-v2") == ("heap-v2", "")


def test_duels_of_vectors_are_of_one_size_and_type() -> None:
    rows = rows_of(growth_rows(types=("int", "myint")))
    found = [duel for duel in duels(rows) if duel.peer == "Boost.Container"]
    names = CellNames(found)
    assert [names.of(duel) for duel in found][:2] == ["10 elements, int", "10000 elements, int"]
    assert {duel.ours.strategy for duel in found} == {"heap-v2"}
    assert found[0].ratio is not None
    assert found[0].ratio.median == pytest.approx(0.5)
    (large,) = [c for c in contests(rows) if dict(c.cell) == {"elements": 1_000_000, "type": "int"}]
    assert large.unfinished == {"boost-allocator-v1": "out_of_memory"}


def test_backward_growth_is_compared_by_memory_too() -> None:
    found = [d for d in duels(rows_of(growth_rows("expansion-backward"))) if d.peer == "glibc"]
    memory = [duel for duel in found if duel.quantity.figure == "peak_live_bytes"]
    assert len(memory) == 3
    for duel in memory:
        assert duel.ours.value == ELEMENT_BYTES * dict(duel.cell)["elements"]  # type: ignore[operator]
