"""The documents' table of claims: every experiment's stored rows are their evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

from figures.stored import markdown_table, stored_file, stored_runs
from mallard.claims import Entry, claims_markdown, ledger
from mallard.claims.ledger import VERDICTS
from mallard.experiments import EXPERIMENTS


def blocks() -> dict[str, Callable[[], str]]:
    return {"claims": table, "verdict_counts": counts}


@cache
def entries() -> list[Entry]:
    stored = (run for name in EXPERIMENTS if stored_file(name).exists() for run in stored_runs(name))
    return ledger(row for run in stored for row in run.rows)


def table() -> str:
    return claims_markdown(entries()).rstrip()


def counts() -> str:
    """A line a document, a column a verdict."""
    found: dict[str, Counter[str]] = {}
    for entry in entries():
        found.setdefault(entry.document, Counter())[entry.verdict] += 1
    lines = [
        [document, *(str(verdicts[verdict]) for verdict in VERDICTS)] for document, verdicts in found.items()
    ]
    return markdown_table(["document", *VERDICTS], lines)
