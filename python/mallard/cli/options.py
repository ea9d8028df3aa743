"""Options that several verbs have."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

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


def nothing_measured(arguments: argparse.Namespace) -> bool:
    """Whether the default database is meant and not there yet; that of --db has to be there."""
    return not arguments.db.exists() and arguments.db == _default_database()


def _default_database() -> Path:
    return Path(os.environ.get("MALLARD_DB") or DATABASE)
