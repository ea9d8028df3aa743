"""The outcome at a leaf: the remaining strategies, by their ratio to the global allocator."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from mallard.bench.analysis.names import BASE, plain, variant
from mallard.bench.choose.case import Case, can_serve, counterpart, global_strategy
from mallard.bench.choose.deciding import CellReference, DecidingRows, Place
from mallard.bench.choose.findings import format_percent
from mallard.bench.choose.graph import FEW
from mallard.bench.library import REUSE_ORDERS, SHARED, VARIANTS
from mallard.bench.papers.catalogue import strategy_text
from mallard.bench.strategy_names import GLOBAL_STRATEGIES
from mallard.shared.stats import Ratio

_NEGLIGIBLE = "allocation takes little of its time"


@dataclass(frozen=True)
class Choice:
    strategy: str
    text: str
    ratio: Ratio | None  # to new-delete; None for new-delete itself, and without a measurement
    cells: tuple[CellReference, ...] = ()

    @property
    def is_global(self) -> bool:
        return self.strategy in GLOBAL_STRATEGIES


@dataclass(frozen=True)
class Outcome:
    recommended: Choice | None  # None: the deciding rows are not measured
    reason: str
    runner_up: Choice | None = None
    equals: tuple[str, ...] = ()  # strategies that do not differ from the recommended one beyond the interval


def decide_outcome(case: Case, leaf: str, deciding: DecidingRows, excluded: Container[str]) -> Outcome:
    keep_global = choice(global_strategy(case), deciding)
    place = deciding.place
    if place is None:
        return (
            Outcome(keep_global, _NEGLIGIBLE)
            if leaf == FEW
            else Outcome(None, "the deciding rows are not measured yet")
        )
    eligible = [name for name in place.strategies if can_serve(case, name)]
    ranked = _ranked(eligible, place, deciding.figure, excluded)
    best = choice(ranked[0], deciding) if ranked else None
    if leaf == FEW:
        hint = f"; if it took all, {best.strategy} would take {format_percent(best.ratio)}" if best else ""
        return Outcome(keep_global, _NEGLIGIBLE + hint, best)
    if best is None:
        if eligible:
            return Outcome(keep_global, "everything else that could serve is excluded")
        return Outcome(None, f"run {place.run} of {place.experiment} has no strategy that can serve")
    if best.ratio is None or best.ratio.verdict != "faster":
        closest = f"{best.strategy} comes closest: {format_percent(best.ratio)}"
        return Outcome(keep_global, f"no strategy is faster beyond its interval; {closest}", best)
    ratios = {name: place.ratio(name, best.strategy, deciding.figure) for name in ranked[1:]}
    equals = tuple(name for name, ratio in ratios.items() if ratio and ratio.verdict == "no difference")
    runner_up = choice(ranked[1], deciding) if len(ranked) > 1 else keep_global
    if runner_up.ratio and runner_up.ratio.median >= 1.0:
        runner_up = keep_global
    return Outcome(best, format_percent(best.ratio, "the global allocator's time"), runner_up, equals)


def choice(name: str, deciding: DecidingRows) -> Choice:
    place = deciding.place
    if place is None:
        return Choice(name, describe(name), None)
    ratio = place.ratio(name, BASE, deciding.figure) if name != BASE else None
    cells = tuple(place.cell(strategy) for strategy in dict.fromkeys((BASE, name)))
    return Choice(name, describe(name), ratio, cells)


def describe(name: str) -> str:
    if name in SHARED:
        return VARIANTS[name]
    return ", ".join(filter(None, (strategy_text(plain(name)), REUSE_ORDERS.get(variant(name)))))


def _ranked(eligible: Iterable[str], place: Place, figure: str, excluded: Container[str]) -> list[str]:
    """The strategies that are not excluded, by their ratio to the global allocator."""
    ratios = {
        name: ratio.median
        for name in eligible
        if counterpart(name) not in excluded
        if (ratio := place.ratio(name, BASE, figure)) is not None
    }
    return sorted(ratios, key=lambda name: ratios[name])
