"""The reports of the papers' benchmarks, from rows whose figures are known beforehand."""

from __future__ import annotations

from typing import Any

import pytest
from panels import (
    blocks,
    charts,
    facts,
    failures,
    find_map,
    find_section,
    find_table,
    maps,
    points,
    report_of,
    sentences,
    spot,
    styles,
    tables,
    texts,
)
from synthetic_experiments import (
    ALL_LOCALITY,
    SHARED,
    access_ns,
    contention_rows,
    fragmentation_rows,
    locality_rows,
    shuffle_table_rows,
    utilization_rows,
)
from synthetic_run import RATIO, density_rows, failed, row

from mallard.bench.analysis.panel.density import summaries
from mallard.bench.papers.printed import P0213
from mallard.bench.papers.registry import table_named
from mallard.bench.result import Row
from mallard.bench.strategy_names import of_papers
from mallard.shared.report.figures import cell_text
from mallard.shared.report.model import Paragraph, Report
from mallard.shared.report.page_map import shade_step
from mallard.shared.report.picture import HeatMap

Natives = list[dict[str, Any]]


def paragraphs(report: Report) -> str:
    return " ".join(block.text for block in blocks(report) if isinstance(block, Paragraph))


def steps(picture: HeatMap, size: str) -> dict[str, str]:
    """The step of the palette of each column."""
    return {head.name: shade_step(spot(picture, size, head.name).tiles[0].shade) for head in picture.columns}


# ---- density ------------------------------------------------------------------------------------------


def test_density_answers_over_all_structures() -> None:
    report = report_of(density_rows())
    assert report.answer.text.startswith("monotonic/wink is fastest overall: 3.7 times as fast")
    assert "27 % (27 to 27) of new-delete's time" in report.answer.text
    verdict = [cell_text(cell) for cell in tables(report)[0].rows[1].cells]
    assert verdict == [
        *("DS2 vector<string>", "monotonic/wink", "27 (27 to 27)", "3.7 x", ""),
        *("multipool+monotonic/wink 36 % (36 to 36)", "none"),
    ]
    name = tables(report)[0].rows[1].cells[0]
    assert name.anchor in {section.anchor for section in report.sections}


def test_every_cell_has_figures() -> None:
    (picture,) = maps(report_of(density_rows(names=("DS2",), sizes=(10,))))
    assert [head.name for head in picture.columns] == ["null", "new-delete", "new-delete-keep", *of_papers(2)]
    assert texts(picture, "2^10", "monotonic") == {
        "% of new-delete": f"{100 * RATIO['monotonic']:.0f}",
        "interval": "30\u201330",
        "ns a leaf": "18.4",
        "against P0213": "0.47\n30 / 64",  # ratio of ratios: 0.30 / (9.63 / 14.99)
        "against P0089": "1.66\n30 / 18",  # ratio of ratios: 0.30 / (13.60 / 75.40)
        "page faults": "5",
        "peak memory": "14.0",
    }
    assert facts(picture, "2^10", "monotonic")["lowest to highest"] == "18.0\u201318.7 ns; 3 repetitions"
    assert texts(picture, "2^10", "new-delete")["% of new-delete"] == "61.2", "new-delete is in nanoseconds"


def test_colours_follow_the_interval() -> None:
    rows = density_rows(names=("DS1",), sizes=(6,), strategies=("new-delete", "monotonic", "multipool"))
    rows += [
        row("DS1", 6, "new-delete/base", r, 26.0 * (1 + 0.02 * r) * factor)
        for r, factor in enumerate((0.9, 1.0, 1.1))
    ]
    rows += [row("DS1", 6, "multipool/base", r, 150.0 * (1 + 0.02 * r)) for r in range(3)]
    (picture,) = maps(report_of(rows))
    assert steps(picture, "2^6") == {
        "new-delete": "",
        "new-delete/base": "eq",
        "monotonic": "f3",
        "multipool": "f3",
        "multipool/base": "s4",
    }


