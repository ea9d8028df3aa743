"""Options that several verbs have."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from mallard.bench.store import require_database
from mallard.cli.parser import positive_seconds

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


def add_time_limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=positive_seconds,
        default=600.0,
        help="of one run (default: 600)",
    )


def check_database(arguments: argparse.Namespace, *, needed: bool = False) -> None:
    """The default database may be missing before the first measurement, unless a verb needs it."""
    if needed or not nothing_measured(arguments):
        require_database(arguments.db)


def nothing_measured(arguments: argparse.Namespace) -> bool:
    """True if the default database is meant and does not exist yet. A database named by --db must exist."""
    return not arguments.db.exists() and arguments.db == default_database()


def default_database() -> Path:
    return Path(os.environ.get("MALLARD_DB") or DATABASE)
