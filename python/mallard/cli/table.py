"""`mallard table`: a printed table of the papers beside this machine's."""

from __future__ import annotations

import argparse

from rich.console import Console

from mallard.analysis.cells import Setting, StructureTable, density_tables
from mallard.analysis.comparison import compare
from mallard.cli.options import add_database, add_run, default_database
from mallard.errors import UsageError
from mallard.papers.notes import notes_for
from mallard.papers.tables import PrintedTable, printed_table
from mallard.store import Run, Store
from mallard.view.printed import beside, notes_text

HELP = "show a printed table beside this machine's"
EXAMPLES = """\
mallard table p0213:6                vector<string> as P0213 printed it, beside the newest run that has it
mallard table p0089:4 --run 3        P0089's figures beside run 3
mallard table p0213:8                the averages over all cells
mallard table p0213:6 --nanoseconds  both sides in nanoseconds a leaf element
mallard list tables                  names them all"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="TABLE", help="paper and number, such as p0213:6")
    parser.add_argument(
        "--nanoseconds", action="store_true", help="times a leaf element in place of percents"
    )
    add_run(parser)
    add_database(parser)


def run(arguments: argparse.Namespace) -> int:
    printed = printed_table(arguments.table)
    if arguments.nanoseconds and printed.is_averages:
        raise UsageError(f"--nanoseconds: {printed.name} prints percents only; leave the option out")
    console = Console(highlight=False)
    found, tables = _measured(arguments, printed)
    console.print(f"[bold]{printed.paper} Table {printed.number}[/]: {printed.caption}\n", soft_wrap=True)
    if found is None:
        console.print(beside(printed, compare(printed, []), console, arguments.nanoseconds))
        console.print(f"Not measured here yet; this measures it: {_command_for(printed)}\n", soft_wrap=True)
    for setting in dict.fromkeys(table.setting for table in tables):
        same = [table for table in tables if table.setting == setting]
        console.print(f"here: run {found.id if found else ''}, {_setting_text(setting)}", soft_wrap=True)
        console.print(beside(printed, compare(printed, same), console, arguments.nanoseconds))
    console.print(_legend(printed, arguments.nanoseconds) + "\n", soft_wrap=True)
    console.print(notes_text(notes_for(printed)))
    return 0


def _measured(
    arguments: argparse.Namespace, printed: PrintedTable
) -> tuple[Run | None, list[StructureTable]]:
    """The newest run, or the one asked for, that has finished cells of the printed structure."""
    if not arguments.db.exists() and arguments.db == default_database() and arguments.run == "latest":
        return None, []  # the printed figures can be read before anything was measured
    with Store.open_existing(arguments.db) as store:
        runs = reversed(store.runs()) if arguments.run == "latest" else [store.select_run(arguments.run)]
        for candidate in runs:
            tables = _tables_of(store, candidate, printed)
            if tables:
                return candidate, tables
    return None, []


def _tables_of(store: Store, run: Run, printed: PrintedTable) -> list[StructureTable]:
    tables = density_tables(store.rows(run.id, "density"))
    return [
        table
        for table in tables
        if (printed.is_averages or table.structure == printed.structure)
        and any(cell.finished for line in table.lines for cell in line.cells.values())
    ]


def _command_for(printed: PrintedTable) -> str:
    if printed.is_averages:
        return "mallard bench density"
    return f"mallard bench density --ds {printed.structure.removeprefix('DS')}"


def _setting_text(setting: Setting) -> str:
    return ", ".join(f"{name} {value}" for name, value in setting)


def _legend(printed: PrintedTable, nanoseconds: bool) -> str:
    if nanoseconds:
        return "CPU nanoseconds a leaf element (printed seconds are for 2^27 leaf elements)."
    ratio = "ratio: (here / AS1) / (printed / AS1), bold outside 0.5 to 2."
    if printed.is_averages:
        return f"Percent of AS1, mean over rows, with the 95 % interval. {ratio}"
    return f"AS1: nanoseconds a leaf element. Others: percent of AS1; = no difference from AS1. {ratio}"
