"""Options that several verbs have."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from mallard.errors import UsageError
from mallard.store import require_database

DATABASE = "mallard.db"


def add_database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--db",
        metavar="FILE",
        type=Path,
        default=_default_database(),
        help=f"the database of results (default: $MALLARD_DB, else {DATABASE} in this directory)",
    )


def add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--run",
        metavar="N",
        default="latest",
        help="a run's number, or latest (the default); 'mallard list runs' shows them",
    )


def check_run(arguments: argparse.Namespace, *others: str) -> None:
    """`latest`, a number, or one of the others."""
    if arguments.run not in ("latest", *others) and not arguments.run.isdecimal():
        allowed = ", ".join(["latest", *others, "a run's number"])
        raise UsageError(f"--run '{arguments.run}': allowed are {allowed}; 'mallard list runs' shows them")


def check_database(arguments: argparse.Namespace, *, needed: bool = False) -> None:
    """The default database may be missing where nothing was measured yet, unless a verb needs it."""
    if needed or not nothing_measured(arguments):
        require_database(arguments.db)


def nothing_measured(arguments: argparse.Namespace) -> bool:
    """Whether the default database is meant and not there yet; that of --db has to be there."""
    return not arguments.db.exists() and arguments.db == _default_database()


def _default_database() -> Path:
    return Path(os.environ.get("MALLARD_DB") or DATABASE)
