"""The reports of small-objects, fixed-block, adaptive-pool, programs and primitives, from rows whose figures
are known beforehand."""

from __future__ import annotations

import pytest
from panels import (
    charts,
    failures,
    find_map,
    find_table,
    maps,
    points,
    report_of,
    sentences,
    spot,
    styles,
    texts,
)
from synthetic_pools import adaptive_pool_rows, fixed_block_rows, program_rows, small_objects_rows
from synthetic_rows import native_row

from mallard.shared.report.figures import cell_text
from mallard.shared.report.model import Report, Table


@pytest.fixture(scope="module")
def small() -> Report:
    return report_of(small_objects_rows(orders=("shuffled", "in-order")))


def line(table: Table, *begin: str) -> list[str]:
    """The words of the first row that begins so."""
    rows = ([cell_text(cell) for cell in row.cells] for row in table.rows)
    return next(words for words in rows if tuple(words[: len(begin)]) == begin)


def test_small_objects_have_a_layer_for_each_phase(small: Report) -> None:
    assert small.sections[0].title == "objects 1000000, order shuffled, pages small"
    picture = maps(small)[0]
    assert texts(picture, "small-object-pool", "N 16") == {
        "allocate": "2.55",
        "free": "5.10",
        "again": "3.06",
        "traverse": "1.02",
        "% of new-delete": "18",
        "held": "16.3",
        "freed": "64.0 KiB",
        "offered": "",
        "returned": "4.00 KiB",
    }
    assert "25 % of new-delete" in " ".join(spot(picture, "small-object-pool", "N 16").facts)
    assert "timed out: not done after 10 s" in failures(picture)
    assert texts(picture, "null", "N 16")["free"] == "", "it frees nothing"


def test_the_fastest_of_each_phase_is_best(small: Report) -> None:
    picture = maps(small)[0]
    best = {
        layer.label: [labels[0] for labels, spots in picture.rows if spots[1].tiles[place].is_best]
        for place, layer in enumerate(picture.layers[:4])
    }
    assert best == {
        "allocate": ["multipool"],
        "free": ["fixed-pool"],
        "again": ["small-object-pool"],
        "traverse": ["small-object-pool"],
    }


def test_small_objects_have_lines_over_n(small: Report) -> None:
    drawn = charts(small)
    assert len(drawn) == 12, "four phases and two kinds of memory, in two orders"
    assert points(drawn[2], "small-object-pool")[16] == pytest.approx(3.06)
    assert len(drawn[0].series) == 6
    assert "null" not in styles(drawn[1]), "it frees nothing"
    assert 64 not in points(drawn[1], "loki")


def test_loki_is_with_the_blog(small: Report) -> None:
    times = find_table(small, "a million objects of N bytes, seconds of each phase")
    assert line(times, "1", "allocation") == ["1", "allocation", "here", "8.67", "80"]
    memory = find_table(small, "a million objects of N bytes, kB")
    assert line(memory, "20") == ["20", "here", "40.0", "82"]


def test_the_works_are_with_the_book() -> None:
    report = report_of(fixed_block_rows())
    table = find_table(report, "the default allocator and blocks of one size, work by work")
    assert line(table, "new-delete") == ["new-delete", "here", "10.2", "5.0"]
    picture = find_map(report, "works")
    assert picture.columns[4].words == ("remove-ctrl", "as-printed")
    assert texts(picture, "new-delete", "remove-ctrl, append")["ns"] == "2,040"
    assert spot(picture, "class-new", "replace").tiles[0].is_best


def test_programs_have_shares_and_their_mean() -> None:
    report = report_of(program_rows())
    assert [section.title[-10:] for section in report.sections] == ["size small", "size large"]
    assert "multipool takes 91 % (91 to 91)" in sentences(report)
    picture = maps(report)[0]
    assert [layer.title != "" for layer in picture.layers] == [False, True, True], "shares are compared"
    shares = {
        name: [spot(picture, name, work).tiles[1:2] for work in ("json", "cache", "mean")]
        for name in ("new-delete", "new-delete@tcmalloc", "monotonic", "multipool")
    }
    assert {name: [tile.text for tiles in of_name for tile in tiles] for name, of_name in shares.items()} == {
        "new-delete": ["102", "204", ""],
        "new-delete@tcmalloc": ["80", "50", "63"],
        "monotonic": ["40", "40"],
        "multipool": ["60", "55", "57"],
    }
    assert texts(picture, "multipool", "json") == {
        "ns": "61.2",
        "% of new-delete": "60",
        "held": "2.00 MiB",
    }


def test_adaptive_pools_draw_bursts_dashed() -> None:
    report = report_of(adaptive_pool_rows())
    drawn = charts(report)
    assert len(drawn) == 6
    assert points(drawn[0], "adaptive-pool-burst")[100] == pytest.approx(5.10)
    style = styles(drawn[0])
    assert style["adaptive-pool-burst"] == f"{style['adaptive-pool']} dashed"
    (picture,) = maps(report)
    assert texts(picture, "fixed-pool-burst", "range 100")["erase"] == "1.02"
    assert texts(picture, "new-delete", "range 100")["overhead %"] == "33.5"


def test_primitives_are_a_table_with_spreads() -> None:
    rows = [
        native_row("primitives", {"operation": operation}, strategy, number, time + 0.1 * number, 1000)
        for operation in ("pair", "create")
        for strategy, time in (("multipool/base", 3.0), ("monotonic", 0.5))
        for number in range(3)
    ]
    table = find_table(report_of(rows), "Nanoseconds for one operation")
    assert [cell_text(cell) for cell in table.rows[0].cells] == [
        *("monotonic", "0.60", "0.50 to 0.70", "0.60", "0.50 to 0.70")
    ]
    name = table.rows[1].cells[0]
    assert "behind the abstract base" in name.about
