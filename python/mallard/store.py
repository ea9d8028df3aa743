"""The database of results: one SQLite file, one transaction for each row.

A run has rows and notes. A row is there from the moment its process ended; a run is finished when `finished` is set.
docs/results.md tells the schema. The file is ours when its application_id says so, and readable when its
user_version is not above SCHEMA_VERSION.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mallard.errors import StoreError, UsageError
from mallard.result import OK, Parameters, Row, canonical

__all__ = ["Note", "Parameters", "Row", "Run", "Store"]

APPLICATION_ID = 0x4D4C5244  # "MLRD"
SCHEMA_VERSION = 1

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
    allocations INTEGER NOT NULL,
    deallocations INTEGER NOT NULL,
    spills INTEGER NOT NULL,
    pinned_cpu INTEGER,
    load1 REAL NOT NULL,
    notes TEXT NOT NULL,
    detail TEXT NOT NULL,
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

ROW_COLUMNS = tuple(field.name for field in fields(Row))
INSERT_ROW = (
    f"INSERT INTO result({', '.join(ROW_COLUMNS)}) VALUES({', '.join('?' for _ in ROW_COLUMNS)})"  # noqa: S608
)


@dataclass(frozen=True)
class Run:
    id: int
    started: str  # ISO 8601, UTC
    finished: str | None  # None: interrupted, or still going on
    experiment: str
    command: str
    scale: str
    seed: int
    repetitions: int
    identity: str  # equal for runs of which one continues the other
    options: dict[str, Any]
    machine: dict[str, Any]
    runner: dict[str, Any]  # what `mallard-bench --describe` says, without its experiments
    commit: str
    load_start: float | None
    load_end: float | None


@dataclass(frozen=True)
class Note:
    """Something about a run that a reader of its figures must know."""

    kind: str
    text: str
    at: str


class Store:
    """Opens a database, and makes it where there is none."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock: int | None = None
        if self.path.is_dir():
            raise StoreError(f"the database {self.path} is a directory; give a file: --db FILE")
        if not self.path.parent.is_dir():
            raise StoreError(
                f"the database {self.path} cannot be made: there is no directory {self.path.parent}; "
                "make it, or give another file: --db FILE"
            )
        with self._speaking("open"):
            self._connection = sqlite3.connect(self.path, isolation_level=None)
        try:
            with self._speaking("open"):
                self._check_or_create()
        except BaseException:
            self._connection.close()
            raise

    @classmethod
    def open_existing(cls, path: str | os.PathLike[str]) -> Self:
        """For readers: a database that is not there is an error, not a new empty one."""
        if not Path(path).exists():
            raise StoreError(f"no database {path}; 'mallard bench' makes one, or name yours: --db FILE")
        return cls(path)

    def close(self) -> None:
        self._connection.close()
        # Closing any descriptor of a file drops the locks that SQLite holds on it, so the lock goes last.
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def claim(self) -> None:
        """Holds the database for one writer; two benchmarks at once would also disturb each other's times."""
        self._lock = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreError(
                f"another 'mallard bench' is writing to {self.path}; wait for it, or give another file: --db FILE"
            ) from None

    def begin_run(self, meta: Mapping[str, Any]) -> int:
        """Starts a run; command, scale, machine and runner are needed, the rest has a neutral default."""
        runner = {key: value for key, value in meta["runner"].items() if key != "experiments"}
        machine = dict(meta["machine"])
        with self._speaking("write"):
            cursor = self._connection.execute(
                'INSERT INTO run(started, experiment, command, scale, seed, repetitions, identity, options, machine,'
                ' runner, "commit", load_start) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
                (
                    _now(),
                    meta.get("experiment", ""),
                    meta["command"],
                    meta["scale"],
                    meta.get("seed", 1),
                    meta.get("repetitions", 0),
                    meta.get("identity", ""),
                    json.dumps(meta.get("options", {}), sort_keys=True),
                    json.dumps(machine, sort_keys=True),
                    json.dumps(runner, sort_keys=True),
                    meta.get("commit", runner.get("commit", "")),
                    machine.get("load1"),
                ),
            )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def add_row(self, run_id: int, row: Mapping[str, Any] | Row) -> Row:
        """Checks and commits one row; when this returns the row is on the disk."""
        checked = row if isinstance(row, Row) else Row.from_native(run_id, row)
        values = {name: getattr(checked, name) for name in ROW_COLUMNS}
        values["run_id"] = run_id
        values["parameters"] = canonical(checked.parameters)
        values["notes"] = json.dumps(list(checked.notes))
        with self._speaking("write"):
            self._connection.execute(INSERT_ROW, [values[name] for name in ROW_COLUMNS])
        return checked

    def add_note(self, run_id: int, kind: str, text: str) -> None:
        with self._speaking("write"):
            self._connection.execute(
                "INSERT INTO note(run_id, at, kind, text) VALUES(?, ?, ?, ?)", (run_id, _now(), kind, text)
            )

    def finish_run(self, run_id: int, load: float | None = None) -> None:
        with self._speaking("write"):
            self._connection.execute(
                "UPDATE run SET finished = ?, load_end = ? WHERE id = ?", (_now(), load, run_id)
            )

    def runs(self) -> list[Run]:
        with self._speaking("read"):
            records = self._connection.execute("SELECT * FROM run ORDER BY id").fetchall()
        return [_run(record) for record in records]

    def run(self, run_id: int) -> Run:
        for run in self.runs():
            if run.id == run_id:
                return run
        raise UsageError(f"no run {run_id} in {self.path}; {self._runs_there()}")

    def select_run(self, text: str, experiment: str | None = None) -> Run:
        """`latest` (of the experiment, where one is given: the newest with a measured cell), or the number of a run."""
        if text == "latest":
            for run in reversed(self.runs()):
                if experiment in (None, run.experiment) and self._has_times(run.id):
                    return run
            of = f" of {experiment}" if experiment else ""
            raise UsageError(f"{self.path} has no results{of} yet; 'mallard bench {experiment or ''}".rstrip() + "' makes them")
        if not text.isdecimal():
            raise UsageError(f"--run '{text}': allowed are latest and the number of a run; {self._runs_there()}")
        return self.run(int(text))

    def unfinished_run(self, identity: str) -> Run | None:
        """The newest run, when it was interrupted and the same is asked for again."""
        matching = [run for run in self.runs() if run.identity == identity]
        return matching[-1] if matching and matching[-1].finished is None else None

    def rows(self, run_id: int | None = None, experiment: str | None = None) -> list[Row]:
        with self._speaking("read"):
            records = self._connection.execute(
                f"SELECT {', '.join(ROW_COLUMNS)} FROM result"  # noqa: S608
                " WHERE (?1 IS NULL OR run_id = ?1) AND (?2 IS NULL OR experiment = ?2) ORDER BY id",
                (run_id, experiment),
            ).fetchall()
        return [_row(record) for record in records]

    def notes(self, run_id: int) -> list[Note]:
        with self._speaking("read"):
            records = self._connection.execute(
                "SELECT kind, text, at FROM note WHERE run_id = ? ORDER BY id", (run_id,)
            ).fetchall()
        return [Note(*record) for record in records]

    def _has_times(self, run_id: int) -> bool:
        with self._speaking("read"):
            found = self._connection.execute(
                "SELECT 1 FROM result WHERE run_id = ? AND status = ? LIMIT 1", (run_id, OK)
            ).fetchone()
        return found is not None

    def _runs_there(self) -> str:
        numbers = [str(run.id) for run in self.runs()]
        return f"its runs are {', '.join(numbers)}" if numbers else "it has no runs yet; 'mallard bench' makes one"

    def _check_or_create(self) -> None:
        application = self._connection.execute("PRAGMA application_id").fetchone()[0]
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        empty = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if empty and application == 0 and version == 0:
            self._connection.executescript(
                f"BEGIN EXCLUSIVE; {SCHEMA} PRAGMA application_id = {APPLICATION_ID};"
                f" PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
            )
            return
        if application != APPLICATION_ID:
            raise StoreError(
                f"{self.path} is a database of another program; it is left as it is; give another file: --db FILE"
            )
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} was written by a newer mallard (schema {version}, this one reads up to "
                f"{SCHEMA_VERSION}); update mallard, or give another file: --db FILE"
            )

    @contextmanager
    def _speaking(self, doing: str) -> Iterator[None]:
        """Turns what SQLite reports into an error that says what is safe and what to do."""
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise StoreError(f"{self._cause(error, doing)}") from error

    def _cause(self, error: sqlite3.Error, doing: str) -> str:
        name = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith("SQLITE_NOTADB"):
            return f"{self.path} is not a database; it is left as it is; give another file: --db FILE"
        if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
            return (
                f"the database {self.path} cannot be written ({error}): the disk is full or failing; every row "
                "finished before is kept; make room and give the same command again"
            )
        if name.startswith("SQLITE_READONLY"):
            return f"the database {self.path} cannot be written ({error}); make it writable, or give another: --db FILE"
        if name.startswith("SQLITE_CANTOPEN"):
            return f"the database {self.path} cannot be opened ({error}); give a file you may write: --db FILE"
        if name.startswith("SQLITE_BUSY"):
            return f"the database {self.path} is held by another program ({error}); close it and try again"
        if name.startswith("SQLITE_CORRUPT"):
            return f"the database {self.path} is damaged ({error}); keep it aside and give another file: --db FILE"
        return f"cannot {doing} the database {self.path}: {error}; give another file: --db FILE"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _run(record: tuple[Any, ...]) -> Run:
    values = dict(zip((field.name for field in fields(Run)), record, strict=True))
    for name in ("options", "machine", "runner"):
        values[name] = json.loads(values[name])
    return Run(**values)


def _row(record: tuple[Any, ...]) -> Row:
    values = dict(zip(ROW_COLUMNS, record, strict=True))
    values["parameters"] = json.loads(values["parameters"])
    values["notes"] = tuple(json.loads(values["notes"]))
    return Row(**values)
