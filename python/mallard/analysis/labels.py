"""Words that every view uses: the families of columns, what tells their members apart, how a cell ended."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from mallard.analysis.names import FLOOR, KEEP, SHARED, plain
from mallard.contenders import CONTENDERS
from mallard.experiments import HEAPS, LIBRARY
from mallard.papers.catalogue import strategies
from mallard.result import CRASHED, FAILED, OUT_OF_MEMORY, TIMED_OUT

STATUS_TEXT = {
    OUT_OF_MEMORY: "out of memory",
    TIMED_OUT: "timed out",
    CRASHED: "crashed",
    FAILED: "failed",
}
SHORT_STATUS = {OUT_OF_MEMORY: "mem", TIMED_OUT: "time", CRASHED: "died", FAILED: "fail"}

_FAMILIES = {
    "global default": "global",
    "new/delete": "global",
    "multipool backed by monotonic": "multipool on monotonic",
}


# What the papers call the parameters that number the lines of a table.
_PLACES = {
    "size_log2": "size",
    "total_log2": "T",
    "active_log2": "A",
    "block_log2": "S",
    "iterations_log2": "N",
    "threads": "W",
}


def place_heads(places: Iterable[str]) -> list[str]:
    return [_PLACES.get(name, name) for name in places]


def place_text(places: Iterable[str], place: Iterable[int]) -> list[str]:
    """The values of a line, each as the papers write it: 2^10 of what is an exponent of two."""
    return [
        f"2^{value}" if name.endswith("_log2") else str(value)
        for name, value in zip(places, place, strict=True)
    ]


def short_name(strategy: str) -> str:
    return "keep" if strategy == KEEP else strategy


def family(strategy: str) -> str:
    """What a group of columns has in common: the allocator, or the library of a contender."""
    if strategy in CONTENDERS:
        return CONTENDERS[strategy].library
    if strategy == FLOOR:
        return "floor"
    if strategy.startswith(SHARED):
        return "shared"
    if strategy in LIBRARY:
        return "heap" if "heap" in strategy else "other pools"
    known = strategies().get(plain(strategy))
    return _FAMILIES.get(known.allocator, known.allocator) if known else "other"


def families(names: Iterable[str]) -> list[tuple[str, int]]:
    """Neighbouring columns of one family, with their number."""
    return [(word, len(list(group))) for word, group in groupby(names, key=family)]


def heap_tags(strategy: str) -> tuple[str, bool]:
    """Of the heap under the papers' bindings: `type` or `base`, and whether it is winked out; empty of any
    other name."""
    if strategy not in HEAPS:
        return "", False
    return "base" if "base" in strategy else "type", strategy.endswith("winked")


def binding(strategy: str) -> str:
    """`type` or `base`; empty for what is no strategy of the papers."""
    known = strategies().get(strategy)
    if known is None:
        return ""
    return "base" if known.binding == "abstract base" else "type"


def winked_out(strategy: str) -> bool:
    known = strategies().get(strategy)
    return known is not None and known.destruction == "winked out"
