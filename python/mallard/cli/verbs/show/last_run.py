"""`mallard show`: the last run again, or another one."""

from __future__ import annotations

import argparse

from mallard.bench.evidence.beside import has_cells
from mallard.bench.evidence.evidence import by_setting
from mallard.bench.papers.registry import all_tables, in_ranges
from mallard.bench.store import Store
from mallard.cli import exit_status
from mallard.cli.options import ALL_TEXT, nothing_measured
from mallard.cli.verbs.show.runs import ONE, check_run

OPTIONS = {"all": ALL_TEXT, "run": ONE}


def check(arguments: argparse.Namespace) -> None:
    check_run(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Names the printed tables that have cells of the run. Before the first run, lists all."""
    if nothing_measured(arguments):
        from mallard.cli.verbs.show.list import show_list

        show_list("tables", everything=False)
        print("\nNothing was measured yet: 'mallard bench' measures.")
        return exit_status.DONE

    from mallard.bench.view.terminal import show_run
    from mallard.shared.view.terminal.console import output_console

    with Store.open_existing(arguments.db) as store:
        run = store.select_run(arguments.run)
        rows, notes = store.rows(run.id), store.notes(run.id)
    console = output_console()
    show_run(console, run, rows, notes, everything=arguments.all)
    settings = by_setting(rows)
    names = [
        name
        for name, table in all_tables().items()
        if table.experiment == run.experiment and any(has_cells(table, setting) for setting in settings)
    ]
    if names:
        others = f"; its tables are {', '.join(in_ranges(names))}" if names[1:] else ""
        console.print(f"'mallard show table {names[0]}' shows it beside the paper{others}")
    return exit_status.DONE