def test_the_fastest_of_a_row_is_best() -> None:
    (picture,) = maps(report_of(density_rows(names=("DS1",), sizes=(6,))))
    ((_, spots),) = picture.rows
    best = {
        layer.label: [spot.tiles[at].is_best for spot in spots] for at, layer in enumerate(picture.layers)
    }
    assert [label for label, flags in best.items() if any(flags)] == [
        "% of new-delete",
        "interval",
        "ns a leaf",
    ]
    names = [head.name for head, spot in zip(picture.columns, spots, strict=True) if spot.tiles[0].is_best]
    assert names == ["monotonic/wink"]


def test_maps_leave_out_bindings_unless_everything_is_asked() -> None:
    rows = density_rows(names=("DS1",), sizes=(6,))
    names = [head.name for head in maps(report_of(rows, everything=False))[0].columns]
    assert "multipool/wink" in names
    assert "multipool/base" not in names


def test_averages_and_effects_are_with_p0213s() -> None:
    natives = density_rows()
    report = report_of(natives)
    averages = find_table(report, "Mean over all rows in percent of new-delete")
    (summary,) = summaries([Row.from_native(1, native) for native in natives])
    by_name = {cell_text(row.cells[0]): [cell_text(cell) for cell in row.cells] for row in averages.rows}
    for name in ("monotonic", "multipool/wink"):
        assert by_name[name][3] == f"{summary.printed_mean(P0213, name):.2f}"
    assert by_name["monotonic/wink"][1:3] == ["AS4", "27.0 (27.0 to 27.0)"]
    lead = paragraphs(report)
    assert "+10.0 % run time through the abstract base here (+10.0 to +10.0), the mean of 28 cells" in lead
    assert "P0213 found 0.78 %." in lead
    assert "+10.0 % of the run time saved here" in lead
    pairs = [cell_text(row.cells[0]) for row in find_table(report, "Gain of winking out").rows]
    assert "multipool+monotonic/base/wink \u00f7 multipool+monotonic/base" in pairs


def test_unfinished_cells_are_marked_and_listed() -> None:
    statuses = {
        "monotonic/base": ("crashed", "signal 11"),
        "monotonic/base/wink": ("timed_out", "after 60 s"),
        "multipool": ("out_of_memory", ""),
    }
    rows = [row for row in density_rows(names=("DS2",)) if row["strategy"] not in statuses]
    rows += [failed("DS2", 10, name, 0, status, detail) for name, (status, detail) in statuses.items()]
    report = report_of(rows)
    (picture,) = maps(report)
    assert failures(picture) == ["crashed: signal 11", "timed out: after 60 s", "out of memory"]
    short = [spot.failure[0] for _, spots in picture.rows for spot in spots if spot.failure]
    assert short == ["died", "time", "mem"]
    listed = [[cell_text(cell) for cell in row.cells[2:]] for row in tables(report)[-1].rows]
    assert ["monotonic/base", "crashed", "signal 11"] in listed
    assert tables(report_of(density_rows()))[-1].caption != "Cells that did not finish"


@pytest.mark.parametrize(
    ("rows", "answer"),
    [
        (density_rows(repetitions=1), "Keep new-delete."),
        (density_rows(strategies=("monotonic", "monotonic/wink")), "there is no overall answer"),
    ],
)
def test_density_has_no_answer_without_intervals_or_base(rows: Natives, answer: str) -> None:
    assert answer in report_of(rows).answer.text


# ---- locality -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def locality() -> Report:
    large = locality_rows(("new-delete", "multipool"), (1 << 25, 1 << 12, 1), links=1 << 25)
    return report_of([*locality_rows(ALL_LOCALITY), *large, *shuffle_table_rows()])


