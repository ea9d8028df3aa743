"""Options and programs that several verbs take, and their checks."""

from __future__ import annotations

import argparse
import os
import re
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mallard.bench.store import require_database
from mallard.cli.parser import is_number, positive_seconds
from mallard.shared.errors import UsageError

if TYPE_CHECKING:
    from mallard.advisor.trial.surroundings import Surroundings

MOST_PORT = 65535
DATABASE = "mallard.db"
ALL_TEXT = "heat maps with all bindings and variants of a strategy"


def add_database(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--db",
        metavar="FILE",
        type=Path,
        default=default_database(),
        help=f"database (default: $MALLARD_DB or ./{DATABASE})",
    )


def add_process(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--process",
        metavar="NAME",
        type=process_name,
        help="executable (default: the one with most CPU time)",
    )


def process_name(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("the name is empty; give that of an executable, such as cc1plus")
    return text


def add_time_limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=positive_seconds,
        default=600.0,
        help="of one run (default: 600)",
    )


def add_surroundings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--prepare", metavar="CMD", help="before each run: a command that restores files")
    parser.add_argument("--scratch", metavar="DIR", type=Path, help="each run in a fresh copy of this folder")
    parser.add_argument(
        "--ignore-output", action="store_true", help="for output with times: compare the status alone"
    )
    add_load(parser)


def add_load(parser: argparse.ArgumentParser) -> None:
    add_pair(parser, "--load", "CMD", "--stop", "CMD", "use a server; end it (default: SIGTERM)")
    add_pair(parser, "--ready", "CMD", "--port", "N", "when it is ready (default: it listens)", port_number)
    parser.add_argument("--metric", metavar="REGEX", type=metric_pattern, help="a figure that --load prints")


def add_pair(
    parser: argparse.ArgumentParser,
    first: str,
    value: str,
    second: str,
    second_value: str,
    text: str,
    second_type: Callable[[str], Any] = str,
) -> None:
    """Two options on one line of --help, where lines are few."""
    parser.add_argument(first, metavar=f"{value}, {second} {second_value}", help=text)
    parser.add_argument(second, metavar=second_value, type=second_type, help=argparse.SUPPRESS)


def port_number(text: str) -> int:
    if not is_number(text) or not 1 <= int(text) <= MOST_PORT:
        raise argparse.ArgumentTypeError(f"'{text}' is not a port; allowed are 1 to {MOST_PORT}")
    return int(text)


def metric_pattern(text: str) -> str:
    try:
        groups = re.compile(text).groups
    except re.error as error:
        raise argparse.ArgumentTypeError(f"'{text}' is not a regular expression: {error}") from None
    if groups == 0:
        raise argparse.ArgumentTypeError(
            f"'{text}' has no group; put the number into parentheses, such as '([0-9.]+) requests/s'"
        )
    return text


def check_surroundings(arguments: argparse.Namespace) -> None:
    if arguments.scratch is not None and not arguments.scratch.is_dir():
        raise UsageError(
            f"--scratch {arguments.scratch} is not a folder; give the one that the program changes"
        )
    if arguments.ready is not None and arguments.port is not None:
        raise UsageError("--ready and --port both say when the server is ready; leave one out")
    if arguments.load is None:
        for option in ("ready", "port", "stop", "metric"):
            if getattr(arguments, option) is not None:
                raise UsageError(f"--{option} is of a server; give the command that uses it by --load CMD")


def surround_runs(arguments: argparse.Namespace) -> AbstractContextManager[Surroundings]:
    from mallard.advisor.trial.load import Load
    from mallard.advisor.trial.surroundings import Surroundings, surround

    load = None
    if arguments.load is not None:
        load = Load(arguments.load, arguments.ready, arguments.port, arguments.stop, arguments.metric)
    surroundings = Surroundings(
        prepare=arguments.prepare,
        scratch=arguments.scratch,
        ignore_output=arguments.ignore_output,
        load=load,
        seconds_limit=arguments.time_limit,
    )
    return surround(surroundings)


def check_database(arguments: argparse.Namespace, *, needed: bool = False) -> None:
    """The default database may be missing before the first measurement, unless a verb needs it."""
    if needed or not nothing_measured(arguments):
        require_database(arguments.db)


def nothing_measured(arguments: argparse.Namespace) -> bool:
    """True if the default database is meant and does not exist yet. A database named by --db must exist."""
    return not arguments.db.exists() and arguments.db == default_database()


def default_database() -> Path:
    return Path(os.environ.get("MALLARD_DB") or DATABASE)


def check_files(*files: tuple[str, Path | None]) -> None:
    """Those of options that read a file."""
    for option, file in files:
        if file is not None and not file.is_file():
            raise UsageError(f"{option} {file} is not a file; give one, or leave the option out")


def is_one_program(program: str, other: str) -> bool:
    places = [shutil.which(name) for name in (program, other)]
    return None not in places and os.path.samefile(*[str(place) for place in places])
