"""`mallard show claims`: the ledger in the terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from synthetic_run import density_rows, write_run

from mallard.bench.claims import NOT_APPLICABLE, NOT_MEASURED, REPRODUCED, VERDICTS, claims_markdown, ledger
from mallard.bench.claims.claim import claims, with_names
from mallard.cli import main

DS2 = ("DS2",)


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MALLARD_DB", raising=False)
    monkeypatch.setenv("COLUMNS", "160")
    return tmp_path / "mallard.db"


def test_selects_claims_of_one_document(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=DS2))
    assert main(["show", "claims", "--paper", "p0213"]) == 0
    shown = capsys.readouterr().out
    assert "P0213R0, Validation of Memory-Allocation Benchmarks" in shown
    assert "P0089R1" not in shown
    assert "here: runs density 1;" in " ".join(shown.split())


def test_selects_claims_of_one_verdict(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=DS2))
    words = ("reproduced", "not-reproduced", "not-applicable", "not-measured")
    for word, verdict in zip(words, VERDICTS, strict=True):
        assert main(["show", "claims", "--verdict", word]) == 0
        shown = capsys.readouterr().out
        assert verdict in shown
        assert not any(
            unrelated in shown
            for unrelated in VERDICTS
            if unrelated not in verdict and verdict not in unrelated
        )


def test_last_line_counts_every_claim(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=DS2))
    counted = "173 claims: "
    lines = {}
    for words in ([], ["--all"]):
        assert main(["show", "claims", *words]) == 0
        lines[tuple(words)] = capsys.readouterr().out.splitlines()
        assert lines[tuple(words)][-1].startswith(counted)
    assert lines[()][-1] == f"{lines['--all',][-1]}; --all shows those {NOT_APPLICABLE}"


def test_text_omits_claims_that_cannot_apply(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=DS2))
    entries = [entry for entry in ledger([]) if entry.paper == "loki"]
    assert main(["show", "claims", "--paper", "loki"]) == 0
    shown = capsys.readouterr().out
    assert main(["show", "claims", "--paper", "loki", "--all"]) == 0
    shown_all = capsys.readouterr().out
    for entry in entries:
        number = re.compile(rf"^ *{entry.number} ", re.MULTILINE)
        assert number.search(shown_all)
        assert bool(number.search(shown)) == (entry.verdict != NOT_APPLICABLE)
    assert {entry.verdict for entry in entries} == {NOT_APPLICABLE, NOT_MEASURED}


def test_lists_claims_without_a_database(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "claims"]) == 0
    assert "Nothing was measured yet" in capsys.readouterr().out
    assert not database.exists()


def test_interrupted_runs_count_only_on_request(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=DS2), finished=False)
    reproduced = {}
    for run in ("latest", "all", "1"):
        assert main(["show", "claims", "--run", run, "--format", "json"]) == 0
        reproduced[run] = json.loads(capsys.readouterr().out)["counts"][REPRODUCED]
    assert reproduced["latest"] == 0
    assert reproduced["all"] == reproduced["1"] > 0


def test_json_has_figures_as_numbers(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=DS2, repetitions=1))
    assert main(["show", "claims", "--paper", "p0213", "--format", "json"]) == 0
    entries = json.loads(capsys.readouterr().out)["claims"]
    entry = next(row for row in entries if row["rule"] == "p0213_ds2_monotonic_average")
    assert entry["figures"][0]["value"] == pytest.approx(29.925, abs=1e-3)
    assert entry["figures"][0]["low"] is None


def test_markdown_has_a_table_per_document(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=DS2))
    assert main(["show", "claims", "--format", "md"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("173 claims: ")
    assert text.count("\n## ") == 6
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(lines) == 173 + 6
    assert all(line.replace("\\|", "").count("|") == 8 for line in lines)
    assert "vector&lt;string>" in text
    assert claims_markdown(ledger([])).endswith("|\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--paper", "p0339"], "allowed are p0089, p0213, loki, allocplus, optimized, mallard"),
        (["--verdict", "maybe"], "allowed are reproduced, not-reproduced, not-applicable, not-measured"),
        (["--format", "html"], "allowed are text, md, json"),
        (["--run", "7"], "no run 7"),
        (["--run", "newest"], "allowed are latest"),
        (["--db", "other.db"], "other.db"),
    ],
)
def test_rejects_bad_input(
    database: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    write_run(database, density_rows(names=DS2))
    assert main(["show", "claims", *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("width", [80, 120, 200])
def test_lines_fit_the_terminal(
    database: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    write_run(database, density_rows(names=DS2))
    assert main(["show", "claims", "--paper", "p0213"]) == 0
    lines = capsys.readouterr().out.splitlines()
    # The lines that count verdicts and name runs are left to the terminal to break.
    table = [line for line in lines if not line.startswith(("P0213R0", "49 claims", "here:"))]
    assert max(map(len, table)) <= width
    assert any("28 to 67 %" in line for line in table)


# ---- names first --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("first row: AS5", "first row: monotonic/base (AS5)"),
        ("first row: AS7 / AS9", "first row: multipool (AS7) / multipool/base (AS9)"),
        ("cost of AS3;AS7 (virtual)", "cost of monotonic (AS3); multipool (AS7) (virtual)"),
        ("AS6 (virtual) is faster", "monotonic/base/wink (AS6, virtual) is faster"),
        ("monotonic AS3-AS6 range", "monotonic (AS3-AS6) range"),
        ("the second group AS3-AS6", "the second group monotonic (AS3-AS6)"),
        ("local AS3-AS14 vs AS1, all", "local (AS3-AS14) vs new-delete (AS1), all"),
        ("best (AS3-AS6; AS11-AS14)", "best (monotonic, AS3-AS6; multipool+monotonic, AS11-AS14)"),
        ("AS7 multipool, no wink-out", "multipool (AS7), no wink-out"),
        ("a figure of no strategy", "a figure of no strategy"),
    ],
)
def test_numbers_follow_names(printed: str, shown: str) -> None:
    assert with_names(printed) == shown


def test_every_view_names_strategies(
    database: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["show", "claims", "--all"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "first row: monotonic/base (AS5)" in text
    assert main(["show", "claims", "--format", "md"]) == 0
    markdown = capsys.readouterr().out
    assert "| first row: monotonic/base (AS5) |" in markdown
    for output in (text, markdown):
        assert not re.search(r"(?<![(-])(?<!, )AS\d", output)


def test_json_has_the_printed_text(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "claims", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["claims"]
    assert [row["text"] for row in rows] == [claim.text for claim in claims()]
