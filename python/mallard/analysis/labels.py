"""Words that every view uses: the families of columns, what tells their members apart, how a cell ended."""

from __future__ import annotations

from mallard.analysis.names import FLOOR, KEEP, SHARED, plain
from mallard.papers.catalogue import strategies
from mallard.result import CRASHED, FAILED, OUT_OF_MEMORY, TIMED_OUT

STATUS_TEXT = {
    OUT_OF_MEMORY: "out of memory",
    TIMED_OUT: "timed out",
    CRASHED: "crashed",
    FAILED: "failed",
}
SHORT_STATUS = {OUT_OF_MEMORY: "mem", TIMED_OUT: "time", CRASHED: "crash", FAILED: "fail"}

_FAMILIES = {
    "global default": "global",
    "new/delete": "global",
    "multipool backed by monotonic": "multipool on monotonic",
}


def short_name(strategy: str) -> str:
    return "keep" if strategy == KEEP else strategy


def family(strategy: str) -> str:
    """What a group of columns has in common: the allocator."""
    if strategy == FLOOR:
        return "floor"
    if strategy.startswith(SHARED):
        return "one for all threads"
    known = strategies().get(plain(strategy))
    return _FAMILIES.get(known.allocator, known.allocator) if known else "other"


def binding(strategy: str) -> str:
    """`type` or `base`; empty for what is no strategy of the papers."""
    known = strategies().get(strategy)
    if known is None:
        return ""
    return "base" if known.binding == "abstract base" else "type"


def winked_out(strategy: str) -> bool:
    known = strategies().get(strategy)
    return known is not None and known.destruction == "winked out"
