"""`mallard show table` of the Loki test and of Optimized C++, from rows whose figures are known."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from looks_of_runs import write_runs
from synthetic_pools import fixed_block_rows, small_objects_rows
from synthetic_run import write_run

from mallard.bench.result import Row
from mallard.cli import main
from mallard.shared.report.page_chart import line_plot
from mallard.shared.report.picture import Chart, Series


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = {
        "small-objects": small_objects_rows(orders=("shuffled", "in-order")),
        "fixed-block": fixed_block_rows(),
    }
    return write_runs(tmp_path_factory.mktemp("pools") / "mallard.db", runs)


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


def test_the_book_s_times_are_with_ours(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
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


def test_unfinished_cell_is_marked_with_print(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [Row.from_native(1, native) for native in small_objects_rows(sizes=(50,))]
    late = [replace(row, status="timed_out") for row in rows if row.strategy == "loki"]
    kept = [row for row in rows if row.strategy != "loki"]
    natives = [row.to_dict() | {"format": 1} for row in (*kept, late[0])]
    for native in natives:
        del native["run_id"]
    write_run(tmp_path / "mallard.db", natives, experiment="small-objects")
    assert main(["show", "table", "loki:time-shuffled", "--db", str(tmp_path / "mallard.db")]) == 0
    assert lines_from(capsys.readouterr().out, "50 deallocation here")[0][-1] == "time"


def test_omits_overlapping_ticks() -> None:
    points = tuple((float(x), 1.0) for x in (1, 4, 8, 10, 16, 20, 24, 30, 32, 40, 48, 50, 64))
    drawing = line_plot(
        Chart("t", "N", "ns", (Series("new-delete", points, "global"),), is_logarithmic=False)
    )
    ticks = [int(text) for text in re.findall(r">(\d+)<", re.findall(r'class="tick" .*?</g>', drawing)[0])]
    assert {1, 16, 64} <= set(ticks)
    assert not {30, 32} <= set(ticks)
    assert len(re.findall(r'points="([^"]*)"', drawing)[0].split(" ")) == len(points)
