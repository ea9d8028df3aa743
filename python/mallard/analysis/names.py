"""Names of strategies, the papers' and ours: their order in a table, what is a variant of which.

AS7             a strategy of the papers
AS7-lowest      the same with another order of reuse; AS1-keep: with page return off
AS1@jemalloc    the same under another malloc of the whole process
shared-...      one allocator for all threads
null            no strategy but the floor: the same work over memory that is there
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mallard import mallocs
from mallard.experiments import LIBRARY

BASE = "AS1"
FLOOR = "null"
KEEP = "AS1-keep"
SHARED = "shared-"
# Of freed blocks, by a pool; the last one is there to show the worst case.
REUSE_ORDERS = ("last", "first", "lowest", "hybrid", "random")
WORST_ORDER = "random"

_NAME = re.compile(r"(AS(\d+))(?:-(\w+))?")


def plain(name: str) -> str:
    """The strategy of the papers that a name is a variant of; any other name is its own."""
    found = _parts(name)
    return found[1] if found else name


def variant(name: str) -> str:
    """`lowest` of AS7-lowest, `keep` of AS1-keep; empty for a strategy as the papers have it."""
    found = _parts(name)
    return (found[3] or "") if found else ""


def malloc(name: str) -> str:
    """`jemalloc` of AS1@jemalloc; empty where the process has the malloc of the C library."""
    return mallocs.split(name)[1]


def in_table_order(names: Iterable[str]) -> list[str]:
    """The floor, AS1, AS1 under other mallocs, AS1 with page return off, AS2 ... AS14, each followed by its
    variants, the library's other allocators, then whatever else there is.
    """
    return sorted(names, key=_place)


def contestants(names: Iterable[str]) -> list[str]:
    """Strategies that a program can choose: no floor, no setting of the platform or of the whole process,
    and nothing that is there to be the worst.
    """
    return [
        name
        for name in in_table_order(names)
        if not name.startswith(FLOOR) and not malloc(name) and variant(name) not in ("keep", WORST_ORDER)
    ]


def reuse_variants(names: Iterable[str]) -> list[str]:
    """Those that differ in the order of reuse only, the default among them."""
    ordered = in_table_order(names)
    varied = {plain(name) for name in ordered if variant(name) in REUSE_ORDERS}
    return [name for name in ordered if plain(name) in varied and variant(name) in ("", *REUSE_ORDERS)]


def _parts(name: str) -> re.Match[str] | None:
    return _NAME.fullmatch(mallocs.split(name)[0])


def _place(name: str) -> tuple[int, int, int, str]:
    if name == FLOOR:
        return (0, 0, 0, name)
    found = _parts(name)
    if not found:
        return (2, LIBRARY.index(name) if name in LIBRARY else len(LIBRARY), 0, name)
    order = ("", "@", "keep", *REUSE_ORDERS)
    kind = "@" if malloc(name) else variant(name)
    return (1, int(found[2]), order.index(kind) if kind in order else len(order), name)
