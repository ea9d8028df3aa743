"""`mallard verify`: compares a program before and after a change of its allocation."""

from __future__ import annotations

import argparse
from pathlib import Path

from mallard.advisor.verify import AFTER, BEFORE, NULL, read_advice
from mallard.cli import exit_status, trials
from mallard.cli.forms import add_forms, check_forms, write_report
from mallard.cli.needs import Needs
from mallard.cli.options import (
    add_surroundings,
    add_time_limit,
    check_program,
    check_surroundings,
    is_one_program,
    surround_runs,
)
from mallard.cli.parser import positive_int
from mallard.shared.age import YOUNG, read_ages
from mallard.shared.errors import UsageError
from mallard.shared.scratch import scratch_folder

EXAMPLES = (
    ("mallard verify ./before ./after -- FILE", "both with the same arguments"),
    ("mallard verify ./before ./after ./null", "with the changed code over new_delete"),
    ("mallard verify ./before ./after --advice FILE", "compared with the advice"),
)
TAKES_WORDS = True

LEAST_ROUNDS, DEFAULT_ROUNDS = 3, 21
PLACES = (BEFORE, AFTER, NULL)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "mallard verify BEFORE AFTER [NULL] [OPTION ...] [-- ARGUMENT ...]"
    parser.add_argument(
        "programs",
        nargs="*",
        metavar="PROGRAM",
        help="the program before the change, after it, and perhaps the changed code bound to new_delete, "
        "which shows the gain of the rewrite itself; arguments for all of them after '--'",
    )
    parser.add_argument(
        "--advice",
        metavar="FILE",
        type=Path,
        help="of 'mallard advise --json' or 'mallard try --json': its figure is compared with the fact",
    )
    parser.add_argument(
        "--rounds",
        metavar="N",
        type=positive_int,
        default=DEFAULT_ROUNDS,
        help=f"runs of each program, interleaved (default: {DEFAULT_ROUNDS})",
    )
    trials.add_age(parser, YOUNG, "of the heap: young (default), used or old")
    parser.add_argument(
        "--input", metavar="FILE", type=Path, help="the programs' standard input (default: none)"
    )
    add_time_limit(parser)
    add_surroundings(parser)
    add_forms(parser)


def check(arguments: argparse.Namespace) -> None:
    programs = arguments.programs
    if len(programs) < 2:
        missing = "the program after the change" if programs else "the program before the change"
        raise UsageError(f"{missing} is missing: mallard verify BEFORE AFTER [NULL] -- ARGUMENTS")
    if len(programs) > len(PLACES):
        raise UsageError(
            f"unexpected program '{programs[len(PLACES)]}'; give the arguments of the programs after '--'"
        )
    for program in programs:
        check_program(program)
    for place, program in enumerate(programs):
        for earlier in programs[:place]:
            if is_one_program(program, earlier):
                raise UsageError(f"{program} and {earlier} are one program; give two builds")
    if arguments.rounds < LEAST_ROUNDS:
        raise UsageError(f"--rounds {arguments.rounds}: an interval needs {LEAST_ROUNDS} rounds or more")
    trials.check_age(arguments)
    if len(read_ages(arguments.age)) != 1:
        raise UsageError(f"--age {arguments.age}: a comparison is at one age; give one, and run it for each")
    check_surroundings(arguments)
    check_forms(arguments, arguments.words, (*map(Path, programs), arguments.advice, arguments.input))
    for file, option in ((arguments.advice, "--advice"), (arguments.input, "--input")):
        if file is not None and not file.is_file():
            raise UsageError(f"{option} {file} is not a file; give one, or leave the option out")


def needs(arguments: argparse.Namespace) -> Needs:
    return Needs(presets=("advisor",))


def run(arguments: argparse.Namespace) -> int:
    from mallard.advisor.verify import Verification, compare, record_ownership, run_before
    from mallard.advisor.view.verify import verification_report
    from mallard.shared.console import PlainConsole
    from mallard.shared.counting import count_progress

    advice = read_advice(arguments.advice) if arguments.advice else None
    programs = dict(zip(PLACES, arguments.programs, strict=False))
    (age,) = read_ages(arguments.age)
    with surround_runs(arguments) as surroundings, scratch_folder("verify") as history:
        first = run_before(
            programs[BEFORE], arguments.words, arguments.input, arguments.time_limit, surroundings
        )
        with count_progress(PlainConsole(stderr=True), "run") as tick:
            comparison = compare(
                programs,
                arguments.words,
                arguments.input,
                arguments.rounds,
                arguments.time_limit,
                tick,
                advice.wall if advice and advice.figure else None,
                surroundings,
                first,
                age,
                trials.write_requests(arguments, history),
            )
        with scratch_folder("verify") as folder:
            command = surroundings.program_words([programs[AFTER], *arguments.words])
            ownership = record_ownership(
                *(command, arguments.input, Path(folder), arguments.time_limit, surroundings),
                first if comparison.is_sound else None,
            )
    result = Verification(comparison, ownership, advice)
    write_report(arguments, verification_report(result), result.json)
    return exit_status.DONE if result.is_sound else exit_status.FINDINGS
