"""The building blocks of rules: figures of many cells at once.

Each function returns one figure per cell, in the order of structures, sizes and strategies. If a whole
structure or strategy is missing, it returns nothing: one of twelve structures does not decide a claim about
all. Sizes that were not measured are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mallard.bench.evidence import Evidence
from mallard.bench.library import BASE as BASE
from mallard.bench.papers.catalogue import (
    DISPATCH_PAIRS,
    PAPER_PRODUCT_LOG2,
    SIZES_LOG2,
    WINK_OUT_PAIRS,
    Pair,
)
from mallard.bench.strategy_names import of_papers

MONOTONIC = of_papers(3, 6)
MULTIPOOL = of_papers(7, 10)
COMBINED = of_papers(11, 14)
LOCAL = (*MONOTONIC, *MULTIPOOL, *COMBINED)
GLOBAL = ("new-delete", "new-delete/base")
ALL = (*GLOBAL, *LOCAL)
EVERY_STRUCTURE = tuple(f"DS{number}" for number in range(1, 13))

GLOBAL_DISPATCH = DISPATCH_PAIRS[:1]
LOCAL_DISPATCH = DISPATCH_PAIRS[1:]
MONOTONIC_DISPATCH = tuple(pair for pair in DISPATCH_PAIRS if pair[0] in MONOTONIC)
SECONDS = 1e-9 * (1 << PAPER_PRODUCT_LOG2)  # nanoseconds per leaf element -> the papers' seconds

Change = Callable[[float, float], float]  # (time, time of its base) -> figure


def times_as_long(time: float, base: float) -> float:
    return time / base


def as_percent(time: float, base: float) -> float:
    return 100.0 * time / base


def times_faster(time: float, base: float) -> float:
    return base / time


def percent_longer(time: float, base: float) -> float:
    return 100.0 * (time / base - 1.0)


def percent_saved(time: float, base: float) -> float:
    return 100.0 * (1.0 - time / base)


def percent_better(time: float, base: float) -> float:
    """P0089's improvement: the base's extra time in percent of the strategy's."""
    return 100.0 * (base / time - 1.0)


def over_pairs(
    evidence: Evidence,
    structures: Iterable[str],
    pairs: Sequence[Pair],
    change: Change,
    sizes: Sequence[int] = SIZES_LOG2,
) -> list[float]:
    """The change of every (base, strategy) in every row of density that has both."""
    cells: list[float] = []
    for structure in structures:
        for base, strategy in pairs:
            changes = [
                change(time, base_time)
                for size in sizes
                if (time := evidence.density.get((structure, size, strategy))) is not None
                and (base_time := evidence.density.get((structure, size, base))) is not None
            ]
            if not changes:
                return []
            cells += changes
    return cells


def against_base(
    evidence: Evidence,
    structures: Iterable[str],
    strategies: Iterable[str],
    change: Change,
    sizes: Sequence[int] = SIZES_LOG2,
) -> list[float]:
    return over_pairs(evidence, structures, [(BASE, name) for name in strategies], change, sizes)


def overheads(
    evidence: Evidence,
    structures: Iterable[str],
    pairs: Sequence[Pair] = DISPATCH_PAIRS,
    sizes: Sequence[int] = SIZES_LOG2,
) -> list[float]:
    """The extra time of the abstract base over the type parameter, in percent."""
    return over_pairs(evidence, structures, pairs, percent_longer, sizes)


def reductions(
    evidence: Evidence,
    structures: Iterable[str],
    pairs: Sequence[Pair] = WINK_OUT_PAIRS,
    sizes: Sequence[int] = SIZES_LOG2,
) -> list[float]:
    """The share of normal destruction's time that winking out saves, in percent."""
    return over_pairs(evidence, structures, pairs, percent_saved, sizes)


def jumps(evidence: Evidence, structure: str, strategies: Iterable[str], size: int) -> list[float]:
    """The extra time of a leaf element at 2^`size` over half that size, in percent."""
    cells = []
    for strategy in strategies:
        smaller, larger = (evidence.density.get((structure, log2, strategy)) for log2 in (size - 1, size))
        if smaller is None or larger is None:
            return []
        cells.append(percent_longer(larger, smaller))
    return cells


def wink_out_pairs(*families: Sequence[str]) -> tuple[Pair, ...]:
    names = {name for family in families for name in family}
    return tuple(pair for pair in WINK_OUT_PAIRS if pair[0] in names)


def in_blocks(
    times: dict[tuple[str, int, int, int, str], float],
    strategies: Iterable[str],
    change: Change,
    matches: Callable[[tuple[int, int, int]], bool] = lambda place: True,
    buffers: Sequence[str] = (),
) -> list[float]:
    """Compares each strategy with new-delete, in every row of utilization or contention that has both.

    `buffers` is in order of preference. Only the first measured one counts.
    """
    measured = [buffer for buffer in buffers if any(place[0] == buffer for place in times)]
    chosen = {measured[0]} if measured else {place[0] for place in times} if not buffers else set()
    cells: list[float] = []
    for strategy in strategies:
        changes = [
            change(time, base)
            for (buffer, first, second, third, name), time in times.items()
            if name == strategy
            and buffer in chosen
            and matches((first, second, third))
            and (base := times.get((buffer, first, second, third, BASE))) is not None
        ]
        if not changes:
            return []
        cells += changes
    return cells
