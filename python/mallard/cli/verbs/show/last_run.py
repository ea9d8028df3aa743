"""`mallard show`: the last run again, or another one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mallard.bench.evidence.comparison import has_cells
from mallard.bench.evidence.evidence import by_setting
from mallard.bench.papers.registry import all_tables, in_ranges
from mallard.bench.result import Row
from mallard.bench.store import Measured, Note, Run, Store
from mallard.cli import exit_status
from mallard.cli.forms import check_forms, write_page, write_report
from mallard.cli.options import ALL_TEXT, nothing_measured
from mallard.cli.verbs.show.runs import FORM_OPTIONS, ONE, check_run

if TYPE_CHECKING:
    from mallard.shared.console import PlainConsole

OPTIONS = {"all": ALL_TEXT, "run": ONE, **FORM_OPTIONS}


def check(arguments: argparse.Namespace) -> None:
    check_run(arguments)
    check_forms(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Names the printed tables that have cells of the run. Before the first run, lists all."""
    if nothing_measured(arguments):
        from mallard.cli.verbs.show.list import show_list

        show_list("tables", everything=False)
        print("\nNothing was measured yet: 'mallard bench' measures.")
        return exit_status.DONE

    from mallard.bench.view.terminal import show_run
    from mallard.shared.console import output_console

    with Store.open_existing(arguments.db) as store:
        run = store.select_run(arguments.run)
        rows, notes = store.rows(run.id), store.notes(run.id)
    if write_text(arguments, run, rows):
        return exit_status.DONE
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
        console.print(f"'mallard show table {names[0]}' shows it with the paper{others}")
    write_run_page(arguments, console, run, rows, notes)
    return exit_status.DONE


def write_text(arguments: argparse.Namespace, run: Run, rows: Sequence[Row]) -> bool:
    """Prints the run as JSON or Markdown, if an option asks for it."""
    from mallard.bench.analysis.panels import panel_report

    if not (arguments.json or arguments.markdown):
        return False
    cores, everything = run.machine.get("cores"), arguments.json or arguments.all
    write_report(arguments, panel_report(run.experiment, rows, cores, everything=everything))
    return True


def write_run_page(
    arguments: argparse.Namespace, console: PlainConsole, run: Run, rows: list[Row], notes: list[Note]
) -> None:
    from mallard.bench.view.page import page

    if arguments.html:
        write_page(console, arguments.html, page({run.experiment: Measured(run, notes, rows)}))
