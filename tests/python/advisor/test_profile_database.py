"""The database of a profile: what is stored is what is read, and a damaged or hostile one is refused."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from synthetic_profile import document, empty, hostile, in_depth, withheld

from mallard.advisor.profile.database import Database, read_database
from mallard.advisor.profile.document import Profile, read_profile, read_rows, stored_profile
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.schema import SQL, TABLES
from mallard.shared.errors import UsageError

ROOT = Path(__file__).resolve().parents[3]


def stored(folder: Path, profile: dict[str, Any]) -> Path:
    path = folder / "x.db"
    read_rows(json.dumps(profile)).save(path)
    return path


def changed(folder: Path, *statements: str) -> Path:
    path = stored(folder, document())
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        for statement in statements:
            file.execute(statement)
    return path


def test_failed_write_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="unable to open database file"):
        read_rows(json.dumps(document())).save(tmp_path / "none" / "x.db")


def deep() -> dict[str, Any]:
    return document(scope=in_depth())


@pytest.mark.parametrize("make", [document, empty, hostile, withheld, deep])
def test_a_stored_profile_is_the_same(tmp_path: Path, make: Callable[[], dict[str, Any]]) -> None:
    read = stored_profile(read_database(stored(tmp_path, make())))
    assert read == read_profile(json.dumps(make()))


def test_scope_in_depth_is_the_listed_one_with_more_rows() -> None:
    row = document()["scopes"][1]
    more = [row["escapes"][0] | {"freed_by": function} for function in range(8)] * 3
    profile = read_profile(json.dumps(document(scope=in_depth(row=row | {"escapes": more}))))
    assert profile.scope.row.id == row["id"]
    assert len(profile.scope.row.escapes) == 24
    assert [len(scope.escapes) for scope in profile.scopes] == [2, 12, 2]
    assert (len(profile.sites), len(profile.scope.sites)) == (3, 3)
    assert len(profile.scope.callers) == 1
    assert profile.scope.activation_bytes_classes[0] == (1024, 60)


def test_code_of_a_scope_is_stored() -> None:
    code = [
        {"file": "", "instructions": [0x42, 0x99], "ranges": [[0x40, 0x48], [0x60, 0x70]]},
        {"file": "\x1b[31ma.so", "instructions": [7]},
    ]
    connection = read_rows(json.dumps(document(scope=in_depth(code=code)))).connection
    rows = {name: [tuple(row)[1:] for row in connection.execute(f"SELECT * FROM {name}")] for name in TABLES}
    assert rows["code"] == [("", 0x42), ("", 0x99), ("\\x1b[31ma.so", 7)]
    assert rows["inlined_code"] == [("", 0x40, 0x48), ("", 0x60, 0x70)]


def test_marked_scope_has_a_number_of_its_own() -> None:
    marked = document()["scopes"][0] | {"id": None, "name": "request", "kind": "marker", "function": None}
    profile = read_profile(json.dumps(document(markers={"scopes": [marked]}, scope=in_depth(row=marked))))
    (scope,) = profile.markers.scopes
    assert (scope.id, scope.name, scope.kind) == (None, "request", "marker")
    assert profile.scope.kind == "marker"
    assert len(profile.scopes) == 3


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: str(table.name))
def test_every_column_is_described(table: Any) -> None:
    assert table.text
    assert table.columns[0].name == "recording"
    for column in table.columns[1:]:
        assert column.text or column.reference, column.name


def test_the_definitions_are_understood_whole() -> None:
    """The tables as SQLite sees them are those that the comments are read from."""
    connection = Database().connection
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid"
    assert [row[0] for row in connection.execute(tables)] == list(TABLES)
    for name, table in TABLES.items():
        columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
        assert [row["name"] for row in columns] == list(table.names)
        keys = connection.execute(f"PRAGMA foreign_key_list({name})")
        references = {row["from"]: row["table"] for row in keys}
        assert references == {column.name: column.reference for column in table.columns if column.reference}
    assert SQL.count("STRICT;") == len(TABLES)


def test_queries_of_the_page_run() -> None:
    page = (ROOT / "docs/advisor/profile_format.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sql\n(SELECT .*?)```", page, re.DOTALL)
    connection = read_rows(json.dumps(document())).connection
    rows = [connection.execute(query).fetchall() for query in block.split(";")[:-1]]
    leaks, contained, other_thread = ([tuple(row)[1:] for row in some] for some in rows)
    assert [figures[-2:] for figures in leaks] == [(40_000, 9_000_000), (1, 4_000_000)]
    assert contained == [(1_100_000, 0.98, 0.31, 3.34)]
    assert other_thread == [(700, 0.002)]
    assert all(row[0] for some in rows for row in some), "names"


def test_rules_of_merging_are_known() -> None:
    simple = {"", "key", "key by basename", "first", "max", "min", "same", "alone", "weight"}
    rules = {column.rule for table in TABLES.values() for column in table.columns}
    assert {rule for rule in rules - simple if not rule.startswith(("= ", "mean by "))} == set()
    merged = [column for table in TABLES.values() if not table.rule for column in table.columns]
    assert [column.name for column in merged if column.kind == "TEXT" and not column.rule] == []


def test_names_are_escaped_in_the_database_and_behind_it(tmp_path: Path) -> None:
    path = stored(tmp_path, hostile())
    with closing(sqlite3.connect(path)) as file:
        assert all(name.isprintable() for (name,) in file.execute("SELECT name FROM functions"))
        file.execute("UPDATE functions SET name = char(27) || '[31mred' WHERE id = 1")
        file.commit()
    assert Names(stored_profile(read_database(path))).full(1) == "\\x1b[31mred"


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (["PRAGMA user_version = 2"], "has version 2 of the tables"),
        (["DROP TABLE pairs"], "of the tables of a profile"),
        (["DROP TABLE pairs", "CREATE VIEW pairs AS SELECT 1 AS recording"], "of the tables of a profile"),
        (["CREATE TABLE pairs2(x)"], "of the tables of a profile"),
        (["DELETE FROM recordings"], "its recordings are not numbered from 1"),
        (["UPDATE recordings SET recording = 9"], "its recordings are not numbered from 1"),
        (["DELETE FROM functions WHERE id = 1"], "the rows of functions are not numbered from 0"),
        (["DELETE FROM figures WHERE scope IS NULL AND site IS NULL"], "has 0 rows of figures"),
        (["UPDATE figures SET contained_bytes = NULL"], "'bytes' of Amount is null"),
        (["UPDATE figures SET D_raw = 9e999"], "inf is not a finite number"),
        (["UPDATE recordings SET process_command = '{}'"], "a command is no list of words"),
        (["UPDATE recordings SET process_command = '[1]'"], "a command is no list of words"),
        (
            ["PRAGMA ignore_check_constraints = ON", "UPDATE stacks SET stack = 1 << 40"],
            "CHECK constraint failed: stack BETWEEN",
        ),
    ],
)
def test_hostile_database_is_refused(tmp_path: Path, statements: list[str], message: str) -> None:
    path = changed(tmp_path, *statements)
    with pytest.raises(UsageError) as refused:
        stored_profile(read_database(path))
    assert message in str(refused.value)


def test_wrong_types_are_refused(tmp_path: Path) -> None:
    """A file in which the tables are not strict, as some other program may write it."""
    path = changed(
        tmp_path,
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'pairs'",
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("UPDATE pairs SET bytes = 'many'")
        file.execute("PRAGMA writable_schema = ON")
        file.execute("UPDATE sqlite_schema SET sql = sql || ' STRICT' WHERE name = 'pairs'")
    with pytest.raises(UsageError, match=r"cannot store TEXT value in INTEGER column pairs\.bytes"):
        read_database(path)


@pytest.mark.parametrize("damage", [b"\xff", b"\x00", b"\x17"])
def test_damaged_file_is_refused_or_read(tmp_path: Path, damage: bytes) -> None:
    path = stored(tmp_path, document())
    whole = path.read_bytes()
    refused = 0
    for at in range(0, len(whole), len(whole) // 48):
        path.write_bytes(whole[:at] + damage * 300 + whole[at + 300 :])
        try:
            stored_profile(read_database(path))
        except UsageError:
            refused += 1
    assert refused > 12


def test_truncated_file_is_refused(tmp_path: Path) -> None:
    path = stored(tmp_path, document())
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(UsageError, match="is a damaged profile"):
        stored_profile(read_database(path))


def test_old_sqlite_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    with pytest.raises(UsageError, match=r"a profile needs SQLite 3\.37, and this Python has "):
        Database()


def test_recordings_stay_apart_in_a_database() -> None:
    database = Database()
    for allocations in (10, 20):
        profile: Profile = read_profile(json.dumps(document()))
        database.add(profile.rows)
        database.connection.execute(
            "UPDATE figures SET allocations = ? WHERE recording = ? AND scope IS NULL AND site IS NULL",
            (allocations, database.recordings),
        )
    query = "SELECT recording, allocations FROM figures WHERE scope IS NULL AND site IS NULL"
    assert [tuple(row) for row in database.connection.execute(query)] == [(1, 10), (2, 20)]
    assert stored_profile(database).figures.allocations == 30
