"""A case: the user's answers about a subsystem, in the papers' dimensions, and the allocators that it can
use.

D density, V variation, L locality, U utilization, C contention (P0089 section 5), F fragmentability (P0213
section 4). Each dimension has a default. Those of density and variation follow from the structure.
"""

from __future__ import annotations

from dataclasses import dataclass

from mallard.choose.structure import Match, nearest_structure

HIGH, LOW = "high", "low"
YES, NO = "yes", "no"
SCOPE, PROGRAM = "scope", "program"
SELF, OTHER = "self", "other"
TYPE, BASE_CLASS, INLINE, ANY = "type", "base", "inline", "any"
BUFFERS = (ANY, "warm", "cold", "none")

# Memory that only grows is the peak in use divided by the utilization: with 0.5 or more, at most twice the
# peak.
ENOUGH_UTILIZATION = 0.5


@dataclass(frozen=True)
class Case:
    structure: Match
    density: str = HIGH
    variation: str = HIGH
    locality: str = HIGH
    utilization: float = 1.0
    lifetime: str = SCOPE
    threads: int = 1
    freed_by: str = SELF
    fragmented: str = NO
    binding: str = ANY
    wink_out: str = NO
    buffer: str = ANY
    elements_log2: float = 10.0
    access_factor: int = 1

    @property
    def only_grows_bearably(self) -> bool:
        """True if the program can bear memory that is given back at the end only."""
        return self.utilization >= ENOUGH_UTILIZATION

    @property
    def can_scatter(self) -> bool:
        return self.locality == LOW and not self.structure.one_block


# (density, variation) -> the measured structure that shows it best. For a case without a structure.
_SHOWN_BY = {
    (HIGH, HIGH): "unordered_set<string>",
    (HIGH, LOW): "unordered_set<int>",
    (LOW, HIGH): "vector<vector<int>>",
    (LOW, LOW): "vector<int>",
}


def case_of(
    structure: str | None = None,
    density: str = "",
    variation: str = "",
    lifetime: str = SCOPE,
    utilization: float | None = None,
) -> Case:
    """A case with the defaults that follow from the answers. The other dimensions have fixed defaults."""
    asked = _SHOWN_BY[density or HIGH, variation or HIGH] if structure is None else structure
    match = nearest_structure(asked, variation == HIGH)
    return Case(
        match,
        density=density or (LOW if match.one_block else HIGH),
        variation=variation or (HIGH if match.sizes_vary else LOW),
        utilization=(1.0 if lifetime == SCOPE else 0.0) if utilization is None else utilization,
        lifetime=lifetime,
    )
