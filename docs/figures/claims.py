"""The documents' table of claims: every experiment's stored rows are their evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container
from functools import cache

from figures.stored import StoredRun, markdown_table, stored_file, stored_runs
from mallard.claims import Entry, claims_markdown, ledger
from mallard.claims.ledger import NOT_APPLICABLE, VERDICTS
from mallard.experiments import EXPERIMENTS


def blocks() -> dict[str, Callable[[], str]]:
    return {"claims": table, "claims_conditions": conditions, "verdict_counts": counts}


def runs() -> list[StoredRun]:
    return [run for name in EXPERIMENTS if stored_file(name).exists() for run in stored_runs(name)]


@cache
def entries() -> list[Entry]:
    """Where an experiment was measured for itself, the rows taken for a comparison with others are left out:
    they are newer, but of fewer cells."""
    return ledger(
        row
        for name in EXPERIMENTS
        if stored_file(name).exists()
        for stored in measured_for_itself(stored_runs(name))
        for row in stored.rows
    )


def measured_for_itself(found: list[StoredRun]) -> list[StoredRun]:
    alone = [stored for stored in found if "--contenders" not in stored.run["command"]]
    return alone or found


def table() -> str:
    """Without the claims that cannot apply here, as `mallard claims` shows them."""
    return claims_markdown([entry for entry in entries() if entry.verdict != NOT_APPLICABLE]).rstrip()


def conditions() -> str:
    return runs_text("Decided by", {entry.run for entry in entries()})


def runs_text(what: str, numbers: Container[int | None]) -> str:
    """The runs of these numbers, each with its scale, and their machines."""
    named = [stored.run for stored in runs() if stored.run["id"] in numbers]
    machines = dict.fromkeys(f"{run['machine']['cpu']}, {run['machine']['cores']} cores" for run in named)
    lines = [f"- {run['started'][:10]}, {run['scale']} scale: `{run['command']}`" for run in named]
    return "\n".join([f"{what} these runs on {' and '.join(machines)}:", "", *lines])


def counts() -> str:
    """A line a document, a column a verdict."""
    found: dict[str, Counter[str]] = {}
    for entry in entries():
        found.setdefault(entry.document, Counter())[entry.verdict] += 1
    lines = [
        [document, *(str(verdicts[verdict]) for verdict in VERDICTS)] for document, verdicts in found.items()
    ]
    return markdown_table(["document", *VERDICTS], lines)
