"""The commands and the folder of each run, for programs whose runs leave something behind.

Commands are run by `sh -c`. They are not timed and not recorded, and their output is hidden.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mallard.advisor.trial.command import require_success
from mallard.advisor.trial.load import Load
from mallard.shared.errors import UsageError
from mallard.shared.scratch import scratch_folder


@dataclass(frozen=True)
class Surroundings:
    prepare: str | None = None  # a command before each run
    scratch: Path | None = None  # a folder of which each run gets a fresh copy
    # The copy, which is the working directory of a run. All copies have this path, which the program may
    # print, and by which the code of a scope is found.
    copy: Path | None = None
    ignore_output: bool = False
    load: Load | None = None  # the program is a server
    seconds_limit: float = 600.0  # of a command

    @property
    def compares_output(self) -> bool:
        """The output of servers, and of most loads, has times. The load's exit status is its verdict."""
        return not self.ignore_output and self.load is None

    @contextlib.contextmanager
    def enter_run(self) -> Iterator[Path | None]:
        """The working directory of one run; None for that of mallard."""
        with self._fresh_copy():
            if self.prepare is not None:
                require_success("--prepare", self.prepare, self.seconds_limit, self.copy)
            yield self.copy

    @contextlib.contextmanager
    def _fresh_copy(self) -> Iterator[None]:
        if self.scratch is None or self.copy is None:
            yield
            return
        try:
            try:
                self.copy.mkdir()
            except FileExistsError:
                raise UsageError(
                    f"{self.copy}, the copy of --scratch {self.scratch}, could not be removed after a run: a "
                    "process of the run may still write to it; give a program that ends its processes"
                ) from None
            _copy_files(self.scratch, self.copy)
            yield
        finally:
            # A folder without write permission cannot be emptied.
            subprocess.run(["chmod", "-R", "u+rwX", "--", self.copy], capture_output=True, check=False)
            shutil.rmtree(self.copy, ignore_errors=True)

    def program_words(self, words: Sequence[str]) -> list[str]:
        """The command in a copy: its program stays the file that its path names in mallard's directory."""
        program, *arguments = words
        return [os.path.abspath(program) if self.scratch and "/" in program else program, *arguments]


UNCHANGED = Surroundings()


@contextlib.contextmanager
def surround(surroundings: Surroundings) -> Iterator[Surroundings]:
    """With the place of the copies of --scratch."""
    with scratch_folder("scratch") as folder:
        if scratch := surroundings.scratch:
            if Path(folder).resolve().is_relative_to(scratch.resolve()):
                raise UsageError(
                    f"--scratch {scratch} contains {Path(folder).parent}, where the copies are made; give a "
                    "smaller folder, or another TMPDIR"
                )
            place = Path(folder) / (scratch.resolve().name or "root")
            surroundings = replace(surroundings, scratch=scratch.absolute(), copy=place)
        yield surroundings


def _copy_files(source: Path, target: Path) -> None:
    words = ["cp", "-a", "--", f"{source}/.", str(target)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, errors="replace")
    if done.returncode:
        reason = done.stderr.strip() or f"cp ended with status {done.returncode}"
        raise UsageError(f"--scratch {source} cannot be copied: {reason.splitlines()[-1]}")
