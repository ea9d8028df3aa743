"""The programs of the advisor, built for the tests that run them."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from source_tree import ROOT

from mallard.advisor.profile.stacks import FOLDED, Stacks, folded
from mallard.advisor.recording.messages import message_lines
from mallard.cli import main

LONGEST = 800.0
"""Seconds until a test that hangs is ended, before its stage is. No program takes as long anywhere."""


class BuildError(Exception):
    """The programs do not compile. conftest.py ends the run, which would try again for each test."""


FOR_EVER = 100_000_000
"""Milliseconds, for processes that a test ends."""


@cache
def programs_of_advisor() -> Path:
    """The folder of mallard-record. MALLARD_ADVISOR names one that is built already."""
    stated = os.environ.get("MALLARD_ADVISOR")
    if stated:
        return Path(stated)
    build = ROOT / "build/recording"
    build.mkdir(parents=True, exist_ok=True)
    # Tests and stages run side by side, and one of them builds. After the stage `recording` nothing is left.
    with build.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (build / "CMakeCache.txt").exists():
            run("--preset", "recording")
        run(
            "--build",
            "--preset",
            "recording",
            "--target",
            "mallard-advisor",
            "--parallel",
            str(os.cpu_count()),
        )
    return build / "advisor"


def front(*words: object, folder: Path, build: Path | None = None) -> subprocess.CompletedProcess[str]:
    """`mallard WORDS` in that folder, with these programs, or with those of another folder. In this process,
    because a start of Python takes longer than most programs of the tests."""
    output, errors = StringIO(), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output), redirect_stderr(errors):
        patch.chdir(folder)
        for name, value in {**front_environment(build), "COLUMNS": "80"}.items():
            patch.setenv(name, value)
        status = main([str(word) for word in words])
    return subprocess.CompletedProcess(words, status, output.getvalue(), errors.getvalue())


def front_environment(build: Path | None = None) -> dict[str, str]:
    build = build or programs_of_advisor().parent
    own = {
        "MALLARD_COLLECTOR": str(build / "advisor/mallard-record"),
        "MALLARD_PROFILE": str(build / "advisor/mallard-profile"),
        "MALLARD_MEASURE": str(build / "advisor/mallard-measure"),
        "MALLARD_MEASURED_LIBRARY": str(build / "advisor/libmallard_measured.so"),
        "MALLARD_TRIAL_LIBRARY": str(build / "advisor/libmallard_trial.so"),
        "MALLARD_ROOT": str(ROOT),
        "PYTHONPATH": str(ROOT / "python"),
    }
    return {**os.environ, **own}


def profiled(*words: object) -> str:
    """What `mallard-profile` prints."""
    command = [str(programs_of_advisor() / "mallard-profile"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=True).stdout


def profile_of(*words: object) -> Any:
    """The profile of a trace, behind which options may follow."""
    return json.loads(profiled(*words))


def folded_stacks(trace: Path, *words: str, measure: str = "folded") -> list[str]:
    """The lines of a trace for a flame graph."""
    profiler = programs_of_advisor() / "mallard-profile"
    done = subprocess.run([profiler, trace, "--stacks", *words], check=True, capture_output=True)
    return "".join(folded([Stacks(done.stdout)], FOLDED[measure])).splitlines()


def worded(text: str) -> str:
    """The messages of a collector that was started without `mallard record`, and other lines of its standard
    error."""
    lines = text.splitlines(keepends=True)
    return "".join(
        "".join(f"{message}\n" for message in message_lines(json.loads(line)))
        if line.startswith('{"record":')
        else line
        for line in lines
    )


def find_processes(program: Path) -> list[int]:
    processes = []
    for link in Path("/proc").glob("[0-9]*/exe"):
        with suppress(OSError):  # it has ended, or is a thread of the kernel
            if os.readlink(link) == str(program):
                processes.append(int(link.parent.name))
    return processes


def process_state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def has_ended(process: int) -> bool:
    """A process that has ended stays until its parent waits for it, and may go while its state is read."""
    try:
        return process_state(process) in "ZX"
    except OSError:
        return True


def wait_for_orphan(program: Path) -> int:
    """Returns the process of a program that sleeps, after its parents have ended."""
    orphans: list[int] = []

    def sleeps_alone() -> bool:
        orphans[:] = find_processes(program)
        with suppress(OSError):
            states = [process_state(process) for process in orphans]
            # Its parents have this descriptor, and may sleep, too.
            return states == ["S"] and not os.path.lexists(f"/proc/{orphans[0]}/fd/2")
        return False

    wait_until(sleeps_alone)
    return orphans[0]


def end_orphan(program: Path) -> None:
    os.kill(wait_for_orphan(program), signal.SIGKILL)


def heed_signals() -> None:
    """A shell lets background jobs ignore Ctrl-C, and child processes inherit that."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def run(*words: str) -> None:
    done = subprocess.run(["cmake", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"the advisor was not built:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
