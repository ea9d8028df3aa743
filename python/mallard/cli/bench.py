"""`mallard bench`: plans, measures, stores, and shows what came of it."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from mallard import machine
from mallard.cli import exit_status
from mallard.cli.needs import Needs
from mallard.cli.options import add_database
from mallard.cli.parser import gibibytes, positive_int, positive_seconds, seed_number
from mallard.contenders import BEHIND, GROUPS
from mallard.errors import UsageError
from mallard.expected_runner import expected_runner
from mallard.experiments import EXPERIMENTS
from mallard.mallocs import NAMES
from mallard.nearest import meant
from mallard.plan import (
    OPTIONS,
    REPETITIONS,
    SCALES,
    Host,
    Plan,
    Request,
    check_request,
    make_plan,
    selected_compilers,
    selected_mallocs,
)
from mallard.plan.notation import read_notation
from mallard.run import execute, prepare
from mallard.runner import COMPILERS, load_builds
from mallard.store import Store

HELP = "measure on this machine which allocation strategy is fastest"
EXAMPLES = """\
mallard bench                                          density --quick: a few minutes, then heat maps
mallard bench density --ds 1,4-6 --size 6..12          some data structures, some sizes (2^6 to 2^12)
mallard bench density --strategy new-delete,multipool,multipool/wink --reps 5
mallard bench locality --links 2^21 --list-length 2^9..2^12 --strategy new-delete,multipool,multipool-first
mallard bench utilization --total 30..33 --buffer warm,none
mallard bench contention --threads 1..8 --freed-by other
mallard bench fragmentation --ds 2 --freed half,eighth --upstream cache,heap
mallard bench density --malloc jemalloc,mimalloc,tcmalloc    the global allocator under other mallocs as well
mallard bench density --ds 2,4 --contenders            the allocators of other libraries beside mallard's
mallard bench utilization --strategy multipool,boost,loki    some of them
mallard bench density --compiler g++,clang++           the same cells from each compiler
mallard bench primitives                               ns for one allocation and for one allocator
mallard bench small-objects --object-bytes 1,16,64 --order shuffled,in-order --pages small,huge
mallard bench fixed-block --work list,map              the works of Optimized C++, chapter 13
mallard bench adaptive-pool --range 10,10000           nodes by ranges, one by one and in bursts
mallard bench burst --contenders                       the same, and nodes one by one; beside Boost's bursts
mallard bench expansion-forward --elements 10^7 --type int    a vector that grows in place, and ones that copy
mallard bench shrink-to-fit --elements 10000 --step 5
mallard bench heap-churn --malloc mimalloc --live 10^5        how a heap ages: time, memory, fragmentation

