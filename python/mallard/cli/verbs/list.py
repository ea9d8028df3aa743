"""`mallard list`: the experiments, the papers' tables, and the runs in a database."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

from mallard.bench.analysis.names import in_table_order
from mallard.bench.contenders import CONTENDERS, LIBRARIES
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.papers.catalogue import offered, structures
from mallard.bench.papers.registry import all_tables
from mallard.bench.selection import in_words
from mallard.bench.store import Run, Store
from mallard.bench.strategy_names import BASE_MARK, INLINE_MARK, WINK_MARK, mechanism_name, without_variants
from mallard.cli import layout
from mallard.cli.needs import NOTHING, Needs
from mallard.cli.options import add_database, check_database, nothing_measured
from mallard.cli.parser import check_choice
from mallard.shared.errors import UsageError
from mallard.shared.prose import in_prose

EXAMPLES = (
    ("mallard list", "all names on one screen"),
    ("mallard list experiments", "the experiments of 'mallard bench'"),
    ("mallard list contenders", "the allocators of other libraries"),
    ("mallard list tables", "the tables of 'mallard table'"),
    ("mallard list strategies --all", "with every variant"),
    ("mallard list runs --db FILE", "the runs of a database"),
)

RUNS = "runs"
LISTS = ("experiments", "structures", "strategies", "contenders", "tables", RUNS)
SHORTENED = ("strategies", "contenders", "tables")  # to a screen, unless all are asked for


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("listing", nargs="?", metavar="LIST", help=f"{', '.join(LISTS[:-1])} or {LISTS[-1]}")
    parser.add_argument("--all", action="store_true", help=f"of {in_prose(SHORTENED)}: each one, described")
    add_database(parser)


def check(arguments: argparse.Namespace) -> None:
    if arguments.listing is not None:
        check_choice("unknown list", arguments.listing, LISTS)
    if arguments.all and arguments.listing not in SHORTENED:
        raise UsageError(f"--all is for the lists {in_prose(SHORTENED)}; name one of them, or leave it out")
    check_database(arguments, needed=arguments.listing == RUNS)


def needs(arguments: argparse.Namespace) -> Needs:
    return NOTHING


def run(arguments: argparse.Namespace) -> int:
    from mallard.cli.lists import show_list, show_runs

    if arguments.listing not in (None, RUNS):
        show_list(arguments.listing, everything=arguments.all)
        return 0
    if nothing_measured(arguments):
        print(_overview([]))
        return 0
    with Store.open_existing(arguments.db) as store:
        if arguments.listing == RUNS:
            show_runs(store)
        else:
            print(_overview(store.runs()))
    return 0


def _overview(runs: Sequence[Run]) -> str:
    """The names that the other lists describe, on one screen."""
    papers = Counter(name.partition(":")[0] for name in all_tables())
    defaults = without_variants(in_table_order(offered()))
    mechanisms = dict.fromkeys(map(mechanism_name, defaults))
    rows = [
        ("experiments", ", ".join(EXPERIMENTS)),
        ("structures", in_words(list(structures()))),
        ("strategies", f"{', '.join(mechanisms)}; many also with {BASE_MARK}, {INLINE_MARK} and {WINK_MARK}"),
        ("contenders", f"{len(CONTENDERS)} strategies of {', '.join(LIBRARIES)}"),
        ("tables", ", ".join(f"{number} of {paper}" for paper, number in papers.items())),
        (RUNS, f"{len(runs)}, the newest of {runs[-1].experiment}" if runs else "none yet"),
    ]
    return f"{layout.columns(rows)}\n\n'mallard list LIST' describes each, as in 'mallard list runs'"
