"""The reports of vectors that grow and shrink, of bursts and of a heap that ages, from rows whose figures are
known beforehand."""

from __future__ import annotations

import pytest
from panels import charts, failures, find_map, maps, points, report_of, styles, texts
from synthetic_heaps import burst_rows, churn_rows, growth_rows, shrink_rows

from mallard.shared.report.model import Report


@pytest.fixture(scope="module")
def growth() -> Report:
    return report_of(growth_rows(types=("int", "myint")))


def test_vectors_have_a_map_for_each_type(growth: Report) -> None:
    assert [section.title for section in growth.sections] == ["type int", "type myint"]
    (plain, _) = maps(growth)
    assert [head.full_name for head in plain.columns] == [
        *("elements 10", "elements 10,000", "elements 1,000,000")
    ]
    assert texts(plain, "heap-v2", "elements 10") == {
        "push_back": "4.08",
        "% of new-delete": "50",
        "calls": "4",
        "forward": "3",
        "capacity": "10",
        "peak live": "40 B",
        "peak": "",
    }
    assert texts(plain, "heap-v2", "elements 1,000,000")["capacity"] == "1,000,000"
    assert failures(plain) == ["out of memory: none left"]


def test_process_growth_needs_large_vectors() -> None:
    (picture,) = maps(report_of(growth_rows("expansion-backward")))
    grown = [texts(picture, "new-delete", head.full_name)["peak"] for head in picture.columns]
    assert grown == ["", "", "5.73 MiB"]
    assert texts(picture, "new-delete", "elements 1,000,000")["peak live"] == "5.72 MiB"


def test_growth_is_drawn_by_type(growth: Report) -> None:
    drawn = charts(growth)
    assert len(drawn) == 6, "times, calls and memory, of two types"
    assert points(drawn[0], "heap-v2")[10] == pytest.approx(4.08)
    assert points(drawn[1], "heap-v2")[10] == 4
    assert points(drawn[2], "new-delete") == {10: 6, 10**4: pytest.approx(6), 10**6: pytest.approx(6)}
    style = styles(drawn[0])
    assert style["heap-v2-masked"] == f"{style['heap-v2']} dashed", "told not to grow in place"


def test_shrinking_reports_returned_memory() -> None:
    (picture,) = maps(report_of(shrink_rows()))
    shown = texts(picture, "heap-v2", "elements 10,000")
    assert (shown["shrink"], shown["with its making"], shown["% of new-delete"]) == ("20.4", "22.4", "0.8")
    assert (shown["allocations"], shown["in place"], shown["offered"]) == ("1", "2,000", "")
    largest = picture.columns[-1].full_name
    assert texts(picture, "heap-v1", largest)["returned"] == "977 KiB"


def test_bursts_have_a_layer_for_each_phase() -> None:
    report = report_of(burst_rows())
    (picture,) = maps(report)
    shown = texts(picture, "heap-burst", "range 1,000")
    assert (shown["insert"], shown["push"], shown["pop"], shown["clear"]) == ("4.08", "6.12", "5.10", "2.55")
    assert shown["overhead %"] == "33.3"
    assert len(charts(report)) == 4
    assert points(charts(report)[0], "heap-burst")[100] == pytest.approx(4.08)


def test_ageing_heap_is_shown_over_time() -> None:
    report = report_of(churn_rows())
    picture = find_map(report, "least of")
    assert texts(picture, "heap", "live 100,000") == {
        "pair": "20.4",
        "first block": "10.2",
        "% of new-delete": "33",
        "held / live": "1.059",
        "bytes a block": "121",
        "peak live": "196 MiB",
        "peak held": "208 MiB",
        "offered": "",
        "trimmed": "0 B",
    }
    tenths = find_map(report, "held / live as the operations go, number of live blocks 100,000")
    assert [head.full_name for head in tenths.columns] == [f"{share} %" for share in range(10, 101, 10)]
    shown = [texts(tenths, "multipool", head.full_name)["held / live"] for head in tenths.columns]
    assert shown == [f"{1.3 + 0.02 * tenth:.2f}" for tenth in range(10)]
    (drawn,) = charts(report)
    assert points(drawn, "multipool")[100] == pytest.approx(1.48)
    assert len(drawn.series) == 6, "all but other mallocs"


@pytest.mark.parametrize("rows", [growth_rows(), shrink_rows(), burst_rows(), churn_rows()])
def test_layers_have_distinct_labels(rows: list[dict[str, object]]) -> None:
    labels = [layer.label for layer in maps(report_of(rows))[0].layers]
    assert len(labels) == len(set(labels)) > 4


def test_the_first_sentence_is_the_answer() -> None:
    answer = report_of(growth_rows("expansion-backward")).answer.text
    assert answer.startswith("Fastest to push an element back over 3 sizes: heap-v2")
    assert report_of(churn_rows()).answer.text.startswith(
        "Fastest to free a block and allocate another: heap"
    )
