"""Names of strategies, the papers' and ours: their order in a table, what is a variant of which.

AS7             a strategy of the papers
AS7-lowest      the same with another order of reuse; AS1-keep: with page return off
AS1@jemalloc    the same under another malloc of the whole process
shared-...      one allocator for all threads
boost-pool      a contender: an allocator of another library
null            no strategy but the floor: the same work over memory that is there
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from mallard import mallocs
from mallard.contenders import CONTENDERS, peer_of
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
    variants, the library's other allocators, whatever else there is, and the contenders.
    """
    return sorted(names, key=_place)


def contestants(names: Iterable[str]) -> list[str]:
    """Strategies that mallard offers a program, and AS1 and AS2: no floor, no setting of the platform or of
    the whole process, nothing that is there to be the worst, and no contender.
    """
    return [
        name
        for name in in_table_order(names)
        if not name.startswith(FLOOR)
        and not malloc(name)
        and variant(name) not in ("keep", WORST_ORDER)
        and name not in CONTENDERS
    ]


def ours(name: str) -> bool:
    """Whether it is of mallard, and not there to be a floor or the worst."""
    known = bool(_parts(name)) or name.startswith(SHARED) or name in LIBRARY
    return known and not peer_of(name) and variant(name) != WORST_ORDER


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
        return _place_of_other(name)
    order = ("", "@", "keep", *REUSE_ORDERS)
    kind = "@" if malloc(name) else variant(name)
    return (1, int(found[2]), order.index(kind) if kind in order else len(order), name)


def _place_of_other(name: str) -> tuple[int, int, int, str]:
    """Of what is no strategy of the papers nor a variant of one."""
    if name in CONTENDERS:
        return (3, list(CONTENDERS).index(name), 0, name)
    return (2, LIBRARY.index(name) if name in LIBRARY else len(LIBRARY), 0, name)
