"""`mallard choose`: its output and its errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic_experiments import locality_rows
from synthetic_pools import program_rows
from synthetic_run import INLINE, STRATEGIES, density_rows, write_run

from mallard.cli import main


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MALLARD_DB", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path / "mallard.db"


def output(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["choose", *words]) == 0
    return capsys.readouterr().out


def test_prints_answer_runner_up_walk_and_cells(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=("DS4",), strategies=(*STRATEGIES, *INLINE)))
    write_run(database, program_rows())
    shown = output(capsys, "--structure", "unordered_set<string>", "--elements", "2^10")
    assert "unordered_set<string>, 2^10 elements, freed by the end of a scope" in shown
    for dimension in "CLDVUF":
        assert f"\n  {dimension}  " in shown
    assert (
        "use monotonic (bound by type parameter, destroyed normally): 30 % (30 to 30) of the global "
        "allocator's time" in shown
    )
    assert (
        "runner-up: monotonic/inline (behind the inline base, destroyed normally): 32 % (31 to 32) of "
        "new-delete's time" in shown
    )
    assert "rests on\n  run 1, density, buffer warm" in shown
    parts = ("use monotonic", "note: in 1 small program monotonic takes 50 % (50 to 50)")
    parts += ("runner-up", "the questions, the answers", "  C  How many threads", "rests on")
    assert sorted(parts, key=shown.index) == list(parts)
    assert ": new-delete, monotonic, monotonic/inline" in shown
    assert "not measured" not in shown


def test_every_option_has_an_effect(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=("DS4",)))
    shown = output(
        capsys,
        *("--structure", "map<int,string>", "--elements", "1000", "--density", "high", "--variation", "high"),
        *("--locality", "high", "--utilization", "0.1", "--threads", "2", "--fragmented", "yes"),
        *("--lifetime", "program", "--freed-by", "self", "--binding", "base", "--wink-out", "yes"),
        *("--buffer", "warm", "--access-factor", "4"),
    )
    assert "map<int,string>, 2^9.97 elements, living as long as the program" in shown
    assert "the nearest is unordered_set<string> (DS4)" in shown
    assert "use multipool+monotonic/base/wink" in shown
    assert (
        "excluded: monotonic, monotonic/wink, monotonic/base, monotonic/inline, monotonic/base/wink, "
        "monotonic/inline/wink: its memory only grows, and U = 0.1" in shown
    )
    for command in (
        "utilization",
        "contention --threads 2 --freed-by self",
        "fragmentation --ds 4 --size 10",
    ):
        assert f"mallard bench {command}" in shown


def test_only_finished_runs_count(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=("DS4",), strategies=("new-delete", "multipool")))
    write_run(database, density_rows(names=("DS4",)), finished=False)
    assert "use multipool" in output(capsys)


def test_global_allocator_is_an_answer(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=("DS1",)))
    shown = output(capsys, "--structure", "vector<int>", "--elements", "64")
    assert "use the global allocator new-delete" in shown


def test_locality_names_its_list(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, locality_rows())
    shown = output(capsys, "--locality", "low", "--elements", "2^9")
    assert "use multipool" in shown
    assert "locality was measured with std::list<int>, here of 512 elements each" in shown


@pytest.mark.parametrize("exists", [True, False])
def test_names_a_command_without_rows(
    database: Path, capsys: pytest.CaptureFixture[str], exists: bool
) -> None:
    if exists:
        write_run(database, density_rows(names=("DS1",)))
    assert main(["choose"]) == 1
    shown = capsys.readouterr().out
    assert "no answer yet: the deciding rows are not measured yet" in shown
    assert "not measured; this measures it\n  mallard bench density --ds 4 --size 10" in shown
    assert database.exists() is exists


def test_rejects_a_missing_database(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["choose", "--db", "other.db"]) == 2
    assert "other.db" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--density", "middling"), "--density 'middling'; allowed are high, low"),
        (("--utilization", "1.5"), "'1.5' is not allowed; give a number from 0 to 1: the most memory"),
        (("--utilization", "nan"), "'nan' is not allowed"),
        (("--elements", "0"), "'0' is not allowed; give a number such as 16384 or 2^14"),
        (("--elements", "2^41"), "from 1 to 2^40"),
        (("--elements", "-1"), "from 1 to 2^40"),
        (("--threads", "0"), "'0' is not allowed; give a whole number of at least 1"),
        (("--structure", "foo"), "--structure 'foo': foo is unknown; allowed are containers of the standard"),
        (("--structure", "map<int"), "is not a C++ type; allowed are containers"),
        (("--structure", ""), "--structure '' is not a C++ type; allowed are"),
        (("DS4",), "unexpected argument 'DS4'"),
    ],
)
def test_rejects_bad_input(
    database: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert main(["choose", *words]) == 2
    assert message in capsys.readouterr().err
