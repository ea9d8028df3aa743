"""`mallard show table`: a printed table of the papers, with the figures of this machine."""

from __future__ import annotations

import argparse

from mallard.bench.analysis.cell_tables import setting_text
from mallard.bench.evidence import Measured, by_setting
from mallard.bench.evidence.comparison import compare_with_print, has_cells
from mallard.bench.papers.notes import notes_for
from mallard.bench.papers.printed import PrintedTable
from mallard.bench.papers.registry import EXAMPLE, table_named
from mallard.bench.store import Run, Store
from mallard.cli import exit_status
from mallard.cli.forms import check_forms, write_report
from mallard.cli.options import nothing_measured
from mallard.cli.verbs.show.runs import FORM_OPTIONS, ONE, check_run
from mallard.shared.errors import UsageError

EXAMPLES = (
    ("mallard show table p0213:6", "vector<string>, paper and here"),
    ("mallard show table p0213:6 --nanoseconds", "nanoseconds on both sides"),
    ("mallard show table loki:memory", "a table without a number"),
)
ARGUMENT = ("TABLE", "paper and number, as 'mallard show tables' has them")
OPTIONS = {
    "nanoseconds": "times in place of percents",
    "run": ONE,
    **FORM_OPTIONS,
}


def check(arguments: argparse.Namespace) -> None:
    if arguments.argument is None:
        raise UsageError(f"TABLE is missing; give one, such as {EXAMPLE}; 'mallard show tables' lists them")
    _check_nanoseconds(arguments, table_named(arguments.argument))
    check_run(arguments)
    check_forms(arguments)


def run(arguments: argparse.Namespace) -> int:
    from mallard.bench.analysis.printed import table_report

    printed = table_named(arguments.argument)
    run, measured = _measured(arguments, printed)
    if run is None:
        comparisons = [("in print", compare_with_print(printed, Measured(printed.experiment)))]
    else:
        comparisons = [
            (
                ", ".join(filter(None, (f"here: run {run.id}", setting_text(entry.setting)))),
                compare_with_print(printed, entry),
            )
            for entry in measured
        ]
    report = table_report(
        printed,
        comparisons,
        notes_for(printed),
        "" if run else _command_for(printed),
        arguments.nanoseconds,
    )
    write_report(arguments, report)
    return exit_status.DONE


def _check_nanoseconds(arguments: argparse.Namespace, printed: PrintedTable) -> None:
    if arguments.nanoseconds and not printed.shows_times:
        unit = "percents" if not printed.place and printed.experiment == "density" else "ratios"
        if printed.unit == "seconds":
            raise UsageError(f"--nanoseconds: {printed.name} is in nanoseconds already; leave the option out")
        raise UsageError(f"--nanoseconds: {printed.name} prints {unit} only; leave the option out")


def _measured(arguments: argparse.Namespace, printed: PrintedTable) -> tuple[Run | None, list[Measured]]:
    """The requested run, or the newest one with cells of the printed table, and these cells by setting."""
    if nothing_measured(arguments) and arguments.run == "latest":
        return None, []  # the printed figures are worth reading before the first measurement
    with Store.open_existing(arguments.db) as store:
        runs = reversed(store.runs()) if arguments.run == "latest" else [store.select_run(arguments.run)]
        for candidate in runs:
            settings = by_setting(store.rows(candidate.id, printed.experiment))
            matching = [setting for setting in settings if has_cells(printed, setting)]
            if matching:
                return candidate, matching
    return None, []


def _command_for(printed: PrintedTable) -> str:
    command = f"mallard bench {printed.experiment}"
    if printed.experiment == "small-objects":
        sizes = ",".join(str(size) for size in sorted({key[0] for key in printed.rows}))
        return f"{command} --object-bytes {sizes} --order {printed.place['order']}"
    structure = str(printed.place.get("ds", ""))
    return f"{command} --ds {structure.removeprefix('DS')}" if structure else command
