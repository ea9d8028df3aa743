"""`mallard claims`: what the papers claim, and what this machine says to it."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict
from typing import Any

from mallard.claims import VERDICTS, Entry, claims_markdown, counts, ledger
from mallard.claims.claim import PAPERS
from mallard.cli.options import add_database, nothing_measured
from mallard.cli.parser import one_of
from mallard.cli.runs import add_runs, check_runs, selected_runs
from mallard.store import Run, Store

HELP = "judge every claim of the papers by what was measured here"
EXAMPLES = """\
mallard claims                               every claim, by the newest finished run that has its cells
mallard claims --paper p0213                 those of one document
mallard claims --verdict 'not reproduced'    those of one verdict
mallard claims --run 3,5                     by these runs
mallard claims --format md > claims.md       as Markdown; json has the figures as numbers"""

FORMATS = ("text", "md", "json")
PIPE_WIDTH = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--paper", metavar="NAME", help=f"one of {', '.join(PAPERS)} (mallard: its own findings)"
    )
    parser.add_argument("--verdict", metavar="VERDICT", help=f"one of {', '.join(VERDICTS)}")
    add_runs(parser, "claim")
    parser.add_argument("--format", metavar="FORMAT", default="text", help=f"one of {', '.join(FORMATS)}")
    add_database(parser)


def check(arguments: argparse.Namespace) -> None:
    one_of("--paper", arguments.paper, PAPERS)
    one_of("--verdict", arguments.verdict, VERDICTS)
    one_of("--format", arguments.format, FORMATS)
    check_runs(arguments)


def run(arguments: argparse.Namespace) -> int:
    from mallard.view.terminal.claims import show_claims
    from mallard.view.terminal.console import output_console

    entries, runs = _ledger(arguments)
    chosen = [
        entry
        for entry in entries
        if arguments.paper in (None, entry.paper) and arguments.verdict in (None, entry.verdict)
    ]
    if arguments.format == "json":
        print(
            json.dumps({"counts": counts(chosen), "claims": [_numbers(entry) for entry in chosen]}, indent=1)
        )
    elif arguments.format == "md":
        print(claims_markdown(chosen), end="")
    else:
        show_claims(output_console(PIPE_WIDTH), chosen, runs)
    return 0


def _ledger(arguments: argparse.Namespace) -> tuple[list[Entry], list[Run]]:
    if nothing_measured(arguments) and arguments.run == "latest":
        return ledger([]), []  # the claims can be read before anything was measured
    with Store.open_existing(arguments.db) as store:
        runs = selected_runs(store, arguments.run)
        entries = ledger(row for run in runs for row in store.rows(run.id))
    used = {entry.run for entry in entries}
    return entries, [run for run in runs if run.id in used]


def _numbers(entry: Entry) -> dict[str, Any]:
    """JSON has no infinity: an end that is unknown is null."""
    figures = [
        {name: value if math.isfinite(value) else None for name, value in asdict(each).items()}
        for each in entry.figures
    ]
    return asdict(entry) | {"figures": figures}
