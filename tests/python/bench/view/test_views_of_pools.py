"""The views of small-objects, fixed-block and adaptive-pool in the terminal and on the page, and `mallard
table` of the Loki test and of Optimized C++, from rows whose figures are known beforehand."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from heat_maps import by_strategy, without_data
from line_plots import line_plots
from looks_of_runs import Natives, line_of, report_of, section, shown, text_of, write_runs
from page_reader import read
from synthetic_pools import adaptive_pool_rows, fixed_block_rows, program_rows, small_objects_rows
from synthetic_run import write_run

from mallard.bench.result import Row
from mallard.cli import main
from mallard.shared.view.html.line_plot import LinePlot, Series

ALL: dict[str, Natives] = {
    "small-objects": small_objects_rows(orders=("shuffled", "in-order")),
    "fixed-block": fixed_block_rows(),
    "adaptive-pool": adaptive_pool_rows(),
    "programs": program_rows(),
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_runs(tmp_path_factory.mktemp("pools") / "mallard.db", ALL)


@pytest.fixture(scope="module")
def page(database: Path) -> str:
    return report_of(database)


# ---- the terminal -------------------------------------------------------------------------------------


def test_small_objects_have_phase_blocks(database: Path) -> None:
    text = shown(database, "small-objects")
    assert "objects 1000000, order shuffled, pages small" in text
    assert line_of(text, "free: ", "new-delete") == ["new-delete", "17.3", "20.4", "21.2", "30.2"]
    assert line_of(text, "free: ", "fixed-pool") == ["fixed-pool", "3.47*", "4.08*", "4.24*", "6.04*"]
    assert line_of(text, "free: ", "loki")[-1] == "time"
    assert line_of(text, "again: ", "small-object-pool")[2] == "3.06*"
    assert line_of(text, "held after the first allocation", "new-delete") == [
        "new-delete",
        "32.0",
        "32.0",
        "32.0",
        "80.0",
    ]
    assert "64 KiB" in text


def test_columns_that_do_not_fit_go_below(database: Path) -> None:
    narrow = shown(database, "small-objects", 44)
    blocks = narrow[narrow.index("free: ") : narrow.index("again: ")]
    assert blocks.count("new-delete ") == 2


def test_works_have_columns_and_book_figures(database: Path) -> None:
    text = shown(database, "fixed-block", 140)
    line = line_of(text, "ns an operation", "new-delete")
    assert line[1:] == ["10.2", "16.3", "20400", "52020", "24480", "2040"]
    assert line_of(text, "ns an operation", "class-new")[1:3] == ["0.51*", "1.02*"]
    assert "new-delete: new-delete / class-new 10.2 / 0.51 ns = 20.0; in the book 16.0" in text
    assert "as-printed" in text


def test_programs_have_shares_and_their_mean(database: Path) -> None:
    text = shown(database, "programs", 100)
    assert "size small" in text
    assert "size large" in text
    title = "time: in percent of new-delete's"
    assert line_of(text, title, "strategy") == ["strategy", "json", "cache", "mean"]
    assert line_of(text, title, "new-delete") == ["new-delete", "102", "204", "-"]
    assert line_of(text, title, "new-delete@tcmalloc") == ["new-delete@tcmalloc", "80", "50", "63"]
    assert line_of(text, title, "monotonic") == ["monotonic", "40*", "-", "40"]
    assert line_of(text, title, "multipool") == ["multipool", "60", "55*", "57"]
    held = line_of(text, "Growth of the process at the peak", "multipool")
    assert held == ["multipool", "2.0", "MiB", "2.0", "MiB"]


def test_adaptive_pools_have_range_columns(database: Path) -> None:
    text = shown(database, "adaptive-pool")
    assert line_of(text, "erase: erase the first time, ns a node", "adaptive-pool")[1:] == ["6.12"] * 4
    assert line_of(text, "erase: erase the first time, ns a node", "fixed-pool-burst")[1:] == ["1.02*"] * 4
    assert line_of(text, "overhead of system memory", "new-delete")[1:] == ["33.5"] * 4


# ---- the page -----------------------------------------------------------------------------------------


def test_page_is_well_formed_with_unique_ids(page: str) -> None:
    reader = read(page)
    assert len(reader.ids) == len(set(reader.ids))
    assert "NaN" not in without_data(page)


def test_small_objects_have_lines_over_n(page: str) -> None:
    plots = line_plots(page, "small-objects")
    assert len(plots) == 12, "four phases and two kinds of memory, in two orders"
    assert plots[2].value("small-object-pool", "16") == "3.06"
    assert len(plots[0].series) == 6
    assert "null" not in plots[1].series, "it frees nothing"
    assert "64" not in plots[1].series["loki"].values
    assert "global" in {series.class_ for series in plots[0].series.values()}


def test_a_cell_has_every_phase_and_the_memory(page: str) -> None:
    table = by_strategy(page, "small-objects")
    cell = table.cell("small-object-pool", "N 16")
    assert cell.shown == {
        "n": "2.55",
        "f": "5.10",
        "c": "3.06",
        "a": "1.02",
        "p": "18",
        "b": "15.6",
        "r": "0.06",
        "s": "\u2013",
        "v": "0.00",
    }
    assert "25 % of new-delete" in " ".join(cell.terms.values())
    assert cell.classes["c"] in ("f5 best", "f4 best")
    assert "timed out: not done after 10 s" in {cell.status for cell in table.cells}


def test_loki_stands_beside_the_blog(page: str) -> None:
    text = text_of(section(page, "small-objects"))
    assert "1 allocation 8.67 6.94 80 81.0 56.0 69" in text
    assert "20 memory" in text


def test_the_works_stand_beside_the_book(page: str) -> None:
    text = section(page, "fixed-block")
    assert "new-delete class-new 10.2 0.51 5.0 5.0\u20135.0" in text_of(text)
    assert text.count('class="mark book"') == 5
    assert "20\u00d7 16\u00d7" in text_of(text)


def test_adaptive_pools_plot_bursts_dashed(page: str) -> None:
    plots = line_plots(page, "adaptive-pool")
    assert len(plots) == 6
    assert plots[0].value("adaptive-pool-burst", "100") == "5.10"
    plain, burst = (plots[0].series[name].class_ for name in ("adaptive-pool", "adaptive-pool-burst"))
    assert burst == f"{plain} dashed"


def test_programs_show_times_shares_and_memory(page: str) -> None:
    text = text_of(section(page, "programs"))
    assert "size small" in text
    assert "multipool takes 91 % (91 to 91)" in text
    cell = by_strategy(page, "programs").cell("multipool", "json")
    assert cell.shown == {"n": "61.2", "p": "60", "m": "2.00"}


def test_glance_lists_section_answers(page: str) -> None:
    text = text_of(re.findall(r'<section class="glance">.*?</section>', page)[0])
    assert "Adaptive pools Fastest to insert the first time" in text


def test_unmeasured_sections_name_commands(database: Path) -> None:
    output = database.with_name("one.html")
    assert main(["show", "page", "--run", "3", "-o", str(output), "--db", str(database)]) == 0
    text = output.read_text(encoding="utf-8")
    assert "mallard bench small-objects --quick" in text_of(section(text, "small-objects"))
    assert ">Small objects</a>" in text


def test_omits_overlapping_ticks() -> None:
    points = [(float(x), 1.0) for x in (1, 4, 8, 10, 16, 20, 24, 30, 32, 40, 48, 50, 64)]
    drawing = LinePlot("t", "N", "ns", [Series("new-delete", points, "global")], logarithmic_x=False).markup()
    ticks = [int(text) for text in re.findall(r">(\d+)<", re.findall(r'class="tick" .*?</g>', drawing)[0])]
    assert {1, 16, 64} <= set(ticks)
    assert not {30, 32} <= set(ticks)
    assert len(re.findall(r'points="([^"]*)"', drawing)[0].split(" ")) == len(points)


# ---- printed tables -----------------------------------------------------------------------------------


def lines_from(text: str, label: str) -> list[list[str]]:
    lines = [line.split() for line in text.splitlines()]
    start = next(n for n, line in enumerate(lines) if " ".join(line).startswith(label))
    return lines[start:]


def test_loki_test_is_compared_with_print(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "table", "loki:time-shuffled", "--db", str(database)]) == 0
    text = capsys.readouterr().out
    measured, printed, ratio = lines_from(text, "1 deallocation here")[:3]
    assert measured[2:] == ["here", "17.3", "4000"]
    assert printed == ["printed", "148", "2954"]
    assert ratio == ["ratio", "1.35"]
    assert "30 times (1 byte) to 93 times (50 bytes)" in " ".join(text.split())


def test_memory_stands_in_bytes_an_object(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "table", "loki:memory", "--db", str(database)]) == 0
    text = capsys.readouterr().out
    measured, printed = lines_from(text, "20 here")[:2]
    assert measured[1:3] == ["here", "40.0"], "32 bytes and the pointer"
    assert printed[1] == "58.6", "57196 kB of a million"
    assert "new-delete: bytes an object" in text


def test_the_book_s_times_stand_beside_ours(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "table", "optimized:times", "--db", str(database)]) == 0
    text = capsys.readouterr().out
    assert re.search(r"here: run \d+$", text, re.MULTILINE), "without a setting no comma"
    measured, printed, _ = lines_from(text, "new-delete here")[:3]
    assert measured == ["new-delete", "here", "10.2", "5.0"]
    assert printed == ["printed", "64.0", "6.2"]


@pytest.mark.parametrize(
    ("table", "command"),
    [
        (
            "loki:time-in-order",
            "mallard bench small-objects --object-bytes 1,10,20,30,40,50 --order in-order",
        ),
        ("loki:memory", "mallard bench small-objects --object-bytes 1,20,40 --order shuffled"),
        ("optimized:times", "mallard bench fixed-block"),
    ],
)
def test_without_rows_the_command_that_measures_a_table(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    table: str,
    command: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MALLARD_DB", raising=False)
    assert main(["show", "table", table]) == 0
    assert command in " ".join(capsys.readouterr().out.split())


def test_unfinished_cell_is_marked_beside_print(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [Row.from_native(1, native) for native in small_objects_rows(sizes=(50,))]
    late = [replace(row, status="timed_out") for row in rows if row.strategy == "loki"]
    kept = [row for row in rows if row.strategy != "loki"]
    natives = [row.to_dict() | {"format": 1} for row in (*kept, late[0])]
    for native in natives:
        del native["run_id"]
    write_run(tmp_path / "mallard.db", natives, experiment="small-objects")
    assert main(["show", "table", "loki:time-shuffled", "--db", str(tmp_path / "mallard.db")]) == 0
    assert lines_from(capsys.readouterr().out, "50 deallocation here")[0][-1] == "time"