P0089 section 8 writes a run of locality as five numbers, |G| |S| af sf rf, and so may you:
mallard bench locality -20 18 32 -3 8
  |G|  links in all; a negative number makes it and |S| exponents of two: -20 18 is 2^20 links in
       lists of 2^18, four lists
  |S|  links of each list at first; it divides |G|
  af   access factor: traversals of a list in a visit, 32
  sf   shuffle factor: passes of the shuffle, 3; -3: the access comes before the shuffle, +3 or 3:
       after it (here both are measured and told, and the shuffle is never in their time)
  rf   repeat factor: visits of every list, 8"""

DEFAULT = "density"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "experiment",
        nargs="?",
        default=DEFAULT,
        metavar="EXPERIMENT",
        help=f"{', '.join(EXPERIMENTS)} (default: {DEFAULT}); 'mallard list experiments' tells what each is",
    )
    parser.add_argument(
        "notation",
        nargs="*",
        metavar="NUMBER",
        help="of locality: |G| |S| af sf rf, as P0089 writes a run (below)",
    )
    what = parser.add_argument_group("what to measure, in any experiment")
    what.add_argument(
        "--strategy",
        metavar="LIST",
        help="multipool,multipool/wink, or by the papers' numbers AS7-AS10 (default: the experiment's); of "
        "other libraries boost-pool,loki or a group: "
        f"{', '.join(GROUPS)}",
    )
    what.add_argument(
        "--contenders",
        action="store_true",
        help="the allocators of other libraries as well, and other mallocs for the global allocator; "
        "'mallard list contenders' names them, 'mallard peers' compares",
    )
    what.add_argument(
        "--malloc",
        metavar="LIST",
        help=f"new-delete and new-delete/base under these as well, preloaded: {','.join(NAMES)}",
    )
    what.add_argument(
        "--compiler", metavar="LIST", help=f"the runner of each, side by side: {','.join(COMPILERS)}"
    )
    _add_own_options(parser)
    scale = parser.add_argument_group("how long").add_mutually_exclusive_group()
    for name, text in (
        ("quick", "one or two minutes, density a few (the default)"),
        ("standard", "the five of P0089 and P0213 together within 90 minutes on 2 cores, the others minutes"),
        ("paper", "the papers' own sizes and numbers of operations: hours, locality weeks"),
    ):
        scale.add_argument(f"--{name}", dest="scale", action="store_const", const=name, help=text)
    how = parser.add_argument_group("how")
    how.add_argument(
        "--reps",
        metavar="N",
        type=positive_int,
        help=f"repetitions ({REPETITIONS}; more of cells that last a millisecond, fewer of long ones)",
    )
    how.add_argument("--seed", metavar="N", type=seed_number, default=1, help="of inputs and order (1)")
    how.add_argument(
        "--time-limit", metavar="SECONDS", type=positive_seconds, help="for one process (default: by scale)"
    )
    how.add_argument(
        "--memory-limit",
        metavar="GIB",
        type=gibibytes,
        help="for one process (12, or 95 %% of what is free where that is less)",
    )
    how.add_argument("--no-pin", action="store_true", help="let the system choose the core")
    add_database(parser)


def _add_own_options(parser: argparse.ArgumentParser) -> None:
    """Each option once, with what it means to each experiment that has it."""
    group = parser.add_argument_group("what to measure, by experiment")
    texts: dict[str, dict[str, list[str]]] = {}
    metavars: dict[str, str] = {}
    for experiment, options in OPTIONS.items():
        for option in options:
            metavars[option.name] = option.metavar
            texts.setdefault(option.name, {}).setdefault(option.text, []).append(experiment)
    for name, meanings in texts.items():
        told = "; ".join(f"{', '.join(experiments)}: {text}" for text, experiments in meanings.items())
        group.add_argument(f"--{name}", metavar=metavars[name], help=told)


def check(arguments: argparse.Namespace) -> None:
    check_request(_request(arguments))


def needs(arguments: argparse.Namespace) -> Needs:
    """A plan is made for the runner that is to be built: what it refuses is not worth building for. Where the
    caller names a runner nothing is to be built, and that one is asked.
    """
    request = _request(arguments)
    compilers = selected_compilers(request)
    if os.environ.get("MALLARD_BENCH"):
        make_plan(request, load_builds(compilers).first, _host())
        return Needs(mallocs=tuple(selected_mallocs(request)))
    rows = make_plan(request, expected_runner(), _host()).rows
    return Needs(
        # g++ may be a name for whatever $CXX says: its build is always there.
        presets=tuple(dict.fromkeys([COMPILERS["g++"], *(COMPILERS[each] for each in compilers)])),
        mallocs=tuple(selected_mallocs(request)),
        growing_vectors=any(BEHIND.keys() & row.strategies for row in rows),
    )


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from mallard.view.terminal import show_outcome, show_run
    from mallard.view.terminal.console import output_console
    from mallard.view.terminal.notation import show_answer
    from mallard.view.terminal.progress import ProgressDisplay

    request = _request(arguments)
    builds = load_builds(selected_compilers(request))

    def planned(continued: Mapping[str, Any]) -> Plan:
        return make_plan(request, builds.first, _host(), dict(continued))

    messages = planned({}).messages  # bad input is found before a database is made
    command = shlex.join(arguments.command_words)
    display = ProgressDisplay(Console(stderr=True, highlight=False))
    for message in messages:
        display.say(message)
    with Store(arguments.db) as store:
        store.claim()
        prepared = prepare(store, builds, command, planned, display)
        try:
            with _ended_like_an_interrupt():
                outcome = execute(store, prepared, builds, display)
        except KeyboardInterrupt:
            kept = len(store.rows(prepared.run.id))
            display.say(
                f"interrupted: {kept} of {prepared.plan.processes} repetitions are kept in {store.path}, "
                f"run {prepared.run.id}; the same command goes on from there: {command}"
            )
            return exit_status.INTERRUPTED
        console = output_console()
        rows = store.rows(outcome.run_id)
        show_run(console, store.run(outcome.run_id), rows)
        if request.notation:
            show_answer(console, read_notation(request.notation), rows)
        show_outcome(console, outcome, store)
    return exit_status.FINDINGS if outcome.defects else exit_status.DONE


def _host() -> Host:
    return Host(machine.memory("MemAvailable"), len(machine.allowed_cpus()))


def _request(arguments: argparse.Namespace) -> Request:
    experiment = arguments.experiment
    if experiment not in EXPERIMENTS:
        raise UsageError(
            f"unknown experiment '{experiment}'{meant(experiment, EXPERIMENTS)}; allowed are "
            f"{', '.join(EXPERIMENTS)}"
        )
    own = {option.name for options in OPTIONS.values() for option in options}
    values = {name: getattr(arguments, name.replace("-", "_")) for name in sorted(own)}
    return Request(
        experiment=experiment,
        scale=arguments.scale or SCALES[0],
        given={name: value for name, value in values.items() if value is not None},
        notation=tuple(arguments.notation),
        strategies=arguments.strategy,
        mallocs=arguments.malloc,
        contenders=arguments.contenders,
        compilers=arguments.compiler,
        repetitions=arguments.reps,
        seed=arguments.seed,
        pin=not arguments.no_pin,
        time_limit=arguments.time_limit,
        memory_limit=arguments.memory_limit,
    )


@contextmanager
def _ended_like_an_interrupt() -> Iterator[None]:
    """A kill or a closed terminal is treated as Ctrl-C: the process that is measured must not stay behind.

    What was to be ignored stays so: nohup is for runs that outlast their terminal.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    heeded = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) != signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
