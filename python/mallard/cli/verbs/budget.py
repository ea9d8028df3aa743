"""`mallard budget`: limits the allocations of a program and of its scopes in continuous integration."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from mallard.advisor.budget.document import PROCESS, read_budget
from mallard.advisor.profile.names import is_library_function
from mallard.advisor.recording.program import resolve_program
from mallard.cli import exit_status
from mallard.cli.forms import add_forms, check_forms, write_report
from mallard.cli.needs import Needs
from mallard.cli.options import add_time_limit, check_files, process_name
from mallard.shared.atomic_file import check_writable, write_atomically
from mallard.shared.errors import UsageError
from mallard.shared.scratch import scratch_folder

if TYPE_CHECKING:
    from mallard.advisor.budget.limits import Judgement
    from mallard.advisor.budget.recorded_run import MeasuredRun

EXAMPLES = (
    ("mallard budget parser.toml --write -- ./parser x", "create the limits from a run"),
    ("mallard budget parser.toml -- ./parser x", "status 1 if a limit is exceeded"),
    ("mallard budget FILE.toml --write --scopes f,g -- ./parser", "of these"),
)
TAKES_WORDS = True
NEEDS = Needs(presets=("advisor",))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "mallard budget FILE [OPTION ...] -- PROGRAM [ARGUMENT ...]"
    parser.add_argument("file", nargs="?", metavar="FILE", type=Path, help="the limits, as TOML")
    parser.add_argument(
        "--write", action="store_true", help="make FILE from a run, each limit with a margin of 5 %%"
    )
    parser.add_argument(
        "--scopes",
        metavar="LIST",
        help="with --write: functions and markers that get limits (default: those in FILE; for a new one "
        "the markers, or the functions that contain the most blocks)",
    )
    parser.add_argument(
        "--input", metavar="FILE", type=Path, help="the program's standard input (default: none)"
    )
    parser.add_argument(
        "--process",
        metavar="NAME",
        type=process_name,
        help="executable that PROGRAM starts (default: PROGRAM itself)",
    )
    add_time_limit(parser)
    add_forms(parser)


def check(arguments: argparse.Namespace) -> None:
    if arguments.file is None:
        raise UsageError("FILE is missing: mallard budget FILE -- PROGRAM ARGUMENTS; --write makes it")
    if not arguments.words:
        raise UsageError(
            f"PROGRAM is missing; give it after '--': mallard budget {arguments.file} -- PROGRAM ARGUMENTS"
        )
    resolve_program(arguments.words[0])
    check_forms(arguments, arguments.words, (arguments.file, arguments.input))
    if arguments.scopes is not None and not arguments.write:
        raise UsageError("--scopes is of --write; the limits are in FILE, so leave it out")
    for option in ("json", "markdown", "html"):
        if arguments.write and getattr(arguments, option):
            raise UsageError(f"--{option} is of a comparison, and --write makes the limits; leave one out")
    if arguments.write:
        check_writable(arguments.file, "mallard budget")
    elif not arguments.file.is_file():
        raise UsageError(
            f"there is no file {arguments.file}; 'mallard budget {arguments.file} --write -- "
            f"{arguments.words[0]} ...' makes it"
        )
    if arguments.file.is_file():
        read_budget(arguments.file)
    check_files(("--input", arguments.input))


def run(arguments: argparse.Namespace) -> int:
    from mallard.advisor.budget.recorded_run import MeasuredRun
    from mallard.advisor.trial.process import record

    with scratch_folder("budget") as folder:
        file = Path(folder) / "budget.trace"
        trace = record(
            *(arguments.words, arguments.input, file, arguments.time_limit),
            follow=arguments.process is not None,
        )
        measured = MeasuredRun(trace, arguments.process)
        return _write(arguments, measured) if arguments.write else _compare(arguments, measured)


def _write(arguments: argparse.Namespace, measured: MeasuredRun) -> int:
    from mallard.advisor.budget.limits import render_budget
    from mallard.shared.console import output_console, print_line

    scopes = _scopes(arguments)
    if scopes is None:
        scopes = measured.default_scopes()
    write_atomically(arguments.file, render_budget(measured, scopes, arguments.words), "mallard budget")
    print_line(
        output_console(), f"{arguments.file}: limits of the process and of {', '.join(scopes) or 'no scope'}"
    )
    return exit_status.DONE


def _scopes(arguments: argparse.Namespace) -> list[str] | None:
    """The scopes to limit; None to choose them for a new file."""
    if arguments.scopes is not None:
        named = [name.strip() for name in arguments.scopes.split(",")]
        return list(dict.fromkeys(name for name in named if name))
    if arguments.file.is_file():
        stored = read_budget(arguments.file).limits
        return [name for name in stored if name != PROCESS and not is_library_function(name)]
    return None


def _compare(arguments: argparse.Namespace, measured: MeasuredRun) -> int:
    from mallard.advisor.budget.limits import judge
    from mallard.advisor.view.budget import budget_report

    judgement = judge(arguments.file, read_budget(arguments.file), measured)
    report = budget_report(arguments.file, judgement)
    write_report(arguments, report, lambda: judgement_json(judgement))
    if judgement.unjudged:
        raise UsageError("\n".join(judgement.unjudged))
    return exit_status.DONE if judgement.holds else exit_status.FINDINGS


def judgement_json(judgement: Judgement) -> str:
    return json.dumps({"format": "mallard budget", "version": 1, **asdict(judgement)}, indent=1)
