"""The programs of other people that a command names."""

from __future__ import annotations

import os
import shutil

from mallard.errors import UsageError
from mallard.nearest import meant


def check_program(program: str) -> None:
    """The native program looks closer. A wrong name should not cost a build."""
    if "/" in program:
        if os.path.isfile(program) and os.access(program, os.X_OK):
            return
        reason = "is no program: it cannot be run" if os.path.exists(program) else "does not exist"
        raise UsageError(f"{program} {reason}; give the path of a program")
    if shutil.which(program) is None:
        raise UsageError(
            f"'{program}' is no program in PATH{meant(program, _programs())}; give its path, or install it"
        )


def same_program(program: str, other: str) -> bool:
    places = [shutil.which(each) for each in (program, other)]
    return None not in places and os.path.samefile(*[str(place) for place in places])


def _programs() -> list[str]:
    folders = filter(os.path.isdir, os.environ.get("PATH", "").split(os.pathsep))
    return sorted({name for folder in folders for name in os.listdir(folder)})
