"""A case: the user's answers about a subsystem, in the papers' dimensions, and the eligible allocators.

D density, V variation, L locality, U utilization, C contention (P0089 section 5), F fragmentability (P0213
section 4). Each dimension has a default. The defaults of density and variation follow from the structure.
"""

from __future__ import annotations

from dataclasses import dataclass

from mallard.bench.choose.structure import Match, nearest_structure

HIGH, LOW = "high", "low"
YES, NO = "yes", "no"
SCOPE, PROGRAM = "scope", "program"
OWN_THREAD, OTHER_THREAD = "self", "other"
TYPE, BASE_CLASS, INLINE, ANY = "type", "base", "inline", "any"
BUFFERS = (ANY, "warm", "cold", "none")

# Memory that only grows is the peak in use divided by the utilization: at 0.5 or more, at most twice
# the peak.
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
    freed_by: str = OWN_THREAD
    fragmented: str = NO
    binding: str = ANY
    wink_out: str = NO
    buffer: str = ANY
    elements_log2: float = 10.0
    access_factor: int = 1

    @property
    def tolerates_growth(self) -> bool:
        """True if the program tolerates memory that is only freed at the end."""
        return self.utilization >= ENOUGH_UTILIZATION

    @property
    def can_scatter(self) -> bool:
        return self.locality == LOW and not self.structure.one_block


# (density, variation) -> the measured structure that represents it, for a case without a structure.
_REPRESENTATIVES = {
    (HIGH, HIGH): "unordered_set<string>",
    (HIGH, LOW): "unordered_set<int>",
    (LOW, HIGH): "vector<vector<int>>",
    (LOW, LOW): "vector<int>",
}


def make_case(
    structure: str | None = None,
    density: str = "",
    variation: str = "",
    lifetime: str = SCOPE,
    utilization: float | None = None,
) -> Case:
    """A case with the defaults that follow from the answers. The other dimensions have fixed defaults."""
    name = _REPRESENTATIVES[density or HIGH, variation or HIGH] if structure is None else structure
    match = nearest_structure(name, variation == HIGH)
    return Case(
        match,
        density=density or (LOW if match.one_block else HIGH),
        variation=variation or (HIGH if match.sizes_vary else LOW),
        utilization=(1.0 if lifetime == SCOPE else 0.0) if utilization is None else utilization,
        lifetime=lifetime,
    )
