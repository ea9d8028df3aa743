"""`mallard age`: a program in a young process and in old ones, under its own malloc and others."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from mallard.cli import exit_status, trials
from mallard.cli.forms import add_forms, check_forms, write_report
from mallard.cli.options import surround_runs
from mallard.cli.parser import positive_int, positive_seconds
from mallard.shared.age import read_ages
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import NAMES
from mallard.shared.scratch import scratch_folder

EXAMPLES = (
    ("mallard age -- ./parser input", "each malloc, young and old"),
    ("mallard age --history FILE -- ./parser", "aged by recorded requests"),
    ("mallard age --load 'CMD' -- ./server", "a server; one also without a model"),
)
TAKES_PROGRAM = True
needs = trials.needs
LEAST_LOADS, LEAST_CHURNED_LOADS = 7, 12  # as in mallard.advisor.aging


def add_arguments(parser: argparse.ArgumentParser) -> None:
    trials.add_program(parser)
    trials.add_rounds(parser, "runs of each malloc and age (default: what fits)")
    trials.add_baseline(parser, ",".join(NAMES), "the base malloc, then others (default: all known)")
    trials.add_age(parser, "young,old", "of the heap, to compare (default: young,old)")
    trials.add_runs(parser)
    parser.add_argument(
        "--for",
        dest="duration",
        metavar="SECONDS, --loads N",
        type=positive_seconds,
        help="repeat --load on a server (default: 30 s)",
    )
    parser.add_argument("--loads", metavar="N", type=positive_int, help=argparse.SUPPRESS)
    parser.add_argument("--churn", metavar="CMD", help="ages a server between loads, untimed")
    add_forms(parser)


def check(arguments: argparse.Namespace) -> None:
    trials.require_program(arguments, "mallard age")
    arguments.trace = None
    trials.check_runs(arguments)
    check_forms(arguments, arguments.program, (arguments.input, arguments.history))
    if len(read_ages(arguments.age)) < 2:
        raise UsageError(f"--age {arguments.age}: give two ages or more to compare, such as young,old")
    for option, value in (("--for", arguments.duration), ("--loads", arguments.loads)):
        if value is not None and arguments.load is None:
            raise UsageError(
                f"{option} {value:g} repeats the load of a server; add --load CMD, or leave it out"
            )
    if arguments.loads is not None and arguments.duration is not None:
        raise UsageError("--loads and --for are two ends of one repetition; leave one out")
    if arguments.churn is not None and arguments.load is None:
        raise UsageError("--churn CMD ages a server between its loads; add --load CMD, or leave it out")
    least = LEAST_LOADS if arguments.churn is None else LEAST_CHURNED_LOADS
    if arguments.loads is not None and arguments.loads < least:
        raise UsageError(f"--loads {arguments.loads}: a comparison needs {least} loads or more")


def run(arguments: argparse.Namespace) -> int:
    from mallard.advisor.aging import Request, age_program
    from mallard.advisor.trial.campaign import runs_again
    from mallard.advisor.view.aging import aging_json, aging_report
    from mallard.shared.console import PlainConsole, print_line, step_progress

    chosen = trials.chosen_mallocs(arguments)
    trials.check_available(chosen[:1])  # of the others, those that are missing are named in the answer
    request = Request(
        mallocs=chosen,
        ages=read_ages(arguments.age),
        process=arguments.process,
        rounds=arguments.rounds,
        seed=arguments.seed,
        load_seconds=arguments.duration or Request.load_seconds,
        loads=arguments.loads,
        churn=arguments.churn,
        recording=str(arguments.history or ""),
        terminal=trials.reads_terminal(arguments),
    )
    display = PlainConsole(stderr=True)
    with (
        surround_runs(arguments) as surroundings,
        scratch_folder("age") as folder,
        step_progress(display) as step,
    ):
        program = trials.program_to_run(arguments, surroundings, folder)
        print_line(display, runs_again(program))
        aging = age_program(program, request, Path(folder), partial(print_line, display), step)
    write_report(arguments, aging_report(aging), partial(aging_json, aging))
    return exit_status.FINDINGS if aging.failures else exit_status.DONE
