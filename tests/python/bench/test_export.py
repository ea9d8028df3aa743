"""Exports and lists: every row, every field, in each format."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from mallard.bench.contenders import CONTENDERS, LIBRARIES
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.papers.catalogue import offered
from mallard.bench.store import Store
from mallard.bench.strategy_names import of_papers
from mallard.cli import parse_command
from mallard.cli.needs import Needs
from mallard.cli.verbs.show.export import column_type
from mallard.shared.atomic_file import write_atomically
from mallard.shared.errors import UsageError

SCREEN = 30  # lines
SMALL = (
    "bench",
    "density",
    "--ds",
    "1",
    "--size",
    "6,8",
    "--strategy",
    "new-delete,monotonic",
    "--reps",
    "2",
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory, fake_in: Any) -> Path:
    """Three runs: one with cells out of memory, one of primitives, one without fault."""
    with pytest.MonkeyPatch.context() as patch:
        fake = fake_in(tmp_path_factory.mktemp("measured"), patch)
        fake.set(behaviour={"monotonic": "oom"})
        fake.run(*SMALL)
        fake.set()
        fake.run(
            "bench", "primitives", "--operation", "pair", "--strategy", "new-delete,monotonic", "--reps", "2"
        )
        fake.run(*SMALL)
        return Path(fake.database)


@pytest.fixture
def measured(fake: Any, database: Path) -> Any:
    shutil.copy(database, fake.database)
    return fake


def exported(fake: Any, capsys: Any, *words: str) -> str:
    assert fake.run("show", "export", *words) == 0
    return str(capsys.readouterr().out)


def test_csv_has_one_line_per_repetition(measured: Any, capsys: Any) -> None:
    lines = list(csv.DictReader(io.StringIO(exported(measured, capsys, "--format", "csv"))))
    rows = measured.rows(3)
    assert len(lines) == len(rows) == 8
    for line, row in zip(lines, rows, strict=True):
        assert line["strategy"] == row.strategy
        assert line["ds"] == "DS1"
        assert int(line["size_log2"]) == row.parameters["size_log2"]
        assert int(line["cpu_ns"]) == row.cpu_ns


def test_exports_latest_run_as_csv_by_default(measured: Any, capsys: Any) -> None:
    assert exported(measured, capsys) == exported(measured, capsys, "--format", "csv", "--run", "3")


@pytest.mark.parametrize("format_", ["csv", "json"])
def test_the_format_is_that_of_the_file(measured: Any, capsys: Any, format_: str) -> None:
    assert exported(measured, capsys, "-o", f"rows.{format_}") == ""
    written = (measured.directory / f"rows.{format_}").read_text()
    assert written == exported(measured, capsys, "--format", format_)


def test_json_has_run_and_rows(measured: Any, capsys: Any) -> None:
    document = json.loads(exported(measured, capsys, "--format", "json", "--run", "1"))
    assert document["format"] == 1
    assert [run["id"] for run in document["runs"]] == [1]
    assert document["runs"][0]["runner"]["compiler"] == "fake 1.0"
    assert document["rows"] == json.loads(json.dumps([row.to_dict() for row in measured.rows(1)]))
    assert {row["status"] for row in document["rows"]} == {"ok", "out_of_memory"}


def test_csv_keeps_figures_in_one_json_column(fake: Any, capsys: Any) -> None:
    fake.run("bench", "utilization", "--total", "20", "--strategy", "new-delete,multipool", "--block", "10")
    capsys.readouterr()
    expected = {"free_ns": 2.5, "held_bytes": 4096}
    line = next(csv.DictReader(io.StringIO(exported(fake, capsys, "--format", "csv"))))
    assert json.loads(line["figures"]) == expected
    assert line["malloc"] == "glibc"
    cell = next(csv.DictReader(io.StringIO(exported(fake, capsys, "--format", "csv", "--summary"))))
    assert json.loads(cell["figures"]) == expected
    document = json.loads(exported(fake, capsys, "--format", "json", "--summary"))
    assert document["rows"][0]["figures"] == expected


def test_exports_all_runs_in_one_table(measured: Any, capsys: Any) -> None:
    text = exported(measured, capsys, "--format", "csv", "--run", "all")
    lines = list(csv.DictReader(io.StringIO(text)))
    assert {line["run_id"] for line in lines} == {"1", "2", "3"}
    assert {line["operation"] for line in lines} == {"", "pair"}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([None, 3, 8], int),
        ([3, 0.5], float),
        ([3, "all"], str),
        ([True, None], bool),
        ([None], str),
        ([("a",), ()], list[str]),
        ([{"a": 1.0}], dict[str, float]),
    ],
)
def test_parquet_column_has_the_narrowest_type(values: list[Any], kind: Any) -> None:
    assert column_type(values) == kind


@pytest.mark.parametrize(("ending", "group"), [("csv", "run"), ("parquet", "parquet")])
def test_parquet_needs_its_packages(measured: Any, ending: str, group: str) -> None:
    command = parse_command(["show", "export", "-o", f"rows.{ending}", "--db", str(measured.database)])
    assert command.needs() == Needs(environment=group)


@pytest.mark.full
@pytest.mark.parametrize("words", [(), ("--summary",)])
def test_duckdb_reads_the_exported_rows(measured: Any, capsys: Any, words: tuple[str, ...]) -> None:
    import duckdb

    file = Path(measured.database).parent / "rows.parquet"
    exported(measured, capsys, "--run", "all", "-o", str(file), *words)
    expected = json.loads(exported(measured, capsys, "--run", "all", "--format", "json", *words))["rows"]
    table = f"FROM '{file}'"
    assert duckdb.sql(f"SELECT count(*) {table}").fetchall() == [(len(expected),)]
    rows = duckdb.sql(f"SELECT run_id, strategy, status, size_log2, operation, figures {table}").fetchall()
    for row, record in zip(rows, expected, strict=True):
        assert row[:3] == (record["run_id"], record["strategy"], record["status"])
        assert row[3:5] == (record["parameters"].get("size_log2"), record["parameters"].get("operation"))
        assert row[5] == record["figures"]


def test_summary_has_one_line_per_cell(measured: Any, capsys: Any) -> None:
    text = exported(measured, capsys, "--format", "csv", "--summary")
    lines = {(line["size_log2"], line["strategy"]): line for line in csv.DictReader(io.StringIO(text))}
    assert set(lines) == {("6", "new-delete"), ("6", "monotonic"), ("8", "new-delete"), ("8", "monotonic")}
    cell = lines["6", "monotonic"]
    assert cell["repetitions"] == "2"
    low, middle, high = (float(cell[f"{name}_ns_per_operation"]) for name in ("low", "median", "high"))
    assert low <= middle <= high
    assert float(cell["ratio_low"]) <= float(cell["ratio_to_as1"]) <= float(cell["ratio_high"])
    assert cell["verdict"] in ("faster", "slower", "no difference")
    assert lines["6", "new-delete"]["ratio_to_as1"] == "1.0"


def test_a_cell_that_failed_has_no_figures(measured: Any, capsys: Any) -> None:
    text = exported(measured, capsys, "--format", "json", "--summary", "--run", "1")
    failed = [cell for cell in json.loads(text)["rows"] if cell["strategy"] == "monotonic"]
    assert len(failed) == 2
    assert {cell["status"] for cell in failed} == {"out_of_memory"}
    assert all(cell["median_ns_per_operation"] is None and cell["ratio_to_as1"] is None for cell in failed)


@pytest.mark.parametrize("mask", [0o022, 0o002])
def test_writes_file_atomically(mask: int, measured: Any, capsys: Any) -> None:
    file = measured.directory / "rows.csv"
    former = os.umask(mask)
    assert exported(measured, capsys, "--format", "csv", "-o", str(file)) == ""
    os.umask(former)
    assert file.read_text() == exported(measured, capsys, "--format", "csv")
    assert file.stat().st_mode & 0o777 == 0o666 & ~mask


def test_files_that_cannot_be_written(measured: Any, capsys: Any) -> None:
    entries = sorted(measured.directory.iterdir())
    for place, message in ((".", "is a directory"), ("no/rows.csv", "there is no directory no")):
        assert measured.run("show", "export", "--format", "csv", "-o", place) == 2
        assert message in capsys.readouterr().err
    assert sorted(measured.directory.iterdir()) == entries


def test_failed_write_keeps_the_old_file(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mallard.shared.atomic_file.os.fsync", full)
    with pytest.raises(UsageError, match="cannot be written: No space left on device"):
        write_atomically(file, "new")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_lists(measured: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for listing, expected in (
        ("experiments", [*EXPERIMENTS, EXPERIMENTS["locality"].text]),
        ("structures", ["DS1", "DS12", "unordered_set<unordered_set<string>>"]),
        ("strategies", ["multipool backed by monotonic (also", "AS11-AS14", "such as region-heap-v2"]),
        ("tables", ["p0089:3 to p0089:14", "p0213:12, p0213:13, p0213:47 to p0213:57", "loki:memory"]),
        ("contenders", [*LIBRARIES, "boost-pool, boost-object-pool"]),
    ):
        assert measured.run("show", listing) == 0
        shown = capsys.readouterr().out
        assert all(name in shown for name in expected)
        assert max(len(line.rstrip()) for line in shown.splitlines()) <= 80
        assert len(shown.splitlines()) <= SCREEN


def test_shortened_list_omits_variants_and_names_option(measured: Any, capsys: Any) -> None:
    for listing, hidden in (
        ("strategies", ("multipool-last", "heap-v2", "new-delete-keep")),
        ("contenders", ("boost-node-burst", "boost-allocator-v1")),
        ("tables", ("unordered_set",)),
    ):
        measured.run("show", listing)
        shown = capsys.readouterr().out
        assert not any(name in shown.split() for name in hidden)
        assert f"'mallard show {listing} --all' describes each" in shown
        measured.run("show", listing, "--all")
        everything = capsys.readouterr().out
        assert all(name in everything for name in hidden)
        assert "--all" not in everything


@pytest.mark.parametrize("words", [("list",), ("runs",), ("experiments",)])
def test_refuses_all_for_complete_lists(measured: Any, capsys: Any, words: tuple[str, ...]) -> None:
    assert measured.run("show", *words, "--all") == 2
    assert "--all is for the lists strategies, contenders and tables" in capsys.readouterr().err


def _without_numbers(table: str) -> str:
    """The lines without the last column, whose text spans lines."""
    return re.sub(r"(?m) {2,}(AS\d\S*|AS)$", "", table)


@pytest.mark.parametrize(("listing", "names"), [("strategies", offered()), ("contenders", CONTENDERS)])
def test_list_groups_bindings_by_mechanism(
    measured: Any, capsys: Any, listing: str, names: Iterable[str]
) -> None:
    assert measured.run("show", listing, "--all") == 0
    shown = []
    # A text that goes on in the next line, which begins with spaces, is one text.
    for line in filter(
        None, re.sub(r"\n {20,}", " ", _without_numbers(capsys.readouterr().out)).splitlines()
    ):
        first, *_ = line.split()
        uses = re.search(r"\(also (.+)\)", line)
        shown += [first, *(f"{first}{use}" for use in uses[1].split(", "))] if uses else [first]
    assert sorted(name for name in shown if name in names) == sorted(names)


def test_overview_names_everything_on_one_screen(measured: Any, capsys: Any) -> None:
    assert measured.run("show", "list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    shown = " ".join(" ".join(lines).split())
    assert ", ".join(EXPERIMENTS) in shown
    assert "null, new-delete, monotonic, multipool, multipool+monotonic, static-multipool" in shown
    assert "many also with /base, /inline and /wink" in shown
    assert f"{len(CONTENDERS)} strategies of std::pmr, Boost.Pool" in shown
    assert "runs 3, the newest of density" in shown


def test_lists_names_before_any_measurement(fake: Any, capsys: Any) -> None:
    assert fake.run("show", "list") == 0
    assert "runs none yet" in " ".join(capsys.readouterr().out.split())


def test_list_of_runs_shows_state(measured: Any, capsys: Any) -> None:
    assert measured.run("show", "runs") == 0
    *lines, machine = capsys.readouterr().out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == ["1", "2", "3"]
    assert all("finished" in line for line in lines)
    assert "primitives" in lines[1]
    assert machine.startswith("every run: ")
    assert machine.endswith("fake 1.0")


def test_list_of_runs_shows_different_compilers(measured: Any, capsys: Any) -> None:
    measured.set(describe={"compiler": "fake 2.0"})
    measured.run("bench", "density", "--ds", "1", "--size", "6", "--strategy", "new-delete", "--reps", "1")
    capsys.readouterr()
    assert measured.run("show", "runs") == 0
    default, variant = capsys.readouterr().out.splitlines()[-2:]
    assert default.startswith("every other run: ")
    assert default.endswith("fake 1.0")
    assert variant.startswith("run 4: ")
    assert variant.endswith("fake 2.0")


def test_summary_orders_strategies_as_the_papers(fake: Any, capsys: Any) -> None:
    fake.run(
        "bench",
        "density",
        "--ds",
        "1",
        "--size",
        "6",
        "--strategy",
        "null,new-delete-keep,1-12",
        "--reps",
        "1",
    )
    capsys.readouterr()
    text = exported(fake, capsys, "--format", "csv", "--summary")
    names = [line["strategy"] for line in csv.DictReader(io.StringIO(text))]
    assert names == ["null", "new-delete", "new-delete-keep", *of_papers(2, 12)]


@pytest.mark.parametrize("format_", ["csv", "json"])
@pytest.mark.parametrize("summary", [(), ("--summary",)])
def test_export_includes_notes_of_runs(
    measured: Any, capsys: Any, format_: str, summary: tuple[str, ...]
) -> None:
    with Store(measured.database) as store:
        store.add_note(3, "busy", "other programs keep 1.0 of 2 cores busy")
    text = exported(measured, capsys, "--format", format_, *summary)
    assert "other programs keep 1.0 of 2 cores busy" in text
    assert "busy" not in exported(measured, capsys, "--format", format_, *summary, "--run", "1")
    if format_ == "csv":
        notes = {line["run_notes"] for line in csv.DictReader(io.StringIO(text))}
        assert notes == {"busy: other programs keep 1.0 of 2 cores busy"}
