"""`mallard bench`: plans, measures, stores and shows results; without an experiment, surveys all of them."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace

from mallard.bench.analysis.survey import QUESTIONS
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.plan import OPTIONS, SCALES, Request, check_request, selected_mallocs
from mallard.bench.plan.notation import read_notation
from mallard.bench.store import Store
from mallard.cli import VERBS, bench_options, exit_status
from mallard.cli.measuring import measure, needs_for
from mallard.cli.needs import Needs
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import MALLOCS, find_library

TOPICS = EXPERIMENTS
SURVEY_OPTIONS = ("malloc", "reps", "seed", "no_pin", "db", "command_words")
EXAMPLES = (
    ("mallard bench", "a line for each question, in two minutes"),
    ("mallard bench density", "one experiment, with heat maps"),
    ("mallard bench locality --standard", "another one, with narrower intervals"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    bench_options.add_arguments(parser)


def help_for(arguments: argparse.Namespace) -> str:
    if arguments.experiment:
        return bench_options.help_for_one(bench_options.selected_experiment(arguments))
    return bench_options.help_for_all(VERBS["bench"], EXAMPLES)


def check(arguments: argparse.Namespace) -> None:
    if arguments.experiment is None:
        _check_survey(arguments)
    for request in _requests(arguments):
        check_request(request)


def needs(arguments: argparse.Namespace) -> Needs:
    # The survey compares with the installed mallocs, and installs no others.
    requests = [
        replace(request, mallocs=None) if request.survey else request for request in _requests(arguments)
    ]
    return needs_for(*requests)


def run(arguments: argparse.Namespace) -> int:
    return _survey(arguments) if arguments.experiment is None else _experiment(arguments)


def _survey(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from mallard.bench.analysis.survey import answers
    from mallard.bench.view.terminal.progress import ProgressDisplay
    from mallard.bench.view.terminal.survey import show_survey
    from mallard.shared.view.terminal.console import output_console

    requests = _requests(arguments)
    display = ProgressDisplay(Console(stderr=True, highlight=False))
    outcomes = measure(requests, arguments.db, shlex.join(arguments.command_words), display)
    if len(outcomes) < len(requests):
        return exit_status.INTERRUPTED
    with Store.open_existing(arguments.db) as store:
        answered = answers(store.rows(outcome.run_id) for outcome in outcomes)
    show_survey(output_console(), answered, selected_mallocs(requests[0]))
    return exit_status.FINDINGS if any(outcome.defects for outcome in outcomes) else exit_status.DONE


def _experiment(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from mallard.bench.view.terminal import show_outcome, show_run
    from mallard.bench.view.terminal.notation import show_answer
    from mallard.bench.view.terminal.progress import ProgressDisplay
    from mallard.shared.view.terminal.console import output_console

    (request,) = _requests(arguments)
    display = ProgressDisplay(Console(stderr=True, highlight=False))
    outcomes = measure([request], arguments.db, shlex.join(arguments.command_words), display)
    if not outcomes:
        return exit_status.INTERRUPTED
    (outcome,) = outcomes
    with Store.open_existing(arguments.db) as store:
        console = output_console()
        rows = store.rows(outcome.run_id)
        show_run(console, store.run(outcome.run_id), rows, everything=arguments.all)
        if request.notation:
            show_answer(console, read_notation(request.notation), rows)
        show_outcome(console, outcome, store)
    return exit_status.FINDINGS if outcome.defects else exit_status.DONE


def _check_survey(arguments: argparse.Namespace) -> None:
    """Refuses the options that only an experiment takes."""
    for name, value in vars(arguments).items():
        if value and name not in SURVEY_OPTIONS:
            option = f"--{arguments.scale if name == 'scale' else name.replace('_', '-')}"
            raise UsageError(
                f"{option}: the survey takes only --malloc, --reps, --seed, --no-pin and --db; leave it out, "
                f"or name an experiment, as in 'mallard bench density {option}'"
            )


def _requests(arguments: argparse.Namespace) -> list[Request]:
    if arguments.experiment is not None:
        return [_request(arguments)]
    installed = [name for name in MALLOCS if find_library(name)]
    mallocs = arguments.malloc or ",".join(installed) or None
    requests = [question.request(mallocs) for question in QUESTIONS]
    return [
        replace(
            request,
            seed=arguments.seed,
            pin=not arguments.no_pin,
            repetitions=arguments.reps or request.repetitions,
        )
        for request in requests
    ]


def _request(arguments: argparse.Namespace) -> Request:
    own = {option.name for options in OPTIONS.values() for option in options}
    values = {name: getattr(arguments, name.replace("-", "_")) for name in sorted(own)}
    return Request(
        experiment=bench_options.selected_experiment(arguments),
        scale=arguments.scale or SCALES[0],
        options={name: value for name, value in values.items() if value is not None},
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
