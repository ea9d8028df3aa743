"""`mallard profile` with a native program that is made up: words, files, and failures."""

from __future__ import annotations

import errno
import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from source_tree import ROOT
from synthetic_profile import document, fake_program, in_depth

from mallard.advisor.profile.database import Database
from mallard.advisor.profile.schema import TABLES
from mallard.cli import main, parse_command
from mallard.cli.needs import Needs

Profiler = Callable[..., Path]
EXAMPLE = ROOT / "advisor/tests/profiler/export/example.json"


@pytest.fixture
def profiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Profiler:
    """Makes the program; the trace is an empty file, which that program does not read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "native").mkdir()
    (tmp_path / "x.trace").touch()

    def make(answer: Any = None, **options: Any) -> Path:
        program = fake_program(tmp_path / "native", document() if answer is None else answer, **options)
        monkeypatch.setenv("MALLARD_PROFILE", str(program))
        return program

    return make


def words(tmp_path: Path) -> list[str]:
    """The words that the native program was given."""
    return (tmp_path / "native" / "words").read_text().splitlines()


def files(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in tmp_path.iterdir())


def test_needs_include_the_advisor(profiler: Profiler) -> None:
    assert parse_command(["profile", "x.trace"]).needs() == Needs(presets=("advisor",))


def test_parquet_needs_pyarrow(
    tmp_path: Path, profiler: Profiler, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    profiler()
    needs = parse_command(["profile", "x.trace", "--parquet", "new"]).needs()
    assert needs == Needs(environment="parquet", presets=("advisor",))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["profile", "x.trace", "--parquet", "new"]) == 2
    assert "--parquet needs the Python package pyarrow; type: " in capsys.readouterr().err
    assert files(tmp_path) == ["native", "x.trace"]


def test_full_disk_leaves_no_table(
    tmp_path: Path, profiler: Profiler, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of three does not fit."""
    profiler()

    def write(path: Path, *_: object) -> None:
        if "scopes" in path.name:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("mallard.cli.verbs.profile.load_pyarrow", lambda _: None)
    monkeypatch.setattr("mallard.cli.verbs.profile.write_table", write)
    assert main(["profile", "x.trace", "--parquet", "new"]) == 2
    message = (
        "scopes.parquet cannot be written: No space left on device; give another folder: --parquet FOLDER"
    )
    assert message in " ".join(capsys.readouterr().err.split())
    assert files(tmp_path / "new") == []


def test_passes_scope_and_process_to_profiler(tmp_path: Path, profiler: Profiler) -> None:
    profiler(document(scope=in_depth()))
    assert main(["profile", "x.trace", "--scope", "parse it", "--process", "12"]) == 0
    assert words(tmp_path) == ["x.trace", "--process", "12", "--scope", "parse it"]


def test_trace_with_leading_dash_is_a_file(tmp_path: Path, profiler: Profiler) -> None:
    profiler()
    (tmp_path / "--events").touch()
    assert main(["profile", "--json", "./--events"]) == 0
    assert words(tmp_path) == ["./--events"]  # pathlib drops the folder


def test_without_a_trace_the_recorders_default_is_read(tmp_path: Path, profiler: Profiler) -> None:
    profiler()
    (tmp_path / "mallard.trace").touch()
    assert main(["profile"]) == 0
    assert words(tmp_path) == ["mallard.trace"]


