"""One run of a program: by itself, recorded, or under heaptrack; and the time that it took.

A recording is profiled, too.

A program's CPU time is the clock of its process: all its threads in user and system mode and its end, without
the processes that it starts. It is read when the process has ended and its parent has not yet asked: here, or
by clock_of_child.c in the collector, which is the program's parent there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from programs import Case, compiled

LONGEST = 120  # seconds


@dataclass(frozen=True)
class Used:
    """Nanoseconds, of the program and of those that collect what it tells; counts, if it is recorded."""

    program: int
    others: int
    elapsed: int
    events: int = 0
    size: int = 0
    complete: float = 0.0
    profile: int = 0  # that `mallard-profile` took to read the recording, elapsed
    profile_bytes: int = 0  # that it held at most


class Runs:
    """Runs programs in a folder."""

    def __init__(self, folder: Path, collector: Path, profiler: Path) -> None:
        self.folder = folder
        self.collector = collector
        self.profiler = profiler
        self.clock = compiled(folder / "libclock_of_child.so", "clock_of_child.c", "-shared", "-fPIC")

    def plain(self, case: Case) -> Used:
        self._prepare(case)
        begun = time.monotonic_ns()
        return Used(_time(self._start(case.command)), 0, time.monotonic_ns() - begun)

    def recorded(self, case: Case) -> Used:
        self._prepare(case)
        trace, clock_file = self.folder / "x.trace", self.folder / "clock"
        clock_file.unlink(missing_ok=True)
        words = [str(self.collector), "-o", str(trace), "--", *case.command]
        begun = time.monotonic_ns()
        process = self._start(
            words,
            {"LD_PRELOAD": str(self.clock), "CLOCK_OF_CHILD": str(clock_file)},
            stderr=(self.folder / "told").open("wb"),
        )
        collecting = _time(process)
        elapsed = time.monotonic_ns() - begun
        facts = json.loads((self.folder / "told").read_text().splitlines()[-1])
        profile, held = self._profiled(trace)
        return Used(
            program=int(clock_file.read_text()),
            others=collecting,
            elapsed=elapsed,
            events=facts["events"],
            size=trace.stat().st_size,
            complete=100 * facts["complete"] / facts["events"],
            profile=profile,
            profile_bytes=held,
        )

    def _profiled(self, trace: Path) -> tuple[int, int]:
        """Elapsed nanoseconds, and bytes."""
        begun = time.monotonic_ns()
        process = self._start([str(self.profiler), str(trace)])
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{process.args!r} ended with status {process.returncode}")
        return time.monotonic_ns() - begun, used.ru_maxrss * 1024

    def under_heaptrack(self, case: Case) -> Used:
        """As Debian's script `heaptrack` does it: the program writes to a pipe, another one reads from it."""
        self._prepare(case)
        library, interpreter = heaptrack()
        pipe, file = self.folder / "pipe", self.folder / "x.heaptrack"
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
        begun = time.monotonic_ns()
        # Opened for both directions, it lets nobody wait for another one to open it.
        held = os.open(pipe, os.O_RDWR)
        with pipe.open("rb") as stream, file.open("wb") as compressed:
            interpreting = self._start([str(interpreter)], stdin=stream, stdout=subprocess.PIPE)
            compressing = self._start(["zstd", "-c"], stdin=interpreting.stdout, stdout=compressed)
            assert interpreting.stdout is not None
            interpreting.stdout.close()
            variables = {"LD_PRELOAD": str(library), "DUMP_HEAPTRACK_OUTPUT": str(pipe)}
            program = _time(self._start(case.command, variables))
            os.close(held)
            others = _time(interpreting) + _time(compressing)
        return Used(program, others, time.monotonic_ns() - begun, size=file.stat().st_size)

    def _prepare(self, case: Case) -> None:
        if case.scratch is not None:
            shutil.rmtree(case.scratch, ignore_errors=True)

    def _start(
        self, words: Sequence[str], variables: Mapping[str, str] | None = None, **files: object
    ) -> subprocess.Popen[bytes]:
        defaults = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(
            words,
            cwd=self.folder,
            env={**os.environ, **(variables or {})},
            **{**defaults, **files},  # type: ignore[call-overload]
        )


def heaptrack() -> tuple[Path, Path]:
    """Its library to preload, and its program that reads from the pipe."""
    script = shutil.which("heaptrack")
    folder = Path(script or "/usr/bin/heaptrack").resolve().parent.parent / "lib/heaptrack"
    return folder / "libheaptrack_preload.so", folder / "libexec/heaptrack_interpret"


def has_heaptrack() -> bool:
    return all(path.exists() for path in heaptrack()) and shutil.which("zstd") is not None


def _time(process: subprocess.Popen[bytes]) -> int:
    """Nanoseconds of CPU time of a process that ends by itself."""
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    scheduled = 2  # of the clocks of a process, that of the scheduler; see clock_getcpuclockid(3)
    used = time.clock_gettime_ns((~process.pid << 3) | scheduled)
    status = process.wait(LONGEST)
    if status != 0:
        raise SystemExit(f"{process.args!r} ended with status {status}")
    return used
