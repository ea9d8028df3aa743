"""Words that every view uses: families of columns, the words of their members, and failures of cells."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from mallard.bench.analysis.names import NULL, malloc, plain, variant
from mallard.bench.contenders import CONTENDERS, LIBRARIES
from mallard.bench.library import HEAPS, LIBRARY, SHARED
from mallard.bench.papers.catalogue import strategies
from mallard.bench.result import CRASHED, FAILED, OUT_OF_MEMORY, TIMED_OUT
from mallard.bench.strategy_names import (
    WINK_MARK,
    binding_mark,
    bound_by_base,
    is_inline,
    is_winked,
    mechanism_name,
)
from mallard.shared.report.picture import Head, Spot

STATUS_TEXT = {
    OUT_OF_MEMORY: "out of memory",
    TIMED_OUT: "timed out",
    CRASHED: "crashed",
    FAILED: "failed",
}
SHORT_STATUS = {OUT_OF_MEMORY: "mem", TIMED_OUT: "time", CRASHED: "died", FAILED: "fail"}

# Shorter words, for columns.
BROKEN = {"synchronized": ("synchro-", "nized"), "concurrent": ("concur-", "rent")}

# The papers' names of the parameters that number the lines of a table.
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
    """The values of a line in the papers' notation: 2^10 for an exponent of two."""
    return [
        f"2^{value}" if name.endswith("_log2") else str(value)
        for name, value in zip(places, place, strict=True)
    ]


def family(strategy: str) -> str:
    """The common part of a group of columns: the mechanism, or the library of a contender."""
    if strategy in CONTENDERS:
        return CONTENDERS[strategy].library
    if strategy == NULL:
        return "none"
    if strategy in SHARED:
        return "shared"
    if strategy in LIBRARY and not is_inline(strategy):
        return "heap" if "heap" in strategy else "other pools"
    return mechanism_name(plain(strategy)) if bound_by_base(plain(strategy)) in strategies() else "other"


def families(names: Iterable[str]) -> list[tuple[str, int]]:
    """Neighbouring columns of one family, with their number."""
    return [(word, len(list(group))) for word, group in groupby(names, key=family)]


def column_words(strategy: str) -> tuple[str, str]:
    """Two words below the family that distinguish a strategy from its neighbours."""
    if strategy in CONTENDERS:
        return CONTENDERS[strategy].heads
    if strategy in SHARED:
        word = strategy.partition("-")[0]
        return BROKEN.get(word, (word, ""))
    if variant(strategy):
        return variant(strategy), strategy.partition("/")[2]
    if bound_by_base(plain(strategy)) not in strategies() and strategy not in HEAPS:
        return strategy, ""
    bound = binding_mark(strategy) or "type"
    return bound, malloc(strategy) or (WINK_MARK if is_winked(strategy) else "")


def binding(strategy: str) -> str:
    """`type`, `base` or `inline`; empty for a mechanism that the papers lack."""
    if bound_by_base(strategy) not in strategies():
        return ""
    return binding_mark(strategy).removeprefix("/") or "type"


# The shorter names of families that have few columns.
NARROW = {
    "multipool+monotonic": "multi+mono",
    **{name: library.word for name, library in LIBRARIES.items()},
}


def strategy_heads(names: Iterable[str]) -> tuple[Head, ...]:
    """Columns by family, with the words that distinguish its members."""
    return tuple(
        Head(column_words(name), name, tuple(dict.fromkeys((word, NARROW.get(word, word)))))
        for name in names
        for word in (family(name),)
    )


def failed_spot(status: str, detail: str) -> Spot:
    """A cell without a finished repetition."""
    text = STATUS_TEXT.get(status, status)
    return Spot(failure=(SHORT_STATUS.get(status, status), f"{text}: {detail}" if detail else text))
