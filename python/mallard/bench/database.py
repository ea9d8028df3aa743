"""The database file: the schema, opening and claiming, and user-readable SQLite errors.

The file is mallard's if it has our application_id, and readable if its user_version is SCHEMA_VERSION. Others
are left unchanged. SQLite checks the values: as they are written, and all of them when a file is opened.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mallard.shared.errors import StoreError

APPLICATION_ID = 0x4D4C5244  # "MLRD"
SCHEMA_VERSION = 3


def _is_time(column: str) -> str:
    return f"{column} LIKE '____-__-__T%' AND datetime({column}) IS NOT NULL"


def _is_json(column: str, kind: str) -> str:
    return f"iif(json_valid({column}), json_type({column}), '') = '{kind}'"


SCHEMA = f"""
CREATE TABLE run(
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL CHECK({_is_time("started")}),
    finished TEXT CHECK(finished IS NULL OR {_is_time("finished")}),
    experiment TEXT NOT NULL,
    command TEXT NOT NULL,
    scale TEXT NOT NULL,
    seed INTEGER NOT NULL CHECK(seed >= 0),
    repetitions INTEGER NOT NULL CHECK(repetitions >= 0),
    identity TEXT NOT NULL,
    options TEXT NOT NULL CHECK({_is_json("options", "object")}),
    machine TEXT NOT NULL CHECK({_is_json("machine", "object")}),
    runner TEXT NOT NULL CHECK({_is_json("runner", "object")}),
    "commit" TEXT NOT NULL,
    load_start REAL CHECK(load_start BETWEEN 0 AND 1e9),
    load_end REAL CHECK(load_end BETWEEN 0 AND 1e9)
) STRICT;
CREATE TABLE result(
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run(id),
    experiment TEXT NOT NULL,
    parameters TEXT NOT NULL CHECK({_is_json("parameters", "object")}),
    strategy TEXT NOT NULL,
    repetition INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    status TEXT NOT NULL,
    cpu_ns INTEGER NOT NULL,
    wall_ns INTEGER NOT NULL,
    user_ns INTEGER NOT NULL,
    system_ns INTEGER NOT NULL,
    operations INTEGER NOT NULL,
    iterations INTEGER NOT NULL,
    minor_faults INTEGER NOT NULL,
    major_faults INTEGER NOT NULL,
    peak_rss_bytes INTEGER NOT NULL,
    checksum TEXT NOT NULL,
    allocations INTEGER,
    deallocations INTEGER,
    spills INTEGER NOT NULL,
    pinned_cpu INTEGER,
    load1 REAL NOT NULL,
    notes TEXT NOT NULL CHECK({_is_json("notes", "array")}),
    detail TEXT NOT NULL,
    figures TEXT NOT NULL CHECK({_is_json("figures", "object")}),
    malloc TEXT NOT NULL,
    UNIQUE(run_id, experiment, parameters, strategy, repetition)
) STRICT;
CREATE TABLE note(
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run(id),
    at TEXT NOT NULL CHECK({_is_time("at")}),
    kind TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
"""

NAMES_OF_ERRORS = {
    "not a database": "SQLITE_NOTADB",
    "disk is full": "SQLITE_FULL",
    "disk I/O error": "SQLITE_IOERR",
    "readonly database": "SQLITE_READONLY",
    "unable to open": "SQLITE_CANTOPEN",
    "database is locked": "SQLITE_BUSY",
    "disk image is malformed": "SQLITE_CORRUPT",
}


def check_location(path: Path) -> None:
    """Raises a StoreError for a path at which no database can be. The file is not read."""
    if path.is_dir():
        raise StoreError(f"the database {path} is a directory; give a file: --db FILE")
    if not path.parent.is_dir():
        raise StoreError(
            f"the database {path} cannot be made: there is no directory {path.parent}; "
            "make it, or give another file: --db FILE"
        )


def open_database(path: Path) -> sqlite3.Connection:
    """Opens a mallard database. Creates it if the file is missing or empty."""
    check_location(path)
    with translate_errors(path):
        connection = sqlite3.connect(path, isolation_level=None)
    try:
        with translate_errors(path):
            _check_or_create(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def claim_database(path: Path) -> int:
    """Returns a descriptor that locks the database for one benchmark. Two at once would disturb each other's
    times.

    Closing any descriptor of a file releases SQLite's locks on it, so close this one last.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise StoreError(
            f"another 'mallard bench' is writing to {path}; wait for it, or give another file: --db FILE"
        ) from None
    return descriptor


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Converts SQLite's errors to errors that say which data is safe and what to do."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise  # a defect of this program, not of the file
    except sqlite3.Error as error:
        raise StoreError(_meaning(path, error)) from error


def _check_or_create(connection: sqlite3.Connection, path: Path) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if empty and application == 0 and version == 0:
        connection.executescript(
            f"BEGIN EXCLUSIVE; {SCHEMA} PRAGMA application_id = {APPLICATION_ID};"
            f" PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
        )
        return
    if application != APPLICATION_ID:
        raise StoreError(
            f"{path} is a database of another program and was not changed; give another file: --db FILE"
        )
    if version != SCHEMA_VERSION:
        age = "a newer" if version > SCHEMA_VERSION else "an older"
        remedy = "update mallard" if version > SCHEMA_VERSION else "measure again"
        raise StoreError(
            f"{path} was written by {age} mallard (schema {version}; this one reads {SCHEMA_VERSION}); "
            f"{remedy}, or give another file: --db FILE"
        )
    tables = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master")}
    missing = {sql.strip() for sql in SCHEMA.split(";") if sql.strip()} - tables
    (finding,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if missing or finding != "ok":
        found = "a table is missing, or another one" if missing else finding
        raise StoreError(
            f"the database {path} is damaged ({found}); put it aside, or give another file: --db FILE"
        )


def _error_name(error: sqlite3.Error) -> str:
    """SQLite's name of the error: from Python since 3.11, by its message before."""
    names = (name for text, name in NAMES_OF_ERRORS.items() if text in str(error))
    name: str = getattr(error, "sqlite_errorname", None) or next(names, "")
    return name


def _meaning(path: Path, error: sqlite3.Error) -> str:
    name = _error_name(error)
    if name.startswith("SQLITE_NOTADB"):
        return f"{path} is not a database and was not changed; give another file: --db FILE"
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return (
            f"the database {path} cannot be written ({error}): the disk is full or failing; "
            "finished rows are kept; make room and repeat the command"
        )
    if name.startswith("SQLITE_READONLY"):
        return f"the database {path} is read-only ({error}); make it writable or give another file: --db FILE"
    if name.startswith("SQLITE_CANTOPEN"):
        return f"the database {path} cannot be opened ({error}); give a file that you may write: --db FILE"
    if name.startswith("SQLITE_BUSY"):
        return f"the database {path} is held by another program ({error}); close that and try again"
    if name.startswith("SQLITE_CORRUPT"):
        return f"the database {path} is damaged ({error}); put it aside and give another file: --db FILE"
    return f"the database {path} does not work: {error}; give another file: --db FILE"