def test_locality_maps_degradation_by_length_and_factor(locality: Report) -> None:
    """Rows begin with the longest lists, columns with the highest access factors."""
    picture = find_map(locality, "new-delete: shuffled")
    assert [labels for labels, _ in picture.rows] == [(f"2^{log2}",) for log2 in (21, 18, 12, 9, 4, 0)]
    assert [head.full_name for head in picture.columns] == ["2^8", "2^4", "2^0"]
    length = 1 << 18
    shuffled, before = (access_ns("new-delete", 1 << 21, length, factor, 16) for factor in (5, 0))
    assert float(texts(picture, "2^18", "2^4")["ratio"]) == pytest.approx(shuffled / before, rel=0.01)
    assert texts(picture, "2^18", "2^0") == {"ratio": "7.91", "ns, shuffled": "8.07"}
    assert facts(picture, "2^18", "2^0") == {
        "95 % interval": "7.91\u20137.91",
        "before the shuffle": "1.02 ns an access",
        "after the shuffle": "8.07 ns an access",
        "new-delete after it": "",
    }
    assert shade_step(spot(picture, "2^18", "2^0").tiles[0].shade) == "s4"


def test_published_maps_are_with_ours(locality: Report) -> None:
    """For each system: new-delete, multipool, the relief by multipool, and its gain."""
    titles = [picture.title for picture in maps(locality)]
    for number in (16, 18, 20, 17, 19, 21):
        assert titles.count(f"P0089 Table {number}") == 1
    for label in ("Table 9", "Table 10", "Table 11, inverted"):
        assert titles.count(f"P0213 {label}") == 1
    table = table_named("p0089:16")
    shown = find_map(locality, "P0089 Table 16")
    assert float(texts(shown, "2^20", "2^0")["ratio"]) == table.rows[(1 << 20,)]["1"] == 11.6


def test_orders_of_reuse_stand_side_by_side(locality: Report) -> None:
    section = find_section(locality, "Orders of reuse side by side")
    names = [block.title.partition(":")[0] for block in section.blocks if isinstance(block, HeatMap)]
    assert {f"multipool-{order}" for order in ("last", "first", "lowest", "hybrid", "random")} <= set(names)
    assert "slowest multipool-random" in sentences(locality)


def test_locality_costs_have_six_layers(locality: Report) -> None:
    costs = find_map(locality, "other costs")
    row = "2^21, 2^0"
    assert texts(costs, row, "multipool") == {
        "build": "5.10",
        "shuffle": "40.8",
        "re-allocation": "10.2",
        "re-access": "2.04",
        "memory": "32.0",
        "after the shuffle": "48.0",
    }
    assert "25 % of new-delete" in " ".join(facts(costs, row, "multipool").values())


def test_shuffle_effects_are_lines_with_table_15(locality: Report) -> None:
    drawn = charts(locality)
    assert [chart.title for chart in drawn] == ["here", "P0089 Table 15"]
    assert [len(chart.series) for chart in drawn] == [8, 8]
    assert [points(chart, "10^6")[1] for chart in drawn] == [pytest.approx(4.6, abs=0.01), 11.4]
    picture = find_map(locality, "new-delete: after n shuffles / before, af = 10")
    assert [head.full_name for head in picture.columns] == [*map(str, range(10))]
    assert [texts(picture, "10^6", str(shuffles))["ratio"] for shuffles in range(3)] == [
        "1.00",
        "4.60",
        "4.96",
    ]


# ---- utilization and contention -----------------------------------------------------------------------


def test_utilization_is_with_the_printed_tables() -> None:
    report = report_of([*utilization_rows(), *utilization_rows(buffer="warm")])
    picture = find_map(report, "T = 2^30 bytes")
    assert picture.corner == ("A", "S")
    first = ", ".join(picture.rows[0][0])
    shown = texts(picture, first, "multipool")
    assert (shown["% of new-delete"], shown["ns an allocation"], shown["held at the end"]) == (
        "40",
        "8.16",
        "0.03",
    )
    ratios = [shown[f"against {paper}"].partition("\n")[0] for paper in ("P0213", "P0089")]
    assert ratios == ["0.90", f"{40 / 46:.2f}"], "P0213 prints seconds, P0089 percents"
    failed_cells = [text for picture in maps(report) for text in failures(picture)]
    assert failed_cells == ["out of memory: needs 32 GiB of 8 GiB"] * 4
    assert "Held at the end, at most: null 1.0 MiB" in paragraphs(report)
    marks = {
        spot.tiles[0].mark
        for picture in maps(report)
        for _, spots in picture.rows
        for spot in spots
        if spot.tiles
    }
    assert marks == {"", "!"}, "page faults are most of some times"


