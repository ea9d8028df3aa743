"""`mallard choose`: its report and its errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from report_lines import report_of, rows, tables
from synthetic_experiments import locality_rows
from synthetic_pools import program_rows
from synthetic_run import INLINE, STRATEGIES, density_rows, write_run

from mallard.cli import main
from mallard.shared.report.model import Code, Mood, Report


def choose(*words: str) -> Report:
    return report_of("choose", "choose", *words)


def test_report_has_answer_runner_up_walk_and_cells(database: Path) -> None:
    write_run(database, density_rows(names=("DS4",), strategies=(*STRATEGIES, *INLINE)))
    write_run(database, program_rows())
    report = choose("--structure", "unordered_set<string>", "--elements", "2^10")
    assert report.answer.mood is Mood.GOOD
    assert report.answer.text.startswith(
        "unordered_set<string>, 2^10 elements, freed by the end of a scope: use monotonic (bound by type "
        "parameter, destroyed normally): 30 % (30 to 30) of the global allocator's time"
    )
    shown = tables(report)
    notes = rows(shown["Notes"])
    assert [label for label, _ in notes] == ["note", "runner-up", "note"]
    assert notes[0][1].startswith("in 1 small program monotonic takes 50 % (50 to 50)")
    assert notes[1][1] == (
        "monotonic/inline (behind the inline base, destroyed normally): 32 % (31 to 32) of new-delete's time"
    )
    walk = rows(shown["The questions"])
    assert {"C", "L", "D", "V", "U", "F"} <= {mark for mark, *_ in walk}
    assert walk[0][:3] == ["C", "How many threads allocate at once?", "one"]
    place, strategies = rows(shown["The rows behind the answer"])[0]
    assert place.startswith("run 1, density, buffer warm")
    assert strategies.startswith("new-delete, monotonic, monotonic/inline, ")
    assert not any(isinstance(block, Code) for section in report.sections for block in section.blocks)


def test_every_option_has_an_effect(database: Path) -> None:
    write_run(database, density_rows(names=("DS4",)))
    report = choose(
        *("--structure", "map<int,string>", "--elements", "1000", "--density", "1", "--variation", "1"),
        *("--locality", "1", "--utilization", "0.1", "--threads", "2", "--fragmented", "yes"),
        *("--lifetime", "program", "--freed-by", "self", "--binding", "base", "--wink-out", "yes"),
        *("--buffer", "warm", "--access-factor", "4"),
    )
    assert "map<int,string>, 2^9.97 elements, living as long as the program" in report.answer.text
    assert "use multipool+monotonic/base/wink" in report.answer.text
    notes = rows(tables(report)["Notes"])
    assert any("the nearest is unordered_set<string> (DS4)" in text for _, text in notes)
    excluded = "monotonic, monotonic/wink, monotonic/base, monotonic/inline, monotonic/base/wink, "
    assert ["excluded", f"{excluded}monotonic/inline/wink: its memory only grows, and U = 0.1"] in notes
    for command in (
        "utilization",
        "contention --threads 2 --freed-by self",
        "fragmentation --ds 4",
    ):
        assert any(line.startswith(f"mallard bench {command}") for line in commands(report)), command


def commands(report: Report) -> tuple[str, ...]:
    (block,) = report.sections[-1].blocks
    return tuple(block.text.splitlines())


def test_only_finished_runs_count(database: Path) -> None:
    write_run(database, density_rows(names=("DS4",), strategies=("new-delete", "multipool")))
    write_run(database, density_rows(names=("DS4",)), finished=False)
    assert "use multipool" in choose().answer.text


def test_locality_names_its_list(database: Path) -> None:
    write_run(database, locality_rows())
    report = choose("--locality", "0", "--elements", "2^9")
    assert "use multipool" in report.answer.text
    notes = rows(tables(report)["Notes"])
    assert any("locality was measured with std::list<int>, here of 512" in text for _, text in notes)


@pytest.mark.parametrize("exists", [True, False])
def test_names_a_command_without_rows(
    database: Path, capsys: pytest.CaptureFixture[str], exists: bool
) -> None:
    if exists:
        write_run(database, density_rows(names=("DS1",)))
    assert main(["choose"]) == 1
    shown = capsys.readouterr().out
    assert "no answer yet: the deciding rows are not measured yet" in shown
    assert "Not measured; this measures it\n  mallard bench density --ds 4 --size 10" in shown
    assert commands(choose()) == tuple(line.strip() for line in shown.splitlines() if "mallard bench" in line)
    assert database.exists() is exists


def test_rejects_a_missing_database(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["choose", "--db", "other.db"]) == 2
    assert "other.db" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--density", "high"), "--density: 'high' is not allowed; give a number from 0 to 1: the share of"),
        (
            ("--variation", "1.1"),
            "--variation: '1.1' is not allowed; give a number from 0 to 1: 0 for blocks of",
        ),
        (("--locality", "nan"), "--locality: 'nan' is not allowed; give a number from 0 to 1: near 0 if"),
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
