"""The sentences of Benchmark V: the change of the ratio to new-delete in a used heap, and the loss of a
local allocator whose chunks come from that heap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mallard.analysis.fragmentation import AS_PRINTED, FRAGMENTED, FragmentationTable, mean_ratio_of_ratios
from mallard.analysis.labels import family
from mallard.analysis.names import BASE, contestants, in_table_order, plain
from mallard.analysis.words import no_difference, percent_text, times_text
from mallard.cells import Pairing, paired
from mallard.experiments.fragmentation import ALL, CACHE, HEAP, UNTOUCHED
from mallard.stats import Ratio, mean_ratio

# Tables with equal work may differ in these: the source of chunks, and the buffer, which only some
# strategies have.
_OF_UPSTREAM = frozenset({"upstream", "buffer", "buffer_bytes"})
_WITHOUT_BUFFER = frozenset({"multipool", "multipool/wink", "multipool/base", "multipool/base/wink"})


def fragmentation_sentences(tables: Sequence[FragmentationTable]) -> list[str]:
    said = _global(tables)
    for upstream in dict.fromkeys(table.upstream for table in tables):
        same = [table for table in tables if table.upstream == upstream]
        where = ", their chunks being from that heap too" if upstream == HEAP else ""
        said += _local(same, [ALL], f"everything freed (D = N){where}")
        parts = [heap for heap in FRAGMENTED if any(heap in table.freed for table in same)]
        printed = ", ".join(AS_PRINTED[heap] for heap in parts)
        said += _local(same, parts, f"part of it freed (D = {printed}){where}")
    return said + _upstreams(tables)


def local_strategies(tables: Iterable[FragmentationTable]) -> list[str]:
    names = in_table_order({name for table in tables for name in table.strategies})
    return [name for name in contestants(names) if family(name) != family(BASE)]


def mean_slowdown(tables: Iterable[FragmentationTable], freed: Sequence[str], strategy: str) -> Ratio | None:
    """The time after D was freed, divided by that in the untouched heap, with one weight for every cell."""
    pairings = [
        both
        for table in tables
        for heap in freed
        for size in table.sizes_log2
        if (both := _across(table, heap, table, UNTOUCHED, size, strategy))
    ]
    return mean_ratio(pairings) if pairings else None


def heap_by_cache(tables: Sequence[FragmentationTable], freed: Sequence[str], strategy: str) -> Ratio | None:
    """The time with chunks from the used heap, divided by that with the usual upstream."""
    pairings: list[Pairing] = []
    for cache in (table for table in tables if table.upstream == CACHE):
        for heap in (table for table in tables if table.upstream == HEAP and _same_work(table, cache)):
            if plain(strategy) not in _WITHOUT_BUFFER and dict(heap.setting) | {"upstream": CACHE} != dict(
                cache.setting
            ):
                continue
            found = [
                _across(heap, each, cache, each, size, strategy) for each in freed for size in heap.sizes_log2
            ]
            pairings += [both for both in found if both]
    return mean_ratio(pairings) if pairings else None


def _global(tables: Sequence[FragmentationTable]) -> list[str]:
    slower = mean_slowdown(tables, FRAGMENTED, BASE)
    if slower is None:
        return []
    if no_difference(slower):
        return [f"A fragmented heap makes no difference to {BASE} itself: {percent_text(slower)}."]
    return [f"In a fragmented heap {BASE} takes {percent_text(slower)} of its time in a fresh one."]


def _local(tables: Sequence[FragmentationTable], freed: Sequence[str], what: str) -> list[str]:
    """R as the mean over the local strategies, with the least and the greatest."""
    names = local_strategies(tables)
    means = {name: mean for name in names if (mean := mean_ratio_of_ratios(tables, freed, name))}
    pairings = [
        both
        for name in means
        for table in tables
        for heap in freed
        for size in table.sizes_log2
        if (both := table.pairing(heap, size, name))
    ]
    if not pairings:
        return []
    overall = mean_ratio(pairings)
    least = min(means, key=lambda name: means[name].median)
    most = max(means, key=lambda name: means[name].median)
    ends = [f"{means[name].median:.2f}" for name in (least, most)]
    span = f", from {least} {ends[0]} to {most} {ends[1]}" if ends[0] != ends[1] else ""
    nothing = ": no difference from a fresh heap" if no_difference(overall) else ""
    bounds = f" ({overall.low:.2f} to {overall.high:.2f})" if overall.bounded else ""
    return [f"With {what}, R of the local strategies is {overall.median:.2f}{bounds}{span}{nothing}."]


def _upstreams(tables: Sequence[FragmentationTable]) -> list[str]:
    ratios = {
        name: ratio
        for name in local_strategies(tables)
        if (ratio := heap_by_cache(tables, FRAGMENTED, name)) is not None
    }
    if not ratios:
        return []
    each = ", ".join(
        f"{name} {times_text(ratio)}{' (no difference)' if no_difference(ratio) else ''}"
        for name, ratio in ratios.items()
    )
    return [f"Chunks from the fragmented heap in place of cached ones make a strategy take: {each}."]


def _across(
    mine: FragmentationTable, freed: str, base: FragmentationTable, base_freed: str, size: int, strategy: str
) -> Pairing | None:
    one, other = mine.line(freed, size), base.line(base_freed, size)
    if one is None or other is None or strategy not in one.cells or strategy not in other.cells:
        return None
    return paired(one.cells[strategy].times, other.cells[strategy].times)


def _same_work(one: FragmentationTable, other: FragmentationTable) -> bool:
    return one.structure == other.structure and _without_upstream(one) == _without_upstream(other)


def _without_upstream(table: FragmentationTable) -> dict[str, object]:
    return {name: value for name, value in table.setting if name not in _OF_UPSTREAM}
