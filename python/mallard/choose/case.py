"""What somebody says of a subsystem: the papers' dimensions, and what of an allocator it can do with.

D density, V variation, L locality, U utilization, C contention (P0089 section 5), F fragmentability (P0213
section 4). What is not said has a default, and the default of density and variation follows from the
structure.
"""

from __future__ import annotations

from dataclasses import dataclass

from mallard.choose.structure import Match, nearest_structure

HIGH, LOW = "high", "low"
YES, NO = "yes", "no"
SCOPE, PROGRAM = "scope", "program"
SELF, OTHER = "self", "other"
TYPE, BASE_CLASS, ANY = "type", "base", "any"
BUFFERS = (ANY, "warm", "cold", "none")

# Monotonic memory is the most that is in use divided by the utilization: from here on at most twice as much.
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
        """Whether memory that is given back only at the end is memory enough."""
        return self.utilization >= ENOUGH_UTILIZATION

    @property
    def can_scatter(self) -> bool:
        return self.locality == LOW and not self.structure.one_block


# Where no structure is named: (density, variation) -> the one of the twelve that shows it best.
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
    """A case with the defaults that follow from what was said; the other dimensions have fixed ones."""
    asked = _SHOWN_BY[density or HIGH, variation or HIGH] if structure is None else structure
    match = nearest_structure(asked, variation == HIGH)
    return Case(
        match,
        density=density or (LOW if match.one_block else HIGH),
        variation=variation or (HIGH if match.sizes_vary else LOW),
        utilization=(1.0 if lifetime == SCOPE else 0.0) if utilization is None else utilization,
        lifetime=lifetime,
    )