def test_contention_draws_every_strategy_by_threads() -> None:
    other = contention_rows(("new-delete", "new-delete/base", *SHARED), freed_by="other")
    report = report_of([*contention_rows(), *other])
    drawn = charts(report)
    assert len(drawn) == 4, "two sizes of blocks, freed by the thread itself and by another"
    assert [len(drawn[0].series), len(drawn[2].series)] == [10, 4]
    assert points(drawn[0], "synchronized-multipool")[2] == pytest.approx(61.2)
    assert styles(drawn[0])["multipool/base"] == "multipool dashed", "it is behind an abstract base"
    assert drawn[0].mark == (2.0, "cores")
    own, neighbour = (picture for picture in maps(report) if picture.title.startswith("N = 2^15, S = 2^6"))
    assert texts(own, "1", "monotonic")["against P0213"] == "0.99\n25 / 25", "P0213's Table 58"
    assert texts(own, "2", "synchronized-multipool")["CPU ns"] == "61.2"
    assert {texts(neighbour, "1", head.name)["against P0213"] for head in neighbour.columns} == {""}
    assert "Each thread's blocks are freed by its neighbour." in paragraphs(report)
    assert "The slowest thread by the fastest, at most: new-delete 1.11" in paragraphs(report)


# ---- fragmentation ------------------------------------------------------------------------------------


def test_fragmentation_shows_r_by_heap() -> None:
    report = report_of([*fragmentation_rows(("DS1", "DS2")), *fragmentation_rows(upstream="heap")])
    ints = find_map(report, "vector<int>")
    shown = {"D = N": "1.00", "D = N/2": "0.80", "D = N/4": "0.80", "D = N/8": "0.80"}
    assert texts(ints, "2^6", "multipool") == shown
    of_strings = [picture for picture in maps(report) if picture.title == "vector<string>"]
    assert len(of_strings) == 2, "chunks from pages, and from the heap itself"
    from_heap = spot(of_strings[1], "2^6", "multipool").tiles[1]
    assert (from_heap.text, shade_step(from_heap.shade)) == ("0.88", "f1")


def test_fragmentation_has_means_with_print() -> None:
    report = report_of(fragmentation_rows(strategies=of_papers()))
    picture = find_map(report, "R, mean over 2 structures and their sizes")
    names = [head.name for head in picture.columns]
    assert [texts(picture, "all but N", name)["R"] for name in names[:3]] == ["1.25", "1.00", "0.80"]
    assert [texts(picture, "P0213", name)["R"] for name in names[1:4]] == ["0.96", "0.80", "0.81"]
    means = find_table(report, "Mean R over all structures and sizes")
    assert [cell_text(cell) for cell in means.rows[1].cells] == ["monotonic", "0.80 (0.80 to 0.80)", "0.80"]


def test_shifted_columns_are_put_right_and_explained() -> None:
    report = report_of(fragmentation_rows(("DS1", "DS2")))
    section = next(section for section in report.sections if section.title.startswith("P0213R0 Table 18:"))
    notes, table, legend = section.blocks
    assert "under wrong headings" in str(notes)
    assert "no difference from 1" in str(legend)
    heads = [column.title for column in table.columns]
    here, printed = (row.cells for row in table.rows[:2])
    place = heads.index("monotonic\nAS3")
    assert [here[place].value, printed[place].value] == pytest.approx([0.8, 1.13])


def test_compilers_are_compared() -> None:
    natives = contention_rows(("new-delete", "multipool"), compiler="g++")
    slower = contention_rows(("new-delete", "multipool"), compiler="clang++")
    for native in slower:
        native["wall_ns"] *= 1 + (native["strategy"] == "multipool")
    picture = find_map(report_of(natives + slower), "Time with another compiler / with g++")
    ((labels, spots),) = picture.rows
    assert (labels, [spot.tiles[0].text for spot in spots]) == (("clang++",), ["1.00", "2.00"])
    assert "compiler" not in maps(report_of(slower))[-1].title
