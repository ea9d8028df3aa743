"""Programs that are recorded, and the collector that records them."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import struct
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from advisor_programs import LONGEST, programs_of_advisor, worded

from mallard.advisor.recording.collector import program_words
from mallard.shared.errors import UsageError

TOYS = Path(__file__).parent / "toys"
# -fno-builtin: a compiler may leave out a malloc whose block nobody reads.
FLAGS = ("-O1", "-fno-builtin", "-pthread")


@pytest.fixture(scope="session", autouse=True)
def _heeds_ctrl_c() -> None:
    """A shell lets background jobs ignore Ctrl-C, which the collectors of the tests would inherit."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def collector() -> Path:
    return programs_of_advisor() / "mallard-record"


class Toys:
    """Compiles each program on first use. Parallel tests share the programs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def build(self, name: str, sources: Sequence[str], *flags: str, compiler: str = "g++") -> Path:
        program = self.folder / name
        with (self.folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not program.exists():
                compiler = (
                    "gcc"
                    if compiler == "g++" and all(source.endswith(".c") for source in sources)
                    else compiler
                )
                command = [
                    compiler,
                    *FLAGS,
                    *[str(TOYS / source) for source in sources],
                    "-o",
                    str(program),
                    *flags,
                ]
                subprocess.run(command, check=True)
        return program

    @staticmethod
    def line(source: str, name: str) -> str:
        """FILE:LINE of the line with the comment `line: NAME`."""
        lines = (TOYS / source).read_text(encoding="utf-8").splitlines()
        is_named = re.compile(rf"line: {name}\b").search
        return f"{source}:{next(at for at, text in enumerate(lines, 1) if is_named(text))}"

    @property
    def calls(self) -> Path:
        return self.build("calls", ["calls.c"])

    @property
    def counter(self) -> Path:
        return self.build("libcounter.so", ["counter.c"], "-shared", "-fPIC")


@pytest.fixture(scope="session")
def toys(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Toys:
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "toys"
    folder.mkdir(exist_ok=True)
    return Toys(folder)


@dataclass(frozen=True)
class Recording:
    """The result of a call of the collector."""

    status: int
    messages: str
    trace: Path
    counted: int = 0

    @property
    def events(self) -> int:
        match = re.search(r"([\d,]+) events? of", self.messages)
        assert match, self.messages
        return int(match[1].replace(",", ""))

    @property
    def has_parts(self) -> bool:
        return Path(f"{self.trace}.parts").exists()


Record = Callable[..., Recording]


@pytest.fixture
def record(collector: Path, toys: Toys, tmp_path: Path) -> Record:
    """Records a program, and counts its calls of the allocator independently if `count` is set."""
    return recorder(collector, toys, tmp_path)


@pytest.fixture(scope="module")
def record_once(collector: Path, toys: Toys, tmp_path_factory: pytest.TempPathFactory) -> Record:
    """`record` with module scope, for a trace that all tests of a module read."""
    return recorder(collector, toys, tmp_path_factory.mktemp("recorded"))


def recorder(collector: Path, toys: Toys, folder: Path) -> Record:
    def call(
        *program: str | Path, options: Sequence[str] = (), count: bool = False, **settings: object
    ) -> Recording:
        trace = folder / "x.trace"
        environment = {**os.environ, "COUNTER": str(folder / "count")}
        if count:
            environment["LD_PRELOAD"] = str(toys.counter)
        try:
            words, notes = program_words([*map(str, program)], str(folder))
        except UsageError as error:
            return Recording(2, f"mallard: error: {error}\n", trace)
        words = [str(collector), "-o", str(trace), *options, *words]
        done = subprocess.run(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=LONGEST,
            check=False,
            **settings,  # type: ignore[call-overload]
        )
        counted = struct.unpack("l", (folder / "count").read_bytes())[0] if count else 0
        messages = "".join(f"mallard: note: {note}\n" for note in notes) + worded(done.stderr)
        return Recording(done.returncode, messages, trace, counted)

    return call
