"""`mallard bench`: plans, measures, stores and shows results; without an experiment, surveys all of them.

The parser accepts the options of every experiment, so that an option of another one is refused with
the names of the experiments that have it. Help is one screen for all experiments, and one for each.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable
from dataclasses import replace

from mallard.bench.analysis.against import PARTS, build_lines
from mallard.bench.analysis.survey import QUESTIONS, answers
from mallard.bench.contenders import own_strategies
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.plan import NUMBERS, OPTIONS, REPETITIONS, SCALES, Request, check_request, selected_mallocs
from mallard.bench.plan.notation import read_notation
from mallard.bench.prefixes import ALLOWED
from mallard.bench.runner import COMPILERS
from mallard.bench.selection import in_words
from mallard.bench.store import Store, check_store
from mallard.cli import VERBS, exit_status, layout
from mallard.cli.forms import add_forms, check_forms, write_report
from mallard.cli.measuring import measure, needs_for
from mallard.cli.needs import Needs
from mallard.cli.options import ALL_TEXT, add_database
from mallard.cli.parser import Parser, check_choice, gibibytes, positive_int, positive_seconds, seed_number
from mallard.cli.verbs.show.last_run import write_run_page, write_text
from mallard.cli.verbs.show.runs import FORM_OPTIONS
from mallard.shared.errors import UsageError
from mallard.shared.mallocs import MALLOCS, NAMES, OWN, find_library
from mallard.shared.prose import in_prose

TOPICS = EXPERIMENTS
# Of them, --against has no --malloc.
SURVEY_OPTIONS = ("malloc", "reps", "seed", "no_pin", "db", *FORM_OPTIONS)
PIPE_WIDTH = 110
EXAMPLES = (
    ("mallard bench", "a line for each question, in two minutes"),
    ("mallard bench programs --standard", "one experiment, with narrower intervals"),
    ("mallard bench --against mimalloc", "or mimalloc3=~/libmimalloc.so"),
)
SCALE_TEXTS = (
    ("quick", "a few minutes at most (the default)"),
    ("standard", "for narrower intervals: minutes, at most an hour"),
    ("paper", "the papers' own sizes: hours, and weeks for locality"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("experiment", nargs="?")
    parser.add_argument("notation", nargs="*")
    for name in dict.fromkeys(option.name for options in OPTIONS.values() for option in options):
        parser.add_argument(f"--{name}")
    _add_against(parser)
    _add_common(parser)
    _add_further(parser)


def help_for(arguments: argparse.Namespace) -> str:
    if arguments.experiment:
        return help_for_one(selected_experiment(arguments))
    return help_for_all()


def check(arguments: argparse.Namespace) -> None:
    check_forms(arguments)
    check_store(arguments.db)
    if arguments.against is not None:
        _check_against(arguments)
    if arguments.experiment is None:
        _check_survey(arguments)
    for request in _requests(arguments):
        check_request(request)


def needs(arguments: argparse.Namespace) -> Needs:
    return needs_for(*_requests(arguments, MALLOCS))


def run(arguments: argparse.Namespace) -> int:
    return _survey(arguments) if arguments.experiment is None else _experiment(arguments)


def _survey(arguments: argparse.Namespace) -> int:
    """Several runs with one answer: of the survey, or of mallard against other mallocs."""
    from mallard.bench.view.against import against_report
    from mallard.bench.view.survey import survey_report
    from mallard.bench.view.terminal.progress import ProgressDisplay
    from mallard.shared.console import PlainConsole

    requests = _requests(arguments)
    mallocs = selected_mallocs(requests[0])
    if arguments.against is not None and not any(map(find_library, mallocs)):
        raise UsageError(
            f"--against '{arguments.against}': its library is not installed; "
            "'mallard doctor' names the package"
        )
    display = ProgressDisplay(PlainConsole(stderr=True))
    outcomes = measure(requests, arguments.db, shlex.join(arguments.command_words), display)
    if len(outcomes) < len(requests):
        return exit_status.INTERRUPTED
    with Store.open_existing(arguments.db) as store:
        rows = [store.rows(outcome.run_id) for outcome in outcomes]
    if arguments.against is not None:
        write_report(arguments, against_report(build_lines(rows)), pipe_width=PIPE_WIDTH)
        if not (arguments.json or arguments.markdown):
            print(f"\nruns {', '.join(str(outcome.run_id) for outcome in outcomes)} in {arguments.db}")
    else:
        write_report(arguments, survey_report(answers(rows), mallocs))
    return exit_status.FINDINGS if any(outcome.defects for outcome in outcomes) else exit_status.DONE


def _experiment(arguments: argparse.Namespace) -> int:
    from mallard.bench.view.terminal import show_answer, show_outcome, show_run
    from mallard.bench.view.terminal.progress import ProgressDisplay
    from mallard.shared.console import PlainConsole, output_console

    (request,) = _requests(arguments)
    display = ProgressDisplay(PlainConsole(stderr=True))
    outcomes = measure([request], arguments.db, shlex.join(arguments.command_words), display)
    if not outcomes:
        return exit_status.INTERRUPTED
    (outcome,) = outcomes
    with Store.open_existing(arguments.db) as store:
        console = output_console()
        run, rows = store.run(outcome.run_id), store.rows(outcome.run_id)
        if not write_text(arguments, run, rows):
            show_run(console, run, rows, everything=arguments.all)
            if request.notation:
                show_answer(console, read_notation(request.notation), rows)
            show_outcome(console, outcome, store)
            write_run_page(arguments, console, run, rows, store.notes(run.id))
    return exit_status.FINDINGS if outcome.defects else exit_status.DONE


def _check_survey(arguments: argparse.Namespace) -> None:
    """Refuses the options that only an experiment takes."""
    against = arguments.against is not None
    allowed = SURVEY_OPTIONS[against:]
    for name, value in vars(arguments).items():
        if value and name not in (*allowed, "against", "command_words"):
            option = f"--{arguments.scale if name == 'scale' else name.replace('_', '-')}"
            options = in_prose([f"--{name.replace('_', '-')}" for name in allowed])
            if against:
                raise UsageError(f"{option}: --against takes only {options}; leave it out")
            raise UsageError(
                f"{option}: the survey takes only {options}; leave it out, "
                f"or name an experiment, as in 'mallard bench density {option}'"
            )


def _check_against(arguments: argparse.Namespace) -> None:
    """Errors name --against, as the command does, instead of --malloc."""
    if arguments.experiment is not None:
        raise UsageError(f"--against measures cells of its own; leave '{arguments.experiment}' out")
    try:
        mallocs = selected_mallocs(_requests(arguments)[0])
    except UsageError as error:
        raise UsageError(str(error).replace("--malloc", "--against")) from None
    if OWN in mallocs:
        raise UsageError(f"--against '{OWN}': every percent is of it; name another malloc")


def _requests(arguments: argparse.Namespace, mallocs: Iterable[str] | None = None) -> list[Request]:
    """The runs of a command. `mallocs` replaces the installed ones as the survey's default."""
    if arguments.experiment is not None:
        return [_request(arguments)]
    if arguments.against is not None:
        requests = [part.request(arguments.against) for part in PARTS]
    else:
        names = mallocs or [name for name in MALLOCS if find_library(name)]
        requests = [question.request(arguments.malloc or ",".join(names) or None) for question in QUESTIONS]
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
        experiment=selected_experiment(arguments),
        scale=arguments.scale or SCALES[0],
        options={name: value for name, value in values.items() if value is not None},
        notation=tuple(arguments.notation),
        strategies=arguments.strategy,
        mallocs=arguments.malloc,
        contenders=arguments.contenders,
        compilers=arguments.compiler,
        pages=arguments.pages,
        prefixes=getattr(arguments, "with"),
        repetitions=arguments.reps,
        seed=arguments.seed,
        pin=not arguments.no_pin,
        time_limit=arguments.time_limit,
        memory_limit=arguments.memory_limit,
    )


