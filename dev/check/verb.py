"""`mallard test`: runs the stages of the project's own tests and ends with a line of counts."""

from __future__ import annotations

import argparse
import os
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from keyword import iskeyword
from pathlib import Path

from dev.check import STAGES, Counts, PythonStage, Stage, WordStage, Workplace, times
from dev.check.words import mentions
from mallard.cli import layout
from mallard.cli.needs import Needs
from mallard.cli.parser import Answer
from mallard.shared.errors import UsageError
from mallard.shared.prose import did_you_mean
from mallard.shared.version import source_root

EXAMPLES = (
    ("mallard test", "the library, the advisor and the Python front"),
    ("mallard test --full", "and the runner, packages, pages, other configurations"),
    ("mallard test lint python", "these two stages"),
    ("mallard test multipool", "the tests whose names or files mention this word"),
    ("mallard test --list", "the stages, each in a line"),
)
STEPS = ("configure", "build")
WORD_TOOLS = ("googletest", "boost", "mold", "clang")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "stages",
        metavar="STAGE|WORD",
        nargs="*",
        help="only these stages, or the tests that mention a word (default: all stages but the full ones)",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--full", action="store_true", help="also the stages for other configurations")
    which.add_argument("--rest", action="store_true", help="only what --full adds")
    parser.add_argument(
        "--until",
        metavar="STEP",
        choices=STEPS,
        help="configure, or build, the native stages, without a test",
    )
    parser.add_argument("--list", action="store_true", help="list the stages and stop")


def check(arguments: argparse.Namespace) -> None:
    if arguments.list:
        if arguments.stages:
            raise UsageError("--list shows every stage; leave the stages out")
        texts = ((stage.name, f"(full) {stage.text}" if stage.full else stage.text) for stage in STAGES)
        raise Answer(layout.columns(list(texts)) + "\n")
    if all(isinstance(stage, PythonStage) for stage in choose(arguments)) and arguments.until:
        raise UsageError(f"--until {arguments.until} is for stages that compile; name one, such as asan")


def needs(arguments: argparse.Namespace) -> Needs:
    tools = {tool: None for stage in choose(arguments) for tool in stage.tools}
    return Needs(environment="test", tools=tuple(tools))


def run(arguments: argparse.Namespace) -> int:
    from dev.check.view import StagesView

    stages, root, total = choose(arguments), tree(), Counts()
    if arguments.until:
        stages = [stage for stage in stages if not isinstance(stage, PythonStage)]
    logs, stop, writing = root / "build/test-logs", threading.Event(), threading.Lock()
    logs.mkdir(parents=True, exist_ok=True)

    def run_lane(lane: Iterable[Stage]) -> None:
        for stage in lane:
            log = logs / f"{stage.name}.log"
            log.write_text("", encoding="utf-8")
            start = time.monotonic()
            with view.watching(stage) as show:
                workplace = Workplace(root, log, len(os.sched_getaffinity(0)), show, arguments.until, stop)
                counts = stage.run(workplace)
            if stop.is_set():
                return
            wall = time.monotonic() - start
            seconds = {"wall": wall, "user": workplace.user, "system": workplace.system}
            with writing:
                view.show(stage, counts, seconds, log)
                if not arguments.until:
                    times.store(logs / "times.json", stage, seconds, counts)
                total.add(counts)

    with StagesView(times.forecasts(root, stages)) as view, ThreadPoolExecutor() as threads:
        try:
            for lane in as_completed([threads.submit(run_lane, lane) for lane in side_by_side(stages)]):
                lane.result()
        except BaseException:
            stop.set()
            raise
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped", flush=True)
    return 1 if total.failed else 0


def side_by_side(stages: Sequence[Stage]) -> list[list[Stage]]:
    """Three lanes: the presets compile on all cores while the Python stages wait for programs that they
    record, for browsers and measurements, and those in other systems for downloads and emulators."""
    lanes: tuple[list[Stage], ...] = ([], [], [])
    for stage in stages:
        lanes[2 if stage.in_other_systems else isinstance(stage, PythonStage)].append(stage)
    return [lane for lane in lanes if lane]


def choose(arguments: argparse.Namespace) -> list[Stage]:
    """The stages in their order, then the words."""
    known = {stage.name for stage in STAGES}
    if arguments.stages and (arguments.full or arguments.rest):
        raise UsageError("--full and --rest choose the stages; leave the names out")
    if not arguments.stages:
        return [stage for stage in STAGES if arguments.full or stage.full == arguments.rest]
    words = [word for word in dict.fromkeys(arguments.stages) if word not in known]
    for word in words:
        if not word.isidentifier() or iskeyword(word) or not mentions(tree(), word):
            raise UsageError(
                f"unknown stage '{word}'{did_you_mean(word, known)}, and no test mentions it; allowed are "
                f"{', '.join(stage.name for stage in STAGES)}, or a word of the tests, such as multipool"
            )
    chosen = [stage for stage in STAGES if stage.name in arguments.stages]
    return chosen + [WordStage(word, f"the tests that mention {word}", WORD_TOOLS) for word in words]


def tree() -> Path:
    root = source_root()
    if not (root / "CMakePresets.json").is_file():
        raise UsageError(f"{root} is no source tree of mallard; the tests run in a clone: ./mallard test")
    return root
