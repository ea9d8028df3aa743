"""`mallard show claims`: the claims of the papers, each with the verdict of this machine."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict
from typing import Any

from mallard.bench.claims import NOT_APPLICABLE, VERDICTS, Entry, claims_markdown, counts, ledger
from mallard.bench.claims.claim import PAPERS
from mallard.bench.store import Run, Store
from mallard.cli.options import nothing_measured
from mallard.cli.verbs.show.runs import check_runs, selected_runs, several

EXAMPLES = (
    ("mallard show claims", "the claims that this machine can test"),
    ("mallard show claims --paper p0213", "the claims of one document"),
    ("mallard show claims --verdict not-reproduced", "the claims with one verdict"),
    ("mallard show claims --run 3,5", "judged by these runs alone"),
    ("mallard show claims --format md > claims.md", "every claim, as Markdown"),
)
VERDICT_WORDS = {verdict.removesuffix(" here").replace(" ", "-"): verdict for verdict in VERDICTS}
OPTIONS = {
    "paper": f"{', '.join(PAPERS[:-1])} or {PAPERS[-1]} (its own findings)",
    "verdict": ", ".join(VERDICT_WORDS),
    "all": "also the claims that cannot apply here, such as the times of the authors' machine",
    "run": several("claim", "newest finished run in the papers' setting"),
    "format": "text (default), md or json",
}
CHOICES = {"format": ("text", "md", "json"), "paper": PAPERS, "verdict": VERDICT_WORDS}
PIPE_WIDTH = 200


def check(arguments: argparse.Namespace) -> None:
    check_runs(arguments)


def run(arguments: argparse.Namespace) -> int:
    from mallard.bench.view.terminal.findings.claims import show_claims
    from mallard.shared.view.terminal.console import output_console

    entries, runs = _ledger(arguments)
    verdict = VERDICT_WORDS.get(arguments.verdict)
    chosen = [
        entry
        for entry in entries
        if arguments.paper in (None, entry.paper) and verdict in (None, entry.verdict)
    ]
    if arguments.format == "json":
        print(
            json.dumps({"counts": counts(chosen), "claims": [_numbers(entry) for entry in chosen]}, indent=1)
        )
    elif arguments.format == "md":
        print(claims_markdown(chosen), end="")
    else:
        hidden = () if arguments.all or verdict else (NOT_APPLICABLE,)
        show_claims(output_console(PIPE_WIDTH), chosen, runs, hidden)
    return 0


def _ledger(arguments: argparse.Namespace) -> tuple[list[Entry], list[Run]]:
    if nothing_measured(arguments) and arguments.run == "latest":
        return ledger([]), []  # the claims are worth reading before the first measurement
    with Store.open_existing(arguments.db) as store:
        runs = selected_runs(store, arguments.run)
        entries = ledger(row for run in runs for row in store.rows(run.id))
    used = {entry.run for entry in entries}
    return entries, [run for run in runs if run.id in used]


def _numbers(entry: Entry) -> dict[str, Any]:
    """JSON has no infinity, so an unbounded end is null."""
    figures = [
        {name: value if math.isfinite(value) else None for name, value in asdict(figure).items()}
        for figure in entry.figures
    ]
    return asdict(entry) | {"figures": figures}
