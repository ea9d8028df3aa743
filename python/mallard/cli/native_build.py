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
STEP = re.compile(r"\[\s*(\d+)(?:/(\d+)|%)\] ")


class Progress:
    """Writes the remaining time, by the pace of finished steps, to standard error: in place in a terminal, as
    a new line now and then elsewhere."""

    def __init__(self) -> None:
        self._began = self._printed_at = time.monotonic()
        self._in_place = sys.stderr.isatty()

    def ended(self, number: int, total: int) -> None:
        timestamp = time.monotonic()
        if timestamp - self._printed_at < (DRAW_SECONDS if self._in_place else LINE_SECONDS):
            return
        self._printed_at = timestamp
        remaining = (timestamp - self._began) * (total - number) / max(1, number)
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
        if not _built(root, preset, target, log, changed):
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


def _built(root: Path, preset: str, target: str, log: IO[bytes], shown: bool) -> bool:
    progress, jobs = Progress(), len(os.sched_getaffinity(0))
    command = ["cmake", "--build", "--preset", preset, "--target", target, "--parallel", str(jobs)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as build:
        assert build.stdout
        for line in build.stdout:
            log.write(line)
            step = STEP.match(line.decode(errors="replace"))
            if shown and step:
                progress.ended(int(step[1]), int(step[2] or 100))
    progress.end()
    return not build.returncode


def _tell(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        pass  # a closed terminal must not stop the build


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
