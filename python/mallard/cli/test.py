"""`mallard test`: runs the stages of the project's own tests and closes with one plain line of counts."""

from __future__ import annotations

import argparse
import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from mallard.errors import UsageError
from mallard.stages import STAGES, Outcome, Stage, Workplace
from mallard.stages.progress import Forecast, Progress, duration
from mallard.version import source_root

HELP = "run the project's own tests"
EXAMPLES = """\
mallard test                 every test once, where it finds most
mallard test --full          the other configurations too
mallard test lint python     these two stages
mallard test --list          what the stages are"""

TAIL_LINES = 40
SECONDS_BETWEEN_LINES = 20.0
"""Where the output is no terminal, a line of progress appears so often."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("stages", metavar="STAGE", nargs="*", help="stages (default: all but the full ones)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--full", action="store_true", help="the other configurations too")
    which.add_argument("--rest", action="store_true", help="only what --full adds")
    parser.add_argument("--list", action="store_true", help="name the stages and stop")


def run(arguments: argparse.Namespace) -> int:
    console = Console(highlight=False, soft_wrap=True)
    if arguments.list:
        for stage in STAGES:
            console.print(f"[bold]{stage.name:14}[/]{'full  ' if stage.full else '      '}{stage.text}")
        return 0

    stages = choose(arguments)
    root = tree()
    total = Outcome()
    forecast = Forecast({stage.name: stage.cost for stage in stages})
    for stage in stages:
        total.add(run_stage(console, stage, root, forecast))
        forecast.finish(stage.name)
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped", flush=True)
    return 1 if total.failed else 0


def choose(arguments: argparse.Namespace) -> list[Stage]:
    known = {stage.name: stage for stage in STAGES}
    for name in arguments.stages:
        if name not in known:
            raise UsageError(f"unknown stage '{name}': allowed are {', '.join(known)}")
    if arguments.stages and (arguments.full or arguments.rest):
        raise UsageError("--full and --rest choose the stages: name none beside them")
    if arguments.stages:
        return [stage for stage in STAGES if stage.name in arguments.stages]
    return [stage for stage in STAGES if arguments.full or stage.full == arguments.rest]


def tree() -> Path:
    root = source_root()
    if not (root / "CMakePresets.json").is_file():
        raise UsageError(f"{root} is no source tree of mallard: the tests run in a clone, by ./mallard test")
    return root


def run_stage(console: Console, stage: Stage, root: Path, forecast: Forecast) -> Outcome:
    logs = root / "build" / "test-logs"
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / f"{stage.name}.log"
    log.write_text("", encoding="utf-8")
    begin = time.monotonic()
    with telling(console, stage, forecast) as progress:
        outcome = stage.run(Workplace(root, log, jobs=len(os.sched_getaffinity(0)), progress=progress))
    show(console, stage, outcome, time.monotonic() - begin, log)
    return outcome


@contextlib.contextmanager
def telling(console: Console, stage: Stage, forecast: Forecast) -> Iterator[Progress]:
    """Progress that shows: in the last line of a terminal, or else as a line now and then."""
    if console.is_terminal:
        with console.status(f"{stage.name}: {escape(stage.text)}") as status:
            yield Progress(lambda now: status.update(escape(line_of(stage, now, forecast))))
        return
    told = time.monotonic()

    def tell(now: Progress) -> None:
        nonlocal told
        if time.monotonic() - told > SECONDS_BETWEEN_LINES:
            told = time.monotonic()
            console.print(f"        {escape(line_of(stage, now, forecast))}")

    yield Progress(tell)


def line_of(stage: Stage, now: Progress, forecast: Forecast) -> str:
    words = [f"{stage.name}:", now.what or stage.text]
    if now.count:
        words[-1] += f", {now.count}"
    return " ".join([*words, f"- {duration(forecast.seconds_left(stage.name, now.share))} left"])


def show(console: Console, stage: Stage, outcome: Outcome, seconds: float, log: Path) -> None:
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
