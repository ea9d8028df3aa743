"""Compares counterparts: a strategy of mallard's and one of another library for the same use.

    rows -> counterparts -> Counterpart, one for each pair that was measured
         -> nearest -> the fastest counterpart of each of mallard's strategies

Neither side is chosen after the fact. A pair's figure is the geometric mean over experiments of the geometric
means over their cells, so that an experiment with many cells has no more weight than one with few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log

from mallard.bench.analysis.peers.comparison import Duel, Side, Standing, newest_duels, standings
from mallard.bench.analysis.peers.contests import TIME, Contest, contests
from mallard.bench.library import BASE
from mallard.bench.result import Row
from mallard.shared.mallocs import MALLOC_MARK

MALLOCS = f"{BASE}{MALLOC_MARK}"  # every malloc that was measured, the C library's too
# Allocators for the same use: blocks released together, of one size, of any size, merged, for all threads, in
# place.
PAIRS: dict[str, tuple[str, ...]] = {
    "monotonic": ("foonathan-stack", "foonathan-temporary"),
    "monotonic/base": ("pmr-monotonic", "boost-pmr-monotonic"),
    "monotonic/wink": ("foonathan-stack/wink", "foonathan-temporary/wink"),
    "monotonic/base/wink": ("pmr-monotonic/wink", "boost-pmr-monotonic/wink"),
    "multipool": ("foonathan-collection", "mimalloc-heap", MALLOCS),
    "multipool/base": ("pmr-unsynchronized", "pmr-unsynchronized-large", "boost-pmr-unsynchronized", MALLOCS),
    "multipool/wink": ("mimalloc-heap/wink",),
    "multipool/base/wink": ("pmr-unsynchronized/wink", "boost-pmr-unsynchronized/wink"),
    "multipool+monotonic/base": ("pmr-unsynchronized+monotonic", "boost-pmr-unsynchronized+monotonic"),
    "multipool+monotonic/base/wink": (
        *("pmr-unsynchronized+monotonic/wink", "boost-pmr-unsynchronized+monotonic/wink"),
    ),
    "fixed-pool": ("boost-pool", "foonathan-node", MALLOCS),
    "static-pool": ("boost-fast-pool", "boost-node", MALLOCS),
    "small-object-pool": ("loki", "foonathan-small", MALLOCS),
    "adaptive-pool": ("boost-adaptive-pool", MALLOCS),
    "adaptive-pool-burst": ("boost-adaptive-pool-burst",),
    "heap": ("boost-allocator", "boost-interprocess", MALLOCS),
    "heap-burst": ("boost-allocator-burst",),
    "heap-v2": ("boost-allocator-v2", "realloc"),
    "region-heap": ("boost-interprocess",),
    "region-heap-v2": ("boost-interprocess-v2",),
    "concurrent-multipool": ("pmr-synchronized", MALLOCS),
}
# The strategies of these that a program uses first.
PLAIN = (
    *("monotonic", "monotonic/base", "multipool", "multipool/base", "fixed-pool", "small-object-pool"),
    *("adaptive-pool", "heap", "concurrent-multipool"),
)


@dataclass(frozen=True)
class Counterpart:
    ours: str
    theirs: str
    standings: tuple[Standing, ...]  # one for each experiment

    @cached_property
    def counts(self) -> Counter[str]:
        """The cells by verdict on mallard."""
        return sum((standing.counts for standing in self.standings), Counter[str]())

    @cached_property
    def ratio(self) -> float | None:
        """mallard's time / the other's; None if no cell has both."""
        logs = [log(standing.mean.median) for standing in self.standings if standing.mean]
        return exp(sum(logs) / len(logs)) if logs else None

    @property
    def worst(self) -> Standing | None:
        """The experiment in which mallard's strategy is slowest relative to the other."""
        measured = [standing for standing in self.standings if standing.mean]
        return max(
            measured, key=lambda standing: standing.mean.median if standing.mean else 0.0, default=None
        )


def counterparts(rows: Iterable[Row]) -> list[Counterpart]:
    """The pairs that were measured, in the order of PAIRS, the fastest counterpart first."""
    all_duels = (duel for contest in contests(rows) for duel in _make_duels(contest))
    newest = newest_duels(all_duels, by_strategy=True)
    by_pair: dict[tuple[str, str], list[Duel]] = {}
    for duel in newest:
        by_pair.setdefault((duel.ours.strategy, duel.theirs.strategy), []).append(duel)
    pairs = [Counterpart(*pair, tuple(standings(group))) for pair, group in by_pair.items()]
    order = list(PAIRS)
    return sorted(pairs, key=lambda pair: (order.index(pair.ours), -(pair.ratio or 0.0)))


def nearest(pairs: Sequence[Counterpart]) -> list[Counterpart]:
    """The fastest counterpart of each of mallard's strategies."""
    return list({pair.ours: pair for pair in reversed(pairs)}.values())[::-1]


def _make_duels(contest: Contest) -> Iterable[Duel]:
    if contest.quantity != TIME:
        return
    present = {*contest.times, *contest.unfinished}
    for own, names in PAIRS.items():
        for theirs in sorted(_present_counterparts(names, present)) if own in present else ():
            sides = _side(contest, own), _side(contest, theirs)
            if any(side.times for side in sides):
                yield Duel(contest.run, contest.experiment, TIME, contest.cell, theirs, *sides)


def _present_counterparts(names: Iterable[str], present: Iterable[str]) -> set[str]:
    return {
        name
        for name in present
        if name in names or (MALLOCS in names and (name == BASE or name.startswith(MALLOCS)))
    }


def _side(contest: Contest, name: str) -> Side:
    return Side(name, contest.times.get(name, {}), contest.unfinished.get(name, ""))
