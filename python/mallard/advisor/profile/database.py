"""The profiles of recordings as rows of one SQLite database, whose tables are those of tables.sql.

What is stored is checked by the types and constraints of these tables, be it of the native program or of a
file from elsewhere: its rows are copied into tables of our own.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mallard.advisor.profile.schema import APPLICATION_ID, SQL, TABLES, VERSION
from mallard.shared.errors import UsageError

MAGIC = b"SQLite format 3\0"  # the first bytes of a database
HEADER_BYTES = 100
LEAST_SQLITE = (3, 37)
Row = Mapping[str, Any]


class WrongRowError(Exception):
    """The text says which table and column, and what is wrong with it."""


class Database:
    def __init__(self) -> None:
        """Raises a UsageError if Python's SQLite has no STRICT tables or no functions for JSON."""
        if sqlite3.sqlite_version_info < LEAST_SQLITE:
            least = ".".join(map(str, LEAST_SQLITE))
            raise UsageError(
                f"a profile needs SQLite {least}, and this Python has {sqlite3.sqlite_version}; "
                "use a newer Python"
            )
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.row_factory = sqlite3.Row
        self.connection.executescript(
            f"{SQL}PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
        )

    @property
    def recordings(self) -> int:
        number: int = self.connection.execute("SELECT count(*) FROM recordings").fetchone()[0]
        return number

    def add_rows(self, rows: Iterable[tuple[str, Row]]) -> None:
        """Adds a recording: rows with the names of their tables. Values of other names are ignored, and what
        a row lacks has its default. Raises a WrongRowError.
        """
        recording = self.recordings + 1
        for name, row in rows:
            columns = [column for column in TABLES[name].names if column in row and column != "recording"]
            marks = ", ?" * len(columns)
            statement = f"INSERT INTO {name}({', '.join(['recording', *columns])}) VALUES (?{marks})"
            with _refusing_values(name):
                self.connection.execute(statement, [recording, *(row[column] for column in columns)])

    def add_lists(self, name: str, rows: Iterable[Sequence[Any]]) -> None:
        """Adds rows of the first recording, which have all columns but its number. Raises a WrongRowError."""
        marks = ", ?" * (len(TABLES[name].columns) - 1)
        with _refusing_values(name):
            self.connection.execute("BEGIN")
            self.connection.executemany(f"INSERT INTO {name} VALUES (1{marks})", rows)
            self.connection.execute("COMMIT")

    def add(self, other: sqlite3.Connection) -> None:
        """Adds the recordings of another database. Raises a WrongRowError."""
        before = self.recordings
        numbers = [row[0] for row in other.execute("SELECT recording FROM recordings ORDER BY recording")]
        if not numbers or numbers != list(range(1, len(numbers) + 1)):
            raise WrongRowError("its recordings are not numbered from 1")
        for name, table in TABLES.items():
            rows = other.execute(f"SELECT {', '.join(table.names)} FROM {name} ORDER BY rowid")
            first, *others = ["? + " + str(before), *("?" * (len(table.names) - 1))]
            with _refusing_values(name):
                self.connection.executemany(
                    f"INSERT INTO {name}({', '.join(table.names)}) VALUES ({', '.join([first, *others])})",
                    rows,
                )

    def save(self, path: Path) -> None:
        """Writes into an empty file. Raises an OSError, as other writers of files do, if the disk is full."""
        try:
            with contextlib.closing(sqlite3.connect(path)) as file:
                self.connection.backup(file)
        except sqlite3.OperationalError as error:
            raise OSError(str(error)) from error

    def as_json(self) -> str:
        """An object with the rows of each table as objects."""
        tables = {
            name: [dict(row) for row in self.connection.execute(f"SELECT * FROM {name} ORDER BY rowid")]
            for name in TABLES
        }
        return json.dumps({"format": "mallard profile", "version": VERSION, **tables}, allow_nan=False)


@contextlib.contextmanager
def _refusing_values(table: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError) as error:
        raise WrongRowError(f"{error} (table {table})") from None
    except OverflowError:
        raise WrongRowError(f"a number of table {table} is too large") from None
    except UnicodeEncodeError:
        raise WrongRowError(f"a text of table {table} is no Unicode") from None


def is_database(path: Path) -> bool:
    """True for the database of a profile, as its header says. False for a file that cannot be read, which the
    native program reports.
    """
    try:
        if not path.is_file():  # reading a pipe would empty it
            return False
        with path.open("rb") as file:
            header = file.read(HEADER_BYTES)
    except OSError:
        return False
    return header.startswith(MAGIC) and header[68:72] == APPLICATION_ID.to_bytes(4, "big")


def read_database(path: Path) -> Database:
    """The database of a file, which may be damaged or hostile. Raises a UsageError."""
    remedy = "write it again with 'mallard profile TRACE --export sqlite'"
    try:
        address = f"file:{quote(os.fsencode(path.absolute()))}?immutable=1"  # no file next to it
        with contextlib.closing(sqlite3.connect(address, uri=True)) as file:
            _check_file(file, path)
            database = Database()
            database.add(file)
    except (sqlite3.Error, MemoryError, UnicodeError, WrongRowError) as error:
        raise UsageError(f"{path} is a damaged profile: {error or 'a row too large'}; {remedy}") from None
    return database


def _check_file(file: sqlite3.Connection, path: Path) -> None:
    """Only tables with our own definitions are read: a view or a trigger would run what a stranger wrote."""
    file.execute("PRAGMA trusted_schema = OFF")
    file.execute("PRAGMA cell_size_check = ON")
    version = file.execute("PRAGMA user_version").fetchone()[0]
    if version != VERSION or _definitions(file) != _definitions(Database().connection):
        raise UsageError(
            f"{path} has version {version} of the tables of a profile, this mallard reads {VERSION}; "
            "profile the recording again"
        )


def _definitions(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    query = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"
    return [tuple(row) for row in connection.execute(query)]


def finite(number: float) -> float:
    """JSON and SQLite have infinities, figures do not."""
    if not math.isfinite(number):
        raise WrongRowError(f"{number} is not a finite number")
    return number
