"""The code of a scope, from a recording of the program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mallard.errors import UsageError
from mallard.profile.native import ask
from mallard.trial.program import Scope


def scope_of(trace: Path, name: str) -> Scope:
    """The function or the marker of that name. The native program refuses unknown names, and offers the
    nearest ones."""
    document = json.loads(ask([str(trace), "--scope", name]))
    scope = document["scope"]
    row = scope["row"]
    is_marked = scope["kind"] == "marker"
    if is_marked and row["kind"] == "marker":
        full = row["name"]
        return Scope(full, (("MALLARD_TRIAL_BY", "mark"), ("MALLARD_TRIAL_MARK", full)))
    full = row["name"] if is_marked else document["functions"][row["function"]]["short_name"]
    if not scope.get("code"):
        raise UsageError(f"the code of {full} is in no file, so a trial cannot find it again")
    by = "functions" if is_marked else "stack"  # an instrumented function tells itself when it is called
    return Scope(full, (("MALLARD_TRIAL_BY", by), ("MALLARD_TRIAL_CODE", _code(scope["code"]))))


def _code(files: list[dict[str, Any]]) -> str:
    """FILE:BEGIN,BEGIN;FILE:..., as trial/setting.hpp has it: the functions around these instructions."""
    return ";".join(
        f"{file['file']}:{','.join(format(offset, 'x') for offset in file['instructions'])}" for file in files
    )
