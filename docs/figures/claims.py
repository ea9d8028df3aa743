"""The documents' table of claims: every experiment's stored rows are their evidence."""

from __future__ import annotations

from collections.abc import Callable

from figures.stored import load, stored_file
from mallard.claims import claims_markdown, ledger
from mallard.experiments import EXPERIMENTS


def blocks() -> dict[str, Callable[[], str]]:
    return {"claims": table}


def table() -> str:
    stored = (load(name) for name in EXPERIMENTS if stored_file(name).exists())
    return claims_markdown(ledger(row for run in stored for row in run.rows)).rstrip()
