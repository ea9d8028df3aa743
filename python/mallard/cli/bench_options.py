"""The options of `mallard bench`, and its help: one screen for all experiments, and one for each.

The parser accepts the options of every experiment, so that an option of another one is refused with
the names of the experiments that have it. Help shows the options of one experiment.
"""

from __future__ import annotations

import argparse

from mallard.bench.analysis.survey import QUESTIONS
from mallard.bench.contenders import own_strategies
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.plan import NUMBERS, OPTIONS, REPETITIONS
from mallard.bench.runner import COMPILERS
from mallard.bench.selection import in_words
from mallard.cli import layout
from mallard.cli.options import add_all, add_database
from mallard.cli.parser import Parser, check_choice, gibibytes, positive_int, positive_seconds, seed_number
from mallard.shared.mallocs import NAMES

SCALES = (
    ("quick", "a few minutes at most (the default)"),
    ("standard", "for narrower intervals: minutes, at most an hour"),
    ("paper", "the papers' own sizes: hours, and weeks for locality"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("experiment", nargs="?")
    parser.add_argument("notation", nargs="*")
    for name in dict.fromkeys(option.name for options in OPTIONS.values() for option in options):
        parser.add_argument(f"--{name}")
    _add_common(parser)
    _add_further(parser)


def selected_experiment(arguments: argparse.Namespace) -> str:
    name = str(arguments.experiment)
    check_choice("unknown experiment", name, EXPERIMENTS)
    return name


def help_for_all(summary: str, examples: layout.Examples) -> str:
    experiments = layout.paragraph(", ".join(EXPERIMENTS))
    questions = layout.columns([(question.text, question.cells) for question in QUESTIONS])
    parser = Parser(prog="mallard bench", summary=summary, examples=examples)
    parser.usage = "mallard bench [EXPERIMENT] [OPTION ...]"
    parser.description = (
        f"Without an experiment: a survey, one line for each question, over these cells:\n{questions}\n\n"
        f"experiments ('mallard bench EXPERIMENT --help' describes one):\n{experiments}"
    )
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
    heading = "strategies ('mallard list strategies --all' describes them)"
    parser.epilog = f"{heading}:\n{layout.paragraph(in_words(own_strategies(name)))}\n\n{parser.epilog}"
    return parser.format_help()


def _add_common(parser: argparse._ActionsContainer) -> None:
    scale = parser.add_mutually_exclusive_group()
    for name, text in SCALES:
        scale.add_argument(f"--{name}", dest="scale", action="store_const", const=name, help=text)
    parser.add_argument("--strategy", metavar="LIST", help="only these, such as multipool,heap/base,loki")
    parser.add_argument(
        "--contenders", action="store_true", help="also allocators of other libraries, and other mallocs"
    )


def _add_further(parser: argparse._ActionsContainer) -> None:
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
    add_all(parser)
    parser.add_argument("--no-pin", action="store_true", help="let the system choose the core")
    add_database(parser)
