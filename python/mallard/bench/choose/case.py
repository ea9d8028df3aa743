"""A case: the user's answers about a subsystem, in the papers' dimensions, and the strategies that can serve.

D density, V variation, L locality, U utilization, C contention (P0089 section 5), F fragmentability (P0213
section 4). Each dimension has a default. The defaults of density and variation follow from the structure.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from mallard.bench.analysis.labels import binding
from mallard.bench.analysis.names import BASE, plain
from mallard.bench.choose.structure import Match, nearest_structure
from mallard.bench.footprint import MONOTONIC
from mallard.bench.library import SHARED
from mallard.bench.papers.catalogue import selectable_strategies
from mallard.bench.strategy_names import GLOBAL_STRATEGIES, WINK_MARK, is_winked

HIGH, LOW = 1.0, 0.0  # the ends of a dimension's scale
YES, NO = "yes", "no"
SCOPE, PROGRAM = "scope", "program"
OWN_THREAD, OTHER_THREAD = "self", "other"
TYPE, BASE_CLASS, INLINE, ANY = "type", "base", "inline", "any"
BUFFERS = (ANY, "warm", "cold", "none")

# Where memory stays together, an allocator saves no more than allocation takes: less than this is even.
MUCH_DENSITY = 0.05
# Two sizes of blocks, equally frequent: V is 1 - 2^-entropy of the size classes (mallard profile).
MUCH_VARIATION = 0.5
# A nanosecond in a visit for each byte of the footprint: L is x / (1 + x) of it (mallard profile).
MUCH_LOCALITY = 0.5
# Memory that only grows is the peak in use divided by the utilization: at 0.5 or more, at most twice
# the peak.
ENOUGH_UTILIZATION = 0.5


@dataclass(frozen=True)
class Case:
    structure: Match
    density: float = HIGH
    variation: float = HIGH
    locality: float = HIGH
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
    def allocates_much(self) -> bool:
        return self.density >= MUCH_DENSITY

    @property
    def sizes_vary(self) -> bool:
        return self.variation >= MUCH_VARIATION

    @property
    def can_scatter(self) -> bool:
        return self.locality < MUCH_LOCALITY and not self.structure.one_block


# (much density, much variation) -> the measured structure that represents it, for a case without a structure.
_REPRESENTATIVES = {
    (True, True): "unordered_set<string>",
    (True, False): "unordered_set<int>",
    (False, True): "vector<vector<int>>",
    (False, False): "vector<int>",
}


def make_case(
    structure: str | None = None,
    density: float | None = None,
    variation: float | None = None,
    lifetime: str = SCOPE,
    utilization: float | None = None,
) -> Case:
    """A case with the defaults that follow from the answers. The other dimensions have fixed defaults."""
    much_density = density is None or density >= MUCH_DENSITY
    much_variation = variation is None or variation >= MUCH_VARIATION
    name = _REPRESENTATIVES[much_density, much_variation] if structure is None else structure
    match = nearest_structure(name, variation is not None and much_variation)
    return Case(
        match,
        density=(LOW if match.one_block else HIGH) if density is None else density,
        variation=(HIGH if match.sizes_vary else LOW) if variation is None else variation,
        utilization=(1.0 if lifetime == SCOPE else 0.0) if utilization is None else utilization,
        lifetime=lifetime,
    )


def global_strategy(case: Case) -> str:
    """The global allocator for the case: new-delete/base behind the abstract base."""
    type_bound, base_bound = GLOBAL_STRATEGIES
    return base_bound if case.binding == BASE_CLASS else type_bound


def can_serve(case: Case, name: str) -> bool:
    """True if the strategy is a local allocator of a kind that the case can use."""
    if name in GLOBAL_STRATEGIES:
        return False
    if name in SHARED:
        return case.binding in (ANY, TYPE)
    bound = binding(plain(name))
    return (
        bool(bound) and case.binding in (ANY, bound) and (case.wink_out == YES or not is_winked(plain(name)))
    )


def counterpart(name: str) -> str:
    """The strategy of the same allocator and binding with normal destruction, which all experiments have."""
    return plain(name).removesuffix(WINK_MARK)


def to_measure(case: Case, excluded: Container[str], long_lived: bool) -> list[str]:
    """The strategies that a complete answer compares. A long-lived case excludes monotonic strategies, which
    never give memory back, and never ends, so winking out does not apply.
    """
    return [
        name
        for name, strategy in selectable_strategies().items()
        if name == BASE or (can_serve(case, name) and counterpart(name) not in excluded)
        if not long_lived or (strategy.allocator != MONOTONIC and not is_winked(name))
    ]
