"""bench/results/README.md documents every field, status, table and column of a row; the page's query runs."""

from __future__ import annotations

import re
import sqlite3
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from mallard.bench.database import APPLICATION_ID, SCHEMA_VERSION
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.result import FORMAT, STATUSES, Row
from mallard.bench.store import Run, Store

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs"))
from figures import result_rows
from figures.stored import stored_file, stored_runs

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "bench/results/README.md").read_text(encoding="utf-8")
QUERIES = (ROOT / "docs/benchmark/results.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`([\w.-]+)`", PAGE))


@pytest.mark.parametrize("name", [*(field.name for field in fields(Row)), "format"])
def test_documents_every_field_of_a_row(name: str) -> None:
    assert name in NAMED


@pytest.mark.parametrize("name", [field.name for field in fields(Run) if field.name != "id"])
def test_documents_every_column_of_a_run(name: str) -> None:
    assert name in NAMED


@pytest.mark.parametrize("status", STATUSES)
def test_documents_every_status(status: str) -> None:
    assert f"\n| `{status}` |" in PAGE


def test_documented_numbers_match_code() -> None:
    assert f"The result row (format {FORMAT})" in PAGE
    assert f"0x{APPLICATION_ID:X}" in PAGE
    assert f"the version of the schema, {SCHEMA_VERSION}." in PAGE


def test_the_query_runs(store: Store, meta: dict[str, Any], native: Any) -> None:
    run = store.begin_run(meta)
    store.add_row(run, native())
    store.add_row(run, native(repetition=1, status="crashed", cpu_ns=0))
    query = re.search(r"^ {4}(SELECT .*?;)$", QUERIES, re.MULTILINE | re.DOTALL)
    with sqlite3.connect(store.path) as connection:
        assert connection.execute(query[1]).fetchall() == [("DS2", 6, "new-delete", 2000.0)]
    connection.close()


@pytest.mark.full
@pytest.mark.parametrize("experiment", [name for name in EXPERIMENTS if stored_file(name).exists()])
def test_documents_every_stored_figure(experiment: str) -> None:
    """On the page, or in the table that it names."""
    table = [line for line in result_rows.figures().splitlines() if line.startswith(f"| {experiment} ")]
    documented = {*NAMED, *re.findall(r"`(\w+)`", "".join(table))}
    stored = {name for run in stored_runs(experiment) for row in run.rows for name in row.figures}
    spelled = {
        re.sub(r"^sf\d+_af\d+_", "sf5_af256_", re.sub(r"^(fragmentation)_\d+", r"\1_10", name))
        for name in stored
    }
    assert spelled <= documented
