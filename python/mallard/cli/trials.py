"""The arguments that `try`, `advise` and `age` share: the program, its runs, and the global allocators."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mallard.advisor.recording.program import resolve_program
from mallard.cli.needs import Needs
from mallard.cli.options import (
    add_process,
    add_surroundings,
    add_time_limit,
    check_files,
    check_surroundings,
)
from mallard.cli.parser import positive_int, seed_number
from mallard.shared import mallocs
from mallard.shared.age import read_ages
from mallard.shared.errors import UsageError
from mallard.shared.native_file import MEASURED_LIBRARY, TRIAL_LIBRARY

if TYPE_CHECKING:
    from mallard.advisor.trial.program import Program
    from mallard.advisor.trial.surroundings import Surroundings

LEAST_ROUNDS = 3


def add_program(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "program", nargs="*", metavar="PROGRAM", help="the program to run, with its arguments after '--'"
    )


def add_rounds(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--rounds", metavar="N", type=positive_int, help=text)


def add_baseline(parser: argparse.ArgumentParser, default: str, text: str) -> None:
    parser.add_argument("--global", dest="mallocs", metavar="LIST", default=default, help=text)


def add_age(parser: argparse.ArgumentParser, default: str | None, text: str) -> None:
    parser.add_argument("--age", metavar="LIST, --history TRACE", default=default, help=text)
    parser.add_argument("--history", metavar="TRACE", type=Path, help=argparse.SUPPRESS)


def add_trace(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trace", metavar="FILE", type=Path, help="a recording of the program (default: a new one)"
    )


def add_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--input", metavar="FILE", type=Path, help="the program's standard input (default: none)"
    )
    add_process(parser)
    parser.add_argument("--seed", metavar="N", type=seed_number, default=1, help="of the order of the runs")
    add_time_limit(parser)
    add_surroundings(parser)


def require_program(arguments: argparse.Namespace, command: str) -> None:
    if not arguments.program:
        raise UsageError(f"PROGRAM is missing; give it behind '--': {command} -- PROGRAM ARGUMENTS")


def check_runs(arguments: argparse.Namespace) -> None:
    resolve_program(arguments.program[0])
    if arguments.rounds is not None and arguments.rounds < LEAST_ROUNDS:
        raise UsageError(f"--rounds {arguments.rounds}: an interval needs {LEAST_ROUNDS} rounds or more")
    chosen_mallocs(arguments)
    check_age(arguments)
    check_surroundings(arguments)
    check_files(("--trace", arguments.trace), ("--input", arguments.input))


def chosen_mallocs(arguments: argparse.Namespace) -> tuple[str, ...]:
    return tuple(mallocs.selected(arguments.mallocs, "--global", switches=True))


def check_available(chosen: Sequence[str]) -> None:
    """Raises a UsageError for a malloc that is not installed, after ./mallard has tried to install it."""
    for malloc in chosen:
        mallocs.require_library(malloc)


def reads_terminal(arguments: argparse.Namespace) -> bool:
    """True if the program would read from the terminal when run directly."""
    return arguments.input is None and sys.stdin is not None and sys.stdin.isatty()


def check_age(arguments: argparse.Namespace) -> None:
    ages = read_ages(arguments.age) if arguments.age is not None else ()
    check_files(("--history", arguments.history))
    if arguments.history is not None and ages and all(age.is_young for age in ages):
        raise UsageError(
            f"--history {arguments.history} has no effect on a young heap; add --age old, or leave it out"
        )


def program_to_run(arguments: argparse.Namespace, surroundings: Surroundings, folder: str) -> Program:
    from mallard.advisor.trial.program import Program

    return Program(
        surroundings.program_words(arguments.program),
        TRIAL_LIBRARY.find(),
        arguments.input,
        arguments.time_limit,
        surroundings,
        measuring=MEASURED_LIBRARY.find(),
        recording=write_requests(arguments, folder),
    )


def write_requests(arguments: argparse.Namespace, folder: str) -> Path | None:
    """The requests of --history, in a file of the folder; None without the option."""
    from mallard.advisor.profile.document import ask, trace_words

    if arguments.history is None:
        return None
    file = Path(folder) / "history"
    words = trace_words(arguments.history, getattr(arguments, "process", None))
    with file.open("wb") as output:
        ask([*words, "--history"], output)
    return file


def needs(arguments: argparse.Namespace) -> Needs:
    return Needs(presets=("advisor",), mallocs=chosen_mallocs(arguments))
