"""`mallard show claims`: the claims of the papers, each with the verdict of this machine."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from mallard.bench.claims import NOT_APPLICABLE, VERDICTS, Entry, counts, ledger
from mallard.bench.claims.claim import PAPERS
from mallard.bench.papers.coverage import Coverage, coverage
from mallard.bench.store import Run, Store
from mallard.cli import exit_status
from mallard.cli.forms import check_forms, write_report
from mallard.cli.options import nothing_measured
from mallard.cli.verbs.show.runs import FORM_OPTIONS, check_runs, selected_runs, several

EXAMPLES = (
    ("mallard show claims", "the claims that this machine can test"),
    ("mallard show claims --paper p0213", "the claims of one document"),
    ("mallard show claims --verdict not-reproduced", "the claims with one verdict"),
    ("mallard show claims --run 3,5", "judged by these runs alone"),
    ("mallard show claims --all --markdown > claims.md", "every claim, as Markdown"),
)
VERDICT_WORDS = {verdict.removesuffix(" here").replace(" ", "-"): verdict for verdict in VERDICTS}
OPTIONS = {
    "paper": f"{', '.join(PAPERS[:-1])} or {PAPERS[-1]} (its own findings)",
    "verdict": ", ".join(VERDICT_WORDS),
    "all": "also the claims that cannot apply here, such as the times of the authors' machine",
    "run": several("claim", "newest finished run in the papers' setting"),
    **FORM_OPTIONS,
}
CHOICES = {"paper": PAPERS, "verdict": VERDICT_WORDS}
PIPE_WIDTH = 200


def check(arguments: argparse.Namespace) -> None:
    check_runs(arguments)
    check_forms(arguments)


def run(arguments: argparse.Namespace) -> int:
    from mallard.bench.view.claims import claims_report

    entries, runs, covered = _ledger(arguments)
    verdict = VERDICT_WORDS.get(arguments.verdict)
    chosen = [
        entry
        for entry in entries
        if arguments.paper in (None, entry.paper) and verdict in (None, entry.verdict)
    ]
    hidden = () if arguments.all or verdict else (NOT_APPLICABLE,)
    write_report(
        arguments,
        claims_report(chosen, runs, hidden, covered),
        partial(_as_json, chosen),
        pipe_width=PIPE_WIDTH,
    )
    return exit_status.DONE


def _as_json(entries: Sequence[Entry]) -> str:
    return json.dumps({"counts": counts(entries), "claims": [_numbers(entry) for entry in entries]}, indent=1)


def _ledger(arguments: argparse.Namespace) -> tuple[list[Entry], list[Run], list[Coverage]]:
    if nothing_measured(arguments) and arguments.run == "latest":
        return ledger([]), [], []  # the claims are worth reading before the first measurement
    with Store.open_existing(arguments.db) as store:
        runs = selected_runs(store, arguments.run)
        rows = [row for run in runs for row in store.rows(run.id)]
    entries = ledger(rows)
    used = {entry.run for entry in entries}
    covered = [line for line in coverage(rows) if arguments.paper in (None, line.paper)]
    return entries, [run for run in runs if run.id in used], covered


def _numbers(entry: Entry) -> dict[str, Any]:
    """JSON has no infinity, so an unbounded end is null."""
    figures = [
        {name: value if math.isfinite(value) else None for name, value in asdict(figure).items()}
        for figure in entry.figures
    ]
    return asdict(entry) | {"figures": figures}
