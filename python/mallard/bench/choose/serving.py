"""The strategies that can serve a case: by binding, by destruction, and by exclusions."""

from __future__ import annotations

from collections.abc import Container

from mallard.bench.analysis.labels import binding
from mallard.bench.analysis.names import BASE, plain
from mallard.bench.choose.case import ANY, BASE_CLASS, TYPE, YES, Case
from mallard.bench.footprint import MONOTONIC
from mallard.bench.library import SHARED
from mallard.bench.papers.catalogue import selectable_strategies
from mallard.bench.strategy_names import GLOBAL_STRATEGIES, WINK_MARK, is_winked


def global_strategy(case: Case) -> str:
    """The global allocator for the case: new-delete/base behind the abstract base."""
    type_bound, base_bound = GLOBAL_STRATEGIES
    return base_bound if case.binding == BASE_CLASS else type_bound


def can_serve(case: Case, name: str) -> bool:
    """True if the strategy is a local allocator of a kind that the case can use."""
    if name in GLOBAL_STRATEGIES:
        return False
    if name in SHARED:
        return case.binding in (ANY, TYPE)
    bound = binding(plain(name))
    return (
        bool(bound) and case.binding in (ANY, bound) and (case.wink_out == YES or not is_winked(plain(name)))
    )


def counterpart(name: str) -> str:
    """The strategy of the same allocator and binding with normal destruction, which all experiments have."""
    return plain(name).removesuffix(WINK_MARK)


def to_measure(case: Case, excluded: Container[str], long_lived: bool) -> list[str]:
    """The strategies that a complete answer compares. A long-lived case excludes monotonic strategies, which
    never give memory back, and never ends, so winking out does not apply.
    """
    return [
        name
        for name, strategy in selectable_strategies().items()
        if name == BASE or (can_serve(case, name) and counterpart(name) not in excluded)
        if not long_lived or (strategy.allocator != MONOTONIC and not is_winked(name))
    ]
