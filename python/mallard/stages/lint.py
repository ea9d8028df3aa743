"""The stage that reads the sources: each tool counts as one test, clang-tidy as one for each file."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mallard.stages import tools
from mallard.stages.command import Workplace
from mallard.stages.outcome import Outcome
from mallard.stages.sources import own_files

TIDY_SECONDS = 100
# Other versions format otherwise and find other things.
FORMAT = "clang-format-19"
TIDY = "clang-tidy-19"
SHELL_FILES = ("mallard", ".ci/run")


@dataclass(frozen=True)
class LintStage:
    name: str = "lint"
    text: str = f"ruff, mypy, clang-format, shellcheck; clang-tidy on include and src ({TIDY_SECONDS} s)"

    def run(self, workplace: Workplace) -> Outcome:
        outcome = Outcome()
        checks: list[Callable[[Workplace], Outcome]] = [ruff, mypy, clang_format, shellcheck, clang_tidy]
        for check in checks:
            outcome.add(check(workplace))
        return outcome


def verdict(workplace: Workplace, name: str, command: Sequence[str], time_limit: float = 120) -> Outcome:
    outcome = Outcome()
    status = workplace.run(command, time_limit=time_limit)
    if status == 0:
        outcome.passed = 1
    else:
        outcome.fail(f"{name}: time limit" if status == 124 else f"{name}: not clean")
    return outcome


def missing(name: str, remedy: str) -> Outcome:
    outcome = Outcome()
    outcome.skip(name, remedy)
    return outcome


def python_tool(workplace: Workplace, name: str, arguments: Sequence[str]) -> Outcome:
    if importlib.util.find_spec(name) is None:
        return missing(name, tools.PYTHON_REMEDY)
    return verdict(workplace, name, [sys.executable, "-m", name, *arguments])


def ruff(workplace: Workplace) -> Outcome:
    return python_tool(workplace, "ruff", ["check", "--cache-dir", str(workplace.build / "ruff"), "."])


def mypy(workplace: Workplace) -> Outcome:
    return python_tool(workplace, "mypy", ["--cache-dir", str(workplace.build / "mypy")])


def clang_format(workplace: Workplace) -> Outcome:
    if shutil.which(FORMAT) is None:
        return missing("clang-format", tools.install(FORMAT))
    sources = [str(file) for file in own_files(workplace.root) if file.suffix in {".hpp", ".cpp"}]
    return verdict(workplace, "clang-format", [FORMAT, "--dry-run", "--Werror", *sources])


def shellcheck(workplace: Workplace) -> Outcome:
    if shutil.which("shellcheck") is None:
        return missing("shellcheck", tools.install("shellcheck"))
    return verdict(workplace, "shellcheck", ["shellcheck", *SHELL_FILES])


def clang_tidy(workplace: Workplace) -> Outcome:
    """One file that includes every public header shows all of them to clang-tidy at once."""
    if shutil.which(TIDY) is None:
        return missing("clang-tidy", tools.install(TIDY))
    include = workplace.root / "include"
    umbrella = workplace.build / "lint" / "every_header.cpp"
    umbrella.parent.mkdir(parents=True, exist_ok=True)
    headers = sorted(header.relative_to(include) for header in include.rglob("*.hpp"))
    umbrella.write_text("".join(f"#include <{header}>\n" for header in headers), encoding="utf-8")
    files = [umbrella, *sorted((workplace.root / "src").rglob("*.cpp"))]

    end = time.monotonic() + TIDY_SECONDS

    def tidy(file: Path) -> Outcome:
        command = [TIDY, "--quiet", f"--config-file={workplace.root / '.clang-tidy'}", str(file)]
        command += ["--", "-std=c++20", "-Wno-everything", f"-I{include}", f"-I{workplace.root / 'src'}"]
        return verdict(workplace, f"clang-tidy {file.name}", command, max(1.0, end - time.monotonic()))

    outcome = Outcome()
    with ThreadPoolExecutor(workplace.jobs) as pool:
        for one in pool.map(tidy, files):
            outcome.add(one)
    return outcome
