"""Strategies in tables: their order, their variants, and mallard's own.

`mallard.bench.strategy_names` has the names. Besides the papers' fourteen strategies there are variants of
them, allocators that all threads share, the library's other allocators, the contenders of other libraries,
and `null`, the work over memory that exists already.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from mallard.bench.contenders import CONTENDERS, find_peer
from mallard.bench.library import BASE as BASE
from mallard.bench.library import KEEP, LIBRARY, LOCK, PASTS, SHARED, WALK
from mallard.bench.library import NULL as NULL
from mallard.bench.library import REUSE_ORDERS as REUSE_ORDERS
from mallard.bench.strategy_names import bound_by_base, of_papers
from mallard.shared import mallocs

NOT_OFFERED = ("random", *PASTS, LOCK)  # the worst order of reuse, pools with a past, a lock without threads

PAPERS = of_papers()


def plain(name: str) -> str:
    """The papers' strategy of which the name is a variant, or else the name."""
    return _parts(name)[0] or name


def variant(name: str) -> str:
    """`lowest` of multipool-lowest, `keep` of new-delete-keep; empty for a strategy of the papers."""
    return _parts(name)[1]


def malloc(name: str) -> str:
    """`jemalloc` of new-delete@jemalloc; empty for the C library's malloc."""
    return mallocs.split(name)[1]


def in_table_order(names: Iterable[str]) -> list[str]:
    """null, the papers' fourteen, each followed by its names under other mallocs and its variants,
    then the library's other allocators, all unknown names, and the contenders.
    """
    return sorted(names, key=_place)


def ranked_strategies(names: Iterable[str]) -> list[str]:
    """The strategies that mallard offers a program, and the global allocator: without null, settings of the
    platform or the process, worst cases, pools with a past or a lock, and the contenders.
    """
    return [
        name
        for name in in_table_order(names)
        if not name.startswith(NULL)
        and not malloc(name)
        and name not in (KEEP, WALK)
        and variant(name) not in NOT_OFFERED
        and name not in CONTENDERS
    ]


def ours(name: str) -> bool:
    """True for mallard's strategies, without null, worst cases, and pools with a past or a lock."""
    known = bool(_parts(name)[0]) or name in SHARED or name in LIBRARY
    return known and name != WALK and not find_peer(name) and variant(name) not in NOT_OFFERED


def reuse_variants(names: Iterable[str]) -> list[str]:
    """The strategies that differ in the order of reuse only, with the default."""
    ordered = in_table_order(names)
    varied = {plain(name) for name in ordered if variant(name) in REUSE_ORDERS}
    return [name for name in ordered if plain(name) in varied and variant(name) in ("", *REUSE_ORDERS)]


def _parts(name: str) -> tuple[str, str]:
    """A strategy of the papers and its variant; two empty strings for any other name."""
    base_name, _ = mallocs.split(name)
    if base_name in PAPERS:
        return base_name, ""
    mechanism, slash, use = base_name.partition("/")
    parent, _, suffix = mechanism.rpartition("-")
    unvaried = f"{parent}{slash}{use}"
    return (unvaried, suffix) if unvaried in PAPERS else ("", "")


@cache
def _place(name: str) -> tuple[int, int, int, str]:
    if name == NULL:
        return (0, 0, 0, name)
    paper_strategy, suffix = _parts(name)
    if not paper_strategy and bound_by_base(name) in PAPERS:
        return (1, PAPERS.index(bound_by_base(name)), 1, name)
    if not paper_strategy:
        return _place_outside_papers(name)
    order = ("", "@", "keep", *REUSE_ORDERS)
    kind = "@" if malloc(name) else suffix
    return (1, PAPERS.index(paper_strategy), order.index(kind) if kind in order else len(order), name)


def _place_outside_papers(name: str) -> tuple[int, int, int, str]:
    """The place of a name that is neither the papers' nor a variant. Allocators shared by threads come
    last.
    """
    if name in CONTENDERS:
        return (3, list(CONTENDERS).index(name), 0, name)
    return (2, list(LIBRARY).index(name) if name in LIBRARY else len(LIBRARY), int(name in SHARED), name)
