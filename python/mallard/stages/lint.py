"""The stages that read the sources. Each tool counts as one test, clang-tidy as one per file."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from mallard.stages import tools
from mallard.stages.command import SILENT, Workplace
from mallard.stages.outcome import Outcome
from mallard.stages.progress import Progress
from mallard.stages.sources import own_files

# Other versions format differently and find other things.
FORMAT = "clang-format-19"
TIDY = "clang-tidy-19"
SHELL_FILES = ("mallard", ".ci/run")


@dataclass(frozen=True)
class LintStage:
    cost: float
    full: bool = False
    name: str = "lint"
    text: str = "ruff, mypy, clang-format, shellcheck"
    tools: tuple[str, ...] = (FORMAT, "shellcheck")

    def run(self, workplace: Workplace) -> Outcome:
        outcome = Outcome()
        checks: list[Callable[[Workplace], Outcome]] = [ruff, mypy, clang_format, shellcheck]
        for check in checks:
            outcome.add(check(workplace))
        return outcome


@dataclass(frozen=True)
class TidyStage:
    cost: float
    full: bool = True
    name: str = "tidy"
    text: str = "clang-tidy on include and src"
    tools: tuple[str, ...] = (TIDY,)

    def run(self, workplace: Workplace) -> Outcome:
        """clang-tidy sees all public headers at once, in one file that includes them."""
        if shutil.which(TIDY) is None:
            return missing("clang-tidy", tools.install(TIDY))
        include = workplace.root / "include"
        umbrella = workplace.build / "lint" / "every_header.cpp"
        umbrella.parent.mkdir(parents=True, exist_ok=True)
        headers = sorted(header.relative_to(include) for header in include.rglob("*.hpp"))
        umbrella.write_text("".join(f"#include <{header}>\n" for header in headers), encoding="utf-8")
        files = [umbrella, *sorted((workplace.root / "src").rglob("*.cpp"))]

        def tidy(file: Path) -> Outcome:
            command = [TIDY, "--quiet", f"--config-file={workplace.root / '.clang-tidy'}", str(file)]
            command += ["--", "-std=c++20", "-Wno-everything", f"-I{include}", f"-I{workplace.root / 'src'}"]
            beside = Workplace(workplace.root, workplace.log, 1, Progress())
            return verdict(beside, f"clang-tidy {file.name}", command)

        outcome = Outcome()
        with ThreadPoolExecutor(workplace.jobs) as pool:
            running = [pool.submit(tidy, file) for file in files]
            for number, done in enumerate(as_completed(running), 1):
                outcome.add(done.result())
                workplace.progress.reach(number / len(files), "clang-tidy", f"{number} of {len(files)}")
        return outcome


def verdict(workplace: Workplace, name: str, command: Sequence[str]) -> Outcome:
    outcome = Outcome()
    status = workplace.run(command)
    if status == 0:
        outcome.passed = 1
    else:
        outcome.fail(f"{name}: silent for too long" if status == SILENT else f"{name}: not clean")
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
