"""Finds the code of a scope, or of a line that allocates, in a recording of the program."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mallard.advisor.profile.document import Profile, ask, read_profile, trace_words
from mallard.advisor.profile.names import Names
from mallard.advisor.profile.records import Site
from mallard.advisor.trial.program import EXCEPT, RESERVE, Detector, Scope
from mallard.shared.errors import UsageError
from mallard.shared.prose import in_prose

CODE = "MALLARD_TRIAL_CODE"
BY_STACK = ("MALLARD_TRIAL_BY", "stack")
RULES = "MALLARD_TRIAL_RULES"
# A return address behind the first one takes some 85 instructions, and the kept stack 450 to 1,000.
MOST_FURTHER_LEVELS = 4.0
MOST_RANGES = 1024  # `code_ranges::most` in advisor/trial/setting.hpp
DETECTOR = "MALLARD_DETECTOR"  # for developers: the user's environment selects a method
METHODS = ("rules", "stack")
LINE = re.compile(r"[^;]+\.\w+:[1-9]\d*")
OTHER_STACKS = (
    "return addresses may have callers that the recording of --trace lacks; without the option they decide"
)


def locate_scope(trace: Path, name: str, process: str | None = None) -> Scope:
    """Finds the function or marker with this name. The native program rejects unknown names and suggests
    similar ones. FILE:LINE is a line that allocates.
    """
    if is_line(name):
        return locate_line(trace, name, process)
    document = json.loads(ask([*trace_words(trace, process), "--scope", name]))
    scope = document["scope"]
    row = scope["row"]
    is_marked = scope["kind"] == "marker"
    if is_marked and row["kind"] == "marker":
        full_name = row["name"]
        return Scope(full_name, (("MALLARD_TRIAL_BY", "mark"), ("MALLARD_TRIAL_MARK", full_name)))
    full_name = row["name"] if is_marked else document["functions"][row["function"]]["short_name"]
    for file in scope.get("code", []):
        if ";" in file["file"]:
            raise UsageError(
                f"a part of {full_name} is in '{file['file']}', and a trial finds no code in a path with a "
                "semicolon; give the file or its folder another name"
            )
    ranges = sum(len(file.get("ranges", ())) for file in scope.get("code", []))
    if ranges > MOST_RANGES:
        raise UsageError(
            f"{full_name} is inlined at {ranges} ranges of code, and a trial finds at most {MOST_RANGES}; "
            "declare it noinline, or give a function that calls it"
        )
    if not scope.get("code"):
        raise UsageError(f"the code of {full_name} is not in a file, so a trial cannot find it")
    # An instrumented function reports its own calls.
    method = ("MALLARD_TRIAL_BY", "functions") if is_marked else BY_STACK
    return Scope(full_name, (method, (CODE, _to_variable(scope["code"]))))


def locate_line(trace: Path, line: str, process: str | None = None) -> Scope:
    """Finds the calls by which a line of the program allocates. Its file may lack the folders."""
    sites = line_sites(read_profile(ask([*trace_words(trace, process), "--all"])), line)
    return line_scope(os.path.basename(line), [site.code for site in sites], reserved_bytes(sites))


def line_sites(profile: Profile, line: str) -> list[Site]:
    names = Names(profile)
    sites = [site for site in profile.sites if f"/{names.place_source(site.place)}".endswith(f"/{line}")]
    if not sites:
        raise UsageError(
            f"no call at {line} allocates, in the recording; 'mallard profile TRACE' lists the lines that "
            "do, in code with debug information (-g)"
        )
    return sites


def reserved_bytes(sites: Sequence[Site]) -> int:
    """The final size of arrays that grow there by realloc; 0 if none do. An array may grow on at other lines:
    then the largest size there.
    """
    growing = ((site, site.growth) for site in sites if site.growth and site.growth.allocations)
    return max((growth.final_p99_bytes or site.figures.largest or 0 for site, growth in growing), default=0)


def line_scope(title: str, codes: Sequence[str], reserved: int = 0) -> Scope:
    if not all(codes):
        raise UsageError(f"the code of {title} is in no file, so a trial cannot find it")
    of_growth = ((RESERVE, str(reserved)),) if reserved else ()
    return Scope(title, (BY_STACK, (CODE, ";".join(dict.fromkeys(codes))), *of_growth))


def is_line(scope: str) -> bool:
    return LINE.fullmatch(scope) is not None


def exclude_functions(trace: Path, scope: Scope, names: Sequence[str], process: str | None = None) -> Scope:
    """The scope without the blocks that these functions or their callees allocate."""
    if not names:
        return scope
    functions = [locate_scope(trace, name, process) for name in names]
    code = []
    for function in functions:
        variables = dict(function.variables)
        if CODE not in variables:
            raise UsageError(
                f"--without {function.name} is a marker; give a function that is called in the scope"
            )
        code.append(variables[CODE])
    remaining = exclude_code(scope, code, in_prose([function.name for function in functions]))
    if remaining is None:
        raise UsageError(
            f"--without needs a scope that is found by its stack, and {scope.name} reports its own "
            "calls; give the function that has the mark, in a program that is not instrumented"
        )
    return remaining


def exclude_code(scope: Scope, code: Sequence[str], words: str) -> Scope | None:
    """The scope without the blocks of this code; None if the scope is not found by stacks."""
    if not code or BY_STACK not in scope.variables:
        return None
    variables = [variable for variable in scope.variables if variable[0] != RULES]
    return Scope(f"{scope.name} without {words}", (*variables, (EXCEPT, ";".join(code))))


def learn_rules(
    trace: Path, scope: Scope, process: str | None = None, *, is_of_this_call: bool = True
) -> Scope:
    """The scope with the rules by which a trial finds it, if its stacks allow cheap ones. An earlier
    recording, or a sample, may lack stacks of the program, so that its rules would err.
    """
    variables = dict(scope.variables)
    if scope.detector is not None or BY_STACK not in scope.variables:
        return scope
    wanted = os.environ.get(DETECTOR, "")
    if wanted and wanted not in METHODS:
        raise UsageError(f"{DETECTOR}={wanted} is not a detector; give {' or '.join(METHODS)}, or unset it")
    if wanted == "stack":
        return replace(scope, detector=Detector("stack", reason=f"{DETECTOR}=stack selects that"))
    if not wanted and not is_of_this_call:
        return replace(scope, detector=Detector("stack", reason=OTHER_STACKS))
    words = [*trace_words(trace, process), "--rules", variables[CODE]]
    if EXCEPT in variables:
        words += ["--except", variables[EXCEPT]]
    tree = json.loads(ask(words))
    allocations = max(tree["allocations"], 1)
    further_levels = tree["further_levels"] / allocations
    is_cheap = tree["rows"] > 0 and further_levels <= MOST_FURTHER_LEVELS
    detector = Detector("rules", tree["rows"], further_levels, tree["undecided"] / allocations)
    if not wanted and not is_cheap:
        return replace(scope, detector=replace(detector, method="stack", reason=_dear(further_levels)))
    return Scope(scope.name, (*scope.variables, (RULES, tree["rules"])), detector)


def _dear(further_levels: float) -> str:
    return (
        "return addresses alone do not tell cheaply whether a request is of the scope: it takes "
        f"{further_levels:.1f} more than the first on average"
    )


def _to_variable(files: list[dict[str, Any]]) -> str:
    """FILE:BEGIN,BEGIN-END;FILE:..., as in advisor/trial/setting.hpp: the functions around the instructions,
    and the ranges of a function that is inlined into others.
    """
    return ";".join(f"{file['file']}:{','.join(_code_of_file(file))}" for file in files)


def _code_of_file(file: dict[str, Any]) -> list[str]:
    """Ranges first: beyond the limit only further instructions of a compiled function are ignored."""
    ranges = file.get("ranges", [])
    compiled = [
        format(offset, "x")
        for offset in file["instructions"]
        if not any(begin <= offset < end for begin, end in ranges)
    ]
    return [*(f"{begin:x}-{end:x}" for begin, end in ranges), *compiled]