def selected_experiment(arguments: argparse.Namespace) -> str:
    name = str(arguments.experiment)
    check_choice("unknown experiment", name, EXPERIMENTS)
    return name


def help_for_all() -> str:
    experiments = layout.paragraph(", ".join(EXPERIMENTS))
    questions = layout.columns([(question.text, question.cells) for question in QUESTIONS])
    parser = Parser(prog="mallard bench", summary=VERBS["bench"], examples=EXAMPLES)
    parser.usage = "mallard bench [EXPERIMENT] [OPTION ...]"
    parser.description = (
        f"Without an experiment: a survey, one line for each question, over these cells:\n{questions}\n\n"
        f"experiments ('mallard bench EXPERIMENT --help' describes one):\n{experiments}"
    )
    _add_against(parser)
    _add_common(parser)
    return parser.format_help()


def help_for_one(name: str) -> str:
    experiment, numbers = EXPERIMENTS[name], NUMBERS.get(name, ())
    examples = [(f"mallard bench {name}", "the whole experiment, at its quickest")]
    examples += [(f"mallard bench {name} {words}", note) for words, note in experiment.examples]
    parser = Parser(prog=f"mallard bench {name}", summary=experiment.text, examples=examples)
    words = f" [{' '.join(number for number, _ in numbers)}]" if numbers else ""
    parser.usage = f"{parser.prog}{words} [OPTION ...]"
    parser.description = f"{parser.description}\nA time is for {experiment.operation}."
    if numbers:
        group = parser.add_argument_group("a single run, as P0089 writes it")
        for number, text in numbers:
            group.add_argument(number, help=text)
    group = parser.add_argument_group(f"options of {name}")
    for option in OPTIONS[name]:
        group.add_argument(f"--{option.name}", metavar=option.metavar, help=option.text)
    group = parser.add_argument_group("options of every experiment")
    _add_common(group)
    _add_further(group)
    heading = "strategies ('mallard show strategies --all' describes them)"
    parser.epilog = f"{heading}:\n{layout.paragraph(in_words(own_strategies(name)))}\n\n{parser.epilog}"
    return parser.format_help()


