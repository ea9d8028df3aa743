"""Every cell of a database, damaged in several ways: each verb that reads it says where, or works."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from samples import sampled

from mallard.bench.store import Store
from mallard.cli import main
from mallard.shared.errors import StoreError

FIRST = ("{", "", '{"a": NaN}', -1, 1e300, None, b"\xff\xfe", "2026")
TEXTS = ("x", "[]", "{}", "null", "[1]", '{"a": [1]}', "A" * 5000)
NUMBERS = (0, 7, 1.5, float("inf"), 2**63 - 1, -(2**63))
ALL: tuple[Any, ...] = (*FIRST, *TEXTS, *NUMBERS, b"")
DAMAGES = sampled(*ALL, default=len(FIRST))

COMMANDS = (
    "show",
    "show table p0089:3",
    "show runs",
    "show page -o page.html",
    "show export",
    "show export --run all --format json",
    "show export --summary --format json",
    "show peers",
    "show claims",
    "choose",
)
EXPERIMENTS = ("density", "locality", "utilization", "contention", "primitives")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, fake_in: Any) -> Iterator[Path]:
    """A database with a run of several experiments."""
    with pytest.MonkeyPatch.context() as patch:
        fake = fake_in(tmp_path_factory.mktemp("sound"), patch)
        stream = StringIO()
        with redirect_stdout(stream), redirect_stderr(stream):
            fake.run(
                "bench",
                "density",
                "--ds",
                "1",
                "--size",
                "6",
                "--strategy",
                "new-delete,multipool",
                "--reps",
                "2",
            )
            fake.run(
                "bench", "locality", "--strategy", "new-delete,multipool", "--reps", "1", "--links", "1024"
            )
        with Store(fake.database) as store:
            store.add_note(1, "busy", "other programs")
        yield fake.database


def columns(database: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(database)) as opened:
        return [
            (table, column[1])
            for table in ("run", "result", "note")
            for column in opened.execute(f"PRAGMA table_info({table})")
        ]


def called(words: str, folder: Path) -> tuple[int, str]:
    stream = StringIO()
    with redirect_stdout(StringIO()), redirect_stderr(stream):
        status = main([*words.split(), "--db", str(folder / "mallard.db")])
    return status, stream.getvalue()


def is_refused(database: Path) -> str:
    """The error of reading all; empty if the damage is none that a reader could see."""
    try:
        with Store.open_existing(database) as store:
            for run in store.runs():
                store.rows(run.id)
                store.notes(run.id)
            store.rows()
    except StoreError as error:
        return str(error)
    return ""


def damage(database: Path, table: str, column: str, value: Any) -> bool:
    """False if the file cannot hold the value there."""
    with closing(sqlite3.connect(database)) as opened:
        try:
            opened.execute("PRAGMA synchronous = OFF")
            opened.execute("PRAGMA ignore_check_constraints = ON")
            opened.execute(f'UPDATE {table} SET "{column}" = ? WHERE id = 1', (value,))
            opened.commit()
        except sqlite3.Error:
            return False
    return True


@pytest.mark.parametrize("value", DAMAGES, ids=lambda value: repr(value)[:20])
def test_damaged_cells_are_named(sound: Path, tmp_path: Path, value: Any) -> None:
    database = tmp_path / "mallard.db"
    for table, column in columns(sound):
        shutil.copy(sound, database)
        if not damage(database, table, column, value) or not (refused := is_refused(database)):
            continue
        assert f"the database {database} " in refused
        assert "give another file: --db FILE" in refused
        if "Could not decode" not in refused:
            assert f"CHECK constraint failed in {table}" in refused or (
                f"table {table}, row " in refused and f"'{column}'" in refused
            )


@pytest.mark.parametrize(
    "value",
    sampled(7, "x", *(damage for damage in ALL if damage not in (7, "x"))),
    ids=lambda value: repr(value)[:20],
)
def test_verbs_survive_harmless_damage(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: Any
) -> None:
    """All columns that no reader refuses are damaged at once."""
    monkeypatch.chdir(tmp_path)
    harmless, database = tmp_path / "harmless.db", tmp_path / "mallard.db"
    shutil.copy(sound, harmless)
    for table, column in columns(sound):
        shutil.copy(harmless, database)
        if damage(database, table, column, value) and not is_refused(database):
            database.replace(harmless)
    harmless.replace(database)
    for verb in COMMANDS:
        status, message = called(verb, tmp_path)
        assert status in (0, 1, 2), verb
        assert status != 2 or "mallard: error: " in message, (verb, message)


HOSTILE = "[/red] [link=x]y\x1b]0;title\x07\n\u202e</script><img src=x>"


def with_hostile_words(value: Any) -> Any:
    """Appends to each text of a cell, and inside of JSON."""
    if isinstance(value, dict):
        return {key: with_hostile_words(item) for key, item in value.items()}
    if isinstance(value, list):
        return [with_hostile_words(item) for item in value]
    return value + HOSTILE if isinstance(value, str) else value


def make_hostile(database: Path, table: str, column: str) -> None:
    with closing(sqlite3.connect(database)) as opened:
        opened.execute("PRAGMA ignore_check_constraints = ON")
        for number, text in opened.execute(f'SELECT id, "{column}" FROM {table}').fetchall():
            if not isinstance(text, str):
                continue
            value = (
                json.dumps(with_hostile_words(json.loads(text)))
                if text.startswith(("{", "["))
                else text + HOSTILE
            )
            opened.execute(f'UPDATE {table} SET "{column}" = ? WHERE id = ?', (value, number))
        opened.commit()


TEXT_COLUMNS = {
    "run": ("experiment", "command", "scale", "options", "machine", "runner", "commit", "started"),
    "result": ("experiment", "parameters", "strategy", "status", "checksum", "notes", "detail", "malloc"),
    "note": ("kind", "text"),
}


@pytest.mark.parametrize(
    "place",
    sampled(*((table, column) for table, columns in TEXT_COLUMNS.items() for column in columns)),
    ids=".".join,
)
def test_verbs_escape_hostile_names(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: tuple[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(sound, tmp_path / "mallard.db")
    make_hostile(tmp_path / "mallard.db", *place)
    for verb in COMMANDS:
        output, errors = StringIO(), StringIO()
        with redirect_stdout(output), redirect_stderr(errors):
            status = main([*verb.split(), "--db", str(tmp_path / "mallard.db")])
        assert status in (0, 1) or (status == 2 and "mallard: error: " in errors.getvalue()), verb
        shown = errors.getvalue() + ("" if verb == "show export" else output.getvalue())  # CSV is data
        assert not {"\x1b", "\x07", "\u202e"} & {*shown}, verb
        page = tmp_path / "page.html"
        assert not page.exists() or "<img" not in page.read_text(encoding="utf-8")


def test_verbs_refuse_damaged_cells(sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for table, column in (("run", "machine"), ("result", "parameters")):
        shutil.copy(sound, tmp_path / "mallard.db")
        assert damage(tmp_path / "mallard.db", table, column, "{")
        for verb in COMMANDS:
            status, message = called(verb, tmp_path)
            assert status == 2, verb
            assert f"mallard.db is damaged (CHECK constraint failed in {table})" in message, verb


def test_every_column_is_damaged(sound: Path) -> None:
    assert len(columns(sound)) == 47


def test_missing_tables_and_columns_are_named(sound: Path, tmp_path: Path) -> None:
    for change in ("DROP TABLE note", "ALTER TABLE run DROP COLUMN load_end", "PRAGMA user_version = 0"):
        shutil.copy(sound, tmp_path / "mallard.db")
        with closing(sqlite3.connect(tmp_path / "mallard.db")) as opened:
            opened.executescript(change)
        status, message = called("show", tmp_path)
        assert status == 2, change
        assert str(tmp_path / "mallard.db") in message
        assert "--db FILE" in message
