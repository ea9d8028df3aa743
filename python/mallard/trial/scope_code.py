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
    if scope["kind"] == "marker":
        full = scope["row"]["name"]
        return Scope(full, (("MALLARD_TRIAL_BY", "mark"), ("MALLARD_TRIAL_MARK", full)))
    full = document["functions"][scope["row"]["function"]]["short_name"]
    if not scope["code"]:
        raise UsageError(f"the code of {full} is in no file, so a trial cannot find it again")
    return Scope(full, (("MALLARD_TRIAL_BY", "stack"), ("MALLARD_TRIAL_CODE", _code(scope["code"]))))


def _code(files: list[dict[str, Any]]) -> str:
    """FILE:BEGIN,BEGIN;FILE:..., as trial/setting.hpp has it: the functions around these instructions."""
    return ";".join(
        f"{file['file']}:{','.join(format(offset, 'x') for offset in file['instructions'])}" for file in files
    )
