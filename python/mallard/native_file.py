"""A native program of the advisor: named by a variable, installed beside this package, or built."""

from __future__ import annotations

import os
from pathlib import Path

from mallard.errors import UsageError
from mallard.version import source_root


def find_native_program(name: str, variable: str, built_in: str, verb: str) -> Path:
    """$VARIABLE, the one installed beside this package, or the one of the source tree. `verb` builds it."""
    stated = os.environ.get(variable)
    if stated:
        path = Path(stated)
        if not _runs(path):
            raise UsageError(f"{variable}={stated} is not a program; unset it, or name the {name} to use")
        return path
    places = [
        Path(__file__).resolve().parent / "bin" / name,
        source_root() / "build" / "advisor" / built_in / name,
    ]
    for path in places:
        if _runs(path):
            return path
    raise UsageError(
        f"the native program {name} is missing; looked for {' and '.join(map(str, places))}; "
        f"'./mallard {verb}' in the source tree builds it, {variable}=FILE names another"
    )


def _runs(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
