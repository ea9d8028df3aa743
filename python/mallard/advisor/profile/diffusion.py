"""Scopes whose live blocks are scattered: the rows of a table, from a profile.

A scope's blocks are diffused if they lie on clearly more pages than their bytes fill. That costs nothing
while they stay in the caches of a processor, so that small scopes have no row.
"""

from __future__ import annotations

from dataclasses import dataclass

from mallard.advisor.profile.document import Profile
from mallard.advisor.profile.records import Diffusion, PageFigures, Scope
from mallard.shared.report.figures import count, share, size

LEAST_PAGES = 16  # of 4 KiB
LEAST_TIMES = 1.5


@dataclass(frozen=True)
class DiffusedScope:
    scope: Scope
    peak: PageFigures
    first_times: float | None  # pages over those needed, when the scope had that many pages first
    last_times: float | None


def diffused_scopes(profile: Profile) -> list[DiffusedScope]:
    """Most superfluous pages first. Of scopes with the same blocks, the one that allocates least."""
    by_blocks: dict[tuple[int, int, int], DiffusedScope] = {}
    for scope in profile.scopes:
        if scope.diffusion is None or not is_diffused(scope.diffusion.peak):
            continue
        peak = scope.diffusion.peak
        key = (peak.live_bytes, peak.pages, peak.pages_shared)
        known = by_blocks.get(key)
        if known is None or scope.figures.allocations < known.scope.figures.allocations:
            by_blocks[key] = DiffusedScope(scope, peak, *_ends(scope.diffusion))
    return sorted(by_blocks.values(), key=lambda row: row.peak.pages_needed - row.peak.pages)


def describe(figures: PageFigures) -> str:
    """`4,000 hold 7.8 MiB, which would fill 2,000; 40 % of them also hold blocks of others`"""
    filled = f"{size(figures.live_bytes)}, which would fill {count(figures.pages_needed)}"
    shared = f"{share(figures.shared_share)} of them also hold blocks of others"
    return f"{count(figures.pages)} hold {filled}; {shared}"


def is_diffused(figures: PageFigures) -> bool:
    return figures.pages >= LEAST_PAGES and figures.times >= LEAST_TIMES


def _ends(diffusion: Diffusion) -> tuple[float | None, float | None]:
    times = [figures.times for figures in diffusion.over_time if figures.pages >= LEAST_PAGES]
    return (times[0], times[-1]) if times else (None, None)
