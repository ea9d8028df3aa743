"""`mallard show page`: the page's contents; it is written whole or not at all."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from heat_maps import heat_maps
from page_reader import Reader, read, words
from synthetic_page import full_run_page
from synthetic_run import RATIO, density_rows, failed, row, write_run

from mallard.bench.analysis.panel.density import summaries
from mallard.bench.papers.tables import P0213
from mallard.bench.result import Row
from mallard.bench.strategy_names import of_papers
from mallard.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MALLARD_DB", raising=False)
    return tmp_path


def report_of(folder: Path, rows: list[dict[str, Any]], **run: Any) -> tuple[str, Reader]:
    write_run(folder / "mallard.db", rows, **run)
    assert main(["show", "page"]) == 0
    text = (folder / "report.html").read_text(encoding="utf-8")
    return text, read(text)


def test_prints_path_of_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(folder / "mallard.db", density_rows())
    assert main(["show", "page", "-o", "page.html"]) == 0
    assert "page.html" in capsys.readouterr().out
    assert (folder / "page.html").stat().st_size > 10_000
    assert not (folder / "report.html").exists()


def test_the_verdict_comes_first(folder: Path) -> None:
    text, reader = report_of(folder, density_rows())
    assert (
        text.index("monotonic/wink is fastest overall") < text.index('id="verdict"') < text.index('id="maps"')
    )
    lead = words(reader.texts[""])
    assert "3.7\u00d7 as fast as the global allocator" in lead
    assert "27 % of new-delete's time (27\u201327)" in lead
    verdict = words(reader.texts["verdict"])
    assert "vector<string>" in verdict
    assert "monotonic/wink bound by type parameter, winked out" in verdict
    assert "multipool+monotonic/wink" in verdict


def test_every_cell_has_figures(folder: Path) -> None:
    text, _ = report_of(folder, density_rows(names=("DS2",), sizes=(10,)))
    (table,) = heat_maps(text)
    assert table.heads == ["null", "new-delete", "new-delete-keep", *of_papers(2)]
    shown = table.cell("2\u00b9\u2070", "monotonic").shown
    assert shown["p"] == f"{100 * RATIO['monotonic']:.0f}"
    assert shown["n"] == "18.4"
    assert shown["c"] == "0.47\n30 / 64", "ratio of ratios: 0.30 / (9.63 / 14.99)"
    assert shown["d"] == "1.66\n30 / 18", "ratio of ratios: 0.30 / (13.60 / 75.40)"
    assert shown["f"] == "5"
    assert shown["m"] == "14.0"
    assert table.cell("2\u00b9\u2070", "new-delete").shown["n"] == "61.2"


def test_colours_follow_the_interval(folder: Path) -> None:
    rows = density_rows(names=("DS1",), sizes=(6,), strategies=("new-delete", "monotonic", "multipool"))
    rows += [
        row("DS1", 6, "new-delete/base", r, 26.0 * (1 + 0.02 * r) * factor)
        for r, factor in enumerate((0.9, 1.0, 1.1))
    ]
    rows += [row("DS1", 6, "multipool/base", r, 150.0 * (1 + 0.02 * r)) for r in range(3)]
    text, _ = report_of(folder, rows)
    (table,) = heat_maps(text)
    steps = {name: table.cell("2\u2076", name).class_.removesuffix(" best") for name in table.heads}
    assert steps == {
        "new-delete": "",
        "new-delete/base": "eq",
        "monotonic": "f3",
        "multipool": "f3",
        "multipool/base": "s4",
    }


def test_the_fastest_of_a_row_is_framed(folder: Path) -> None:
    text, _ = report_of(folder, density_rows(names=("DS1",), sizes=(6,)))
    (table,) = heat_maps(text)
    assert [name for name in table.heads if "best" in table.cell("2\u2076", name).class_] == [
        "monotonic/wink"
    ]
    framed = table.cell("2\u2076", "monotonic/wink").classes
    assert [kind for kind, class_ in framed.items() if "best" in class_] == ["p", "i", "n"]


def test_averages_and_effects_stand_beside_p0213s(folder: Path) -> None:
    _, reader = report_of(folder, density_rows())
    averages = words(reader.texts["averages"])
    (summary,) = summaries([Row.from_native(1, native) for native in density_rows()])
    for name in ("monotonic", "multipool/wink"):
        assert f"{summary.printed_mean(P0213, name):.2f}" in averages
    effects = words(reader.texts["effects"])
    assert "+10.0 % run time through the abstract base here" in effects
    assert "P0213 found 0.78 %" in effects
    assert "+10.0 % of the run time saved here" in effects
    assert "P0213 found 8.4 %" in effects
    assert "the mean of 28 cells" in effects
    assert "multipool+monotonic/base/wink \u00f7 multipool+monotonic/base" in effects


def test_marks_failed_cells(folder: Path) -> None:
    rows = [
        row
        for row in density_rows(names=("DS2",))
        if row["strategy"] not in ("monotonic/base", "monotonic/base/wink", "multipool")
    ]
    rows += [
        failed("DS2", 10, "monotonic/base", 0, "crashed", "signal 11"),
        failed("DS2", 10, "monotonic/base/wink", 0, "timed_out", "after 60 s"),
        failed("DS2", 10, "multipool", 0, "out_of_memory", ""),
    ]
    text, reader = report_of(folder, rows)
    (table,) = heat_maps(text)
    assert [cell.text for cell in table.cells if cell.status] == ["died", "time", "mem"]
    assert [cell.status for cell in table.cells if cell.status] == [
        "crashed: signal 11",
        "timed out: after 60 s",
        "out of memory",
    ]
    listed = words(reader.texts["unfinished"])
    assert "monotonic/base crashed signal 11" in listed
    assert "monotonic/base/wink timed out after 60 s" in listed


def test_omits_section_without_failures(folder: Path) -> None:
    _, reader = report_of(folder, density_rows())
    assert "unfinished" not in reader.ids


def test_page_lists_conditions(folder: Path) -> None:
    _, reader = report_of(folder, density_rows())
    conditions = words(reader.texts["conditions"])
    for fact in (
        "Imaginary CPU 9000 <x2>",
        "8 GiB",
        "g++ 12.2.0",
        "-O3 -march=native",
        "abc1234",
        "warm",
        "prefix",
    ):
        assert fact in conditions, fact
    assert "mallard bench density --quick" in reader.texts["reproduce"]


def test_lists_known_paper_errors_once(folder: Path) -> None:
    _, reader = report_of(folder, density_rows(names=("DS1", "DS2", "DS9")))
    papers = words(reader.texts["papers"])
    assert papers.count("2,560 repetitions") == 1
    assert re.search(r"hashes a composite by its address[^;]*DS9; bloomberg/", papers)


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


def test_ids_are_unique_and_links_have_targets(folder: Path) -> None:
    _, reader = report_of(
        folder, density_rows(names=tuple(f"DS{n}" for n in range(1, 13)), sizes=(6,), repetitions=1)
    )
    assert len(reader.ids) == len(set(reader.ids))
    links = [a["href"] for tag, a in reader.tags if tag == "a"]
    assert links
    assert all(str(link).removeprefix("#") in reader.ids for link in links)


def test_a_whole_run_stays_small(folder: Path) -> None:
    text = full_run_page(folder)
    assert sum(cell.measured for table in heat_maps(text) for cell in table.cells) == 12 * 11 * 16
    assert len(text.encode()) < 300_000


def test_two_settings_of_a_run_are_kept_apart(folder: Path) -> None:
    cold = density_rows(names=("DS1",))
    for native in cold:
        native["parameters"] = native["parameters"] | {"buffer": "cold"}
    _, reader = report_of(folder, [*density_rows(names=("DS1",)), *cold])
    assert "buffer cold" in reader.texts["verdict"]
    assert "buffer warm" in reader.texts["verdict-1"]
    assert len(reader.ids) == len(set(reader.ids))


def test_one_repetition_has_no_interval_and_no_verdict(folder: Path) -> None:
    text, reader = report_of(folder, density_rows(repetitions=1))
    assert "Keep new-delete." in text
    assert "no interval" in words(reader.texts["effects"])


def test_without_as1_page_has_no_answer(folder: Path) -> None:
    _, reader = report_of(folder, density_rows(strategies=("monotonic", "monotonic/wink")))
    assert "there is no overall answer" in words(reader.texts[""])
    assert "no verdict" in words(reader.texts["verdict"])


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
    text, reader = report_of(folder, density_rows(), notes=notes, finished=False)
    beginning = text[: text.index('id="verdict"')]
    assert "other programs keep 1.5 of 2 cores busy" in beginning
    assert "the run was interrupted" in beginning
    assert "load 0.1" not in text
    assert "interrupted" in words(reader.texts["conditions"])


def test_a_run_without_trouble_has_no_caution(folder: Path) -> None:
    text, _ = report_of(folder, density_rows())
    assert "Read with care" not in text


def test_reproduction_command_names_database(folder: Path) -> None:
    _, reader = report_of(folder, density_rows(), command="mallard bench density --db 'my runs.db' --quick")
    assert "mallard show page -o report.html --db 'my runs.db'" in reader.texts["reproduce"]
