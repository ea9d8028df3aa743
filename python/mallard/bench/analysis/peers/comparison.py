"""Compares mallard with other libraries: its fastest strategy in each cell, and the fastest of each peer.

    rows -> duels -> Duel, one for each cell and peer
         -> standings -> Standing, one for each experiment, quantity and peer

A ratio is mallard's time / the peer's, paired by repetition; below 1 mallard is faster. The fastest
strategy of a side is the one with the lowest median in the cell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from mallard.bench.analysis.cell_tables import Setting
from mallard.bench.analysis.names import in_table_order, ours
from mallard.bench.analysis.peers.contests import Contest, compared_quantities, contests
from mallard.bench.cells import Pairing, Times, paired
from mallard.bench.contenders import find_peer, order_of_peer
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.result import Row
from mallard.shared.mallocs import OWN
from mallard.shared.stats import Ratio, geometric_mean_ratio, median, paired_ratio

FASTER, SLOWER, NO_DIFFERENCE = "faster", "slower", "no difference"  # the verdicts on mallard
UNFINISHED = "not finished"  # the peer has not finished
OPEN = "no interval"  # there is one repetition
VERDICTS = (FASTER, NO_DIFFERENCE, SLOWER, UNFINISHED, OPEN)


@dataclass(frozen=True)
class Side:
    """The fastest strategy of one side, or the failure."""

    strategy: str
    times: Times = field(default_factory=dict)
    status: str = ""  # of a failure

    @property
    def value(self) -> float | None:
        return median(list(self.times.values())) if self.times else None


@dataclass(frozen=True)
class Duel:
    run: int
    experiment: str
    quantity: Quantity
    cell: Setting
    peer: str
    ours: Side
    theirs: Side

    @cached_property
    def pairing(self) -> Pairing | None:
        return paired(self.ours.times, self.theirs.times)

    @cached_property
    def ratio(self) -> Ratio | None:
        """The ratio; None if a side has not finished."""
        return paired_ratio(*self.pairing) if self.pairing else None

    @property
    def verdict(self) -> str:
        if not self.ours.times:
            return SLOWER
        if not self.theirs.times:
            return UNFINISHED
        if self.ratio is None or not self.ratio.bounded:
            return OPEN
        return self.ratio.verdict


@dataclass(frozen=True)
class Standing:
    experiment: str
    quantity: Quantity
    peer: str
    duels: tuple[Duel, ...]

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(duel.verdict for duel in self.duels)

    @cached_property
    def mean(self) -> Ratio | None:
        """The geometric mean over the cells that both sides finished. If some cells have an interval, those
        without one are left out.
        """
        pairings = [duel.pairing for duel in self.duels if duel.pairing]
        repeated = [pairing for pairing in pairings if len(pairing[0]) > 1]
        return geometric_mean_ratio(repeated or pairings) if pairings else None

    @property
    def worst(self) -> Duel | None:
        """The cell in which mallard is slowest relative to the peer."""
        return max(self.duels, key=_rank, default=None)


def duels(rows: Iterable[Row]) -> list[Duel]:
    """The duels of each cell from the newest run that decides it, sorted by experiment, quantity and
    peer."""
    newest = newest_duels(duel for contest in contests(rows) for duel in _make_duels(contest))
    return sorted(newest, key=lambda duel: (*_order(duel), order_of_peer(duel.peer)))


def newest_duels(candidates: Iterable[Duel], *, by_strategy: bool = False) -> list[Duel]:
    """The last decisive duel of each cell and peer, or else the last one."""
    newest: dict[tuple[str, Quantity, Setting, str, str], Duel] = {}
    for duel in candidates:
        key = (
            *(duel.experiment, duel.quantity, duel.cell, duel.peer),
            duel.ours.strategy if by_strategy else "",
        )
        if key not in newest or duel.verdict != OPEN or newest[key].verdict == OPEN:
            newest[key] = duel
    return list(newest.values())


def standings(all_duels: Iterable[Duel]) -> list[Standing]:
    grouped: dict[tuple[str, Quantity, str], list[Duel]] = {}
    for duel in all_duels:
        grouped.setdefault((duel.experiment, duel.quantity, duel.peer), []).append(duel)
    return [Standing(*key, tuple(group)) for key, group in grouped.items()]


def by_quantity(standings: Iterable[Standing]) -> dict[tuple[str, Quantity], dict[str, Standing]]:
    """Experiment and quantity -> peer -> standing."""
    lines: dict[tuple[str, Quantity], dict[str, Standing]] = {}
    for standing in standings:
        lines.setdefault((standing.experiment, standing.quantity), {})[standing.peer] = standing
    return lines


def peers_in(standings: Iterable[Standing]) -> list[str]:
    return sorted({standing.peer for standing in standings}, key=order_of_peer)


def losses(candidates: Iterable[Duel]) -> list[Duel]:
    """Every cell in which a peer is faster beyond the interval, the worst first."""
    return sorted((duel for duel in candidates if duel.verdict == SLOWER), key=_rank, reverse=True)


def has_contenders(rows: Iterable[Row]) -> bool:
    """True if another malloc or library was measured."""
    return any(find_peer(row.strategy) not in ("", OWN) for row in rows)


def _make_duels(contest: Contest) -> list[Duel]:
    by_side: dict[str, list[str]] = {}
    for name in in_table_order({*contest.times, *contest.unfinished}):
        side = "" if ours(name) else find_peer(name)
        if side or ours(name):
            by_side.setdefault(side, []).append(name)
    if "" not in by_side:
        return []
    own = _best(contest, by_side.pop(""))
    sides = {peer: _best(contest, names) for peer, names in by_side.items()}
    return [
        Duel(contest.run, contest.experiment, contest.quantity, contest.cell, peer, own, theirs)
        for peer, theirs in sides.items()
        if own.times or theirs.times
    ]


def _best(contest: Contest, names: Sequence[str]) -> Side:
    done: Mapping[str, Times] = {name: contest.times[name] for name in names if name in contest.times}
    if not done:
        return Side(names[-1], {}, contest.unfinished.get(names[-1], ""))
    best = min(done, key=lambda name: median(list(done[name].values())))
    return Side(best, done[best])


def _rank(duel: Duel) -> tuple[bool, float]:
    """The factor by which mallard is slower. A cell that it did not finish is worse than any ratio."""
    return not duel.ours.times, duel.ratio.median if duel.ratio else 0.0


def _order(duel: Duel) -> tuple[int, int]:
    experiments = list(EXPERIMENTS)
    return (
        experiments.index(duel.experiment) if duel.experiment in experiments else len(experiments),
        compared_quantities(duel.experiment).index(duel.quantity),
    )
