"""Times by place: the cells of every experiment in one repetition, each a mapping from place to time.

The unit of a time is free (nanoseconds here, seconds in print), because only ratios within one experiment
are formed. P0089 prints Benchmark II as ratios: there, an access before the shuffle counts as 1. A figure
at the start of a place has the name that rows give it.

    density        (structure, size_log2, strategy)
    locality       (links, list length, shuffle factor, access factor, strategy)
    utilization    (buffer, T, A, S, strategy), exponents of two
    contention     (buffer, N, S, W, strategy), N and S exponents of two
    fragmentation  (upstream, structure, size_log2, freed, strategy)
    ratios         (structure, size_log2, freed, strategy) -> R, where a paper prints R only
    other_experiments  the description's key of a place, and the strategy; experiments in phases begin
                       with the figure: (figure, range, strategy)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mallard.bench.library import BASE as BASE

DensityPlace = tuple[str, int, str]
LocalityPlace = tuple[int, int, int, int, str]
BlocksPlace = tuple[str, int, int, int, str]
FragmentationPlace = tuple[str, str, int, str, str]
RatioPlace = tuple[str, int, str, str]
AnyPlace = tuple[str | int, ...]

SHUFFLED = 5
FRESH = "none"  # of fragmentation: an unperturbed heap


@dataclass(frozen=True)
class Evidence:
    density: dict[DensityPlace, float] = field(default_factory=dict)
    locality: dict[LocalityPlace, float] = field(default_factory=dict)
    utilization: dict[BlocksPlace, float] = field(default_factory=dict)
    contention: dict[BlocksPlace, float] = field(default_factory=dict)
    fragmentation: dict[FragmentationPlace, float] = field(default_factory=dict)
    ratios: dict[RatioPlace, float] = field(default_factory=dict)
    other_experiments: dict[str, dict[AnyPlace, float]] = field(default_factory=dict)  # by experiment

    def of(self, experiment: str) -> dict[AnyPlace, float]:
        """The cells of an experiment, by its name."""
        cells: dict[AnyPlace, float] | None = getattr(self, experiment, None)
        return self.other_experiments.setdefault(experiment, {}) if cells is None else cells

    @classmethod
    def only(cls, experiment: str, cells: dict[AnyPlace, float]) -> Evidence:
        evidence = cls()
        evidence.of(experiment).update(cells)
        return evidence

    def degradation(
        self, links: int, length: int, access_factor: int, strategy: str, shuffled: int = SHUFFLED
    ) -> float | None:
        """Access time after the shuffle divided by that before it."""
        shuffled_time = self.locality.get((links, length, shuffled, access_factor, strategy))
        unshuffled_time = self.locality.get((links, length, 0, access_factor, strategy))
        return shuffled_time / unshuffled_time if shuffled_time and unshuffled_time else None

    def ratio_of_ratios(
        self, structure: str, size: int, freed: str, strategy: str, upstream: str = "cache"
    ) -> float | None:
        """P0213's R, section 13: below 1 the strategy suffers less from a perturbed heap than new-delete."""
        printed = self.ratios.get((structure, size, freed, strategy))
        if printed is not None:
            return printed
        times = [
            self.fragmentation.get((upstream, structure, size, state, name))
            for state in (freed, FRESH)
            for name in (strategy, BASE)
        ]
        if not all(times):
            return None
        time, base_time, fresh_time, fresh_base_time = (time for time in times if time)
        return (time / base_time) / (fresh_time / fresh_base_time)
