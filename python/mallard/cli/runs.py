"""The runs that a verb uses, if it covers all experiments."""

from __future__ import annotations

import argparse

from mallard.bench.claims import finished_runs
from mallard.bench.store import Run, Store
from mallard.cli.options import check_database
from mallard.cli.parser import is_number
from mallard.shared.errors import UsageError


def add_runs(parser: argparse.ArgumentParser, noun: str, first: str = "newest finished run") -> None:
    """Adds --run. By default each `noun` is judged by the `first` run that has it."""
    parser.add_argument(
        "--run",
        metavar="N",
        default="latest",
        help=f"latest (default: for each {noun} the {first} that has it), all, or numbers: 3,5",
    )


def check_runs(arguments: argparse.Namespace) -> None:
    if arguments.run not in ("latest", "all"):
        wrong = [number for number in arguments.run.split(",") if not is_number(number.strip())]
        if wrong:
            raise UsageError(
                f"--run '{wrong[0]}' is not a run; allowed are latest, all, and runs' numbers such as 3,5; "
                "'mallard list runs' shows them"
            )
    check_database(arguments, needed=arguments.run != "latest")


def selected_runs(store: Store, text: str) -> list[Run]:
    """`all` includes interrupted runs."""
    if text == "latest":
        return finished_runs(store)
    if text == "all":
        return store.runs()
    return [store.select_run(number.strip()) for number in text.split(",")]
