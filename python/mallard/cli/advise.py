"""`mallard advise`: which allocator belongs where in a program that nobody prepared, tried on the program."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from mallard import mallocs
from mallard.cli.needs import Needs
from mallard.cli.parser import positive_int, positive_seconds, seed_number
from mallard.errors import UsageError
from mallard.mallocs import NAMES
from mallard.whole_file import check_writable, write_whole

HELP = "say which allocator belongs where in a program, and try it there"
EXAMPLES = (
    ("mallard advise -- ./server input", "the answer first, in about two minutes"),
    ("mallard advise --quick -- ./server input", "fewer runs, wider intervals"),
    ("mallard advise --scope handle -- ./server", "try this scope instead of the best ones"),
    ("mallard advise --html advice.html -- ./server", "and as one page, to show to others"),
)
TAKES_PROGRAM = True

LEAST_ROUNDS = 3
HEAPS = ("clean", "littered")
LITTER_BLOCKS = 400_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "program", nargs="*", metavar="PROGRAM", help="the program to run, with its words behind '--'"
    )
    parser.add_argument(
        "--scope",
        metavar="LIST",
        help="functions or markers to try, by a part of their names, with commas",
    )
    parser.add_argument(
        "--rounds",
        metavar="N",
        type=positive_int,
        help="runs of each strategy (default: 21, fewer for long programs)",
    )
    parser.add_argument(
        "--global",
        dest="mallocs",
        metavar="LIST",
        default=",".join(NAMES),
        help=f"the malloc to compare with, and others (default: {','.join(NAMES)})",
    )
    parser.add_argument(
        "--heap",
        metavar="WORD",
        choices=(*HEAPS, "both"),
        default="clean",
        help="clean (the default), littered with blocks of before, or both",
    )
    parser.add_argument(
        "--trace", metavar="FILE", type=Path, help="a recording of the program (default: a new one)"
    )
    parser.add_argument(
        "--input", metavar="FILE", type=Path, help="the program's standard input (default: none)"
    )
    parser.add_argument("--quick", action="store_true", help="fewer runs: about half a minute")
    parser.add_argument("--seed", metavar="N", type=seed_number, default=1, help="of the order of the runs")
    parser.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=positive_seconds,
        default=600.0,
        help="of one run (default: 600)",
    )
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="the answer and all that it rests on as JSON")
    forms.add_argument(
        "--html", metavar="FILE", type=Path, help="the answer on the screen, and as one page for a browser"
    )


def check(arguments: argparse.Namespace) -> None:
    if not arguments.program:
        raise UsageError("PROGRAM is missing; give it behind '--': mallard advise -- PROGRAM ARGUMENTS")
    if arguments.scope is not None and not _scopes(arguments.scope):
        raise UsageError("--scope is empty; give names with commas between them, or leave the option out")
    if arguments.rounds is not None and arguments.rounds < LEAST_ROUNDS:
        raise UsageError(f"--rounds {arguments.rounds}: an interval needs {LEAST_ROUNDS} rounds or more")
    mallocs.selected(arguments.mallocs, "--global")
    for file, option in ((arguments.trace, "--trace"), (arguments.input, "--input")):
        if file is not None and not file.is_file():
            raise UsageError(f"{option} {file} is no file; give one, or leave the option out")
    if arguments.html is not None:
        check_writable(arguments.html, "--html")
        for file in (arguments.trace, arguments.input):
            if file is not None and arguments.html.exists() and arguments.html.samefile(file):
                raise UsageError(f"{arguments.html} is a file that is read; give another one: --html FILE")


def _scopes(text: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item.strip() for item in (text or "").split(",") if item.strip()))


def needs(arguments: argparse.Namespace) -> Needs:
    return Needs(presets=("advisor",), mallocs=tuple(mallocs.selected(arguments.mallocs, "--global")))


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from mallard.advice.course import Asked, study
    from mallard.advice.verdict import decide
    from mallard.profile.words import size
    from mallard.trial.native import find_trial_library
    from mallard.trial.program import Program
    from mallard.view.html.advice import advice_page
    from mallard.view.terminal.console import output_console, print_line
    from mallard.view.terminal.counting import steps_on
    from mallard.view.terminal.findings.advice import advice_json, show_advice

    program = Program(
        arguments.program, find_trial_library(), arguments.input, seconds_limit=arguments.time_limit
    )
    heaps = HEAPS if arguments.heap == "both" else (arguments.heap,)
    asked = Asked(
        mallocs=tuple(mallocs.selected(arguments.mallocs, "--global")),
        scopes=_scopes(arguments.scope),
        rounds=arguments.rounds,
        litters=tuple(LITTER_BLOCKS if heap == "littered" else 0 for heap in heaps),
        quick=arguments.quick,
        seed=arguments.seed,
    )
    with (
        tempfile.TemporaryDirectory(prefix="mallard-advise-") as folder,
        steps_on(Console(stderr=True, highlight=False)) as step,
    ):
        found = study(program, asked, arguments.trace, Path(folder), step)
    verdict = decide(found)
    if arguments.json:
        print(advice_json(found, verdict))
        return 0
    console = output_console()
    show_advice(console, found, verdict)
    if arguments.html:
        page = advice_page(found, verdict, found.profile)
        write_whole(arguments.html, page, "--html")
        print_line(console, f"{arguments.html}: {size(len(page.encode()))}; open it in a browser")
    return 0
