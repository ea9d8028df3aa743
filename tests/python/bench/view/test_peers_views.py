"""`mallard show peers` and the report's section, on rows whose figures are known beforehand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from page_parts import part_text, parts_of
from panels import facts, failures, maps, texts
from report_lines import report_of, rows, screen, tables
from synthetic_peers import TIMES, block_rows, object_rows
from synthetic_run import density_rows, write_run

from mallard.bench.analysis.panels import panel_report
from mallard.bench.analysis.peers import CellNames, cell_results, summaries
from mallard.bench.result import Row
from mallard.bench.store import Store
from mallard.bench.view.peers_maps import cells_maps, experiments_map
from mallard.cli import main
from mallard.shared.report.model import Report, Table
from mallard.shared.report.page import Part
from mallard.shared.report.picture import HeatMap


def write(database: Path) -> None:
    write_run(database, block_rows(), experiment="utilization")
    write_run(database, object_rows(), experiment="small-objects")


def shown(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main(["show", "peers", *options]) == 0
    return capsys.readouterr().out


# ---- the verb -----------------------------------------------------------------------------------------


def peers(*words: str) -> Report:
    return report_of("show.peers", "show", "peers", *words)


def row_of(table: Table, name: str) -> list[str]:
    return next(row for row in rows(table) if row[0] == name)


def test_libraries_list_wins_and_losses(database: Path) -> None:
    write(database)
    report = peers("small-objects")
    assert "small-objects, 2 cells" in [section.title for section in report.sections]
    assert not any("utilization" in caption for caption in tables(report))
    timed = tables(report)["small-objects: time"]
    assert row_of(timed, "Loki")[:8] == ["Loki", "2.00", "2.00 to 2.00", "0", "0", "0", "1", "1"]
    assert row_of(timed, "Boost.Pool")[:7] == ["Boost.Pool", "0.91", "0.91 to 0.91", "2", "0", "0", "0"]
    assert report.notes[-1] == "here: runs small-objects 2 (quick)"


def test_losses_name_the_cell(database: Path) -> None:
    write(database)
    lost = rows(tables(peers("--all"))["Where another library is faster"])
    assert [
        *("utilization", "Loki", "2.00", "2.00 to 2.00", "T = 2^30, A = 2^15, S = 2^10"),
        *("multipool 4.08 ns", "loki 2.04 ns"),
    ] in lost
    assert [
        *("small-objects, free", "Loki", "2.00", "2.00 to 2.00", "16 bytes, shuffled, small pages"),
        *("multipool 1.22 ns", "loki 0.61 ns"),
    ] in lost
    ratios = [float(row[2]) for row in lost]
    assert ratios == sorted(ratios, reverse=True)


def test_phases_have_a_separate_table(database: Path) -> None:
    write(database)
    further = tables(peers("--all"))["small-objects: further figures"]
    quantities = {row[0].partition(", ")[2] for row in rows(further)}
    assert quantities == {"allocate", "free", "again", "traverse", "held"}


@pytest.mark.parametrize("width", [80, 120, 200])
def test_lines_fit_the_terminal(database: Path, width: int) -> None:
    write(database)
    for words in ((), ("--all",)):
        lines = screen(peers(*words), width)
        assert max(map(len, lines)) <= width
        assert not any("\N{HORIZONTAL ELLIPSIS}" in line for line in lines)


def test_without_an_experiment_it_is_a_summary(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(database)
    report = peers()
    assert report.answer.text.startswith("Counterpart against counterpart, in ")
    assert row_of(tables(report)["The fastest of each library"], "Loki") == [
        *("Loki", "2.00", "0", "0", "0", "2", "1")
    ]
    pool = row_of(tables(report)["Counterpart against counterpart"], "multipool")
    assert pool[1:7] == ["new-delete@jemalloc", "0.50", "3", "0", "0", "0"]
    assert report.notes[-1] == "'mallard show peers EXPERIMENT' has one in full, '--all' every one"
    summary = shown(capsys).splitlines()
    assert len(summary) < len(shown(capsys, "--all").splitlines())


def test_overview_has_the_mean_and_the_cells(database: Path) -> None:
    write_run(database, block_rows({"multipool": 4.0, "boost-pool": 8.0}), experiment="utilization")
    write_run(database, object_rows(), experiment="small-objects")
    overview = tables(peers("--all"))["All experiments"]
    assert "" in row_of(overview, "utilization"), "a library that is not in it"
    assert row_of(overview, "small-objects")[1:3] == ["0.25 (2/0/0/0)", "0.50 (2/0/0/0)"]
    assert row_of(overview, "small-objects, held")[1] == "0.50 (2/0/0/0)"


def test_json_has_numeric_figures(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(database)
    data = json.loads(shown(capsys, "--json"))
    of_time = [result for result in data["comparisons"] if result["quantity"] == "ns_per_operation"]
    loki = next(
        result
        for result in of_time
        if result["peer"] == "Loki" and result["parameters"].get("object_bytes") == 16
    )
    assert (loki["mallard"]["strategy"], loki["other"]["strategy"], loki["verdict"]) == (
        "multipool",
        "loki",
        "slower",
    )
    assert loki["ratio"] == pytest.approx(2.0)
    pair = next(pair for pair in data["counterparts"] if pair["other"] == "new-delete@jemalloc")
    assert (pair["mallard"], pair["cells"]) == ("multipool", {"faster": 3})
    assert pair["ratio"] == pytest.approx(0.5)
    assert set(pair["experiments"]) == {"small-objects", "utilization"}
    large = next(
        pair for pair in of_time if pair["peer"] == "Loki" and pair["parameters"].get("object_bytes") == 64
    )
    assert (large["other"]["status"], large["ratio"], large["high"]) == ("timed_out", None, None)


def test_one_repetition_has_unbounded_interval(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, object_rows(repetitions=1), experiment="small-objects")
    data = json.loads(shown(capsys, "--json"))
    assert {result["high"] for result in data["comparisons"]} == {None}
    assert "without an interval in" in " ".join(shown(capsys).split())


def test_interrupted_runs_count_on_request(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, object_rows(), experiment="small-objects", finished=False)
    assert main(["show", "peers"]) == 2
    assert "Loki" in shown(capsys, "--run", "all")
    assert "Loki" in shown(capsys, "--run", "1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sorting"], "unknown experiment 'sorting'; allowed are programs, density, "),
        (["--html", "missing/peers.html"], "no directory missing"),
        (["--run", "7"], "no run 7"),
        (["--db", "other.db"], "no database other.db"),
        (
            [],
            "mallard.db has no run with allocators of other libraries; 'mallard bench density --contenders'",
        ),
        (["locality"], "in locality; 'mallard bench locality --contenders' makes one"),
    ],
)
def test_bad_input_names_allowed_values(
    database: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    write_run(database, density_rows())
    assert main(["show", "peers", *words]) == 2
    assert message in capsys.readouterr().err


def test_empty_database_names_measuring_command(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "peers"]) == 2
    assert "'mallard bench density --contenders' makes one" in capsys.readouterr().err
    assert not database.exists()


# ---- the report ---------------------------------------------------------------------------------------


def peers_part(database: Path) -> Part:
    return parts_of(database)[1]["peers"]


def test_the_section_compares_every_experiment(database: Path) -> None:
    write(database)
    part = peers_part(database)
    folded = [section.anchor for section in part.sections if section.is_folded]
    assert folded == ["peers-utilization", "peers-small-objects"]
    text = part_text(part)
    assert "against 5 other libraries: mallard's is faster in 9" in text
    assert "multipool 4.08 ns loki 2.04 ns" in text


def maps_of(natives: list[dict[str, Any]]) -> list[HeatMap]:
    compared = cell_results(Row.from_native(1, native) for native in natives)
    return cells_maps(compared, CellNames(compared))


def test_every_cell_has_both_sides() -> None:
    (blocks,) = maps_of(block_rows())
    assert texts(blocks, "T = 2^30, A = 2^15, S = 2^10", "glibc") == {
        "mallard / it": "0.25",
        "interval": "0.25\u20130.25",
        "who": "multipool\nnew-delete",
        "figures": "4.08 ns\n16.3 ns",
    }
    assert facts(blocks, "T = 2^30, A = 2^15, S = 2^10", "glibc") == {"mallard is": "faster"}
    pictures = maps_of(object_rows())
    assert len(pictures) == 6, "the time, and the other figures"
    assert all(picture.is_folded for picture in pictures), "cells are made when they are opened"
    assert "timed out: loki" in failures(pictures[0])


def test_all_experiments_stand_in_one_map() -> None:
    natives = [*block_rows(), *object_rows(sizes=(1, 4, 16, 64))]
    picture = experiments_map(summaries(cell_results(Row.from_native(1, native) for native in natives)))
    heads = [head.full_name for head in picture.columns]
    assert heads == ["glibc", "jemalloc", "std::pmr", "Boost.Pool", "Loki"]
    labels = [label for (label,), _ in picture.rows]
    assert labels[:3] == ["utilization", "small-objects", "small-objects, allocate"]
    assert texts(picture, "small-objects", "glibc") == {
        "mallard / it": "0.25",
        "interval": "0.25\u20130.25",
        "cells": "4 \u00b7 0 \u00b7 0 \u00b7 0",
    }


def test_cells_stand_in_ascending_order() -> None:
    picture, *_ = maps_of(object_rows({"multipool": 1.0, "loki": 2.0}, (64, 4, 16)))
    assert [int(re.findall(r"\d+", label)[0]) for (label,), _ in picture.rows] == [4, 16, 64]


def test_missing_contenders_name_measuring_command(database: Path) -> None:
    write_run(database, density_rows())
    part = peers_part(database)
    assert part.command == "mallard bench density --contenders"
    assert part.sections == ()


def test_no_losses_means_no_table(database: Path) -> None:
    write_run(database, object_rows({"multipool": 1.0, "boost-pool": 2.0}), experiment="small-objects")
    text = part_text(peers_part(database))
    assert "Where another library is faster" not in text
    assert "No other library is faster in any cell beyond the interval." in text


def test_reports_libraries_missing_from_runner(database: Path) -> None:
    write(database)
    missing = [
        {"name": "foonathan-node", "package": "libfoonathan-memory-dev", "why": "not found"},
        {"name": "foonathan-array", "package": "libfoonathan-memory-dev", "why": "not found"},
    ]
    store = Store(database)
    run = store.run(2)
    number = store.begin_run(
        {
            "experiment": "small-objects",
            "command": run.command,
            "scale": run.scale,
            "machine": run.machine,
            "runner": run.runner | {"missing": missing},
        }
    )
    for row in object_rows():
        store.add_row(number, row)
    store.finish_run(number)
    store.close()
    text = part_text(peers_part(database))
    assert "not measured: foonathan/memory (package libfoonathan-memory-dev)." in text


def test_contenders_appear_in_tables_without_verdict() -> None:
    rows = [Row.from_native(1, native) for native in block_rows(TIMES | {"loki": 0.1})]
    report = panel_report("utilization", rows)
    (picture,) = maps(report)
    assert "loki" in [head.full_name for head in picture.columns]
    assert "loki" not in report.answer.text
