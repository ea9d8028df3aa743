"""`mallard bench`: plans, measures, stores, and shows what came of it."""

from __future__ import annotations

import argparse
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from rich.console import Console

from mallard import machine
from mallard.cli import exit_status
from mallard.cli.options import add_database
from mallard.cli.parser import positive_int, positive_seconds, seed_number
from mallard.errors import UsageError
from mallard.plan import (
    BUFFERS,
    HASHES,
    PAGES,
    REPETITIONS,
    SCALES,
    SHORT_REPETITIONS,
    Plan,
    Request,
    plan_density,
    plan_primitives,
)
from mallard.run import execute, prepare
from mallard.runner import load_runner
from mallard.store import Store
from mallard.view.terminal import show_outcome, show_run
from mallard.view.terminal.console import output_console
from mallard.view.terminal.progress import ProgressDisplay

HELP = "measure on this machine which allocation strategy is fastest"
EXAMPLES = """\
mallard bench                                          density --quick: a few minutes, then heat maps
mallard bench density --ds 1,4-6 --size 6..12          some data structures, some sizes (2^6 to 2^12)
mallard bench density --strategy AS1,AS7-AS10 --reps 5
mallard bench density --standard --buffer none         an hour, monotonic strategies without a buffer
mallard bench primitives                               ns for one allocation and for one allocator"""

EXPERIMENTS = ("density", "primitives")
ONLY_DENSITY = ("ds", "size", "buffer", "hash", "pages")
ONLY_PRIMITIVES = ("operation",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "experiment",
        nargs="?",
        default=EXPERIMENTS[0],
        metavar="EXPERIMENT",
        help="density (the default): build and destroy data structures; primitives: single operations",
    )
    what = parser.add_argument_group("what to measure")
    what.add_argument("--ds", metavar="LIST", help="data structures: 1,4-6 (default: all)")
    what.add_argument(
        "--size", metavar="RANGE", help="exponents of two: 6..16 or 8,10 (default: the scale's)"
    )
    what.add_argument("--operation", metavar="LIST", help="of primitives: pair,create (default: all)")
    what.add_argument("--strategy", metavar="LIST", help="AS1,AS7-AS10,null,AS1-keep (default: all)")
    what.add_argument("--buffer", choices=BUFFERS, help="initial buffer of the monotonic strategies (warm)")
    what.add_argument("--pages", choices=PAGES, help="pages of that buffer and of the floor's memory (huge)")
    what.add_argument("--hash", choices=HASHES, help="how much of a string is hashed (prefix)")
    scale = parser.add_argument_group("how long").add_mutually_exclusive_group()
    for name, text in (
        ("quick", "minutes: every second size, 2^20 leaf elements a cell (the default)"),
        ("standard", "about an hour: 2^24 leaf elements a cell"),
        ("paper", "the papers' own: 2^27 leaf elements a cell"),
    ):
        scale.add_argument(f"--{name}", dest="scale", action="store_const", const=name, help=text)
    how = parser.add_argument_group("how")
    how.add_argument(
        "--reps",
        metavar="N",
        type=positive_int,
        help=f"repetitions ({REPETITIONS}; {SHORT_REPETITIONS} of cells that last a millisecond)",
    )
    how.add_argument("--seed", metavar="N", type=seed_number, default=1, help="of inputs and order (1)")
    how.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=positive_seconds,
        help="for one process (by scale: 60, 600, 3600)",
    )
    how.add_argument("--no-pin", action="store_true", help="let the system choose the core")
    add_database(parser)


def run(arguments: argparse.Namespace) -> int:
    request = _request(arguments)
    runner = load_runner()

    def make_plan(buffer_bytes: int | None) -> Plan:
        if arguments.experiment == "primitives":
            return plan_primitives(request, runner)
        return plan_density(request, runner, machine.memory("MemAvailable"), buffer_bytes)

    messages = make_plan(None).messages  # bad input is found before a database is made
    command = shlex.join(arguments.command_words)
    display = ProgressDisplay(Console(stderr=True, highlight=False))
    for message in messages:
        display.say(message)
    with Store(arguments.db) as store:
        store.claim()
        prepared = prepare(store, runner, command, make_plan, display)
        try:
            with _ended_like_an_interrupt():
                outcome = execute(store, prepared, runner, display)
        except KeyboardInterrupt:
            kept = len(store.rows(prepared.run.id))
            display.say(
                f"interrupted: {kept} of {prepared.plan.processes} repetitions are kept in {store.path}, "
                f"run {prepared.run.id}; the same command goes on from there: {command}"
            )
            return exit_status.INTERRUPTED
        console = output_console()
        show_run(console, store.run(outcome.run_id), store.rows(outcome.run_id))
        show_outcome(console, outcome, store)
    return exit_status.FINDINGS if outcome.defects else exit_status.DONE


def _request(arguments: argparse.Namespace) -> Request:
    experiment = arguments.experiment
    if experiment not in EXPERIMENTS:
        raise UsageError(f"unknown experiment '{experiment}'; allowed are {', '.join(EXPERIMENTS)}")
    foreign = ONLY_DENSITY if experiment == "primitives" else ONLY_PRIMITIVES
    for name in foreign:
        if getattr(arguments, name) is not None:
            other = EXPERIMENTS[1 - EXPERIMENTS.index(experiment)]
            raise UsageError(
                f"--{name} is an option of {other}; leave it out, or say 'mallard bench {other}'"
            )
    return Request(
        scale=SCALES[arguments.scale or "quick"],
        structures=arguments.ds,
        sizes=arguments.size,
        operations=arguments.operation,
        strategies=arguments.strategy,
        repetitions=arguments.reps,
        seed=arguments.seed,
        buffer=arguments.buffer or BUFFERS[0],
        hash=arguments.hash or HASHES[0],
        pages=arguments.pages or PAGES[0],
        pin=not arguments.no_pin,
        time_limit=arguments.time_limit,
    )


@contextmanager
def _ended_like_an_interrupt() -> Iterator[None]:
    """A kill or a closed terminal is treated as Ctrl-C: the process that is measured must not stay behind."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
