"""`mallard bench`: plans, measures, stores, and shows the results."""

from __future__ import annotations

import argparse
import shlex

from mallard.cli import VERBS
from mallard.command_line import bench_options, exit_status
from mallard.command_line.measuring import measure, needs_of
from mallard.command_line.needs import Needs
from mallard.experiments import EXPERIMENTS
from mallard.plan import OPTIONS, SCALES, Request, check_request
from mallard.plan.notation import read_notation
from mallard.store import Store

TOPICS = EXPERIMENTS
EXAMPLES = (
    ("mallard bench", "the experiment density, then heat maps"),
    ("mallard bench locality --standard", "another one, with narrower intervals"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    bench_options.add_arguments(parser)


def help_for(arguments: argparse.Namespace) -> str:
    if arguments.experiment:
        return bench_options.help_for_one(bench_options.experiment_of(arguments))
    return bench_options.help_for_all(VERBS["bench"], EXAMPLES)


def check(arguments: argparse.Namespace) -> None:
    check_request(_request(arguments))


def needs(arguments: argparse.Namespace) -> Needs:
    return needs_of(_request(arguments))


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from mallard.view.terminal import show_outcome, show_run
    from mallard.view.terminal.console import output_console
    from mallard.view.terminal.notation import show_answer
    from mallard.view.terminal.progress import ProgressDisplay

    request = _request(arguments)
    display = ProgressDisplay(Console(stderr=True, highlight=False))
    outcomes = measure([request], arguments.db, shlex.join(arguments.command_words), display)
    if not outcomes:
        return exit_status.INTERRUPTED
    (outcome,) = outcomes
    with Store.open_existing(arguments.db) as store:
        console = output_console()
        rows = store.rows(outcome.run_id)
        show_run(console, store.run(outcome.run_id), rows)
        if request.notation:
            show_answer(console, read_notation(request.notation), rows)
        show_outcome(console, outcome, store)
    return exit_status.FINDINGS if outcome.defects else exit_status.DONE


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
        pages=arguments.pages,
        repetitions=arguments.reps,
        seed=arguments.seed,
        pin=not arguments.no_pin,
        time_limit=arguments.time_limit,
        memory_limit=arguments.memory_limit,
    )
