"""The native parts of a trial: the preloaded library, the program that measures, and the recording before."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from mallard.collector import find_collector
from mallard.errors import UsageError
from mallard.version import source_root

LIBRARY = "libmallard_trial.so"
MEASURER = "mallard-measure"
ERROR = "error: "
NOTHING_RECORDED = "before its first allocation"


class NothingRecordedError(UsageError):
    """The program made no call of the allocator that the recorder saw."""


def find_trial_library() -> Path:
    """$MALLARD_TRIAL_LIBRARY, the one installed beside this package, or the one of the source tree."""
    return _found(LIBRARY, "lib", "MALLARD_TRIAL_LIBRARY")


def find_measurer() -> Path:
    """$MALLARD_MEASURE, the one installed beside this package, or the one of the source tree."""
    return _found(MEASURER, "bin", "MALLARD_MEASURE")


def _found(name: str, folder: str, variable: str) -> Path:
    stated = os.environ.get(variable)
    if stated:
        if Path(stated).is_file():
            return Path(stated).absolute()
        raise UsageError(f"{variable}={stated} is no file; unset it, or name the {name} to use")
    places = [
        Path(__file__).resolve().parents[1] / folder / name,
        source_root() / "build" / "advisor" / "trial" / name,
    ]
    for path in places:
        if path.is_file():
            return path
    raise UsageError(
        f"{name} is missing; looked for {' and '.join(map(str, places))}; './mallard try' in the source "
        f"tree builds it, {variable}=FILE names another"
    )


def record(program: Sequence[str], stdin: Path | None, trace: Path) -> Path:
    """Records the program once; its own words are kept out of the terminal."""
    words = [str(find_collector()), "-o", str(trace), "--", *program]
    with open(stdin or os.devnull, "rb") as given:
        done = subprocess.run(
            words, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
        )
    if not trace.is_file():
        said = _reason(done.stderr.decode(errors="replace"))
        error = NothingRecordedError if NOTHING_RECORDED in said else UsageError
        raise error(said or f"{program[0]} was not recorded")
    return trace


def _reason(said: str) -> str:
    """The line with the error; the last one if none says so."""
    lines = said.strip().splitlines()
    errors = [line.partition(ERROR)[2] for line in lines if ERROR in line]
    return (errors or lines[-1:] or [""])[0]
