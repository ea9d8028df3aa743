"""Builds a native program for ./mallard, and reports the remaining time.

    python -m mallard.cli.native_build LOG PRESET TARGET COMPILER NAME KEY FOLDER...

KEY identifies the compiler and its machine: if it changes, cmake configures from scratch. Without changes in
the FOLDERs the build takes no time and prints nothing. It runs with the standard library alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO

from mallard.bench.pace import format_remaining
from mallard.shared.version import source_root

FAILED, NOT_CONFIGURED = 1, 3
LINE_SECONDS = 15.0
DRAW_SECONDS = 1.0
STEP = re.compile(r"\[\s*(\d+)(?:/(\d+)|%)\] (.*)")

# Processor seconds of a compilation on the machine of the first estimate, by the name of its object: files
# with a loop for each allocator, the tables of density, and files that include many.
PER_ALLOCATOR = (
    "contention|churn/|utilization|small_objects|primitives|growth/"
    "|/(burst|adaptive_pool|strategies|containers|objects|strings)"
)
SECONDS = (
    ("cmake_pch", 9.5),
    (f"bench-survey.*workload.*({PER_ALLOCATOR})", 7.5),
    (f"bench_parts.*workload.*({PER_ALLOCATOR})", 17.0),
    ("generated/density/", 5.0),
    ("bench/.*workload/", 2.5),
    ("Unity/", 6.0),
)
DEFAULT_SECONDS = 1.3
LINK_SECONDS = 0.2


def step_seconds(text: str) -> float:
    """The expected seconds of a step, from the text that the build tool prints for it."""
    if "Building" not in text:
        return LINK_SECONDS
    return next((seconds for name, seconds in SECONDS if re.search(name, text)), DEFAULT_SECONDS)


class Forecast:
    """The remaining time of a build: the expected seconds of its steps, corrected by the pace of finished
    steps.

    A running step counts as half done. Before the first steps have finished, the machine is assumed to be one
    on which each step takes its expected time. Without the list of steps, or if some are already built, all
    take equally long.
    """

    PRIOR_SECONDS = 3.0

    def __init__(self, steps: Iterable[str], jobs: int) -> None:
        expected = [step_seconds(step) for step in steps]
        self._steps, self._expected = len(expected), sum(expected)
        self._jobs = jobs
        self._done = 0.0
        self._at = 0.0
        self._remaining = self._expected / jobs if expected else None

    def ended(self, step: str, number: int, total: int, seconds: float) -> None:
        """Records that step `number` of `total` ended `seconds` after the start of the build."""
        self._done += step_seconds(step)
        self._at = seconds
        ahead = total - number
        if total < 0.9 * self._steps or not self._steps:
            self._remaining = seconds * ahead / max(1, number)
            return
        remaining = max(0.0, self._expected - self._done)
        half_done = min(self._jobs - 1, ahead) * remaining / max(1, ahead) / 2
        spent = self.PRIOR_SECONDS + self._jobs * seconds
        pace = spent / (self.PRIOR_SECONDS + self._done + half_done)
        self._remaining = pace * (remaining - half_done) / self._jobs

    def remaining_seconds(self, seconds: float) -> float | None:
        """The estimate `seconds` after the start of the build; None if nothing is known yet."""
        return None if self._remaining is None else max(0.0, self._remaining - (seconds - self._at))


class Progress:
    """Writes the remaining time to standard error: in place in a terminal, as a new line now and then
    elsewhere."""

    def __init__(self, forecast: Forecast) -> None:
        self._forecast = forecast
        self._began = self._printed_at = time.monotonic()
        self._in_place = sys.stderr.isatty()

    def ended(self, step: str, number: int, total: int) -> None:
        timestamp = time.monotonic()
        self._forecast.ended(step, number, total, timestamp - self._began)
        if timestamp - self._printed_at < (DRAW_SECONDS if self._in_place else LINE_SECONDS):
            return
        self._printed_at = timestamp
        remaining = self._forecast.remaining_seconds(timestamp - self._began)
        text = f"mallard: built {number} of {total}, {format_remaining(remaining)}"
        _tell(f"\r{text}\033[K" if self._in_place else f"{text}\n")

    def end(self) -> None:
        if self._in_place:
            _tell("\r\033[K")


def main(words: Sequence[str]) -> int:
    log_file, preset, target, compiler, name, key, *folders = words
    root = Path(os.environ["MALLARD_ROOT"])
    return build(root, Path(log_file), preset, target, (compiler, name), key, folders)


def build(
    root: Path,
    log_file: Path,
    preset: str,
    target: str,
    compiler: tuple[str, str],
    key: str,
    folders: Sequence[str],
) -> int:
    """Builds in `root`/build/PRESET, by a compiler with this path and name."""
    directory = root / "build" / preset
    configured, stamp = directory / "mallard-configured", directory / f"{target}-stamp"
    with open(log_file, "ab", buffering=0) as log:
        if not configured.is_file() or configured.read_text() != key:
            if not _configure(root, preset, compiler[0], log):
                return NOT_CONFIGURED
            configured.write_text(key)
        if changed := _changed(stamp, [root / folder for folder in folders]):
            task = f"building {target} with {compiler[1]} (Release) in {_place(root)}build/{preset}"
            _tell(f"mallard: {task}\n")
            directory.with_suffix(".lock").write_text(f"{os.getppid()} {task}\n")
        begun = directory / f"{target}-stamp.new"
        begun.touch()
        if not _built(root, directory, preset, target, log, changed):
            return FAILED
        begun.replace(stamp)
    return 0


def _place(root: Path) -> str:
    """Empty in a clone, whose user knows the folder."""
    return "" if root == source_root() else f"{root}/"


def _configure(root: Path, preset: str, compiler: str, log: IO[bytes]) -> bool:
    directory = root / "build" / preset
    for stamp in directory.glob("*-stamp"):
        stamp.unlink()
    (directory / "CMakeCache.txt").unlink(missing_ok=True)
    shutil.rmtree(directory / "CMakeFiles", ignore_errors=True)
    environment = dict(os.environ)
    if shutil.which("ninja"):
        environment.setdefault("CMAKE_GENERATOR", "Ninja")
    command = ["cmake", "--preset", preset, f"-DCMAKE_CXX_COMPILER={compiler}"]
    return not subprocess.run(
        command, cwd=root, env=environment, stdout=log, stderr=log, check=False
    ).returncode


def _changed(stamp: Path, places: Iterable[Path]) -> bool:
    if not stamp.exists():
        return True
    built = stamp.stat().st_mtime_ns
    files = (
        entry for place in places for entry in ([place, *place.rglob("*")] if place.is_dir() else [place])
    )
    return any(entry.stat().st_mtime_ns > built for entry in files)


def _built(root: Path, directory: Path, preset: str, target: str, log: IO[bytes], shown: bool) -> bool:
    jobs = len(os.sched_getaffinity(0))
    progress = Progress(Forecast(_steps(directory, target) if shown else (), jobs))
    command = ["cmake", "--build", "--preset", preset, "--target", target, "--parallel", str(jobs)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as build:
        assert build.stdout
        for line in build.stdout:
            log.write(line)
            step = STEP.match(line.decode(errors="replace"))
            if shown and step:
                progress.ended(step[3], int(step[1]), int(step[2] or 100))
    progress.end()
    return not build.returncode


def _steps(directory: Path, target: str) -> list[str]:
    """The commands of the whole build; empty if Ninja does not run them."""
    if not (directory / "build.ninja").is_file():
        return []
    command = ["ninja", "-C", str(directory), "-t", "commands", target]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return [step_text(command) for command in answer.stdout.splitlines()]


def step_text(command: str) -> str:
    """The text of a step, from its command. The name of the object is enough to estimate its time."""
    compilation = re.search(r" -o (\S+) -c ", command)
    return f"Building {compilation[1]}" if compilation else "Linking"


def _tell(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        pass  # a closed terminal must not stop the build


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
