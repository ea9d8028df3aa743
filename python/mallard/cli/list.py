"""`mallard list`: what can be measured, what was printed, and what was measured here."""

from __future__ import annotations

import argparse

from mallard.cli.options import add_database, check_database
from mallard.cli.parser import one_of
from mallard.store import Store

HELP = "name the experiments, structures, strategies, contenders, tables and runs"
EXAMPLES = """\
mallard list                   all but the tables and runs
mallard list contenders        the allocators of other libraries, for 'mallard bench --contenders'
mallard list tables            the printed tables, for 'mallard table'
mallard list runs --db FILE    what a database holds"""

RUNS = "runs"
# Of no run; without a word the first ones are shown.
FIRST = ("experiments", "structures", "strategies", "contenders")
LISTS = (*FIRST, "tables", RUNS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="?", metavar="WHAT", help=", ".join(LISTS))
    add_database(parser)


def check(arguments: argparse.Namespace) -> None:
    one_of("unknown list", arguments.what, LISTS)
    if arguments.what == RUNS:
        check_database(arguments, needed=True)


def run(arguments: argparse.Namespace) -> int:
    from mallard.view.terminal.lists import show_list, show_runs

    what = arguments.what
    if what == RUNS:
        with Store.open_existing(arguments.db) as store:
            show_runs(store)
    else:
        for name in [what] if what else FIRST:
            show_list(name, heading=what is None)
    return 0
