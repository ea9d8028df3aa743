"""The findings of the rows for each question of the walk: the figure beside the answer, and the exclusions.

There is one rule of exclusion. A strategy that a question's rows show to be slower than the global
allocator, beyond the interval, is not recommended, whatever the deciding rows say. Monotonic strategies are
excluded if memory must be reused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from mallard.analysis.names import BASE
from mallard.analysis.words import in_a_list, percent_text, times_text
from mallard.cells import times_ratio
from mallard.choose import ground
from mallard.choose.case import NO, Case
from mallard.choose.evidence import CellReference, Evidence, Place
from mallard.choose.ground import Ground
from mallard.choose.serving import counterpart, to_measure
from mallard.footprint import MONOTONIC, readable
from mallard.library import SHARED
from mallard.mallocs import GLOBAL_STRATEGIES
from mallard.papers.catalogue import (
    DISPATCH_PAIRS,
    INLINE_PAIRS,
    INLINE_WINK_OUT_PAIRS,
    WINK_OUT_PAIRS,
    Pair,
    to_choose_from,
)
from mallard.stats import Ratio

NOT_MEASURED = "not measured"
POOL, GROWING = "multipool", "monotonic"  # the strategies that stand for pools and for monotonic allocators


@dataclass(frozen=True)
class Asked:
    case: Case
    evidence: Evidence
    decisive: Ground  # the rows of the case's leaf
    excluded: frozenset[str]  # by earlier questions


@dataclass(frozen=True)
class Finding:
    figure: str = ""
    cells: tuple[CellReference, ...] = ()
    excluded: dict[str, str] = field(default_factory=dict)  # strategy -> reason
    missing: str = ""  # the command that would measure it


def percent_of(ratio: Ratio | None, of: str = "new-delete's time") -> str:
    return f"{percent_text(ratio)} of {of}" if ratio else NOT_MEASURED


def threads(asked: Asked) -> Finding:
    if asked.case.threads == 1:
        return Finding("nothing to share")
    return Finding(f"{asked.case.threads} threads")


def freed_by(asked: Asked) -> Finding:
    found = ground.contention(asked.case, asked.evidence, asked.case.freed_by)
    place = found.place
    if place is None:
        return Finding(missing=found.command)
    shown = [name for name in place.strategies if name == POOL or name in SHARED]
    each = [f"{_role(name)} {percent_of(place.ratio(name), 'it')}" for name in shown]
    return Finding(
        f"beside new-delete with {place.parameters['threads']} threads: {', '.join(each)}",
        _cells(place, [BASE, *shown]),
        slower_in(place, "with several threads"),
    )


def locality(asked: Asked) -> Finding:
    if not asked.case.can_scatter:
        why = "one block cannot be scattered" if asked.case.structure.one_block else "as said"
        return Finding(why)
    place = asked.decisive.place
    if place is None:
        return Finding(missing=asked.decisive.command)
    before = ground.unshuffled(place, asked.case)
    worse = {
        name: times_ratio(place.times(name, asked.decisive.figure), place.times(name, before))
        for name in (BASE, POOL)
    }
    each = [f"{name} {times_text(ratio)}" for name, ratio in worse.items() if ratio]
    length = place.parameters["list_length"]
    text = f"after the shuffle an access takes {in_a_list(each)} as long (lists of {length})"
    return Finding(text if each else "", _cells(place, worse))


def density(asked: Asked) -> Finding:
    found = ground.density(asked.case, asked.evidence)
    if found.place is None:
        return Finding(missing=found.command)
    parameters = found.place.parameters
    leaves = 1 << (int(parameters["size_log2"]) + int(parameters.get("inner_log2", 0)))
    counts = [row.allocations for row in found.place.cells[BASE].rows if row.allocations]
    text = f"allocations of one: {counts[0]}, of {leaves} leaf elements" if counts else "not counted"
    return Finding(text, _cells(found.place, [BASE]))


def variation(asked: Asked) -> Finding:
    """Compares a pool for each size with memory that is cut off in order (P0089 section 5.2)."""
    place = asked.decisive.place
    if place is None:
        return Finding(missing=asked.decisive.command)
    ratios = {name: place.ratio(name) for name in (POOL, GROWING)}
    each = [f"{name} {percent_text(ratio)}" for name, ratio in ratios.items() if ratio]
    return Finding(f"{in_a_list(each)} of new-delete's time" if each else "", _cells(place, ratios))


def utilization(asked: Asked) -> Finding:
    if asked.case.only_grows_bearably:
        share = asked.case.utilization
        if share == 1.0:
            return Finding("U = 1: nothing is freed before the end")
        return Finding(f"at U = {share:.2g} that takes at most {1.0 / share:.2g} times the memory")
    growing = {
        name: f"its memory only grows, and U = {asked.case.utilization:.2g}"
        for name, each in to_choose_from().items()
        if each.allocator == MONOTONIC
    }
    found = ground.utilization(asked.case, asked.evidence)
    if found.place is None:
        return Finding(excluded=growing, missing=found.command)
    place = found.place
    live = int(place.parameters["active_log2"])
    held = [f"{name} held {_held(place, name)}" for name in (GROWING, POOL)]
    text = f"with 2^{live} bytes live {in_a_list(held)}, which takes {percent_of(place.ratio(POOL))}"
    cells = _cells(place, [BASE, GROWING, POOL])
    slower = slower_in(place, "in churn") | growing
    again = ground.reuse(asked.case, asked.evidence)
    if again.place is None:
        return Finding(text, cells, slower, missing=again.command)
    live, ratio = again.place.parameters["live"], again.place.ratio(POOL)
    text += f"; of {live} blocks freed at random, {percent_of(ratio, 'it')}"
    slower |= slower_in(again.place, "for blocks freed at random")
    return Finding(text, (*cells, *_cells(again.place, [BASE, POOL])), slower)


def fragmentation(asked: Asked) -> Finding:
    if asked.case.fragmented == NO:
        return Finding("as said")
    found = ground.fragmentation(asked.case, asked.evidence)
    if found.place is None:
        return Finding(missing=found.command)
    fresh = ground.fresh_heap(found.place, asked.evidence)
    worse = times_ratio(found.place.times(BASE), fresh.times(BASE)) if fresh else None
    freed = f"{found.place.parameters['freed']} of its blocks freed"
    text = f"{freed}, new-delete takes {percent_of(worse, 'its time on a fresh heap')}"
    if ground.serves(found, asked.case):
        return Finding(text, _cells(found.place, [BASE]))
    names = to_measure(asked.case, asked.excluded, long_lived=False)
    return Finding(text, _cells(found.place, [BASE]), missing=found.command_for(names))


def binding(asked: Asked) -> Finding:
    by_base = _pairs(asked, DISPATCH_PAIRS, "the abstract base takes", "the type parameter's time")
    inline = _pairs(asked, INLINE_PAIRS, "the inline base", "it")
    if not by_base.cells or not inline.cells:
        return by_base if by_base.cells or not inline.cells else inline
    return Finding(f"{by_base.figure}; {inline.figure}", (*by_base.cells, *inline.cells))


def destruction(asked: Asked) -> Finding:
    return _pairs(
        asked,
        (*WINK_OUT_PAIRS, *INLINE_WINK_OUT_PAIRS),
        "winking out takes",
        "the time of normal destruction",
    )


FINDINGS: dict[str, Callable[[Asked], Finding]] = {
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


def slower_in(place: Place, where: str) -> dict[str, str]:
    """The strategies that the rows show to be slower than the global allocator, beyond the interval."""
    ratios = {name: place.ratio(name) for name in place.strategies if name in to_choose_from()}
    return {
        name: f"{where} it takes {percent_of(ratio)}"
        for name, ratio in ratios.items()
        if ratio and ratio.verdict == "slower" and name not in GLOBAL_STRATEGIES
    }


def _pairs(asked: Asked, pairs: Iterable[Pair], verb: str, of: str) -> Finding:
    """The pair of the fastest allocator, which shows the effect of this choice alone."""
    place = asked.decisive.place
    if place is None:
        return Finding(missing=asked.decisive.command)
    possible = {name for name in place.strategies if counterpart(name) not in asked.excluded}
    local = [pair for pair in pairs if BASE not in pair and set(pair) <= possible]
    ratios = {pair: place.ratio(pair[0], BASE, asked.decisive.figure) for pair in local}
    known = {pair: ratio.median for pair, ratio in ratios.items() if ratio}
    if not known:
        return Finding(NOT_MEASURED)
    before, after = min(known, key=lambda pair: known[pair])
    change = percent_of(place.ratio(after, before, asked.decisive.figure), of)
    return Finding(f"{verb} {change} ({after} / {before})", _cells(place, [before, after]))


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
