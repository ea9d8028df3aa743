"""Checks of the programs that a command line names."""

from __future__ import annotations

import os
import shutil

from mallard.shared.errors import UsageError
from mallard.shared.prose import did_you_mean


def check_program(program: str) -> None:
    """A quick check before the build; the native program checks in detail."""
    if "/" in program:
        if os.path.isfile(program) and os.access(program, os.X_OK):
            return
        reason = "is not executable" if os.path.exists(program) else "does not exist"
        raise UsageError(f"{program} {reason}; give the path of a program")
    if shutil.which(program) is None:
        raise UsageError(
            f"'{program}' is not a program in PATH{did_you_mean(program, _programs())}; give its path, or "
            "install it"
        )


def is_one_program(program: str, other: str) -> bool:
    places = [shutil.which(name) for name in (program, other)]
    return None not in places and os.path.samefile(*[str(place) for place in places])


def _programs() -> list[str]:
    folders = filter(os.path.isdir, os.environ.get("PATH", "").split(os.pathsep))
    return sorted({name for folder in folders for name in os.listdir(folder)})