def test_json_has_the_rows_of_all_tables(profiler: Profiler, capsys: pytest.CaptureFixture[str]) -> None:
    profiler()
    assert main(["profile", "x.trace", "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)
    assert {"format", "version", *TABLES} == set(tables)
    assert [row["name"] for row in tables["functions"]] == [row["name"] for row in document()["functions"]]
    assert [row["bytes"] for row in tables["pairs"]] == [row["bytes"] for row in document()["pairs"]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["x.trace"], "## Pairs"),
        (["x.trace", "--list", "leaks"], "## Leaks"),
        (["--diff", "x.trace", "x.trace"], "## Process"),
    ],
)
def test_writes_markdown(
    profiler: Profiler, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    profiler()
    assert main(["profile", *options, "--markdown"]) == 0
    assert words in capsys.readouterr().out


def test_all_lengthens_json(tmp_path: Path, profiler: Profiler) -> None:
    profiler()
    assert main(["profile", "x.trace", "--json", "--all"]) == 0
    assert words(tmp_path) == ["x.trace", "--all"]


def test_passes_times_and_suppressions_on(tmp_path: Path, profiler: Profiler) -> None:
    profiler()
    range_ = ["--between", "0.25,1500ms", "--suppress", "x.trace"]
    assert main(["profile", "x.trace", "--json", *range_]) == 0
    assert words(tmp_path) == ["x.trace", "--between", "0.25,1.5s", "--suppress", "x.trace"]


@pytest.mark.parametrize("option", [[], ["--all"]])
def test_shows_list_of_leaks(
    tmp_path: Path, profiler: Profiler, capsys: pytest.CaptureFixture[str], option: list[str]
) -> None:
    profiler()
    assert main(["profile", "x.trace", "--list", "leaks", *option]) == 0
    assert words(tmp_path) == ["x.trace", *option]
    assert "blocks 40,000, bytes 8.58 MiB" in capsys.readouterr().out


@pytest.fixture
def stored(tmp_path: Path, profiler: Profiler, capsys: pytest.CaptureFixture[str]) -> Path:
    """A database that the command wrote."""
    profiler()
    assert main(["profile", "x.trace", "--export", "sqlite", "-o", "old.db"]) == 0
    assert words(tmp_path) == ["x.trace", "--all"]
    assert "old.db: sqlite, " in capsys.readouterr().out
    (tmp_path / "native" / "words").unlink()
    return tmp_path / "old.db"


def test_shows_stored_profile(tmp_path: Path, stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "old.db"]) == 0
    from_database = capsys.readouterr().out
    assert not (tmp_path / "native" / "words").exists()
    assert main(["profile", "x.trace"]) == 0
    assert from_database == capsys.readouterr().out
    assert from_database.startswith("clang++-16 -fsyntax-only x.cpp\n")


def test_any_client_can_ask_the_database(stored: Path) -> None:
    question = (
        "SELECT name, site_blocks.bytes FROM site_blocks JOIN places USING (recording) "
        "JOIN functions USING (recording) WHERE kind = 'leaks' AND places.id = place "
        "AND functions.id = function ORDER BY site_blocks.bytes DESC LIMIT 1"
    )
    with closing(sqlite3.connect(stored)) as file:
        assert file.execute(question).fetchall() == [(document()["functions"][4]["name"], 9_000_000)]


