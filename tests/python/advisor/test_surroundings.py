"""The commands around the runs of a program, and fresh copies of a folder."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from mallard.advisor.trial.process import Measured, RecordingDiffersError, measure, record, refuse_difference
from mallard.advisor.trial.surroundings import UNCHANGED, Surroundings, surround
from mallard.cli import parse_command
from mallard.shared.errors import UsageError

MEASURER = """#!/bin/sh
result=$1
while [ "$1" != -- ]; do shift; done
shift
"$@"
echo $(($? * 256)) 1 1 1 1 1 1 0 > /proc/self/fd/$result
"""
COLLECTOR = """#!/bin/sh
echo trace > $2
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
"""


@pytest.fixture(autouse=True)
def native_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for variable, text in (("MALLARD_MEASURE", MEASURER), ("MALLARD_COLLECTOR", COLLECTOR)):
        file = tmp_path / variable
        file.write_text(text)
        file.chmod(0o755)
        monkeypatch.setenv(variable, str(file))


def run(script: str, surroundings: Surroundings = UNCHANGED) -> Measured:
    return measure(["sh", "-c", script], dict(os.environ), None, 60.0, surroundings)


ONCE = "mkdir made && echo first"  # a second run in the same folder fails


def test_state_is_found_and_prepare_removes_it() -> None:
    first = run(ONCE)
    with pytest.raises(
        UsageError, match="ended with exit status 1, and the first run ended with exit status 0"
    ):
        refuse_difference(first, run(ONCE), "a later run")
    with surround(Surroundings(prepare="rm -r made")) as surroundings:
        assert run(ONCE, surroundings) == first
        assert run(ONCE, surroundings) == first


def test_commands_run_in_order() -> None:
    log = "echo {} >> log"
    with surround(Surroundings(prepare=log.format("prepare"))) as one:
        run("echo run >> log", one)
        run("echo run >> log", one)
    assert Path("log").read_text().split() == ["prepare", "run", "prepare", "run"]


def test_failed_commands_are_errors() -> None:
    message = r"^--prepare .* ended with exit status 3 \(no\); give a command"
    prepare = "echo no >&2; exit 3"
    with surround(Surroundings(prepare=prepare)) as surroundings, pytest.raises(UsageError, match=message):
        run("touch ran", surroundings)
    assert not Path("ran").exists()


def test_a_command_has_the_time_limit() -> None:
    with (
        surround(Surroundings(prepare="sleep 1000", seconds_limit=0.1)) as surroundings,
        pytest.raises(UsageError, match=r"--prepare 'sleep 1000' ran for more than 0\.1 s"),
    ):
        run("true", surroundings)


def test_each_run_has_a_fresh_copy(tmp_path: Path) -> None:
    (tmp_path / "data" / "sub").mkdir(parents=True)
    (tmp_path / "data" / "sub" / "file").write_text("content")
    (tmp_path / "data" / "link").symlink_to("sub/file")
    script = (
        f"pwd && cat link && {ONCE} && rm -r sub && mkdir read-only && touch read-only/x && chmod 0 read-only"
    )
    with surround(Surroundings(prepare="echo prepared", scratch=Path("data"))) as surroundings:
        first = run(script, surroundings)
        assert first.status == 0
        assert run(script, surroundings) == first  # with the same working directory
        copy = surroundings.copy
        assert copy.name == "data"
        assert not copy.exists()
        assert run('rm -r "$PWD"', surroundings).status == 0
        assert run(script, surroundings) == first
    assert not copy.parent.exists()
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["link", "sub"]


def test_a_copy_is_prepared_and_removed_after_failure() -> None:
    Path("data").mkdir()
    with surround(Surroundings(prepare="touch prepared", scratch=Path("data"))) as surroundings:
        assert run("test -f prepared", surroundings).status == 0
        assert not Path("prepared").exists()
        with pytest.raises(UsageError), replace(surroundings, prepare="false").enter_run():
            pass
        assert not surroundings.copy.exists()


def test_names_a_copy_that_remains() -> None:
    """As a process of the last run leaves it, which writes while the copy is removed."""
    Path("data").mkdir()
    with surround(Surroundings(scratch=Path("data"))) as surroundings:
        surroundings.copy.mkdir()
        message = f"^{surroundings.copy}, the copy of --scratch .*data, could not be removed after a run"
        with pytest.raises(UsageError, match=message):
            run("true", surroundings)


def test_reports_a_copy_that_fails_silently(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("data").mkdir()
    Path("cp").write_text("#!/bin/sh\nexit 3\n")
    Path("cp").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with (
        surround(Surroundings(scratch=Path("data"))) as surroundings,
        pytest.raises(UsageError, match="data cannot be copied: cp ended with status 3"),
    ):
        run("true", surroundings)


def test_a_program_keeps_its_file_in_copies() -> None:
    scratch = Surroundings(scratch=Path("data"))
    assert scratch.program_words(["./server", "./x"]) == [f"{os.getcwd()}/server", "./x"]
    assert scratch.program_words(["server"]) == ["server"]
    assert UNCHANGED.program_words(["./server"]) == ["./server"]


def test_rejects_a_scratch_folder_around_its_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with (
        pytest.raises(UsageError, match="where the copies are made"),
        surround(Surroundings(scratch=tmp_path)),
    ):
        pytest.fail("the runs began")
    with pytest.raises(UsageError, match="--scratch no is not a folder"):
        parse_command(["verify", "sh", "ls", "--scratch", "no"])


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo first", ""),
        ("echo other", "printed another output with the recorder than without it, .* give --ignore-output"),
        (
            "echo first; exit 1",
            "ended with exit status 1 with the recorder, and without it ended with exit status 0",
        ),
        ("echo first; exit 139", "ended by signal 11 with the recorder"),
    ],
)
def test_a_recording_repeats_the_first_run(tmp_path: Path, script: str, message: str) -> None:
    first, trace, words = run("echo first"), tmp_path / "trace", ["sh", "-c", script]
    if not message:
        assert record(words, None, trace, 60.0, UNCHANGED, first) == trace
        return
    with pytest.raises(RecordingDiffersError, match=message):
        record(words, None, trace, 60.0, UNCHANGED, first)


def test_outputs_differ_if_they_are_ignored(tmp_path: Path) -> None:
    ignored = Surroundings(ignore_output=True)
    first = run("echo first", ignored)
    assert run("echo other", ignored) == first
    trace = tmp_path / "trace"
    assert record(["echo", "third"], None, trace, 60.0, ignored, first) == trace
    with pytest.raises(RecordingDiffersError, match="exit status 1"):
        record(["false"], None, trace, 60.0, ignored, first)


def test_a_killed_program_repeats_under_the_recorder(tmp_path: Path) -> None:
    first = replace(run("true"), status=11)
    assert record(["sh", "-c", "exit 139"], None, tmp_path / "trace", 60.0, UNCHANGED, first)
