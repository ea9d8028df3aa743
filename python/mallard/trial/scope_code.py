"""The code of a scope, from a recording of the program."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mallard.errors import UsageError
from mallard.profile.native import ask
from mallard.selection import in_prose
from mallard.trial.program import EXCEPT, Scope

CODE = "MALLARD_TRIAL_CODE"
BY_STACK = ("MALLARD_TRIAL_BY", "stack")


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
    # An instrumented function tells itself when it is called.
    by = ("MALLARD_TRIAL_BY", "functions") if is_marked else BY_STACK
    return Scope(full, (by, (CODE, _code(scope["code"]))))


def scope_without(trace: Path, scope: Scope, names: Sequence[str]) -> Scope:
    """The scope without the blocks that these functions make, they or the functions that they call."""
    if not names:
        return scope
    functions = [scope_of(trace, name) for name in names]
    code = []
    for function in functions:
        variables = dict(function.variables)
        if CODE not in variables:
            raise UsageError(
                f"--without {function.name} is a marker; give a function that is called in the scope"
            )
        code.append(variables[CODE])
    less = less_code(scope, code, in_prose([function.name for function in functions]))
    if less is None:
        raise UsageError(
            f"--without needs a scope that is found by its stack, and {scope.name} tells itself when it is "
            "called; give the function that has the mark, in a program that is not instrumented"
        )
    return less


def less_code(scope: Scope, code: Sequence[str], words: str) -> Scope | None:
    """The scope, if it is found by stacks, without the blocks of this code."""
    if not code or BY_STACK not in scope.variables:
        return None
    return Scope(f"{scope.name} without {words}", (*scope.variables, (EXCEPT, ";".join(code))))


def _code(files: list[dict[str, Any]]) -> str:
    """FILE:BEGIN,BEGIN;FILE:..., as trial/setting.hpp has it: the functions around these instructions."""
    return ";".join(
        f"{file['file']}:{','.join(format(offset, 'x') for offset in file['instructions'])}" for file in files
    )
