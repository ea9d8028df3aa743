"""The requests of a scope that a strategy left to the global allocator, with the reasons."""

from __future__ import annotations

from collections.abc import Sequence

from mallard.advisor.profile.words import count
from mallard.advisor.trial.report import Counts
from mallard.shared.errors import UsageError
from mallard.shared.prose import in_prose


def unserved_reasons(counts: Counts) -> str:
    """`900 too large and 100 aligned`; empty if all requests were served."""
    reasons = (
        (counts.too_large, "that are too large"),
        (counts.aligned, "with an explicit alignment"),
        (counts.no_room, "for which there was no room"),
    )
    phrases = [f"{count(requests)} {reason}" for requests, reason in reasons if requests]
    return in_prose(phrases) if phrases else ""


def refuse_unserved(tried: Sequence[Counts], scope: str) -> None:
    """`tried` has the counts of each strategy that ran."""
    if not tried or any(counts.served for counts in tried):
        return
    reasons = next((text for counts in tried if (text := unserved_reasons(counts))), "")
    raise UsageError(
        f"no block of {scope} could be served{f': {reasons}' if reasons else ''}; try another scope"
    )