def test_merges_recording_with_stored_profile(
    tmp_path: Path, stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", "old.db", "x.trace", "--export", "sqlite", "-o", "both.db"]) == 0
    assert words(tmp_path) == ["x.trace", "--all"]
    with closing(sqlite3.connect("both.db")) as file:
        assert file.execute("SELECT recording FROM recordings").fetchall() == [(1,), (2,)]
    assert main(["profile", "both.db", "x.trace"]) == 0
    assert "3 recordings put together: counts are added" in capsys.readouterr().out
    assert main(["profile", "both.db", "x.trace", "--html", "page.html"]) == 0
    assert "3 recordings put together" in (tmp_path / "page.html").read_text()


def test_a_scope_in_depth_is_stored(
    tmp_path: Path, profiler: Profiler, capsys: pytest.CaptureFixture[str]
) -> None:
    profiler(document(scope=in_depth()))
    assert main(["profile", "x.trace", "--scope", "parse", "--export", "sqlite", "-o", "deep.db"]) == 0
    capsys.readouterr()
    assert main(["profile", "x.trace", "--scope", "parse"]) == 0
    shown = capsys.readouterr().out
    assert main(["profile", "deep.db"]) == 0
    assert capsys.readouterr().out == shown


def test_folded_stacks_of_two_recordings_are_added(tmp_path: Path, profiler: Profiler) -> None:
    profiler(EXAMPLE.read_text())
    (tmp_path / "y.trace").touch()
    assert main(["profile", "x.trace", "y.trace", "--export", "folded", "-o", "out"]) == 0
    assert (tmp_path / "out").read_text().splitlines()[:2] == [
        "[no stack] 20",
        "[outer calls unknown: code without a description];[vdso];app+0x400fff 100",
    ]


def test_compares_recording_with_stored_profile(
    tmp_path: Path, stored: Path, profiler: Profiler, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = document()
    changed["sites"][0]["figures"]["allocations"] += 70
    profiler(changed)
    assert main(["profile", "--diff", "old.db", "x.trace", "--json"]) == 0
    assert words(tmp_path) == ["x.trace", "--all"]
    difference = json.loads(capsys.readouterr().out)
    assert difference["format"] == "mallard profile difference"
    (site,) = difference["sites"]
    assert site["after"]["allocations"] - site["before"]["allocations"] == 70
    assert difference["scopes"] == []


def test_writes_page_atomically(
    tmp_path: Path, profiler: Profiler, capsys: pytest.CaptureFixture[str]
) -> None:
    profiler()
    assert main(["profile", "x.trace", "--html", "page.html"]) == 0
    assert "page.html: " in capsys.readouterr().out
    assert (tmp_path / "page.html").read_text().endswith("</html>\n")
    assert files(tmp_path) == ["native", "page.html", "x.trace"]


@pytest.mark.parametrize("kind", ["dhat", "folded-peak"])
def test_an_export_is_written_from_stacks(tmp_path: Path, profiler: Profiler, kind: str) -> None:
    profiler(EXAMPLE.read_text())
    assert main(["profile", "x.trace", "--process", "7", "--export", kind, "-o", "out"]) == 0
    assert (tmp_path / "out").read_text() == EXAMPLE.with_suffix(f".{kind}").read_text()
    assert words(tmp_path) == ["x.trace", "--process", "7", "--stacks"]
    assert files(tmp_path) == ["native", "out", "x.trace"]


def test_pprof_and_history_are_binary_files(tmp_path: Path, profiler: Profiler) -> None:
    profiler(EXAMPLE.read_text())
    assert main(["profile", "x.trace", "--export", "pprof", "-o", "out"]) == 0
    assert (tmp_path / "out").read_bytes().startswith(b"\x1f\x8b")
    profiler("requests")
    assert main(["profile", "x.trace", "--export", "history", "-o", "out"]) == 0
    assert (tmp_path / "out").read_text() == "requests"
    assert words(tmp_path) == ["x.trace", "--history"]


def test_an_export_can_go_to_a_pipe(tmp_path: Path, profiler: Profiler) -> None:
    profiler(EXAMPLE.read_text())
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert main(["profile", "x.trace", "--export", "folded", "-o", "pipe"]) == 0
        assert os.read(reader, 100).startswith(b"[no stack] 10\n")
    finally:
        os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


# ---- bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "",
            "there is no ./mallard.trace here; 'mallard record -- PROGRAM' makes it, 'mallard profile TRACE'",
        ),
        ("nowhere", "there is no file nowhere; 'mallard record -o nowhere -- PROGRAM' makes it"),
        ("x" * 300, "there is no file x"),
        ("native", "native is a directory; give the file that"),
        ("x.trace y.trace", "there is no file y.trace"),
        ("x.trace ./x.trace", "x.trace is given twice, so its counts would be added twice; leave one out"),
        ("x.trace stored.db --scope f", "--scope 'f' is of one recording, and there are 2; give one"),
        (
            "x.trace y.trace --export dhat -o z",
            "--export dhat is of one recording, and there are 2",
        ),
        ("x.trace y.trace --export pprof -o z", "export each, and 'pprof FILE FILE' merges them"),
        ("x.trace --diff", "--diff compares two recordings, and there is 1; give it two"),
        ("x.trace x.trace x.trace --diff", "--diff compares two recordings, and there are 3; give it two"),
        ("x.trace nowhere --diff", "there is no file nowhere"),
        ("x.trace x.trace --diff --scope f", "leave --scope out"),
        ("x.trace x.trace --diff --process 1", "'mallard profile TRACE --process N --export sqlite"),
        ("x.trace x.trace --diff --list leaks", "leave --list out"),
        ("x.trace --list leak", "'leak' (did you mean leaks?); allowed are leaks, temporary, peak"),
        ("x.trace --list leaks --json", "leave --json out; JSON has the list as it is"),
        ("x.trace --list leaks --scope f", "--list leaks is of a whole process; leave --scope out"),
        ("x.trace --parquet x.trace", "--parquet x.trace is a file; give a folder, which may be new"),
        ("x.trace --parquet none/new", "there is no directory none; make it first"),
        ("x.trace --parquet new --json", "not allowed with"),
        ("x.trace --parquet new --list leaks", "leave --parquet out"),
        ("x.trace x.trace --diff --parquet new", "leave --parquet out"),
        ("stored.db --scope f", "--scope f needs the recording, and stored.db is a profile of --export"),
        ("stored.db --export dhat -o y", "--export dhat needs the recording"),
        ("x.trace --export dhat", "--export dhat needs a file; add -o FILE"),
        ("x.trace --export dhta -o y", "'dhta' (did you mean dhat?); allowed are pprof, dhat, folded"),
        ("x.trace -o y", "-o y is the file of an export; add --export pprof, dhat, folded"),
        (
            "x.trace --export dhat -o x.trace",
            "-o x.trace would replace a file of the command; give another FILE",
        ),
        ("x.trace --html native/../x.trace", "--html native/../x.trace would replace a file of the command"),
        ("x.trace --html native", "native is a directory; give a file: --html FILE"),
        ("x.trace --html none/page.html", "there is no directory none; make it first"),
        ("x.trace --json --html page.html", "not allowed with --json"),
        ("x.trace --process=", "the name is empty"),
        ("x.trace --export dhat -o y --scope f", "--scope 'f': exports are of the whole process"),
        ("x.trace --suppress none", "--suppress none is not a file; give one with lines leak:PATTERN"),
        ("x.trace --suppress native", "--suppress native is not a file"),
        ("x.trace --suppress x.trace --export dhat -o y", "is of lists of leaks, which exports do not have"),
        ("x.trace x.trace --diff --suppress x.trace", "leave --suppress out"),
        ("stored.db --suppress x.trace", "--suppress x.trace needs the recording"),
        ("x.trace --between 5", "--between '5': give two shares of the recording, --between 0.2,0.5, or"),
        ("x.trace --between 0.5,1.5", "--between '0.5,1.5': give two shares"),
        ("x.trace --between 1s,2d", "in us, ms, s, m, h: --between 1.5s,3s"),
        ("x.trace --between 1s,2s --scope f", "has sites and live blocks only; leave --scope out"),
        ("x.trace --between 1s,2s --export dhat -o y", "leave --export out"),
        ("x.trace stored.db --between 1s,2s", "--between '1s,2s' is of one recording, and there are 2"),
        ("x.trace x.trace --diff --between 0,1", "leave --between out"),
        ("stored.db --between 0,1", "--between 0,1 needs the recording"),
        ("x.trace --scope=", "--scope '': the name of a scope is empty"),
        ("x.trace --scop f", "unknown option '--scop' (did you mean --scope?)"),
    ],
)
def test_bad_input_fails_before_profiler_runs(
    tmp_path: Path, profiler: Profiler, capsys: pytest.CaptureFixture[str], options: str, message: str
) -> None:
    profiler()
    Database().save(tmp_path / "stored.db")
    original = files(tmp_path)
    assert main(["profile", *options.split()]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("mallard: error: ")
    assert message in captured.err
    assert not (tmp_path / "native" / "words").exists()
    assert files(tmp_path) == original


WAYS = ([], ["--json"], ["--html", "out"], ["--export", "dhat", "-o", "out"])


def refused(profiler: Profiler, tmp_path: Path, capsys: pytest.CaptureFixture[str], way: list[str]) -> str:
    """Returns the error, after checking that nothing else was printed or changed."""
    (tmp_path / "out").write_text("old")
    assert main(["profile", "x.trace", *way]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert files(tmp_path) == ["native", "out", "x.trace"]
    assert (tmp_path / "out").read_text() == "old"
    return captured.err


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_the_native_programs_own_words_are_shown(
    tmp_path: Path, profiler: Profiler, capsys: pytest.CaptureFixture[str], way: list[str]
) -> None:
    profiler(
        "", status=2, error="mallard-profile: error: x.trace is no trace; give a file of 'mallard record'\n"
    )
    message = refused(profiler, tmp_path, capsys, way)
    assert message == "mallard: error: x.trace is no trace; give a file of 'mallard record'\n"


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_reports_crash_of_profiler(
    tmp_path: Path, profiler: Profiler, capsys: pytest.CaptureFixture[str], way: list[str]
) -> None:
    profiler({"format": "mallard profile"}, crash=signal.SIGSEGV, error="half a wo")
    message = refused(profiler, tmp_path, capsys, way)
    assert "mallard-profile crashed (SIGSEGV), so nothing was written" in message
    assert "this is a defect of mallard; please report it" in message
    assert "last message: half a wo" in message


@pytest.mark.parametrize(
    ("ending", "remedy"),
    [
        (signal.SIGKILL, "; the kernel does this when memory runs out: free some, or record less"),
        (signal.SIGTERM, ""),
    ],
)
def test_interrupted_profiler_is_no_defect(
    tmp_path: Path,
    profiler: Profiler,
    capsys: pytest.CaptureFixture[str],
    ending: signal.Signals,
    remedy: str,
) -> None:
    profiler("", crash=ending)
    message = refused(profiler, tmp_path, capsys, [])
    assert f"mallard-profile was ended ({ending.name}), so nothing was written{remedy}" in message
    assert "defect" not in message


def test_reports_failure_without_message(
    tmp_path: Path, profiler: Profiler, capsys: pytest.CaptureFixture[str]
) -> None:
    profiler("", status=3)
    assert "failed (exit status 3) without a message" in refused(profiler, tmp_path, capsys, [])


@pytest.mark.parametrize("way", [[], ["--html", "out"]], ids=" ".join)
def test_reports_truncated_output(
    tmp_path: Path, profiler: Profiler, capsys: pytest.CaptureFixture[str], way: list[str]
) -> None:
    profiler(json.dumps(document())[:5000])
    assert "mallard-profile printed a wrong profile: no JSON" in refused(profiler, tmp_path, capsys, way)


def test_a_full_disk_leaves_the_old_page(
    tmp_path: Path,
    profiler: Profiler,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    profiler()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mallard.shared.atomic_file.os.fsync", full)
    (tmp_path / "out").write_text("old")
    assert main(["profile", "x.trace", "--html", "out"]) == 2
    message = capsys.readouterr().err
    assert (tmp_path / "out").read_text() == "old"
    assert "out cannot be written: No space left on device; give another file: --html FILE" in message


def test_reports_missing_profiler(
    tmp_path: Path,
    profiler: Profiler,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MALLARD_PROFILE", str(tmp_path / "none"))
    assert "is not a program; unset it" in refused(profiler, tmp_path, capsys, [])
    monkeypatch.delenv("MALLARD_PROFILE")
    monkeypatch.setenv("MALLARD_ROOT", str(tmp_path))
    assert "the native program mallard-profile is missing" in refused(profiler, tmp_path, capsys, [])