def _add_against(parser: argparse.ArgumentParser) -> None:
    others = ", ".join(name for name in NAMES if name != OWN)
    parser.add_argument(
        "--against",
        metavar="MALLOC",
        help=f"{others} or NAME=FILE, preloaded",
    )


def _add_common(parser: argparse._ActionsContainer) -> None:
    scale = parser.add_mutually_exclusive_group()
    for name, text in SCALE_TEXTS:
        scale.add_argument(f"--{name}", dest="scale", action="store_const", const=name, help=text)
    parser.add_argument("--strategy", metavar="LIST", help="only these, such as multipool,heap/base,loki")
    parser.add_argument(
        "--contenders", action="store_true", help="also allocators of other libraries, and other mallocs"
    )


def _add_further(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--with", metavar="LIST", help=f"also a library where it is installed: {ALLOWED}")
    parser.add_argument(
        "--malloc",
        metavar="LIST",
        help=f"new-delete also under: {', '.join(NAMES)}, NAME=FILE of a library",
    )
    parser.add_argument(
        "--pages",
        metavar="LIST",
        help="of all memory: small (the default), huge, usual, for every allocator alike",
    )
    parser.add_argument(
        "--compiler", metavar="LIST", help=f"the runner as built by each of these: {', '.join(COMPILERS)}"
    )
    parser.add_argument(
        "--reps",
        metavar="N",
        type=positive_int,
        help=f"repetitions of a cell (default: {REPETITIONS}; more of short ones)",
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=seed_number,
        default=1,
        help="of the inputs and of the order of the runs (default: 1)",
    )
    parser.add_argument(
        "--time-limit", metavar="SECONDS", type=positive_seconds, help="for one process (default: by scale)"
    )
    parser.add_argument(
        "--memory-limit",
        metavar="GIB",
        type=gibibytes,
        help="for one process (default: 12, or 95 %% of free memory)",
    )
    parser.add_argument("--all", action="store_true", help=ALL_TEXT)
    add_forms(parser)
    parser.add_argument("--no-pin", action="store_true", help="let the system choose the core")
    add_database(parser)
