"""The runs that a form of `mallard show` uses."""

from __future__ import annotations

import argparse

from mallard.bench.store import Run, Store
from mallard.cli.options import check_database
from mallard.cli.parser import is_number
from mallard.shared.errors import UsageError

FORM_OPTIONS = dict.fromkeys(("html", "json", "markdown"), "")  # of a form with a report
ONE = "latest (default) or a number of 'mallard show runs'"


def several(noun: str, first: str = "newest finished run") -> str:
    """The help of --run, if each `noun` is from the `first` run that has it by default."""
    return f"latest (default: for each {noun} the {first} that has it), all, or numbers: 3,5"


def check_run(arguments: argparse.Namespace, *, measured: bool = False) -> None:
    if arguments.run != "latest" and not is_number(arguments.run):
        _refuse(arguments.run, "latest and a run's number")
    check_database(arguments, needed=measured or arguments.run != "latest")


def check_runs(arguments: argparse.Namespace, *, measured: bool = False) -> None:
    if arguments.run not in ("latest", "all"):
        for number in arguments.run.split(","):
            if not is_number(number.strip()):
                _refuse(number, "latest, all, and runs' numbers such as 3,5")
    check_database(arguments, needed=measured or arguments.run != "latest")


def selected_runs(store: Store, text: str) -> list[Run]:
    """`all` includes interrupted runs."""
    from mallard.bench.claims import finished_runs

    if text == "latest":
        return finished_runs(store)
    if text == "all":
        return store.runs()
    return [store.select_run(number) for number in dict.fromkeys(map(str.strip, text.split(",")))]


def _refuse(run: str, allowed: str) -> None:
    raise UsageError(f"--run '{run}' is not a run; allowed are {allowed}; 'mallard show runs' shows them")
