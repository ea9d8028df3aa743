"""`mallard test`: runs the stages of the project's own tests and ends with a line of counts."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mallard.command_line import layout
from mallard.command_line.needs import Needs
from mallard.command_line.parser import Answer
from mallard.errors import UsageError
from mallard.nearest import meant
from mallard.stages import STAGES, Outcome, Stage, Workplace
from mallard.stages.progress import Forecast
from mallard.version import source_root

if TYPE_CHECKING:
    from mallard.view.terminal.stages import StagesView

EXAMPLES = (
    ("mallard test", "every test once, in one configuration"),
    ("mallard test --full", "the other configurations too"),
    ("mallard test lint python", "these two stages"),
    ("mallard test --list", "the stages, each in a line"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "stages", metavar="STAGE", nargs="*", help="only these stages (default: all but the full ones)"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--full", action="store_true", help="also the stages for other configurations")
    which.add_argument("--rest", action="store_true", help="only the stages that --full adds")
    parser.add_argument("--list", action="store_true", help="list the stages and stop")


def check(arguments: argparse.Namespace) -> None:
    if arguments.list:
        if arguments.stages:
            raise UsageError("--list shows every stage; name none beside it")
        texts = ((stage.name, f"(full) {stage.text}" if stage.full else stage.text) for stage in STAGES)
        raise Answer(layout.columns(list(texts)) + "\n")
    choose(arguments)


def needs(arguments: argparse.Namespace) -> Needs:
    tools = {tool: None for stage in choose(arguments) for tool in stage.tools}
    return Needs(environment="test", tools=tuple(tools))


def run(arguments: argparse.Namespace) -> int:
    from mallard.view.terminal.stages import StagesView

    stages = choose(arguments)
    root = tree()
    total = Outcome()
    view = StagesView(Forecast({stage.name: stage.cost for stage in stages}))
    for stage in stages:
        total.add(run_stage(view, stage, root))
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped", flush=True)
    return 1 if total.failed else 0


def choose(arguments: argparse.Namespace) -> list[Stage]:
    known = {stage.name: stage for stage in STAGES}
    for name in arguments.stages:
        if name not in known:
            raise UsageError(f"unknown stage '{name}'{meant(name, known)}; allowed are {', '.join(known)}")
    if arguments.stages and (arguments.full or arguments.rest):
        raise UsageError("--full and --rest choose the stages; name none beside them")
    if arguments.stages:
        return [stage for stage in STAGES if stage.name in arguments.stages]
    return [stage for stage in STAGES if arguments.full or stage.full == arguments.rest]


def tree() -> Path:
    root = source_root()
    if not (root / "CMakePresets.json").is_file():
        raise UsageError(f"{root} is no source tree of mallard; the tests run in a clone: ./mallard test")
    return root


def run_stage(view: StagesView, stage: Stage, root: Path) -> Outcome:
    logs = root / "build" / "test-logs"
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / f"{stage.name}.log"
    log.write_text("", encoding="utf-8")
    begin = time.monotonic()
    with view.watching(stage) as progress:
        outcome = stage.run(Workplace(root, log, jobs=len(os.sched_getaffinity(0)), progress=progress))
    view.show(stage, outcome, time.monotonic() - begin, log)
    return outcome
