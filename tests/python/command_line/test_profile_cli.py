"""`mallard profile` with a native program that is made up: words, files, and failures."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from synthetic_profile import document, fake_program, in_depth

from mallard.cli import main, understood
from mallard.command_line.needs import Needs

Made = Callable[..., Path]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Makes the program; the trace is an empty file, which that program does not read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "native").mkdir()
    (tmp_path / "x.trace").touch()

    def make(answer: Any = None, **how: Any) -> Path:
        program = fake_program(tmp_path / "native", document() if answer is None else answer, **how)
        monkeypatch.setenv("MALLARD_PROFILE", str(program))
        return program

    return make


def words(tmp_path: Path) -> list[str]:
    """The words that the native program was given."""
    return (tmp_path / "native" / "words").read_text().splitlines()


def files(tmp_path: Path) -> list[str]:
    return sorted(each.name for each in tmp_path.iterdir())


def test_the_front_door_is_told_to_build_the_advisor(made: Made) -> None:
    assert understood(["profile", "x.trace"]).needs() == Needs(presets=("advisor",))


def test_the_native_program_gets_the_scope_and_the_process(tmp_path: Path, made: Made) -> None:
    made(document(scope=in_depth()))
    assert main(["profile", "x.trace", "--scope", "parse it", "--process", "12"]) == 0
    assert words(tmp_path) == ["x.trace", "--process", "12", "--scope", "parse it"]


def test_a_trace_whose_name_begins_with_a_dash_is_no_option(tmp_path: Path, made: Made) -> None:
    made()
    (tmp_path / "--events").touch()
    assert main(["profile", "--json", "./--events"]) == 0
    assert words(tmp_path) == ["./--events"]  # pathlib drops the folder


def test_without_a_trace_the_recorders_default_is_read(tmp_path: Path, made: Made) -> None:
    made()
    (tmp_path / "mallard.trace").touch()
    assert main(["profile"]) == 0
    assert words(tmp_path) == ["mallard.trace"]


def test_json_is_passed_on_as_it_is(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    made()
    assert main(["profile", "x.trace", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == document()


def test_a_page_is_written_whole(tmp_path: Path, made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    made()
    assert main(["profile", "x.trace", "--html", "page.html"]) == 0
    assert "page.html: " in capsys.readouterr().out
    assert (tmp_path / "page.html").read_text().endswith("</html>\n")
    assert files(tmp_path) == ["native", "page.html", "x.trace"]


@pytest.mark.parametrize("kind", ["pprof", "dhat", "folded"])
def test_an_export_is_written_by_the_native_program(tmp_path: Path, made: Made, kind: str) -> None:
    made("")
    assert main(["profile", "x.trace", "--export", kind, "-o", "out"]) == 0
    assert (tmp_path / "out").read_text() == "exported"
    assert words(tmp_path)[:3] == ["x.trace", "--export", kind]
    assert files(tmp_path) == ["native", "out", "x.trace"]


def test_an_export_can_go_to_a_pipe(tmp_path: Path, made: Made) -> None:
    made("")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert main(["profile", "x.trace", "--export", "folded", "-o", "pipe"]) == 0
        assert os.read(reader, 100) == b"exported"
    finally:
        os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


# ---- bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            "",
            "there is no ./mallard.trace here; 'mallard record -- PROGRAM' makes it, 'mallard profile TRACE'",
        ),
        ("nowhere", "there is no file nowhere; 'mallard record -o nowhere -- PROGRAM' makes it"),
        ("x" * 300, "there is no file x"),
        ("native", "native is a directory; give the file that"),
        ("x.trace y.trace", "'y.trace' is one word too many"),
        ("x.trace --export dhat", "--export dhat needs a file; add -o FILE"),
        ("x.trace --export dhta -o y", "'dhta' (did you mean dhat?); allowed are pprof, dhat, folded"),
        ("x.trace -o y", "-o y is the file of an export; add --export pprof, dhat, folded"),
        ("x.trace --export dhat -o x.trace", "x.trace is the trace itself; give another file: -o FILE"),
        ("x.trace --html native/../x.trace", "x.trace is the trace itself; give another file: --html FILE"),
        ("x.trace --html native", "native is a directory; give a file: --html FILE"),
        ("x.trace --html none/page.html", "there is no directory none; make it first"),
        ("x.trace --json --html page.html", "not allowed with --json"),
        ("x.trace --process 0", "'0' is not allowed; give a whole number of at least 1"),
        ("x.trace --process -3", "process"),
        ("x.trace --export dhat -o y --scope f", "--scope 'f': exports are of the whole process"),
        ("x.trace --scope=", "--scope '': the name of a scope is empty"),
        ("x.trace --scop f", "unknown option '--scop' (did you mean --scope?)"),
    ],
)
def test_bad_input_is_refused_before_the_native_program_runs(
    tmp_path: Path, made: Made, capsys: pytest.CaptureFixture[str], options: str, said: str
) -> None:
    made()
    before = files(tmp_path)
    assert main(["profile", *options.split()]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("mallard: error: ")
    assert said in told.err
    assert not (tmp_path / "native" / "words").exists()
    assert files(tmp_path) == before


WAYS = ([], ["--json"], ["--html", "out"], ["--export", "dhat", "-o", "out"])


def refused(made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str], way: list[str]) -> str:
    """The error; nothing else may be left or said, and the file of before has its old text."""
    (tmp_path / "out").write_text("old")
    assert main(["profile", "x.trace", *way]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert files(tmp_path) == ["native", "out", "x.trace"]
    assert (tmp_path / "out").read_text() == "old"
    return told.err


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_the_native_programs_own_words_are_shown(
    tmp_path: Path, made: Made, capsys: pytest.CaptureFixture[str], way: list[str]
) -> None:
    made("", status=2, error="mallard-profile: error: x.trace is no trace; give a file of 'mallard record'\n")
    said = refused(made, tmp_path, capsys, way)
    assert said == "mallard: error: x.trace is no trace; give a file of 'mallard record'\n"


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_a_crash_is_said(
    tmp_path: Path, made: Made, capsys: pytest.CaptureFixture[str], way: list[str]
) -> None:
    made({"format": "mallard profile"}, crash=signal.SIGSEGV, error="half a wo")
    said = refused(made, tmp_path, capsys, way)
    assert "mallard-profile crashed (SIGSEGV), so nothing was written" in said
    assert "it said: half a wo" in said


def test_an_end_without_a_word_is_said(
    tmp_path: Path, made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    made("", status=3)
    assert "failed (exit status 3) without a word" in refused(made, tmp_path, capsys, [])


@pytest.mark.parametrize("way", [[], ["--html", "out"]], ids=" ".join)
def test_an_answer_that_is_cut_off_is_said(
    tmp_path: Path, made: Made, capsys: pytest.CaptureFixture[str], way: list[str]
) -> None:
    made(json.dumps(document())[:5000])
    assert "mallard-profile printed no JSON" in refused(made, tmp_path, capsys, way)


def test_a_full_disk_leaves_the_old_page(
    tmp_path: Path, made: Made, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mallard.whole_file.os.fsync", full)
    said = refused(made, tmp_path, capsys, ["--html", "out"])
    assert "out cannot be written: No space left on device; give another file: --html FILE" in said


def test_a_missing_native_program_is_said(
    tmp_path: Path, made: Made, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MALLARD_PROFILE", str(tmp_path / "none"))
    assert "is not a program; unset it" in refused(made, tmp_path, capsys, [])
    monkeypatch.delenv("MALLARD_PROFILE")
    monkeypatch.setenv("MALLARD_ROOT", str(tmp_path))
    assert "the native program mallard-profile is missing" in refused(made, tmp_path, capsys, [])
