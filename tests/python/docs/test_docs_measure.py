"""The commands behind the documents' figures: each is understood, and a finished one is not repeated."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.store import Store
from mallard.cli import parse_command

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs"))
import measure
from figures.stored import stored_runs

# What a user builds need not be on this machine.
OWN_MALLOC = re.compile(r"\w+=~/\w+\.so")
STAND_IN = Path(__file__).resolve().parents[3] / "bench/tests/stand_in/bde"
META = {
    "experiment": "primitives",
    "scale": "quick",
    "seed": 1,
    "repetitions": 3,
    "identity": "x",
    "options": {},
    "machine": {},
    "runner": {"commit": "x"},
}


def begin(database: Path, command: str) -> int:
    with Store(database) as store:
        store.claim()
        return store.begin_run({**META, "command": command})


@pytest.mark.parametrize("command", measure.commands())
def test_a_command_of_the_list_is_understood(command: str) -> None:
    here = OWN_MALLOC.sub("mimalloc", command).replace("bde=~/bde", f"bde={STAND_IN}")
    assert "~" not in here
    assert parse_command(shlex.split(here)).arguments.experiment


def test_commands_are_unique() -> None:
    plain = [measure.plain(command) for command in measure.commands()]
    assert len(set(plain)) == len(plain)


def test_stored_runs_match_listed_commands() -> None:
    plain = {measure.plain(command) for command in measure.commands()}
    stored = [(name, stored.run["command"]) for name in EXPERIMENTS for stored in stored_runs(name)]
    assert [run for run in stored if measure.plain(run[1]) not in plain] == []


def test_recognizes_finished_command_despite_quoting(tmp_path: Path) -> None:
    database = tmp_path / "measured.db"
    number = begin(database, f"mallard bench primitives --malloc 'a,b=~/c.so' --db {database}")
    begin(database, "mallard bench contention")
    assert measure.seconds_taken(database) == {}
    with Store(database) as store:
        store.claim()
        store.finish_run(number)
    assert list(measure.seconds_taken(database)) == [measure.plain("bench primitives --malloc a,b=~/c.so")]


def test_measures_only_missing_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "measured.db"
    begin(database, "mallard bench primitives")
    calls: list[str] = []

    def finish(command: str, file: Path) -> int:
        calls.append(command)
        with Store(file) as store:
            store.claim()
            run = next((run for run in store.runs() if run.command == f"mallard {command}"), None)
            store.finish_run(run.id if run else store.begin_run({**META, "command": f"mallard {command}"}))
        return 0

    monkeypatch.setattr(measure, "measure", finish)
    monkeypatch.setattr(measure, "commands", lambda: ["bench primitives", "bench contention"])
    for expected in (["bench primitives", "bench contention"], []):
        calls.clear()
        monkeypatch.setattr(sys, "argv", ["measure.py", "--db", str(database)])
        assert measure.main() == 0
        assert calls == expected


def test_a_command_that_leaves_no_run_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measure, "measure", lambda *_: 2)
    monkeypatch.setattr(measure, "commands", lambda: ["bench primitives"])
    monkeypatch.setattr(sys, "argv", ["measure.py", "--db", str(tmp_path / "measured.db")])
    assert measure.main() == 1
    assert capsys.readouterr().err == "failed: bench primitives\n"


def test_an_interrupt_ends_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "measure", lambda *_: measure.INTERRUPTED)
    monkeypatch.setattr(sys, "argv", ["measure.py", "--db", str(tmp_path / "measured.db")])
    assert measure.main() == measure.INTERRUPTED
