"""`mallard show claims`: the report of the ledger, and its JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from synthetic_run import density_rows, write_run

from mallard.bench.claims import NOT_APPLICABLE, NOT_MEASURED, REPRODUCED, VERDICTS, counts, ledger
from mallard.bench.claims.claim import claims, with_names
from mallard.bench.result import Row
from mallard.bench.view.claims import claims_report
from mallard.cli import main
from mallard.shared.report.model import Figure, Mood, Verdict

DS2 = ("DS2",)


def test_selects_claims_of_one_document(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=DS2))
    assert main(["show", "claims", "--paper", "p0213"]) == 0
    shown = capsys.readouterr().out
    assert "P0213R0, Validation of Memory-Allocation Benchmarks" in shown
    assert "P0089R1" not in shown
    assert "here: runs density 1" in " ".join(shown.split())


def test_selects_claims_of_one_verdict(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=DS2))
    words = ("reproduced", "not-reproduced", "not-applicable", "not-measured")
    for word, verdict in zip(words, VERDICTS, strict=True):
        assert main(["show", "claims", "--verdict", word, "--json"]) == 0
        chosen = json.loads(capsys.readouterr().out)
        assert {claim["verdict"] for claim in chosen["claims"]} == {verdict}
        assert len(chosen["claims"]) == chosen["counts"][verdict] > 0


# ---- the report ---------------------------------------------------------------------------------------


def test_report_lists_claims_and_documents() -> None:
    entries = ledger([])
    of_documents, of_claims = (section.blocks[0] for section in claims_report(entries).sections)
    assert [row.cells[0] for row in of_claims.rows] == [entry.number for entry in entries]
    assert [row.cells[0] for row in of_documents.rows] == list(dict.fromkeys(e.document for e in entries))
    for place, verdict in enumerate(VERDICTS, start=1):
        cells = [row.cells[place] for row in of_documents.rows]
        assert sum(cell.value for cell in cells if isinstance(cell, Figure)) == counts(entries)[verdict]


def test_report_judges_by_figures_of_this_machine() -> None:
    rows = [Row.from_native(1, row) for row in density_rows(names=DS2)]
    entry = next(entry for entry in ledger(rows) if entry.rule == "p0213_ds2_monotonic_average")
    report = claims_report([entry])
    table = report.sections[1].blocks[0]
    *_, claim, printed, here, verdict = table.rows[0].cells
    assert (claim, printed) == (entry.shown_text, entry.printed)
    assert str(here).startswith(f"{entry.ours} ({entry.interval})")
    assert verdict == Verdict(
        entry.verdict, Mood.GOOD if entry.verdict == REPRODUCED else Mood.BAD, entry.reason
    )
    assert report.answer.text.endswith("0 of 1 do not apply here, 0 are not measured.")


def test_report_counts_hidden_claims() -> None:
    entries = [entry for entry in ledger([]) if entry.paper == "loki"]
    assert {entry.verdict for entry in entries} == {NOT_APPLICABLE, NOT_MEASURED}
    report, whole = claims_report(entries, hidden=(NOT_APPLICABLE,)), claims_report(entries)
    assert report.answer == whole.answer
    assert report.sections[0] == whole.sections[0]
    assert report.notes == (f"--all shows those {NOT_APPLICABLE}, too",)
    (table,) = report.sections[1].blocks
    verdicts = {cell.word for row in table.rows for cell in row.cells if isinstance(cell, Verdict)}
    assert verdicts == {NOT_MEASURED}
    assert claims_report([]).sections == ()


def test_shows_how_many_sizes_were_measured(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    natives = density_rows(names=DS2, sizes=(6, 10))
    small = [row | {"parameters": row["parameters"] | {"pages": "small"}} for row in natives]
    write_run(database, small)
    assert main(["show", "claims", "--paper", "p0089"]) == 0
    shown = capsys.readouterr().out
    sizes, verdicts, _ = (" ".join(shown.split())).partition("are reproduced")
    assert verdicts
    assert "Run at their own sizes: 2 of 310 rows of P0089R1's tables. " in sizes
    assert "2 of 132" in shown
    assert "P0213R0" not in shown


def test_lists_claims_without_a_database(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "claims"]) == 0
    assert "0 of 0 claims that could be checked are reproduced" in capsys.readouterr().out
    assert not database.exists()


def test_interrupted_runs_count_only_on_request(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=DS2), finished=False)
    reproduced = {}
    for run in ("latest", "all", "1"):
        assert main(["show", "claims", "--run", run, "--json"]) == 0
        reproduced[run] = json.loads(capsys.readouterr().out)["counts"][REPRODUCED]
    assert reproduced["latest"] == 0
    assert reproduced["all"] == reproduced["1"] > 0


def test_json_has_figures_as_numbers(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(database, density_rows(names=DS2, repetitions=1))
    assert main(["show", "claims", "--paper", "p0213", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)["claims"]
    entry = next(row for row in entries if row["rule"] == "p0213_ds2_monotonic_average")
    assert entry["figures"][0]["value"] == pytest.approx(29.925, abs=1e-3)
    assert entry["figures"][0]["low"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--paper", "p0339"], "allowed are p0089, p0213, loki, allocplus, optimized, mallard"),
        (["--verdict", "maybe"], "allowed are reproduced, not-reproduced, not-applicable, not-measured"),
        (["--html", "missing/claims.html"], "no directory missing"),
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


def test_report_names_strategies() -> None:
    (table,) = claims_report(ledger([])).sections[1].blocks
    claims_shown = [str(row.cells[3]) for row in table.rows]
    assert "first row: monotonic/base (AS5)" in claims_shown
    assert not any(re.search(r"(?<![(-])(?<!, )AS\d", text) for text in claims_shown)


def test_json_has_the_printed_text(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "claims", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["claims"]
    assert [row["text"] for row in rows] == [claim.text for claim in claims()]
