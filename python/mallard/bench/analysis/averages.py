"""Means over all cells, with intervals over the repetitions.

Three of P0213's figures (section 9, "Analysis") are means of this kind, and are computed here as the paper
does:
- Table 8: for each strategy the mean over rows of its time in percent of new-delete's time in the same row;
- the cost of virtual dispatch: the mean over rows and pairs of (abstract base / type parameter) - 1,
  where new-delete and new-delete/base are one of the seven pairs;
- the gain of winking out: the mean over rows and pairs of 1 - (winked out / normal destruction), six pairs.
Every row has one weight, whatever its size and time. Two compilers are compared in this way too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from mallard.bench.analysis.cell_tables import CellTable
from mallard.bench.analysis.names import BASE, in_table_order
from mallard.bench.analysis.ranking import collect_pairings
from mallard.bench.cells import CellRow, Times, cell_rows, mean_over, paired
from mallard.bench.library import WALK
from mallard.bench.papers.catalogue import DISPATCH_PAIRS, WINK_OUT_PAIRS, Pair
from mallard.bench.result import Row, canonical
from mallard.shared.stats import Difference, Ratio, paired_ratio

# A compiler that sees that deallocation does nothing deletes the walk of the destructors; `monotonic-walk`
# keeps it.
DISPATCH_PARTS: dict[str, Pair] = {
    "the walk of the destructors, which a compiler deletes otherwise": ("monotonic", WALK),
    "the call, and code that the compiler cannot see through": (WALK, "monotonic/base"),
}
WINK_OUT_PARTS: dict[str, Pair] = {
    "against destructors whose walk is kept": (WALK, "monotonic/wink"),
}


@dataclass(frozen=True)
class Effect:
    """The effect of a change on the time, in percent: over all pairs, over local allocators, and pair by
    pair. A few cells with a large effect move the mean of the cells, but not their median.
    """

    overall: Difference | None
    middle: float | None  # the median over all cells of all pairs
    local_only: Difference | None
    pairs: dict[Pair, Difference]
    parts: dict[str, Difference]  # of the effect on `monotonic`, by their names


def mean_over_rows(tables: Iterable[CellTable], strategy: str, base: str = BASE) -> Ratio | None:
    """One column of P0213's Table 8, as a ratio; None if no row has both."""
    return mean_over_pairs(tables, [(base, strategy)])


def mean_over_pairs(tables: Iterable[CellTable], pairs: Sequence[Pair]) -> Ratio | None:
    all_tables = list(tables)
    return mean_over(
        pairing for base, strategy in pairs for pairing in collect_pairings(all_tables, strategy, base)
    )


def cost_of_dispatch(tables: Sequence[CellTable]) -> Effect:
    """The extra time of the abstract base over the type parameter."""
    return _effect(tables, DISPATCH_PAIRS, DISPATCH_PARTS, sign=1.0)


def gain_of_winking_out(tables: Sequence[CellTable]) -> Effect:
    """The share of normal destruction's time that winking out saves."""
    return _effect(tables, WINK_OUT_PAIRS, WINK_OUT_PARTS, sign=-1.0)


def _effect(
    tables: Sequence[CellTable], pairs: Sequence[Pair], parts: Mapping[str, Pair], sign: float
) -> Effect:
    local = [pair for pair in pairs if BASE not in pair]
    changes = {pair: change for pair in pairs if (change := _change(tables, [pair], sign)) is not None}
    return Effect(
        _change(tables, pairs, sign),
        _middle(tables, pairs, sign),
        _change(tables, local, sign),
        changes,
        {name: change for name, pair in parts.items() if (change := _change(tables, [pair], sign))},
    )


def _middle(tables: Sequence[CellTable], pairs: Sequence[Pair], sign: float) -> float | None:
    ratios = [
        paired_ratio(*pairing).median
        for base, strategy in pairs
        for pairing in collect_pairings(tables, strategy, base)
    ]
    return sign * 100.0 * (median(ratios) - 1.0) if ratios else None


def _change(tables: Sequence[CellTable], pairs: Sequence[Pair], sign: float) -> Difference | None:
    mean = mean_over_pairs(tables, pairs)
    if mean is None:
        return None
    value, first, second = (sign * 100.0 * (ratio - 1.0) for ratio in (mean.median, mean.low, mean.high))
    return Difference(value, min(first, second), max(first, second), mean.n)


PARAMETER = "compiler"
FIRST = "g++"

_Cell = tuple[str, str, str]  # experiment, parameters without the compiler, strategy


@dataclass(frozen=True)
class CompilerEffect:
    compiler: str
    base: str
    means: dict[str, Ratio]  # strategy -> time with the compiler / with the base


def compiler_effects(rows: Iterable[Row]) -> list[CompilerEffect]:
    """One for each compiler but the first; none if the rows come from one compiler."""
    times: dict[str, dict[_Cell, Times]] = {}
    for row in cell_rows(rows):
        if PARAMETER in row.parameters:
            cells = times.setdefault(str(row.parameters[PARAMETER]), {})
            cells |= {_place(row, name): cell.times for name, cell in row.cells.items()}
    names = sorted(times, key=lambda name: (name != FIRST, name))
    return [CompilerEffect(name, names[0], _means(times[name], times[names[0]])) for name in names[1:]]


def _means(times: dict[_Cell, Times], base: dict[_Cell, Times]) -> dict[str, Ratio]:
    means = {
        name: mean_over(paired(times[cell], base.get(cell, {})) for cell in times if cell[2] == name)
        for name in in_table_order({cell[2] for cell in times})
    }
    return {name: mean for name, mean in means.items() if mean}


def _place(row: CellRow, strategy: str) -> _Cell:
    parameters = {name: value for name, value in row.parameters.items() if name != PARAMETER}
    return row.experiment, canonical(parameters), strategy
