"""Runs, their rows and their notes, in one SQLite file, with one transaction for each row.

A row is on the disk when `add_row` returns. A run is finished when its `finished` is set.
bench/results/README.md has the schema.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from mallard.bench.database import check_location, claim_database, open_database, translate_errors
from mallard.bench.result import OK, Parameters, Row, RowError, canonical
from mallard.bench.stored_values import check_experiment, check_parameters, damaged_error
from mallard.shared.errors import StoreError, UsageError

__all__ = ["Note", "Parameters", "Row", "Run", "Store"]


MOST_NAMED = 10  # the most runs in a message
ROW_COLUMNS = tuple(field.name for field in fields(Row))
INSERT_ROW = f"INSERT INTO result({', '.join(ROW_COLUMNS)}) VALUES({', '.join('?' for _ in ROW_COLUMNS)})"


@dataclass(frozen=True)
class Run:
    id: int
    started: str  # ISO 8601, UTC
    finished: str | None  # None: interrupted, or in progress
    experiment: str
    command: str
    scale: str
    seed: int
    repetitions: int
    identity: str  # equal for runs that may continue each other
    options: dict[str, Any]
    machine: dict[str, Any]
    runner: dict[str, Any]  # the description by `mallard-bench --describe`, without experiments
    commit: str
    load_start: float | None
    load_end: float | None


@dataclass(frozen=True)
class Note:
    """A circumstance of a run that affects its figures."""

    kind: str
    text: str
    at: str


@dataclass(frozen=True)
class Measured:
    """A run of an experiment, and its rows."""

    run: Run
    notes: list[Note]
    rows: list[Row]


RUN_COLUMNS = ", ".join(f'"{field.name}"' for field in fields(Run))


def require_database(path: str | os.PathLike[str]) -> None:
    if not Path(path).exists():
        raise StoreError(f"no database {path}; 'mallard bench' makes one, or name yours: --db FILE")


def check_store(path: Path) -> None:
    """Raises a StoreError if runs cannot be stored there, before a build and a measurement."""
    if path.is_file():
        Store(path).close()
    else:
        check_location(path)


class Store:
    """An open database, created if the file is missing."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._claim: int | None = None
        self._connection = open_database(self.path)

    @classmethod
    def open_existing(cls, path: str | os.PathLike[str]) -> Store:
        """Opens a database for reading. A missing one is an error."""
        require_database(path)
        return cls(path)

    def close(self) -> None:
        self._connection.close()
        if self._claim is not None:
            os.close(self._claim)
            self._claim = None

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def claim(self) -> None:
        """Holds the database for this benchmark until it is closed."""
        self._claim = claim_database(self.path)

    def begin_run(self, meta: Mapping[str, Any]) -> int:
        """Starts a run. Command, scale, machine and runner are needed; the rest has a neutral default."""
        runner = {key: value for key, value in meta["runner"].items() if key != "experiments"}
        machine = dict(meta["machine"])
        with translate_errors(self.path):
            cursor = self._connection.execute(
                "INSERT INTO run(started, experiment, command, scale, seed, repetitions, identity, options,"
                ' machine, runner, "commit", load_start) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
                (
                    _timestamp(),
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
        """Checks and commits one row. It is on the disk when this returns."""
        checked = row if isinstance(row, Row) else Row.from_native(run_id, row)
        values = {name: getattr(checked, name) for name in ROW_COLUMNS}
        values["run_id"] = run_id
        values["parameters"] = canonical(checked.parameters)
        values["notes"] = json.dumps(list(checked.notes))
        values["figures"] = canonical(checked.figures)
        with translate_errors(self.path):
            self._connection.execute(INSERT_ROW, [values[name] for name in ROW_COLUMNS])
        return checked

    def add_note(self, run_id: int, kind: str, text: str) -> None:
        with translate_errors(self.path):
            self._connection.execute(
                "INSERT INTO note(run_id, at, kind, text) VALUES(?, ?, ?, ?)",
                (run_id, _timestamp(), kind, text),
            )

    def finish_run(self, run_id: int, load: float | None = None) -> None:
        with translate_errors(self.path):
            self._connection.execute(
                "UPDATE run SET finished = ?, load_end = ? WHERE id = ?", (_timestamp(), load, run_id)
            )

    def runs(self) -> list[Run]:
        with translate_errors(self.path):
            records = self._connection.execute(f"SELECT {RUN_COLUMNS} FROM run ORDER BY id").fetchall()
        return [self._run(record) for record in records]

    def run(self, run_id: int) -> Run:
        for run in self.runs():
            if run.id == run_id:
                return run
        raise UsageError(f"no run {run_id} in {self.path}; {self._list_runs()}")

    def select_run(self, text: str, experiment: str | None = None) -> Run:
        """The run of a number. `latest` is the newest run with a time (of the experiment, if given)."""
        if text == "latest":
            for run in reversed(self.runs()):
                if experiment in (None, run.experiment) and self._has_times(run.id):
                    return run
            noun = f"results of {experiment}" if experiment else "results"
            command = f"mallard bench {experiment}" if experiment else "mallard bench"
            raise UsageError(f"{self.path} has no {noun} yet; '{command}' makes them")
        if not text.isdecimal():
            raise UsageError(f"--run {text}: allowed are latest and a run's number; {self._list_runs()}")
        return self.run(int(text))

    def unfinished_run(self, identity: str) -> Run | None:
        """The newest run, if it was interrupted and has this identity."""
        matching = [run for run in self.runs() if run.identity == identity]
        return matching[-1] if matching and matching[-1].finished is None else None

    def rows(self, run_id: int | None = None, experiment: str | None = None) -> list[Row]:
        with translate_errors(self.path):
            records = self._connection.execute(
                f"SELECT id, {', '.join(ROW_COLUMNS)} FROM result"
                " WHERE (?1 IS NULL OR run_id = ?1) AND (?2 IS NULL OR experiment = ?2) ORDER BY id",
                (run_id, experiment),
            ).fetchall()
        reader = _RowReader()
        rows = []
        for identity, *values in records:
            try:
                rows.append(reader.row(values))
            except RowError as error:
                raise damaged_error(self.path, "result", identity, error) from None
        return rows

    def notes(self, run_id: int) -> list[Note]:
        with translate_errors(self.path):
            records = self._connection.execute(
                "SELECT kind, text, at FROM note WHERE run_id = ? ORDER BY id", (run_id,)
            ).fetchall()
        return [Note(*record) for record in records]

    def _run(self, record: tuple[Any, ...]) -> Run:
        run = Run(*record)
        try:
            check_experiment(run.experiment)
        except RowError as error:
            raise damaged_error(self.path, "run", run.id, error) from None
        facts = {name: json.loads(getattr(run, name)) for name in ("options", "machine", "runner")}
        return replace(run, **facts)

    def _has_times(self, run_id: int) -> bool:
        with translate_errors(self.path):
            record = self._connection.execute(
                "SELECT 1 FROM result WHERE run_id = ? AND status = ? LIMIT 1", (run_id, OK)
            ).fetchone()
        return record is not None

    def _list_runs(self) -> str:
        numbers = [str(run.id) for run in self.runs()]
        if not numbers:
            return "it has no runs yet; 'mallard bench' makes one"
        return f"its runs are {_format_numbers(numbers)}"


def _format_numbers(numbers: Sequence[str]) -> str:
    if len(numbers) <= MOST_NAMED:
        return ", ".join(numbers)
    return f"{numbers[0]} to {numbers[-1]}, as 'mallard show runs' shows them"


def _timestamp() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


class _RowReader:
    """Most rows share their parameters and notes with others."""

    def __init__(self) -> None:
        self._read = cache(json.loads)
        self._parameters = cache(_parameters)

    def row(self, record: Sequence[Any]) -> Row:
        """Raises a RowError."""
        values = dict(zip(ROW_COLUMNS, record, strict=True))
        values["parameters"] = self._parameters(values["experiment"], values["parameters"])
        values["notes"] = self._read(values["notes"])
        values["figures"] = json.loads(values["figures"])
        return Row.from_native(values.pop("run_id"), values)


def _parameters(experiment: str, text: str) -> dict[str, Any]:
    parameters: dict[str, Any] = json.loads(text)
    check_parameters(experiment, parameters)
    return parameters
