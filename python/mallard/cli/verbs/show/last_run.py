"""`mallard show`: the last run again, or another one."""

from __future__ import annotations

import argparse
import shlex
import sys

from mallard.bench.evidence.beside import has_cells
from mallard.bench.evidence.evidence import by_setting
from mallard.bench.papers.registry import all_tables, in_ranges
from mallard.bench.store import Store
from mallard.cli import exit_status
from mallard.cli.forms import check_forms, write_page
from mallard.cli.options import ALL_TEXT, nothing_measured
from mallard.cli.verbs.show.runs import FORM_OPTIONS, ONE, check_run

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

    from mallard.bench.analysis.panels import panel_report
    from mallard.bench.view.html import Measured, page
    from mallard.bench.view.terminal import show_run
    from mallard.shared.report.json_text import report_json
    from mallard.shared.report.markdown import markdown_report
    from mallard.shared.view.terminal.console import output_console

    with Store.open_existing(arguments.db) as store:
        run = store.select_run(arguments.run)
        rows, notes = store.rows(run.id), store.notes(run.id)
    if arguments.json or arguments.markdown:
        report = panel_report(
            run.experiment, rows, run.machine.get("cores"), everything=arguments.json or arguments.all
        )
        command = shlex.join(["mallard", *sys.argv[1:]])
        print(report_json(report) if arguments.json else markdown_report(report, command).rstrip("\n"))
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
        console.print(f"'mallard show table {names[0]}' shows it beside the paper{others}")
    if arguments.html:
        write_page(console, arguments.html, page({run.experiment: Measured(run, notes, rows)}))
    return exit_status.DONE
