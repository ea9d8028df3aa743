"""`mallard show page`: the page's contents; it is written whole or not at all."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from page_parts import part_text, parts_of
from page_reader import Reader, read
from synthetic_page import full_run_page
from synthetic_run import density_rows, failed, write_run

from mallard.cli import main
from mallard.shared.report.model import Report
from mallard.shared.report.page import Part


@pytest.fixture
def folder(database: Path) -> Path:
    return database.parent


def report_of(folder: Path, rows: list[dict[str, Any]], **run: Any) -> tuple[str, Reader]:
    write_run(folder / "mallard.db", rows, **run)
    assert main(["show", "page"]) == 0
    text = (folder / "report.html").read_text(encoding="utf-8")
    return text, read(text)


def parts_of_run(folder: Path, rows: list[dict[str, Any]], **run: Any) -> tuple[Report, dict[str, Part]]:
    write_run(folder / "mallard.db", rows, **run)
    return parts_of(folder / "mallard.db")


def test_prints_path_of_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(folder / "mallard.db", density_rows())
    assert main(["show", "page", "-o", "page.html"]) == 0
    assert "page.html" in capsys.readouterr().out
    assert (folder / "page.html").stat().st_size > 10_000
    assert not (folder / "report.html").exists()


def test_page_lists_conditions(folder: Path) -> None:
    _, parts = parts_of_run(folder, density_rows())
    conditions = part_text(parts["conditions"])
    for fact in (
        "Imaginary CPU 9000 <x2>",
        "8.00 GiB",
        "g++ 12.2.0",
        "-O3 -march=native",
        "abc1234",
        "warm",
        "prefix",
    ):
        assert fact in conditions, fact
    assert "mallard bench density --quick" in part_text(parts["reproduce"])


def test_lists_known_paper_errors_once(folder: Path) -> None:
    _, parts = parts_of_run(folder, density_rows(names=("DS1", "DS2", "DS9")))
    papers = part_text(parts["papers"])
    assert papers.count("2,560 repetitions") == 1
    assert re.search(r"hashes a composite by its address.*? DS9 bloomberg/", papers)


def test_text_from_outside_is_escaped(folder: Path) -> None:
    text, reader = report_of(
        folder,
        [
            *density_rows(names=("DS1",)),
            failed("DS1", 16, "new-delete", 0, "failed", "<script>alert('x')</script>"),
        ],
        command="mallard bench density --db '<b>.db'",
    )
    assert "<script>alert" not in text
    assert "<x2>" not in text
    assert "'<b>.db'" in reader.texts["reproduce"]


def test_the_page_needs_nothing_else(folder: Path) -> None:
    text, reader = report_of(folder, density_rows())
    for tag, attributes in reader.tags:
        for name in ("src", "href", "action", "data", "srcset"):
            target = attributes.get(name)
            assert target is None or target.startswith(("#", "data:")), (tag, target)
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text), "only what is on the page"
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|import)\s*\(", text)


def test_a_whole_run_stays_small(folder: Path) -> None:
    text = full_run_page(folder)
    assert text.count("<td") > 12 * 11 * 16
    assert len(text.encode()) < 300_000
    assert len(read(text).tags) < 10_000, "elements"


def test_an_earlier_page_is_replaced(folder: Path) -> None:
    (folder / "report.html").write_text("old")
    text, _ = report_of(folder, density_rows())
    assert text.startswith("<!doctype html>")
    assert sorted(path.name for path in folder.iterdir()) == ["mallard.db", "report.html"]


@pytest.mark.parametrize(
    ("output", "message"), [("missing/report.html", "no directory missing"), (".", "is a directory")]
)
def test_an_output_that_cannot_be_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], output: str, message: str
) -> None:
    write_run(folder / "mallard.db", density_rows())
    assert main(["show", "page", "-o", output]) == 2
    assert message in capsys.readouterr().err


def test_unwritable_folder_leaves_no_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(folder / "mallard.db", density_rows())
    assert main(["show", "page", "-o", "/proc/self/report.html"]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_missing_database_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "page"]) == 2
    assert "mallard.db" in capsys.readouterr().err
    assert list(folder.iterdir()) == []


def test_a_run_without_rows_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(folder / "mallard.db", density_rows())
    run = write_run(folder / "mallard.db", [])
    assert main(["show", "page", "--run", str(run)]) == 2
    assert f"run {run} in mallard.db has no rows" in capsys.readouterr().err


def test_warnings_precede_figures(folder: Path) -> None:
    notes = [("busy", "other programs keep 1.5 of 2 cores busy"), ("resumed", "load 0.1")]
    header, parts = parts_of_run(folder, density_rows(), notes=notes, finished=False)
    busy, interrupted = header.doubts
    assert busy == "other programs keep 1.5 of 2 cores busy"
    assert interrupted.startswith("the run was interrupted")
    assert "interrupted" in part_text(parts["conditions"])


def test_a_run_without_trouble_has_no_caution(folder: Path) -> None:
    header, _ = parts_of_run(folder, density_rows())
    assert header.doubts == ()


def test_reproduction_command_names_database(folder: Path) -> None:
    command = "mallard bench density --db 'my runs.db' --quick"
    _, parts = parts_of_run(folder, density_rows(), command=command)
    assert "mallard show page -o report.html --db 'my runs.db'" in part_text(parts["reproduce"])
