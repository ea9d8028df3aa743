"""Options that several verbs have."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from mallard.bench.store import require_database
from mallard.cli.parser import is_number, positive_seconds
from mallard.shared.errors import UsageError

DATABASE = "mallard.db"


def add_database(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--db",
        metavar="FILE",
        type=Path,
        default=default_database(),
        help=f"database (default: $MALLARD_DB or ./{DATABASE})",
    )


def add_all(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--all", action="store_true", help="heat maps with all bindings and variants of a strategy"
    )


def add_run(parser: argparse.ArgumentParser, *others: str) -> None:
    words = ["latest (default)", *others, "a run's number"]
    parser.add_argument(
        "--run",
        metavar="N",
        default="latest",
        help=f"{', '.join(words[:-1])} or {words[-1]} ('mallard list runs')",
    )


def add_format(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """The first is the default."""
    parser.add_argument(
        "--format",
        metavar="FORMAT",
        choices=formats,
        default=formats[0],
        help=f"{formats[0]} (default), {' or '.join(formats[1:])}",
    )


def add_time_limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=positive_seconds,
        default=600.0,
        help="of one run (default: 600)",
    )


def check_run(arguments: argparse.Namespace, *others: str) -> None:
    """`latest`, a number, or one of the others."""
    if arguments.run not in ("latest", *others) and not is_number(arguments.run):
        allowed = ", ".join(["latest", *others, "a run's number"])
        raise UsageError(f"--run '{arguments.run}'; allowed are {allowed}; 'mallard list runs' shows them")


def check_database(arguments: argparse.Namespace, *, needed: bool = False) -> None:
    """The default database may be missing before the first measurement, unless a verb needs it."""
    if needed or not nothing_measured(arguments):
        require_database(arguments.db)


def nothing_measured(arguments: argparse.Namespace) -> bool:
    """True if the default database is meant and does not exist yet. A database named by --db must exist."""
    return not arguments.db.exists() and arguments.db == default_database()


def default_database() -> Path:
    return Path(os.environ.get("MALLARD_DB") or DATABASE)
