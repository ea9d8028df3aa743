"""`mallard verify`: compares a program before and after a change of its allocation."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from mallard.advisor.patched import build_both, built_program
from mallard.advisor.recording.program import resolve_program
from mallard.advisor.verify import AFTER, BEFORE, NULL, read_advice
from mallard.cli import exit_status, trials
from mallard.cli.forms import add_forms, check_forms, write_report
from mallard.cli.needs import Needs
from mallard.cli.options import (
    add_pair,
    add_surroundings,
    add_time_limit,
    check_files,
    check_surroundings,
    is_one_program,
    surround_runs,
)
from mallard.cli.parser import positive_int
from mallard.shared.age import YOUNG, read_ages
from mallard.shared.errors import UsageError
from mallard.shared.scratch import scratch_folder

EXAMPLES = (
    ("mallard verify ./before ./after -- FILE", "with the same arguments"),
    ("mallard verify ./before ./after ./null", "with the null of the rewrite"),
    ("mallard verify --patch FILE --build make -- ./a", "a patch of advise"),
    ("mallard verify ./before ./after --advice FILE", "compared with the advice"),
)
TAKES_WORDS = True
NEEDS = Needs(presets=("advisor",))

LEAST_ROUNDS, DEFAULT_ROUNDS = 3, 21
PLACES = (BEFORE, AFTER, NULL)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "mallard verify BEFORE AFTER [NULL] [OPTION ...] [-- ARGUMENT ...]\n"
        "       mallard verify --patch FILE --build CMD [OPTION ...] -- PROGRAM ..."
    )
    parser.add_argument(
        "programs",
        nargs="*",
        metavar="PROGRAM",
        help="the program before the change, after it, and perhaps the changed code bound to new_delete, "
        "which shows the gain of the rewrite itself; arguments for all of them after '--'",
    )
    add_pair(
        *(parser, "--patch", "FILE", "--build", "CMD"),
        "build PROGRAM in two copies, one with the patch",
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
    if arguments.patch is not None or arguments.build is not None:
        _check_patch(arguments)
    elif len(programs) < 2:
        missing = "the program after the change" if programs else "the program before the change"
        raise UsageError(f"{missing} is missing: mallard verify BEFORE AFTER [NULL] -- ARGUMENTS")
    if len(programs) > len(PLACES):
        raise UsageError(
            f"unexpected program '{programs[len(PLACES)]}'; give the arguments of the programs after '--'"
        )
    for program in programs:
        resolve_program(program)
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
    check_files(("--advice", arguments.advice), ("--input", arguments.input))


def _check_patch(arguments: argparse.Namespace) -> None:
    if arguments.patch is None or arguments.build is None:
        missing = "--patch FILE" if arguments.patch is None else "--build CMD"
        raise UsageError(
            f"{missing} is missing: mallard verify --patch FILE --build CMD -- PROGRAM ARGUMENTS"
        )
    if arguments.programs or not arguments.words:
        given = (
            f"'{arguments.programs[0]}' stands before" if arguments.programs else "PROGRAM is missing behind"
        )
        raise UsageError(f"{given} '--'; with --patch, give the one program that --build makes behind '--'")
    if not Path(arguments.patch).is_file():
        raise UsageError(f"--patch {arguments.patch} is not a file; 'mallard advise --patch FILE' writes one")
    built_program(arguments.words[0])


def run(arguments: argparse.Namespace) -> int:
    from mallard.advisor.verify import Verification, compare, record_ownership, run_before
    from mallard.advisor.view.verify import verification_report
    from mallard.shared.console import PlainConsole, count_progress, print_line

    advice = read_advice(arguments.advice) if arguments.advice else None
    display = PlainConsole(stderr=True)
    (age,) = read_ages(arguments.age)
    with (
        surround_runs(arguments) as surroundings,
        scratch_folder("verify") as history,
        scratch_folder("verify") as copies,
    ):
        programs, words = dict(zip(PLACES, arguments.programs, strict=False)), arguments.words
        if arguments.patch is not None:
            built, *words = words
            programs = build_both(
                *(Path(arguments.patch), arguments.build, built, Path(copies), arguments.time_limit),
                partial(print_line, display),
            )
        first = run_before(programs[BEFORE], words, arguments.input, arguments.time_limit, surroundings)
        with count_progress(display, "run") as tick:
            comparison = compare(
                programs,
                words,
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
        recorded = {}
        for name in (BEFORE, AFTER):
            with scratch_folder("verify") as folder:
                recorded[name] = record_ownership(
                    surroundings.program_words([programs[name], *words]),
                    *(arguments.input, Path(folder), arguments.time_limit, surroundings),
                    first if comparison.is_sound else None,
                )
    before = recorded[BEFORE].allocations
    result = Verification(comparison, recorded[AFTER], advice, before, str(arguments.patch or ""))
    write_report(arguments, verification_report(result), result.json)
    return exit_status.DONE if result.is_sound else exit_status.FINDINGS
