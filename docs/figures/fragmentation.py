"""The documents' figures of fragmentation: R by strategy and heap, as P0213's Table 20."""

from __future__ import annotations

from collections.abc import Callable

from figures.stored import conditions, load, markdown_table, ratio_text
from mallard.analysis.names import BASE
from mallard.analysis.panel.fragmentation import (
    FragmentationTable,
    fragmentation_tables,
    mean_ratio_of_ratios,
)
from mallard.experiments.fragmentation import ALL, FRAGMENTED


def blocks() -> dict[str, Callable[[], str]]:
    return {"fragmentation": means, "fragmentation_conditions": lambda: conditions("fragmentation")}


def means() -> str:
    tables = fragmentation_tables(load("fragmentation").rows)
    names = [name for name in dict.fromkeys(n for t in tables for n in t.strategies) if name != BASE]
    upstreams = list(dict.fromkeys(table.upstream for table in tables))
    heading = ["strategy", *(f"{text}, {where}" for where in upstreams for text in ("D = N", "D < N"))]
    lines = [
        [name, *(_mean(tables, where, heaps, name) for where in upstreams for heaps in ((ALL,), FRAGMENTED))]
        for name in names
    ]
    return markdown_table(heading, lines)


def _mean(tables: list[FragmentationTable], upstream: str, heaps: tuple[str, ...], name: str) -> str:
    return ratio_text(mean_ratio_of_ratios([t for t in tables if t.upstream == upstream], heaps, name))
