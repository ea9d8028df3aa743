"""The database file: the schema, opening and claiming, and user-readable SQLite errors.

The file is mallard's if it has our application_id, and readable if its user_version is at most
SCHEMA_VERSION. A file of another program is never written to. An older schema is migrated when
the file is opened for writing; a reader sees it through views, and leaves it unchanged.
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
SCHEMA_VERSION = 2

SCHEMA = """
CREATE TABLE run(
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    finished TEXT,
    experiment TEXT NOT NULL,
    command TEXT NOT NULL,
    scale TEXT NOT NULL,
    seed INTEGER NOT NULL,
    repetitions INTEGER NOT NULL,
    identity TEXT NOT NULL,
    options TEXT NOT NULL,
    machine TEXT NOT NULL,
    runner TEXT NOT NULL,
    "commit" TEXT NOT NULL,
    load_start REAL,
    load_end REAL
);
CREATE TABLE result(
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run(id),
    experiment TEXT NOT NULL,
    parameters TEXT NOT NULL,
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
    notes TEXT NOT NULL,
    detail TEXT NOT NULL,
    figures TEXT NOT NULL DEFAULT '{}',
    malloc TEXT NOT NULL DEFAULT '',
    UNIQUE(run_id, experiment, parameters, strategy, repetition)
);
CREATE TABLE note(
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run(id),
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL
);
"""

# Version -> statements that migrate from the previous version. VIEWS: version -> its rows in the current
# form.
MIGRATIONS = {
    2: """
ALTER TABLE result ADD COLUMN figures TEXT NOT NULL DEFAULT '{}';
ALTER TABLE result ADD COLUMN malloc TEXT NOT NULL DEFAULT '';
""",
}
VIEWS = {1: "CREATE TEMP VIEW result AS SELECT *, '{}' AS figures, '' AS malloc FROM main.result"}

NAMES_OF_ERRORS = {
    "not a database": "SQLITE_NOTADB",
    "disk is full": "SQLITE_FULL",
    "disk I/O error": "SQLITE_IOERR",
    "readonly database": "SQLITE_READONLY",
    "unable to open": "SQLITE_CANTOPEN",
    "database is locked": "SQLITE_BUSY",
    "disk image is malformed": "SQLITE_CORRUPT",
}


def open_database(path: Path, *, writing: bool) -> sqlite3.Connection:
    """Opens a mallard database. For writing, creates it if the file is missing or empty."""
    if path.is_dir():
        raise StoreError(f"the database {path} is a directory; give a file: --db FILE")
    if not path.parent.is_dir():
        raise StoreError(
            f"the database {path} cannot be made: there is no directory {path.parent}; "
            "make it, or give another file: --db FILE"
        )
    with translate_errors(path):
        connection = sqlite3.connect(path, isolation_level=None)
    try:
        with translate_errors(path):
            _check_or_create(connection, path, writing)
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


def _check_or_create(connection: sqlite3.Connection, path: Path, writing: bool) -> None:
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
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer mallard (schema {version}; this one reads {SCHEMA_VERSION}); "
            "update mallard, or give another file: --db FILE"
        )
    if version < 1:
        raise StoreError(
            f"the database {path} is damaged: its schema has number {version}, and the first "
            "one has 1; put the file aside and give another: --db FILE"
        )
    if version == SCHEMA_VERSION:
        return
    if writing:
        _migrate(connection)
    else:
        connection.execute(VIEWS[version])


def _migrate(connection: sqlite3.Connection) -> None:
    """Migrates atomically. Another process may have migrated first."""
    connection.execute("BEGIN EXCLUSIVE")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        for step in range(version + 1, SCHEMA_VERSION + 1):
            for statement in filter(None, map(str.strip, MIGRATIONS[step].split(";"))):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


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
