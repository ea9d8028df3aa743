"""`mallard bench`: plans, measures, stores, and shows the results."""

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
from mallard.cli import bench_options, exit_status
from mallard.cli.needs import Needs
from mallard.contenders import BEHIND
from mallard.expected_runner import expected_runner
from mallard.experiments import EXPERIMENTS
from mallard.plan import (
    OPTIONS,
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
TOPICS = EXPERIMENTS
EXAMPLES = (
    ("mallard bench", "the experiment density, then heat maps"),
    ("mallard bench locality --standard", "another one, with narrower intervals"),
    ("mallard bench density --contenders", "beside the allocators of other libraries"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    bench_options.add_arguments(parser)


def help_for(arguments: argparse.Namespace) -> str:
    if arguments.experiment:
        return bench_options.help_for_one(bench_options.experiment_of(arguments))
    return bench_options.help_for_all(HELP, EXAMPLES)


def check(arguments: argparse.Namespace) -> None:
    check_request(_request(arguments))


def needs(arguments: argparse.Namespace) -> Needs:
    """Makes the plan for the runner that is to be built, so that a bad request fails before the build. If the
    caller names a runner, nothing is built, and that runner is asked.
    """
    request = _request(arguments)
    compilers = selected_compilers(request)
    if os.environ.get("MALLARD_BENCH"):
        make_plan(request, load_builds(compilers).first, _host())
        return Needs(mallocs=tuple(selected_mallocs(request)))
    rows = make_plan(request, expected_runner(), _host()).rows
    return Needs(
        # The name g++ stands for the compiler that $CXX names, so its build is always needed.
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

    messages = planned({}).messages  # a bad request fails here, before a database is made
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
                f"run {prepared.run.id}; repeat the command to resume it: {command}"
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
    own = {option.name for options in OPTIONS.values() for option in options}
    values = {name: getattr(arguments, name.replace("-", "_")) for name in sorted(own)}
    return Request(
        experiment=bench_options.experiment_of(arguments),
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
    """Treats a kill or a closed terminal as Ctrl-C, so that the measured process does not stay behind.

    An ignored signal stays ignored: nohup is for runs that outlast their terminal.
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
