"""Builds the programs of the case studies; names the Debian packages that are missing."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from harness import inputs
from harness.catalogue import CASES, UNCHANGED, Case, Input
from harness.places import BUILD, ROOT, STUDIES


class BuildError(Exception):
    """CMake or the compiler failed."""


def configure() -> dict[str, str]:
    """Returns the missing packages by case study. $CMAKE_PREFIX_PATH names libraries in other places."""
    _run(["cmake", "-S", str(STUDIES), "-B", str(BUILD), *_generator()])
    missing = {}
    for line in (BUILD / "missing.txt").read_text(encoding="utf-8").splitlines():
        name, _, package = line.partition(" ")
        missing[name] = package
    for case in CASES.values():
        if case.command and not shutil.which(case.command[0]):
            missing[case.name] = case.package
    return missing


def build(case: Case, builds: Sequence[str]) -> None:
    if not case.command:
        build_targets([f"{case.name}.{name}" for name in builds])


def build_targets(targets: Sequence[str]) -> None:
    _run(["cmake", "--build", str(BUILD), "--parallel", "2", "--target", *targets])


def words(case: Case, case_input: Input, build_: str = UNCHANGED) -> list[str]:
    """The program of a build with its arguments. The input is written if it is not there."""
    program = list(case.command) or [str(BUILD / "programs" / f"{case.name}.{build_}")]
    file = input_file(case, case_input)
    folder = str(STUDIES / case.name)
    return program + [
        word.replace("{FILE}", str(file or "")).replace("{HERE}", folder) for word in case_input.words
    ]


def input_file(case: Case, case_input: Input) -> Path | None:
    """The file that the program reads; None if it makes its own input."""
    if case_input.generator:
        return inputs.write(case_input.generator, BUILD / "inputs")
    named = [word for word in case_input.words if word.startswith("{HERE}/")]
    return STUDIES / case.name / named[0].removeprefix("{HERE}/") if named else None


def _generator() -> list[str]:
    configured = (BUILD / "CMakeCache.txt").is_file()
    return ["-G", "Ninja"] if not configured and shutil.which("ninja") else []


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        output = [*done.stdout.splitlines(), *done.stderr.splitlines()]
        raise BuildError("\n".join([f"{' '.join(command)} failed:", *output[-20:]]))
