"""The tables of a profile for databases: a value of the right type in each column, and DuckDB reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from profile_rows import scope
from synthetic_profile import document, empty, fake_program, hostile, withheld

from mallard.advisor.profile.document import read_rows
from mallard.advisor.profile.tables import TABLES, flat_rows
from mallard.cli import main


def records(name: str, profile: dict[str, Any]) -> list[dict[str, Any]]:
    return flat_rows(read_rows(json.dumps(profile)), name)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("make", [document, empty, hostile, withheld])
def test_records_have_the_columns(name: str, make: Any) -> None:
    columns = TABLES[name][0]
    for record in records(name, make()):
        assert set(record) == set(columns)
        for column, value in record.items():
            assert value is None or isinstance(value, columns[column][0]), column


def test_every_site_is_a_record() -> None:
    first, *others = records("sites", document())
    assert len(others) == 2
    assert first["trace"] == "clang.trace"
    assert first["command"] == "clang++-16 -fsyntax-only x.cpp"
    assert first["short_function"] == "std::vector<>::_M_realloc_insert<>"
    assert (first["allocations"], first["bytes"], first["peak_bytes"]) == (250, 16_000, 9000)
    assert first["alive_allocations"] == 12
    assert first["temporary_bytes"] == 2000
    assert first["freed_by_other_thread_bytes"] is None


def test_lists_marked_scopes_by_kind() -> None:
    marked = scope(0, 0, 500, 9000, 1.0) | {"name": "request", "kind": "marker", "function": None}
    first, second, *_ = records("scopes", document(markers={"scopes": [marked]}))
    assert (first["kind"], first["function"], first["file"]) == ("marker", "request", None)
    assert (second["kind"], second["function"]) == (
        "function",
        "clang::ParseAST(clang::Sema&, bool, bool)",
    )
    assert second["density"] == 0.084


def test_lifetimes_have_their_limits() -> None:
    lives = {"by_bytes": [[-1, 3, 30], [4, 5, 50]], "by_time": [[10, 8, 80]], "alive": None}
    rows = records("lifetimes", document(lifetimes=lives))
    limits = [(row["unit"], row["at_least"], row["below"], row["allocations"]) for row in rows]
    assert limits[:2] == [("bytes", 0.0, 1.0, 3), ("bytes", 16.0, 32.0, 5)]
    assert limits[2] == ("seconds", pytest.approx(1.024e-6), pytest.approx(2.048e-6), 8)


@pytest.mark.full
def test_duckdb_reads_a_fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    monkeypatch.chdir(tmp_path)
    for machine in ("first", "second"):
        (tmp_path / machine).mkdir()
        profile = document(trace={"file": f"{machine}.trace", "bytes": 1, "torn_bytes": 0})
        (tmp_path / machine / "x.trace").touch()
        monkeypatch.setenv("MALLARD_PROFILE", str(fake_program(tmp_path / machine, profile)))
        assert main(["profile", f"{machine}/x.trace", "--parquet", machine]) == 0
    by_trace = "SELECT trace, count(*), sum(allocations) FROM '*/sites.parquet' GROUP BY trace ORDER BY trace"
    assert duckdb.sql(by_trace).fetchall() == [("first.trace", 3, 406), ("second.trace", 3, 406)]
    heaviest = "SELECT short_function FROM '*/scopes.parquet' ORDER BY bytes DESC LIMIT 1"
    assert duckdb.sql(heaviest).fetchall() == [("clang::ParseAST",)]
    freed = "SELECT unit, sum(allocations) FROM 'first/lifetimes.parquet' GROUP BY unit ORDER BY unit"
    lives = document()["lifetimes"]
    assert duckdb.sql(freed).fetchall() == [
        ("bytes", sum(row[1] for row in lives["by_bytes"])),
        ("seconds", sum(row[1] for row in lives["by_time"])),
    ]
