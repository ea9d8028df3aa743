"""`mallard table`: a printed table of the papers beside this machine's."""

from __future__ import annotations

import argparse

from mallard.cli.options import add_database, add_run, check_database, check_run, nothing_measured
from mallard.errors import UsageError
from mallard.evidence.beside import beside, has_cells_of
from mallard.evidence.measured import Measured, by_setting
from mallard.experiments import RECYCLING, REUSES
from mallard.nearest import meant
from mallard.papers.locality import GLOBAL, LOCAL
from mallard.papers.notes import notes_for
from mallard.papers.printed import PrintedTable
from mallard.papers.registry import table_named
from mallard.store import Run, Store

HELP = "show a printed table beside this machine's"
EXAMPLES = """\
mallard table p0213:6                vector<string> as P0213 printed it, beside the newest run that has it
mallard table p0089:4 --run 3        P0089's figures beside run 3
mallard table p0213:8                the averages over all cells
mallard table p0213:6 --nanoseconds  both sides in nanoseconds an operation
mallard table p0089:18 --local multipool/base  locality, another in the place of the printed multipool
mallard table p0089:III-30           tables without a number: benchmark III, T = 2^30
mallard table loki:time-shuffled     the Loki test, phase by phase; loki:memory, optimized:times
mallard list tables                  names them all"""

LOCALS = (LOCAL, *REUSES, *RECYCLING[3:])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="TABLE", help="paper and number, such as p0213:6")
    parser.add_argument(
        "--nanoseconds", action="store_true", help="times of an operation in place of percents"
    )
    parser.add_argument(
        "--local",
        metavar="STRATEGY",
        default=None,
        help=f"of locality: what stands beside the printed multipool: {', '.join(LOCALS)} ({LOCAL})",
    )
    add_run(parser)
    add_database(parser)


def check(arguments: argparse.Namespace) -> None:
    _checked(arguments, table_named(arguments.table))
    check_run(arguments)
    check_database(arguments, needed=arguments.run != "latest")


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from mallard.view.printed import beside_text, notes_text

    printed = table_named(arguments.table)
    local = _checked(arguments, printed)
    console = Console(highlight=False)
    found, measured = _measured(arguments, printed, local)
    console.print(
        f"[bold]{printed.paper} {printed.label}[/], {printed.experiment}: {printed.caption}\n", soft_wrap=True
    )
    if found is None:
        nothing = beside(printed, Measured(printed.experiment), local)
        console.print(beside_text(printed, nothing, console, arguments.nanoseconds))
        console.print(f"Not measured here yet; this measures it: {_command_for(printed)}\n", soft_wrap=True)
    for each in measured:
        where = f"here: run {found.id if found else ''}, {_setting_text(each)}"
        console.print(where + (f", {local} for the multipool" if arguments.local else ""), soft_wrap=True)
        console.print(beside_text(printed, beside(printed, each, local), console, arguments.nanoseconds))
    console.print(_legend(printed, arguments.nanoseconds) + "\n", soft_wrap=True)
    console.print(notes_text(notes_for(printed)))
    return 0


def _checked(arguments: argparse.Namespace, printed: PrintedTable) -> str:
    """The local allocator; options that this table has no use for are refused."""
    if arguments.nanoseconds and not printed.shows_times:
        what = "percents" if not printed.place and printed.experiment == "density" else "ratios"
        if printed.unit == "seconds":
            raise UsageError(f"--nanoseconds: {printed.name} is in nanoseconds already; leave the option out")
        raise UsageError(f"--nanoseconds: {printed.name} prints {what} only; leave the option out")
    if arguments.local is None:
        return LOCAL
    if printed.experiment != "locality" or printed.place["strategy"] == GLOBAL:
        raise UsageError(f"--local: {printed.name} has no multipool for each list; leave the option out")
    if arguments.local not in LOCALS:
        raise UsageError(
            f"--local {arguments.local}{meant(arguments.local, LOCALS)}: allowed are {', '.join(LOCALS)}"
        )
    return str(arguments.local)


def _measured(
    arguments: argparse.Namespace, printed: PrintedTable, local: str
) -> tuple[Run | None, list[Measured]]:
    """The newest run, or the one asked for, that has finished cells of the printed table; by setting."""
    if nothing_measured(arguments) and arguments.run == "latest":
        return None, []  # the printed figures can be read before anything was measured
    with Store.open_existing(arguments.db) as store:
        runs = reversed(store.runs()) if arguments.run == "latest" else [store.select_run(arguments.run)]
        for candidate in runs:
            settings = by_setting(store.rows(candidate.id, printed.experiment))
            matching = [each for each in settings if has_cells_of(printed, each, local)]
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


def _setting_text(measured: Measured) -> str:
    return ", ".join(f"{name} {value}" for name, value in measured.setting)


def _legend(printed: PrintedTable, nanoseconds: bool) -> str:
    if nanoseconds:
        return f"{'Bytes' if printed.is_memory else 'Nanoseconds'} {_operation(printed)}."
    if printed.unit == "seconds" and not printed.shows_times:
        return "CPU nanoseconds an access. ratio: here / printed, bold outside 0.5 to 2."
    if not printed.shows_times and printed.unit == "ratio":
        mean = "Mean over rows, with the 95 % interval. " if not printed.place else ""
        return f"{mean}= no difference from 1. ratio: here / printed, bold outside 0.5 to 2."
    ratio = "ratio: (here / new-delete) / (printed / new-delete), bold outside 0.5 to 2."
    if not printed.place:
        return f"Percent of new-delete, mean over rows, with the 95 % interval. {ratio}"
    unit = "bytes" if printed.is_memory else "nanoseconds"
    first = f"new-delete: {unit} {_operation(printed)}."
    return f"{first} Others: percent of new-delete; = no difference from new-delete. {ratio}"


def _operation(printed: PrintedTable) -> str:
    return {
        "density": "a leaf element (printed seconds are for 2^27 leaf elements)",
        "utilization": "a block allocated (printed seconds are for T / S blocks)",
        "contention": "of wall time a pair of one thread",
        "small-objects": "an object (printed figures are for a million of them)",
        "fixed-block": "a pair, a replacement, a container (of remove-ctrl in print: the whole test)",
    }[printed.experiment]
