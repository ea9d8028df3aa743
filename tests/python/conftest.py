"""The fake native runner, the command line against it, and rows made up for the store."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mallard.bench import process
from mallard.bench.database import open_database
from mallard.bench.store import Row, Store
from mallard.cli import main
from mallard.shared import machine, mallocs

HERE = Path(__file__).resolve().parent
PACKAGES = HERE.parents[1] / "python"

# The fake runner starts a thousand times: with Python itself, and not with a version manager's wrapper, which
# takes six times as long.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.base_exec_prefix, "bin")), os.environ["PATH"]])


def open_without_waiting(path: Path) -> sqlite3.Connection:
    """A row need not be on the disk when its test goes on: that takes most of the time."""
    connection = open_database(path)
    connection.execute("PRAGMA synchronous = OFF")
    return connection


pytest.MonkeyPatch().setattr("mallard.bench.store.open_database", open_without_waiting)


def heed_signals() -> None:
    """As a terminal starts a program: nohup and background jobs start one that ignores interrupts."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def load_fake_bench() -> Any:
    specification = importlib.util.spec_from_file_location("fake_bench", HERE / "fake_bench.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


FAKE_BENCH = load_fake_bench()
START = process._start


class Measured:
    """A process of the fake runner that has ended, without the process: its start takes most of the time."""

    returncode = 0

    def __init__(self, asked: process.Repetition, command: list[str], memory_bytes: int | None) -> None:
        environment = mallocs.environment(asked.strategy) or {}
        self.output = FAKE_BENCH.measure(command[1:], environment.get("LD_PRELOAD", ""))

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        return self.output, ""

    def poll(self) -> int:
        return self.returncode


@pytest.fixture(autouse=True)
def _archive_without_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages have the same names on each release of Debian."""
    monkeypatch.setattr(mallocs, "_archive_names", lambda beginning: [])


class FakeBench:
    """`mallard bench` against the fake runner, in a directory of its own."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory = directory
        self.database = directory / "mallard.db"
        self.log = directory / "begun.log"
        self._monkeypatch = monkeypatch
        self._monkeypatch.setenv("MALLARD_BENCH", str(HERE / "fake_bench.py"))
        self._monkeypatch.setenv("COLUMNS", "100")
        self._monkeypatch.delenv("MALLARD_DB", raising=False)
        self._monkeypatch.chdir(directory)
        # The tests must not depend on other work of the machine.
        quiet = machine.Work(cores=0.0, busiest="", idlest_cpu=machine.allowed_cpus()[-1])
        self._monkeypatch.setattr(machine, "sample_work", lambda: quiet)
        self.set()

    def set(self, *, processes: bool = False, **settings: Any) -> None:
        """behaviour={strategy: how}, describe={what to change}; a cell is measured in a process if it may
        misbehave or wait, or if `processes` is set."""
        settings = {"log": str(self.log), **settings}
        self._monkeypatch.setenv("FAKE_BENCH", json.dumps(settings))
        self._monkeypatch.setattr(FAKE_BENCH, "SETTINGS", settings)
        processes = processes or bool({"behaviour", "held"} & {*settings})
        self._monkeypatch.setattr(process, "_start", START if processes else Measured)

    def run(self, *words: str) -> int:
        return main(list(words))

    def start(
        self, *words: str, preexec_fn: Callable[[], None] = heed_signals, **options: Any
    ) -> subprocess.Popen[str]:
        """The command line in a process of its own, to be interrupted or starved."""
        environment = {**os.environ, "PYTHONPATH": str(PACKAGES)}
        return subprocess.Popen(
            [sys.executable, "-m", "mallard", *words],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=preexec_fn,
            **options,
        )

    @property
    def begun(self) -> list[str]:
        """The arguments of every cell that the fake runner began, in order."""
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []

    def rows(self, run_id: int | None = None) -> list[Row]:
        with Store.open_existing(self.database) as store:
            return store.rows(run_id)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeBench:
    return FakeBench(tmp_path, monkeypatch)


@pytest.fixture(scope="session")
def fake_in() -> type[FakeBench]:
    """For a fixture that lives longer than a test and brings its own directory."""
    return FakeBench


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The default database of a command, before the first run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MALLARD_DB", raising=False)
    monkeypatch.setenv("COLUMNS", "160")
    return tmp_path / "mallard.db"


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store(tmp_path / "mallard.db") as opened:
        yield opened


META: dict[str, Any] = {
    "command": "mallard bench",
    "scale": "quick",
    "experiment": "density",
    "machine": {"cpu": "made up", "load1": 0.25},
    "runner": {"compiler": "g++ 12", "commit": "abc", "build_id": "b1", "experiments": {"density": {}}},
}


@pytest.fixture
def meta() -> dict[str, Any]:
    return dict(META)


def native_row(**changes: Any) -> dict[str, Any]:
    """A result row as the native runner prints it."""
    return {
        "format": 1,
        "experiment": "density",
        "parameters": {"ds": "DS2", "size_log2": 6, "product_log2": 20, "inner_log2": 0},
        "strategy": "new-delete",
        "repetition": 0,
        "seed": 1,
        "status": "ok",
        "cpu_ns": 2_000_000,
        "wall_ns": 2_100_000,
        "user_ns": 1_900_000,
        "system_ns": 100_000,
        "operations": 1000,
        "iterations": 4,
        "minor_faults": 5,
        "major_faults": 0,
        "peak_rss_bytes": 1 << 20,
        "checksum": "ab",
        "allocations": 7,
        "deallocations": 7,
        "spills": 0,
        "load1": 0.5,
        "notes": ["a note"],
        **changes,
    }


@pytest.fixture
def native() -> Any:
    return native_row
