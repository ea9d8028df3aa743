"""`mallard show page`: the results of a database as one self-contained page."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from pathlib import Path

from mallard.bench.claims import finished_runs
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.plan import SURVEY
from mallard.bench.result import Row
from mallard.bench.store import Measured, Store
from mallard.bench.view.page import page
from mallard.cli.verbs.show.runs import ONE, check_run
from mallard.shared.atomic_file import write_atomically
from mallard.shared.errors import UsageError

EXAMPLES = (
    ("mallard show page", "the newest run of each experiment"),
    ("mallard show page -o ds2.html --run 4", "run 4 alone"),
    ("mallard show page --db other.db", "from another database"),
)
OUTPUT = Path("report.html")
OPTIONS = {"output": f"the page (default: {OUTPUT})", "run": ONE}


def check(arguments: argparse.Namespace) -> None:
    check_run(arguments, measured=True)


def run(arguments: argparse.Namespace) -> int:
    from mallard.shared.console import output_console, print_line

    output: Path = arguments.output or OUTPUT
    with Store.open_existing(arguments.db) as store:
        latest = arguments.run == "latest"
        load_rows = cache(store.rows)
        measured = _newest(store, load_rows) if latest else _one(store, arguments.run)
        evidence = [row for run in finished_runs(store) for row in load_rows(run.id)] if latest else []
    write_atomically(output, page(measured, evidence))
    rows = sum(len(entry.rows) for entry in measured.values())
    runs = ", ".join(f"{entry.run.id} ({name})" for name, entry in measured.items())
    many = "s" if len(measured) > 1 else ""
    print_line(output_console(), f"{output}: run{many} {runs}, {rows} rows; open it in a browser")
    return 0


def _newest(store: Store, load_rows: Callable[[int], list[Row]]) -> dict[str, Measured]:
    """The newest finished run of each experiment that has a time, or else its newest interrupted run. A run
    of the survey has few cells, so every other run is preferred to it."""
    runs = sorted(
        store.runs(), key=lambda run: (run.scale != SURVEY, run.finished is not None, run.id), reverse=True
    )
    by_experiment: dict[str, Measured] = {}
    for name in EXPERIMENTS:
        candidates = (
            Measured(run, store.notes(run.id), [row for row in load_rows(run.id) if row.experiment == name])
            for run in runs
            if run.experiment == name
        )
        newest = next((candidate for candidate in candidates if any(row.ok for row in candidate.rows)), None)
        if newest:
            by_experiment[name] = newest
    if not by_experiment:
        raise UsageError(f"{store.path} has no results yet; 'mallard bench density --quick' makes them")
    return by_experiment


def _one(store: Store, number: str) -> dict[str, Measured]:
    run = store.select_run(number)
    notes = store.notes(run.id)
    rows = {name: store.rows(run.id, name) for name in EXPERIMENTS}
    by_experiment = {
        name: Measured(run, notes, experiment_rows)
        for name, experiment_rows in rows.items()
        if experiment_rows
    }
    if not by_experiment:
        raise UsageError(
            f"run {run.id} in {store.path} has no rows; 'mallard show runs' shows which runs have, "
            "'mallard bench' makes one"
        )
    return by_experiment
