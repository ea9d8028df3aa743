"""Figures of many cells at once: a strategy's time compared with its base, and the figures of single claims.

(evidence, subject of a rule) -> a figure for each cell, empty if a part of the subject was not measured
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from mallard.bench.evidence import Evidence
from mallard.bench.evidence.evidence import AnyPlace
from mallard.bench.experiments.fragmentation import FRAGMENTED
from mallard.bench.library import BASE
from mallard.bench.papers.catalogue import PAPER_PRODUCT_LOG2, Pair

Cells = list[float]
Times = Mapping[AnyPlace, float]
Comparison = Callable[[float, float], float]  # (time, time of its base) -> figure

NODES_MEGABYTES = 24.0  # allocplus: two million nodes of 12 bytes
NODE_RATIO = 2.0  # the size of a node here, 24 bytes, relative to its node of 32 bits
AVERAGED = "DS1-DS12"  # all structures together, as in P0213's Table 20
NO_BENEFIT = 1.05  # the least gain that counts as a benefit of a local allocator
SMALLEST_LINKS = 1 << 16  # a size this small must be measured: a benefit at it begins too early


@dataclass(frozen=True)
class Subject:
    """The cells and strategies of a rule. An empty tuple of structures or buffers selects all."""

    experiment: str
    pairs: tuple[Pair, ...]  # (base, strategy)
    accepts: Callable[[AnyPlace], bool]  # a place without its strategy
    structures: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()  # in order of preference

    @property
    def strategies(self) -> tuple[str, ...]:
        return tuple(strategy for _, strategy in self.pairs)

    def place_groups(self, times: Times) -> list[list[AnyPlace]]:
        """The places of each structure, or of the preferred buffer, or all."""
        places = [place for place in dict.fromkeys(place[:-1] for place in times) if self.accepts(place)]
        if self.structures:
            return [[place for place in places if place[0] == name] for name in self.structures]
        if self.buffers:
            measured = {place[0] for place in times}
            preferred = next((buffer for buffer in self.buffers if buffer in measured), None)
            return [[place for place in places if place[0] == preferred]]
        return [places]


Function = Callable[[Evidence, Subject], Cells]

COMPARISONS: dict[str, Comparison] = {
    "times_as_long": lambda time, base: time / base,
    "times_faster": lambda time, base: base / time,
    "times_faster_less_one": lambda time, base: base / time - 1.0,  # "x times faster" in Optimized C++
    "as_percent": lambda time, base: 100.0 * time / base,
    "percent_longer": lambda time, base: 100.0 * (time / base - 1.0),
    "percent_saved": lambda time, base: 100.0 * (1.0 - time / base),
    "percent_better": lambda time, base: 100.0 * (base / time - 1.0),  # P0089's improvement
    # Nanoseconds of an operation -> seconds of the papers' operations.
    "seconds_longer": lambda time, base: 1e-9 * (1 << PAPER_PRODUCT_LOG2) * (time - base),
    "seconds_of_2^20": lambda time, _: time * 1e-9 * (1 << 20),
    "seconds_of_2^15": lambda time, _: time * 1e-9 * (1 << 15),
    "amount": lambda amount, _: amount,
    "amount_in_proportion": lambda amount, _: amount / NODE_RATIO,
    "megabytes_of_nodes": lambda percent, _: NODES_MEGABYTES * (1.0 + percent / 100.0),
}


def compare(comparison: Comparison, evidence: Evidence, subject: Subject) -> Cells:
    """The comparison of each strategy with its base, in every place that has both."""
    times = evidence.of(subject.experiment)
    cells: Cells = []
    for places in subject.place_groups(times):
        for base, strategy in subject.pairs:
            figures = [
                comparison(time, base_time)
                for place in places
                if (time := times.get((*place, strategy))) is not None
                and (base_time := times.get((*place, base))) is not None
            ]
            if not figures:
                return []
            cells += figures
    return cells


# ---- density ------------------------------------------------------------------------------------------


def percent_longer_than_half(evidence: Evidence, subject: Subject) -> Cells:
    """The extra time of a leaf element over half as many elements, in percent."""
    cells: Cells = []
    for structure, size in dict.fromkeys(place[:2] for place in evidence.density):
        if not subject.accepts((structure, size)):
            continue
        for strategy in subject.strategies:
            smaller = evidence.density.get((structure, size - 1, strategy))
            larger = evidence.density.get((structure, size, strategy))
            if smaller is None or larger is None:
                return []
            cells.append(COMPARISONS["percent_longer"](larger, smaller))
    return cells


def times_faster_than_fastest(evidence: Evidence, subject: Subject) -> Cells:
    """The time of new-delete by that of the fastest strategy, at each size."""
    times = evidence.of(subject.experiment)
    return [
        base_time / min(fastest)
        for places in subject.place_groups(times)
        for place in places
        if (base_time := times.get((*place, BASE))) is not None
        and (fastest := [times[cell] for name in subject.strategies if (cell := (*place, name)) in times])
    ]


def percent_saved_further(evidence: Evidence, subject: Subject) -> Cells:
    """The saving of the last pair, less that of the first, row by row."""
    first, last = (
        compare(COMPARISONS["percent_saved"], evidence, replace(subject, pairs=(pair,)))
        for pair in subject.pairs
    )
    return [more - less for more, less in zip(last, first, strict=True)] if len(first) == len(last) else []


# ---- locality -----------------------------------------------------------------------------------------


def degradation(evidence: Evidence, subject: Subject) -> Cells:
    """Access after the shuffle / before it, where both were measured."""
    ratios = (
        evidence.degradation(links, length, factor, strategy)
        for links, length, shuffled, factor, strategy in evidence.locality
        if shuffled == 0
        and strategy in subject.strategies
        and subject.accepts((links, length, shuffled, factor))
    )
    return [ratio for ratio in ratios if ratio is not None]


def improvement(evidence: Evidence, subject: Subject) -> Cells:
    """The degradation with the global allocator / with a local one for each list."""
    ((base, local),) = subject.pairs
    cells: Cells = []
    for links, length, shuffled, factor, strategy in evidence.locality:
        if strategy != local or shuffled != 0 or not subject.accepts((links, length, shuffled, factor)):
            continue
        local_ratio = evidence.degradation(links, length, factor, local)
        base_ratio = evidence.degradation(links, length, factor, base)
        if local_ratio is not None and base_ratio is not None:
            cells.append(base_ratio / local_ratio)
    return cells


def least_links_with_benefit(evidence: Evidence, subject: Subject) -> Cells:
    """The smallest |G| measured at which the middle access after the shuffle is faster with a local
    allocator, as an exponent of two.

    The rows must have a |G| well below 2^18, for which the claim denies a benefit.
    """
    times = evidence.locality
    sizes = sorted({place[0] for place in times})
    if not sizes or sizes[0] > SMALLEST_LINKS:
        return []
    ((base, local),) = subject.pairs
    for size in sizes:
        speedups = sorted(
            time / local_time
            for (links, length, shuffled, factor, strategy), time in times.items()
            if (links, strategy) == (size, base)
            and subject.accepts((links, length, shuffled, factor))
            and (local_time := times.get((links, length, shuffled, factor, local)))
        )
        if speedups and speedups[len(speedups) // 2] >= NO_BENEFIT:
            return [float(size.bit_length() - 1)]
    return [float(sizes[-1].bit_length())]


# ---- fragmentation ------------------------------------------------------------------------------------


def as_percent_of_heap_chunks(evidence: Evidence, subject: Subject) -> Cells:
    """The time with chunks from the cache in percent of that with chunks from the heap."""
    times = evidence.fragmentation
    return [
        COMPARISONS["as_percent"](time, times["heap", structure, size, freed, strategy])
        for (upstream, structure, size, freed, strategy), time in times.items()
        if strategy in subject.strategies
        and subject.accepts((upstream, structure, size, freed))
        and ("heap", structure, size, freed, strategy) in times
    ]


def _ratios(evidence: Evidence, structure: str, shares: tuple[str, ...], subject: Subject) -> Cells:
    """R of the measured strategies, for these shares of the heap freed beforehand."""
    places = {place[1:3] for place in evidence.fragmentation} | {place[:2] for place in evidence.ratios}
    values = (
        evidence.ratio_of_ratios(structure, size, share, strategy)
        for name, size in sorted(places)
        if name == structure
        for share in shares
        for strategy in subject.strategies
    )
    return [ratio for ratio in values if ratio is not None]


def ratio_deviation(evidence: Evidence, subject: Subject) -> Cells:
    """R with everything freed beforehand, in percent from 1."""
    ratios = (_ratios(evidence, structure, ("all",), subject) for structure in subject.structures)
    return [100.0 * abs(ratio - 1.0) for cells in ratios for ratio in cells]


def ratio_saved(evidence: Evidence, subject: Subject) -> Cells:
    """1 - R in percent, all structures, every size, strategy and share that were measured."""
    averaged = any(place[0] == AVERAGED for place in evidence.ratios)
    by_structure = [
        _ratios(evidence, structure, FRAGMENTED, subject)
        for structure in ((AVERAGED,) if averaged else subject.structures)
    ]
    if not all(by_structure):
        return []
    return [COMPARISONS["percent_saved"](ratio, 1.0) for cells in by_structure for ratio in cells]


# ---- small documents ----------------------------------------------------------------------------------


def largest_faster_size(evidence: Evidence, subject: Subject) -> Cells:
    """The largest object that a strategy allocates faster than its base in some order; 0 without any."""
    times = evidence.of(subject.experiment)
    ((base, strategy),) = subject.pairs
    ratios = [
        (int(place[2]), time / base_time)
        for places in subject.place_groups(times)
        for place in places
        if (time := times.get((*place, strategy))) is not None and (base_time := times.get((*place, base)))
    ]
    return [float(max((size for size, ratio in ratios if ratio < 1.0), default=0))] if ratios else []


def calls(evidence: Evidence, subject: Subject) -> Cells:
    """The allocations and growths in place of a vector, one cell for each strategy."""
    times = evidence.of(subject.experiment)
    counted = ("allocations", "expansions_forward", "expansions_backward")
    places = {place[1:] for group in subject.place_groups(times) for place in group}
    cells = [
        sum(times.get((figure, *place, name), 0.0) for figure in counted)
        for name in subject.strategies
        for place in places
        if (counted[0], *place, name) in times
    ]
    return cells if len(cells) == len(subject.strategies) else []


FUNCTIONS: dict[str, Function] = {
    function.__name__: function
    for function in (
        percent_longer_than_half,
        times_faster_than_fastest,
        percent_saved_further,
        degradation,
        improvement,
        least_links_with_benefit,
        as_percent_of_heap_chunks,
        ratio_deviation,
        ratio_saved,
        largest_faster_size,
        calls,
    )
}
