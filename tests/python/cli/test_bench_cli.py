"""Bad input: each error names the fault, the value and the allowed ones, exits with 2, and leaves nothing
behind."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from advisor_programs import has_ended, wait_until

from mallard.cli import VERBS, main
from mallard.shared.version import version

BAD_INPUT = [
    (("bench", "density", "primitives"), "unexpected 'primitives' after density"),
    (("bench", "density", "--ds"), "--ds: its value is missing"),
    (("bench", "density", "--strategy", "AS15"), "of these the papers number AS1-AS14"),
    (("bench", "density", "--strategy", "AS3-AS99"), "there is no AS99"),
    (
        ("bench", "density", "--strategy", "multipol/wink"),
        "'multipol/wink' is unknown (did you mean multipool/wink?)",
    ),
    (("bench", "density", "--buffer", "hot"), "--buffer 'hot' is unknown; allowed are warm, cold, none"),
    (("bench", "density", "--reps", "0"), "'0' is not allowed; give a whole number of at least 1"),
    (("bench", "density", "--reps", "three"), "'three' is not allowed"),
    (("bench", "density", "--seed", "-1"), "--seed"),
    (("bench", "density", "--seed", "99999999999999999999"), "is not allowed"),
    (
        ("bench", "density", "--time-limit", "0"),
        "'0' is no time; allowed are seconds from 0.001 to 1000000000, such",
    ),
    (("bench", "density", "--quick", "--paper"), "--paper: not allowed with --quick"),
    (("bench", "density", "--stand"), "unknown option '--stand' (did you mean --standard?)"),
    (("bench", "locality", "-20", "18", "32", "-3"), "has 4 numbers where P0089's notation has five"),
    (("bench", "density", "--db", "no/such/place.db", "--ds", "1"), "there is no directory no/such"),
    (("show", "export"), "no database mallard.db; 'mallard bench' makes one"),
    (("show", "export", "--format", "xml"), "--format 'xml'; allowed are csv, json, parquet"),
    (("show", "export", "--format", "parquet"), "--format parquet needs a file; add -o rows.parquet"),
    (("show", "export", "-o", "rows.txt"), "its ending names no format; allowed are csv, json, parquet"),
    (
        ("show", "birds"),
        "unknown word 'birds'; allowed are table, page, peers, claims, export, list, experiments, ",
    ),
]


@pytest.mark.parametrize(("words", "message"), BAD_INPUT, ids=[" ".join(words) for words, _ in BAD_INPUT])
def test_bad_input(fake: Any, capsys: Any, words: tuple[str, ...], message: str) -> None:
    assert fake.run(*words) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("mallard: error: ")
    assert message in captured.err
    assert captured.out == ""
    assert list(fake.directory.iterdir()) == []


def test_a_size_that_cannot_fit(fake: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mallard.shared.machine.memory", lambda field: 2 << 30)
    assert fake.run("bench", "density", "--size", "16", "--ds", "1,6") == 2
    assert "--size: DS6 from 2^16 on cannot fit in memory" in capsys.readouterr().err
    assert fake.begun == []


def test_a_missing_runner(fake: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLARD_BENCH", "/no/such/program")
    assert fake.run("bench") == 2
    assert "MALLARD_BENCH=/no/such/program is not a program" in capsys.readouterr().err


def test_an_unoptimised_runner(fake: Any, capsys: Any) -> None:
    fake.set(describe={"optimised": False})
    assert fake.run("bench") == 2
    stderr = capsys.readouterr().err
    assert "without optimisation, so its times mean nothing" in stderr
    assert "cmake --preset release && cmake --build --preset release --target mallard-bench" in stderr


def test_databases_that_are_not_ours(fake: Any, capsys: Any) -> None:
    letter = fake.directory / "letter"
    letter.write_text("not a database, but a letter of some length\n" * 50)
    assert fake.run("bench", "density", "--db", str(letter)) == 2
    assert "is not a database and was not changed" in capsys.readouterr().err
    fake.run("bench", "density", "--ds", "1", "--size", "6", "--strategy", "new-delete", "--reps", "1")
    with sqlite3.connect(fake.database) as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()
    capsys.readouterr()
    for words in (("bench", "density", "--ds", "1"), ("show", "export", "--format", "csv"), ("show", "runs")):
        assert fake.run(*words) == 2
        assert "was written by a newer mallard (schema 9; this one reads 3)" in capsys.readouterr().err


def test_missing_run_is_refused(fake: Any, capsys: Any) -> None:
    fake.run("bench", "density", "--ds", "1", "--size", "6", "--strategy", "new-delete", "--reps", "1")
    capsys.readouterr()
    assert fake.run("show", "export", "--format", "csv", "--run", "7") == 2
    assert "no run 7 in mallard.db; its runs are 1" in capsys.readouterr().err


def test_two_benchmarks_at_once(fake: Any, capsys: Any) -> None:
    fake.set(behaviour={"new-delete": "hang"})
    words = ("bench", "density", "--ds", "1", "--size", "6", "--strategy", "new-delete")
    first = fake.start(*words, "--time-limit", "60")
    try:
        while not fake.begun:
            assert first.poll() is None
        assert fake.run(*words) == 2
        assert "another 'mallard bench' is writing to mallard.db" in capsys.readouterr().err
    finally:
        first.terminate()
        first.wait(30)


def test_no_runner_outlives_a_killed_bench(fake: Any) -> None:
    fake.set(behaviour={"new-delete": "hang"})
    bench = fake.start(
        "bench", "density", "--ds", "1", "--size", "6", "--strategy", "new-delete", "--time-limit", "60"
    )
    while not fake.begun:
        assert bench.poll() is None
    (runner,) = Path(f"/proc/{bench.pid}/task/{bench.pid}/children").read_text(encoding="ascii").split()
    bench.kill()
    bench.wait(30)
    wait_until(lambda: has_ended(int(runner)))


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"]])
def test_the_first_help_names_every_verb(words: list[str], capsys: Any) -> None:
    assert main(words) == 0
    shown = capsys.readouterr().out
    first = re.findall(r"^  ((?:\w+, )*\w+)  ", shown, re.MULTILINE)
    assert {verb for names in first for verb in names.split(", ")} >= set(VERBS)


def test_version(capsys: Any) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"mallard {version()}\n"


def test_options_may_precede_the_experiment(fake: Any) -> None:
    assert fake.run("bench", "--reps", "1", "--operation", "pair", "primitives") == 0
    assert {row.experiment for row in fake.rows()} == {"primitives"}


def test_the_database_may_come_from_the_environment(fake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLARD_DB", str(fake.directory / "elsewhere.db"))
    assert (
        fake.run("bench", "density", "--ds", "1", "--size", "6", "--strategy", "new-delete", "--reps", "1")
        == 0
    )
    assert (fake.directory / "elsewhere.db").exists()
    assert not fake.database.exists()


@pytest.mark.parametrize("words", [("show", "tables"), ("--help",)])
def test_closed_pipe_ends_silently(fake: Any, words: tuple[str, ...]) -> None:
    process = fake.start(*words)
    process.stdout.close()
    assert process.wait(60) == 141
    assert process.stderr.read() == ""
