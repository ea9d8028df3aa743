"""`mallard show table`: the report that compares printed with measured figures."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from report_lines import lines, report_of
from synthetic_run import density_rows, failed, write_run

from mallard.bench.strategy_names import PAPERS
from mallard.cli import main
from mallard.shared.report.model import Report


def table(*words: str) -> Report:
    return report_of("show.table", "show", "table", *words)


def lines_from(report: Report, *labels: str) -> list[list[str]]:
    """The row that starts with these labels, and the following lines."""
    shown = lines(report)
    return shown[next(n for n, line in enumerate(shown) if line[: len(labels)] == list(labels)) :]


def words(report: Report) -> str:
    return " ".join(" ".join(line) for line in lines(report))


def test_ours_is_with_the_printed_figures(database: Path) -> None:
    write_run(database, density_rows(names=("DS2",)))
    report = table("p0213:6")
    measured, printed, ratio = lines_from(report, "2^10", "here")[:3]
    # new-delete in ns: (20 + 10) * 2 * 1.02, the middle repetition; monotonic 30 % of it; printed 14.99 s
    # and 9.63 s.
    assert measured[:5] == ["2^10", "here", "61.2", "110", "30"]
    assert printed[:4] == ["printed", "112", "104", "64"]
    assert ratio[0] == "ratio"
    assert float(ratio[3]) == pytest.approx(0.30 / (9.63 / 14.99), abs=0.006)
    assert "here: run 1, buffer warm" in words(report)


def test_unmeasured_sizes_show_printed_figures(database: Path) -> None:
    write_run(database, density_rows(names=("DS2",)))
    first, second = lines_from(table("p0213:6"), "2^7")[:2]
    assert first[1] == "printed"
    assert second[:2] == ["2^8", "printed"]


def test_marks_failed_table_cells(database: Path) -> None:
    rows = density_rows(names=("DS2",), strategies=("new-delete", "new-delete/base"))
    write_run(database, [*rows, failed("DS2", 10, "monotonic", 0, "crashed", "signal 11")])
    assert lines_from(table("p0213:6"), "2^10", "here")[0][4] == "died"


def test_no_difference_is_marked(database: Path) -> None:
    rows = density_rows(names=("DS2",), times=lambda structure, size, strategy: 10.0)
    for row in rows:
        if row["strategy"] == "new-delete/base":
            row["cpu_ns"] = int(row["cpu_ns"] * (0.9, 1.0, 1.1)[row["repetition"]])
    write_run(database, rows)
    assert lines_from(table("p0213:6"), "2^10", "here")[0][3] == "100="


def test_nanoseconds_on_both_sides(database: Path) -> None:
    write_run(database, density_rows(names=("DS2",)))
    measured, printed = lines_from(table("p0213:6", "--nanoseconds"), "2^10", "here")[:2]
    assert measured[4] == "18.4"
    assert printed[3] == "71.7"


def test_averages_have_intervals_and_rows(database: Path) -> None:
    write_run(database, density_rows(names=("DS1", "DS2")))
    report = table("p0213:8")
    assert "the printed means are over 132 rows" in words(report)
    measured, low, high, printed, _, rows = lines_from(report, "here")[:6]
    assert measured[:5] == ["here", "100", "110", "30.0", "27.0"]
    assert float(low[3]) <= 30.0 <= float(high[3])
    assert printed[:5] == ["printed", "100", "105", "54.9", "50.2"]
    assert rows[1:4] == ["4", "4", "4"]


def test_averages_have_no_nanoseconds(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "table", "p0213:8", "--nanoseconds"]) == 2
    assert "prints percents only" in capsys.readouterr().err


def test_notes_are_with_the_table(database: Path) -> None:
    shown = words(table("p0213:6"))
    assert "2,560 repetitions" in shown
    assert "[P0213R0 section 9, DS2]" in shown


@pytest.mark.parametrize(
    ("name", "command"),
    [("p0089:4", "mallard bench density --ds 2"), ("p0213:8", "mallard bench density")],
)
def test_without_database_shows_printed_figures(database: Path, name: str, command: str) -> None:
    assert command.split() in lines(table(name))
    assert not database.exists()


def test_without_rows_of_the_structure_the_command(database: Path) -> None:
    write_run(database, density_rows(names=("DS1",)))
    assert ["mallard", "bench", "density", "--ds", "2"] in lines(table("p0213:6"))


def test_uses_newest_run_with_structure(database: Path) -> None:
    write_run(database, density_rows(names=("DS2",)))
    write_run(database, density_rows(names=("DS1",)))
    assert "here: run 1," in words(table("p0213:6"))


def test_a_run_can_be_named(database: Path) -> None:
    for _ in range(2):
        write_run(database, density_rows(names=("DS2",)))
    assert "here: run 1, buffer warm, hash prefix" in words(table("p0213:6", "--run", "1"))


def test_settings_have_separate_tables(database: Path) -> None:
    cold = density_rows(names=("DS2",))
    for row in cold:
        row["parameters"] = row["parameters"] | {"buffer": "cold"}
    write_run(database, [*density_rows(names=("DS2",)), *cold])
    titles = [section.title for section in table("p0213:6").sections]
    assert ["buffer warm" in title for title in titles[:2]] == [True, False]
    assert "buffer cold" in titles[1]


def test_every_medium_has_the_table(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=("DS2",)))
    for option in ("--markdown", "--json"):
        assert main(["show", "table", "p0213:6", option]) == 0
        assert "2,560 repetitions" in capsys.readouterr().out
    assert main(["show", "table", "p0213:6", "--html", "table.html"]) == 0
    assert "2,560 repetitions" in Path("table.html").read_text(encoding="utf-8")


def test_missing_named_database_is_an_error(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "table", "p0213:6", "--db", "other.db"]) == 2
    assert "other.db" in capsys.readouterr().err


def test_missing_run_is_an_error(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=("DS2",)))
    assert main(["show", "table", "p0213:6", "--run", "7"]) == 2
    assert "no run 7" in capsys.readouterr().err


def test_narrow_terminals_get_the_columns_in_blocks(
    database: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    write_run(database, density_rows(names=("DS2",)))
    assert main(["show", "table", "p0213:6"]) == 0
    shown = capsys.readouterr().out
    table, _, _ = shown.partition("new-delete: nanoseconds")
    assert [word for word in table.split() if re.fullmatch(r"AS\d+", word)] == [*PAPERS]
    rows = [line for line in table.splitlines() if {"here", "printed", "ratio"} & set(line.split()[:2])]
    assert len(rows) > 10
    assert max(map(len, rows)) <= 80


def test_without_a_name_the_last_run_is_shown(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=("DS1",)))
    write_run(database, density_rows(names=("DS2",)))
    assert main(["show"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Run 2: density --quick")
    assert "DS2 vector<string>" in shown
    assert "DS1" not in shown
    line = " ".join(shown[shown.index("'mallard show table") :].split())
    assert line.startswith(
        "'mallard show table p0089:4' shows it with the paper; its tables are p0089:4, p0213:6 to p0213:8"
    )
    assert main(["show", "--run", "1"]) == 0
    assert "DS1 vector<int>" in capsys.readouterr().out


def test_a_run_has_markdown_json_and_a_page(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=("DS2",), repetitions=1))
    assert main(["show", "--markdown"]) == 0
    text = capsys.readouterr().out
    assert "**DS2 vector&lt;string>**" in text, "names are escaped"
    assert "| 2^10 | 10 | 60.0 | 30 | 27 |" in text
    assert main(["show", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    picture = next(
        block for section in report["sections"] for block in section["blocks"] if "layers" in block
    )
    assert picture["title"] == "DS2 vector<string>"
    base = picture["rows"][1][1][1]["tiles"]
    assert (base[0]["text"], base[3]["shade"]) == ("60.0", None)
    assert {tile["shade"]["high"] for tile in picture["rows"][1][1][4]["tiles"][:1]} == {None}
    page = database.with_name("page.html")
    assert main(["show", "--html", str(page)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Run 1: density --quick")
    assert "page.html" in shown.splitlines()[-1]
    assert 'id="DS2"' in page.read_text(encoding="utf-8")


def test_unprinted_run_is_shown_alone(fake: Any, capsys: pytest.CaptureFixture[str]) -> None:
    fake.run("bench", "primitives", "--operation", "pair", "--strategy", "AS1", "--reps", "1")
    capsys.readouterr()
    assert fake.run("show") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Run 1: primitives --quick")
    assert "with the paper" not in shown


def test_without_a_run_the_printed_tables_are_listed(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show"]) == 0
    shown = capsys.readouterr().out
    assert "p0213:4 to p0213:8" in shown
    assert "Nothing was measured yet: 'mallard bench' measures" in shown
    assert not database.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "TABLE is missing; give one, such as p0213:6; 'mallard show tables' lists them"),
        (
            ["p0213:6", "--all"],
            "'mallard show table' has no option --all; it is an option of 'mallard show', ",
        ),
    ],
)
def test_rejects_a_table_without_a_name(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["show", "table", *words]) == 2
    assert message in capsys.readouterr().err


def test_printed_table_options_need_a_table(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=("DS2",)))
    assert main(["show", "--nanoseconds"]) == 2
    error = capsys.readouterr().err
    assert "'mallard show' has no option --nanoseconds; it is an option of 'mallard show table'" in error
