"""The documents' comparison with other libraries, from every experiment's stored rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from figures.claims import runs, runs_text
from mallard.analysis.contests import TIME
from mallard.analysis.peers import Duel, duels, has_contenders
from mallard.view.peers_markdown import losses_markdown, summary_markdown

NOTHING = "Not measured yet."
LEAST_LOSS = 1.02  # as a ratio


def blocks() -> dict[str, Callable[[], str]]:
    return {
        "peers": times,
        "peers_losses": losses,
        "peers_conditions": conditions,
    }


@cache
def found() -> list[Duel]:
    rows = [row for stored in runs() for row in stored.rows]
    return duels(rows) if has_contenders(rows) else []


def times() -> str:
    """Without the phases and the memory of an experiment, which `mallard peers` adds."""
    return summary_markdown(duel for duel in found() if duel.quantity == TIME) if found() else NOTHING


def losses() -> str:
    """Those of two percent or more."""
    told = [duel for duel in found() if duel.ratio is None or not 1 < duel.ratio.median < LEAST_LOSS]
    return losses_markdown(told) if told else NOTHING


def conditions() -> str:
    return runs_text("Compared in", {duel.run for duel in found()}) if found() else NOTHING
