"""The sentences of Benchmark V: the change of the ratio to new-delete in a used heap, and the loss of a
local allocator whose chunks come from that heap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mallard.bench.analysis.labels import family
from mallard.bench.analysis.names import BASE, contestants, in_table_order, plain
from mallard.bench.analysis.panel.fragmentation import FragmentationTable, mean_ratio_of_ratios
from mallard.bench.analysis.words import no_difference, percent_text, times_text
from mallard.bench.cells import Pairing, paired
from mallard.bench.experiments.description.panel import Own
from mallard.bench.experiments.description.sentence import ChunksOfHeap, HeapSentence, LocalRatios, SlowerBase
from mallard.bench.experiments.fragmentation import CACHE, EXPERIMENT, HEAP, IN_PRINT, UNTOUCHED
from mallard.shared.stats import Ratio, mean_ratio

# Tables with equal work may differ in the source of chunks, and in the buffer, which only some strategies
# have.
_OF_UPSTREAM = frozenset({"upstream", "buffer"})
_WITHOUT_BUFFER = frozenset({"multipool", "multipool/wink", "multipool/base", "multipool/base/wink"})


def fragmentation_sentences(tables: Sequence[FragmentationTable]) -> list[str]:
    panel = EXPERIMENT.panel
    assert isinstance(panel, Own)
    return [sentence for kind in panel.sentences for sentence in _render(kind, tables)]


def _render(kind: HeapSentence, tables: Sequence[FragmentationTable]) -> list[str]:
    match kind:
        case SlowerBase(freed):
            return _global(tables, freed)
        case LocalRatios(groups):
            return [
                sentence
                for upstream in dict.fromkeys(table.upstream for table in tables)
                for text, freed in groups
                for sentence in _group(tables, upstream, text, freed)
            ]
        case ChunksOfHeap(freed, text):
            return _upstreams(tables, freed, text)


def local_strategies(tables: Iterable[FragmentationTable]) -> list[str]:
    names = in_table_order({name for table in tables for name in table.strategies})
    return [name for name in contestants(names) if family(name) != family(BASE)]


def mean_slowdown(tables: Iterable[FragmentationTable], freed: Sequence[str], strategy: str) -> Ratio | None:
    """The time after D was freed, divided by that in the untouched heap, with one weight for every cell."""
    pairings = [
        pairing
        for table in tables
        for heap in freed
        for size in table.sizes_log2
        if (pairing := _across(table, heap, table, UNTOUCHED, size, strategy))
    ]
    return mean_ratio(pairings) if pairings else None


def heap_by_cache(tables: Sequence[FragmentationTable], freed: Sequence[str], strategy: str) -> Ratio | None:
    """The time with chunks from the used heap, divided by that with the usual upstream."""
    pairings: list[Pairing] = []
    for cache in (table for table in tables if table.upstream == CACHE):
        for heap in (table for table in tables if table.upstream == HEAP and _equal_work(table, cache)):
            if plain(strategy) not in _WITHOUT_BUFFER and dict(heap.setting) | {"upstream": CACHE} != dict(
                cache.setting
            ):
                continue
            pairs = [
                _across(heap, share, cache, share, size, strategy)
                for share in freed
                for size in heap.sizes_log2
            ]
            pairings += [pairing for pairing in pairs if pairing]
    return mean_ratio(pairings) if pairings else None


def _global(tables: Sequence[FragmentationTable], freed: Sequence[str]) -> list[str]:
    slower = mean_slowdown(tables, freed, BASE)
    if slower is None:
        return []
    if no_difference(slower):
        return [f"A fragmented heap makes no difference to {BASE} itself: {percent_text(slower)}."]
    return [f"In a fragmented heap {BASE} takes {percent_text(slower)} of its time in a fresh one."]


def _group(tables: Sequence[FragmentationTable], upstream: str, text: str, freed: Sequence[str]) -> list[str]:
    selected = [table for table in tables if table.upstream == upstream]
    measured = [heap for heap in freed if any(heap in table.freed for table in selected)]
    suffix = ", their chunks being from that heap too" if upstream == HEAP else ""
    return _local(
        selected, measured, f"{text} (D = {', '.join(IN_PRINT[heap] for heap in measured)}){suffix}"
    )


def _local(tables: Sequence[FragmentationTable], freed: Sequence[str], subject: str) -> list[str]:
    """R as the mean over the local strategies, with the minimum and the maximum."""
    names = local_strategies(tables)
    means = {name: mean for name in names if (mean := mean_ratio_of_ratios(tables, freed, name))}
    pairings = [
        pairing
        for name in means
        for table in tables
        for heap in freed
        for size in table.sizes_log2
        if (pairing := table.pairing(heap, size, name))
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
    return [f"With {subject}, R of the local strategies is {overall.median:.2f}{bounds}{span}{nothing}."]


def _upstreams(tables: Sequence[FragmentationTable], freed: Sequence[str], text: str) -> list[str]:
    ratios = {
        name: ratio
        for name in local_strategies(tables)
        if (ratio := heap_by_cache(tables, freed, name)) is not None
    }
    if not ratios:
        return []
    parts = ", ".join(
        f"{name} {times_text(ratio)}{' (no difference)' if no_difference(ratio) else ''}"
        for name, ratio in ratios.items()
    )
    return [f"{text}: {parts}."]


def _across(
    table: FragmentationTable, freed: str, base: FragmentationTable, base_freed: str, size: int, strategy: str
) -> Pairing | None:
    line, base_line = table.line(freed, size), base.line(base_freed, size)
    if line is None or base_line is None or strategy not in line.cells or strategy not in base_line.cells:
        return None
    return paired(line.cells[strategy].times, base_line.cells[strategy].times)


def _equal_work(first: FragmentationTable, second: FragmentationTable) -> bool:
    return first.structure == second.structure and _without_upstream(first) == _without_upstream(second)


def _without_upstream(table: FragmentationTable) -> dict[str, object]:
    return {name: value for name, value in table.setting if name not in _OF_UPSTREAM}
