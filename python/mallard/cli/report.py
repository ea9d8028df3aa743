"""`mallard report`: the results of a database as one self-contained page."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from pathlib import Path

from mallard.claims import finished_runs
from mallard.command_line.options import add_database, add_run, check_database, check_run
from mallard.errors import UsageError
from mallard.experiments import EXPERIMENTS
from mallard.plan import SURVEY
from mallard.result import Row
from mallard.store import Store
from mallard.view.html import Measured, page
from mallard.whole_file import write_whole

EXAMPLES = (
    ("mallard report", "the newest run of each experiment"),
    ("mallard report -o ds2.html --run 4", "run 4 alone"),
    ("mallard report --db other.db", "from another database"),
)

OUTPUT = "report.html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        default=Path(OUTPUT),
        help=f"the page (default: {OUTPUT})",
    )
    add_run(parser)
    add_database(parser)


def check(arguments: argparse.Namespace) -> None:
    check_run(arguments)
    check_database(arguments, needed=True)


def run(arguments: argparse.Namespace) -> int:
    from mallard.view.terminal.console import output_console, print_line

    output: Path = arguments.output
    with Store.open_existing(arguments.db) as store:
        latest = arguments.run == "latest"
        rows_of = cache(store.rows)
        measured = _newest(store, rows_of) if latest else _one(store, arguments.run)
        evidence = [row for run in finished_runs(store) for row in rows_of(run.id)] if latest else []
    write_whole(output, page(measured, evidence))
    rows = sum(len(each.rows) for each in measured.values())
    runs = ", ".join(f"{each.run.id} ({name})" for name, each in measured.items())
    many = "s" if len(measured) > 1 else ""
    print_line(output_console(), f"{output}: run{many} {runs}, {rows} rows; open it in a browser")
    return 0


def _newest(store: Store, rows_of: Callable[[int], list[Row]]) -> dict[str, Measured]:
    """For each experiment its newest finished run with a time, or else its newest interrupted run. A run of
    the survey has few cells, so every other run comes before it."""
    runs = sorted(
        store.runs(), key=lambda run: (run.scale != SURVEY, run.finished is not None, run.id), reverse=True
    )
    found: dict[str, Measured] = {}
    for name in EXPERIMENTS:
        candidates = (
            Measured(run, store.notes(run.id), [row for row in rows_of(run.id) if row.experiment == name])
            for run in runs
            if run.experiment == name
        )
        newest = next((each for each in candidates if any(row.ok for row in each.rows)), None)
        if newest:
            found[name] = newest
    if not found:
        raise UsageError(f"{store.path} has no results yet; 'mallard bench density --quick' makes them")
    return found


def _one(store: Store, number: str) -> dict[str, Measured]:
    run = store.select_run(number)
    notes = store.notes(run.id)
    rows = {name: store.rows(run.id, name) for name in EXPERIMENTS}
    found = {name: Measured(run, notes, its) for name, its in rows.items() if its}
    if not found:
        raise UsageError(
            f"run {run.id} in {store.path} has no rows; 'mallard list runs' shows which runs have, "
            "'mallard bench' makes one"
        )
    return found
