"""The requests of a scope that a strategy left to the global allocator, and the reasons."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.errors import UsageError
from mallard.profile.words import count
from mallard.selection import in_prose
from mallard.trial.report import Counts


def reasons_of(counts: Counts) -> str:
    """`900 too large and 100 aligned`; empty if all were served."""
    every = (
        (counts.too_large, "that are too large"),
        (counts.aligned, "with an alignment of their own"),
        (counts.no_room, "for which there was no room"),
    )
    told = [f"{count(number)} {reason}" for number, reason in every if number]
    return in_prose(told) if told else ""


def refuse_unserved(every: Sequence[Counts], scope: str) -> None:
    """`every` has the counts of each strategy that was tried."""
    if not every or any(counts.served for counts in every):
        return
    reasons = next((found for counts in every if (found := reasons_of(counts))), "")
    raise UsageError(
        f"no block of {scope} could be served{f': {reasons}' if reasons else ''}; try another scope"
    )
