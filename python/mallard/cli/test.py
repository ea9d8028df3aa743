"""`mallard test`: runs the stages of the project's own tests and closes with one plain line of counts."""

from __future__ import annotations

import argparse
import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mallard.cli.needs import Needs
from mallard.cli.parser import Answer
from mallard.errors import UsageError
from mallard.nearest import meant
from mallard.stages import STAGES, Outcome, Stage, Workplace
from mallard.version import source_root

if TYPE_CHECKING:
    from rich.console import Console

HELP = "run the project's own tests"
EXAMPLES = """\
mallard test                 every stage
mallard test lint python     these two
mallard test --list          what the stages are"""

TAIL_LINES = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("stages", metavar="STAGE", nargs="*", help="stages to run (default: all, in order)")
    parser.add_argument("--list", action="store_true", help="name the stages and stop")


def check(arguments: argparse.Namespace) -> None:
    if arguments.list:
        raise Answer("".join(f"{stage.name:14}{stage.text}\n" for stage in STAGES))
    choose(arguments.stages)


def needs(arguments: argparse.Namespace) -> Needs:
    return Needs(environment="test")


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    stages = choose(arguments.stages)
    root = tree()
    total = Outcome()
    for stage in stages:
        total.add(run_stage(console, stage, root))
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped", flush=True)
    return 1 if total.failed else 0


def choose(names: list[str]) -> list[Stage]:
    known = {stage.name: stage for stage in STAGES}
    for name in names:
        if name not in known:
            raise UsageError(f"unknown stage '{name}'{meant(name, known)}: allowed are {', '.join(known)}")
    return [stage for stage in STAGES if not names or stage.name in names]


def tree() -> Path:
    root = source_root()
    if not (root / "CMakePresets.json").is_file():
        raise UsageError(f"{root} is no source tree of mallard: the tests run in a clone, by ./mallard test")
    return root


def run_stage(console: Console, stage: Stage, root: Path) -> Outcome:
    from rich.markup import escape

    logs = root / "build" / "test-logs"
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / f"{stage.name}.log"
    log.write_text("", encoding="utf-8")
    begin = time.monotonic()
    waiting = console.status(f"{stage.name}: {escape(stage.text)}")
    with waiting if console.is_terminal else contextlib.nullcontext():
        outcome = stage.run(Workplace(root, log, jobs=len(os.sched_getaffinity(0))))
    show(console, stage, outcome, time.monotonic() - begin, log)
    return outcome


def show(console: Console, stage: Stage, outcome: Outcome, seconds: float, log: Path) -> None:
    from rich.markup import escape

    word, style = ("FAILED", "bold red") if outcome.failed else ("passed", "green")
    if not outcome.failed and not outcome.passed:
        word, style = "skipped", "yellow"
    counts = f"{outcome.passed:5} passed {outcome.failed:4} failed {outcome.skipped:4} skipped"
    console.print(f"[{style}]{word:8}[/]{stage.name:14}{counts} {seconds:8.1f} s")
    for note in outcome.notes:
        console.print(f"        {escape(note)}")
    if outcome.failed:
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines()[-TAIL_LINES:]:
            console.print(f"        | {escape(line)}")
        console.print(f"        the whole output is in {escape(str(log))}")
