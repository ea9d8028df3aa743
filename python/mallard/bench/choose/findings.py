"""What the rows show for each question of the walk: the figure next to the answer, and the exclusions.

There is one rule of exclusion. A strategy that a question's rows show to be slower than the global
allocator, beyond the interval, is not recommended, whatever the deciding rows show. Monotonic strategies are
excluded if memory must be reused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.words import in_a_list, percent_text, times_text
from mallard.bench.cells import times_ratio
from mallard.bench.choose import deciding
from mallard.bench.choose.case import NO, Case, counterpart, to_measure
from mallard.bench.choose.deciding import CellReference, DecidingRows, Evidence, Place
from mallard.bench.footprint import MONOTONIC, readable
from mallard.bench.library import SHARED
from mallard.bench.papers.catalogue import (
    DISPATCH_PAIRS,
    INLINE_PAIRS,
    INLINE_WINK_OUT_PAIRS,
    WINK_OUT_PAIRS,
    Pair,
    selectable_strategies,
)
from mallard.bench.strategy_names import GLOBAL_STRATEGIES
from mallard.shared.stats import Ratio

NOT_MEASURED = "not measured"
POOL, GROWING = "multipool", "monotonic"  # represent pools and monotonic allocators


@dataclass(frozen=True)
class Context:
    case: Case
    evidence: Evidence
    decisive: DecidingRows  # the rows of the case's leaf
    excluded: frozenset[str]  # by earlier questions


@dataclass(frozen=True)
class Finding:
    figure: str = ""
    cells: tuple[CellReference, ...] = ()
    excluded: dict[str, str] = field(default_factory=dict)  # strategy -> reason
    missing: str = ""  # the command that measures the missing rows


def format_percent(ratio: Ratio | None, base: str = "new-delete's time") -> str:
    return f"{percent_text(ratio)} of {base}" if ratio else NOT_MEASURED


def threads(context: Context) -> Finding:
    if context.case.threads == 1:
        return Finding("nothing to share")
    return Finding(f"{context.case.threads} threads")


def freed_by(context: Context) -> Finding:
    contention = deciding.contention(context.case, context.evidence, context.case.freed_by)
    place = contention.place
    if place is None:
        return Finding(missing=contention.command)
    shown = [name for name in place.strategies if name == POOL or name in SHARED]
    parts = [f"{_role(name)} {format_percent(place.ratio(name), 'it')}" for name in shown]
    return Finding(
        f"relative to new-delete with {place.parameters['threads']} threads: {', '.join(parts)}",
        _cells(place, [BASE, *shown]),
        slower_strategies(place, "with several threads"),
    )


def locality(context: Context) -> Finding:
    if not context.case.can_scatter:
        reason = "one block cannot be scattered" if context.case.structure.one_block else "as specified"
        return Finding(reason)
    place = context.decisive.place
    if place is None:
        return Finding(missing=context.decisive.command)
    unshuffled = deciding.unshuffled(place, context.case)
    worse = {
        name: times_ratio(place.times(name, context.decisive.figure), place.times(name, unshuffled))
        for name in (BASE, POOL)
    }
    parts = [f"{name} {times_text(ratio)}" for name, ratio in worse.items() if ratio]
    length = place.parameters["list_length"]
    text = f"after the shuffle an access takes {in_a_list(parts)} as long (lists of {length})"
    return Finding(text if parts else "", _cells(place, worse))


def density(context: Context) -> Finding:
    rows = deciding.density(context.case, context.evidence)
    if rows.place is None:
        return Finding(missing=rows.command)
    parameters = rows.place.parameters
    leaves = 1 << (int(parameters["size_log2"]) + int(parameters.get("inner_log2", 0)))
    counts = [row.allocations for row in rows.place.cells[BASE].rows if row.allocations]
    text = f"allocations of one: {counts[0]}, of {leaves} leaf elements" if counts else "not counted"
    if context.case.density < 1.0:
        text = f"allocation takes {100 * context.case.density:.2g} % of the time; {text}"
    return Finding(text, _cells(rows.place, [BASE]))


def variation(context: Context) -> Finding:
    """Compares a pool for each size with memory that is cut off in order (P0089 section 5.2)."""
    place = context.decisive.place
    if place is None:
        return Finding(missing=context.decisive.command)
    ratios = {name: place.ratio(name) for name in (POOL, GROWING)}
    parts = [f"{name} {percent_text(ratio)}" for name, ratio in ratios.items() if ratio]
    return Finding(f"{in_a_list(parts)} of new-delete's time" if parts else "", _cells(place, ratios))


def utilization(context: Context) -> Finding:
    if context.case.tolerates_growth:
        share = context.case.utilization
        if share == 1.0:
            return Finding("U = 1: nothing is freed before the end")
        return Finding(f"at U = {share:.2g} that takes at most {1.0 / share:.2g} times the memory")
    growing = {
        name: f"its memory only grows, and U = {context.case.utilization:.2g}"
        for name, strategy in selectable_strategies().items()
        if strategy.allocator == MONOTONIC
    }
    churn = deciding.utilization(context.case, context.evidence)
    if churn.place is None:
        return Finding(excluded=growing, missing=churn.command)
    place = churn.place
    live = int(place.parameters["active_log2"])
    held = [f"{name} held {_held(place, name)}" for name in (GROWING, POOL)]
    text = f"with 2^{live} bytes live {in_a_list(held)}, which takes {format_percent(place.ratio(POOL))}"
    cells = _cells(place, [BASE, GROWING, POOL])
    slower = slower_strategies(place, "in churn") | growing
    reuse = deciding.reuse(context.case, context.evidence)
    if reuse.place is None:
        return Finding(text, cells, slower, missing=reuse.command)
    live, ratio = reuse.place.parameters["live"], reuse.place.ratio(POOL)
    text += f"; of {live} blocks freed at random, {format_percent(ratio, 'it')}"
    slower |= slower_strategies(reuse.place, "for blocks freed at random")
    return Finding(text, (*cells, *_cells(reuse.place, [BASE, POOL])), slower)


def fragmentation(context: Context) -> Finding:
    if context.case.fragmented == NO:
        return Finding("as specified")
    used_heap = deciding.fragmentation(context.case, context.evidence)
    if used_heap.place is None:
        return Finding(missing=used_heap.command)
    fresh = deciding.fresh_heap(used_heap.place, context.evidence)
    worse = times_ratio(used_heap.place.times(BASE), fresh.times(BASE)) if fresh else None
    freed = f"{used_heap.place.parameters['freed']} of its blocks freed"
    text = f"{freed}, new-delete takes {format_percent(worse, 'its time on a fresh heap')}"
    if deciding.serves(used_heap, context.case):
        return Finding(text, _cells(used_heap.place, [BASE]))
    names = to_measure(context.case, context.excluded, long_lived=False)
    return Finding(text, _cells(used_heap.place, [BASE]), missing=used_heap.command_for(names))


def binding(context: Context) -> Finding:
    by_base = _pairs(context, DISPATCH_PAIRS, "the abstract base takes", "the type parameter's time")
    inline = _pairs(context, INLINE_PAIRS, "the inline base", "it")
    if not by_base.cells or not inline.cells:
        return by_base if by_base.cells or not inline.cells else inline
    return Finding(f"{by_base.figure}; {inline.figure}", (*by_base.cells, *inline.cells))


def destruction(context: Context) -> Finding:
    return _pairs(
        context,
        (*WINK_OUT_PAIRS, *INLINE_WINK_OUT_PAIRS),
        "winking out takes",
        "the time of normal destruction",
    )


FINDINGS: dict[str, Callable[[Context], Finding]] = {
    "threads": threads,
    "freed_by": freed_by,
    "locality": locality,
    "access_binding": binding,
    "density": density,
    "variation": variation,
    "utilization": utilization,
    "fragmentation": fragmentation,
    "binding": binding,
    "destruction": destruction,
}


def slower_strategies(place: Place, where: str) -> dict[str, str]:
    """The strategies that are slower than the global allocator beyond the interval."""
    ratios = {name: place.ratio(name) for name in place.strategies if name in selectable_strategies()}
    return {
        name: f"{where} it takes {format_percent(ratio)}"
        for name, ratio in ratios.items()
        if ratio and ratio.verdict == "slower" and name not in GLOBAL_STRATEGIES
    }


def _pairs(context: Context, pairs: Iterable[Pair], verb: str, base: str) -> Finding:
    """The pair of the fastest allocator, which shows the effect of this choice alone."""
    place = context.decisive.place
    if place is None:
        return Finding(missing=context.decisive.command)
    possible = {name for name in place.strategies if counterpart(name) not in context.excluded}
    local = [pair for pair in pairs if BASE not in pair and set(pair) <= possible]
    ratios = {pair: place.ratio(pair[0], BASE, context.decisive.figure) for pair in local}
    medians = {pair: ratio.median for pair, ratio in ratios.items() if ratio}
    if not medians:
        return Finding(NOT_MEASURED)
    first, second = min(medians, key=lambda pair: medians[pair])
    change = format_percent(place.ratio(second, first, context.decisive.figure), base)
    return Finding(f"{verb} {change} ({second} / {first})", _cells(place, [first, second]))


def _role(name: str) -> str:
    return f"one for all ({name})" if name in SHARED else f"one a thread ({name})"


def _held(place: Place, strategy: str) -> str:
    held = place.spread(strategy, "held_bytes")
    if held is None:
        cell = place.cells.get(strategy)
        return f"nothing ({cell.status.replace('_', ' ')})" if cell else NOT_MEASURED
    return readable(int(held.median))


def _cells(place: Place, names: Iterable[str]) -> tuple[CellReference, ...]:
    return tuple(place.cell(name) for name in names if place.times(name))
