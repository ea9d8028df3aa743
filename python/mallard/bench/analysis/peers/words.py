"""Sentences that compare mallard with other libraries: cells, ratios and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from mallard.bench.analysis.cell_tables import setting_text, structure_type
from mallard.bench.analysis.labels import STATUS_TEXT
from mallard.bench.analysis.panel import locality
from mallard.bench.analysis.peers.comparison import (
    FASTER,
    NO_DIFFERENCE,
    OPEN,
    SLOWER,
    UNFINISHED,
    Duel,
    Side,
    losses,
)
from mallard.bench.analysis.peers.contests import TIME, is_memory
from mallard.bench.analysis.peers.counterparts import Counterpart
from mallard.bench.analysis.words import amount, in_a_list, nanoseconds
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.footprint import readable
from mallard.shared.mallocs import OWN
from mallard.shared.stats import Ratio

MARGIN = 0.05  # larger losses are counted separately
COMPILER = "compiler"  # a parameter of every experiment
_COUNTS = {
    FASTER: "faster in",
    NO_DIFFERENCE: "no different in",
    SLOWER: "slower in",
    UNFINISHED: "the other not finished in",
    OPEN: "without an interval in",
}


class CellNames:
    """The words that distinguish the cells of an experiment."""

    def __init__(self, duels: Iterable[Duel]) -> None:
        values: dict[tuple[str, str], set[object]] = {}
        for duel in duels:
            for name, value in duel.cell:
                values.setdefault((duel.experiment, name), set()).add(value)
        self._differing = {place for place, seen in values.items() if len(seen) > 1}

    def of(self, duel: Duel) -> str:
        cell = dict(duel.cell)
        description = EXPERIMENTS.get(duel.experiment)
        places = [axis.name for axis in description.axes if axis.value_format] if description else []
        varying = [name for name in cell if name not in places and (duel.experiment, name) in self._differing]
        return ", ".join(
            _parameter_text(duel.experiment, name, cell[name]) for name in (*places, *varying) if name in cell
        )


def title(experiment: str, quantity: Quantity) -> str:
    """`small-objects`, `small-objects, allocate`"""
    return experiment if quantity == TIME else f"{experiment}, {quantity.short}"


def value_text(side: Side, duel: Duel) -> str:
    """`2.31 ns`, `1.2 MiB`, or the kind of failure."""
    if side.value is None:
        return STATUS_TEXT.get(side.status, UNFINISHED)
    return readable(int(side.value)) if is_memory(duel.quantity) else f"{nanoseconds(side.value)} ns"


def counts_text(counts: Counter[str]) -> str:
    """`faster in 12, no different in 3, slower in 1`: mallard's cells."""
    return ", ".join(f"{words} {counts[verdict]}" for verdict, words in _COUNTS.items() if counts[verdict])


def figure(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio >= 0.0995 else f"{ratio:.3f}" if ratio >= 0.00095 else "<0.001"


def ratio_text(ratio: Ratio | None) -> str:
    """`1.22 (1.15 to 1.30)`; empty if a side has not finished."""
    if ratio is None:
        return ""
    if not ratio.bounded:
        return f"{figure(ratio.median)} (one repetition: no interval)"
    return f"{figure(ratio.median)} ({figure(ratio.low)} to {figure(ratio.high)})"


def duel_text(duel: Duel, names: CellNames) -> str:
    """`16 bytes, shuffled, allocate: multipool 2.31 ns, boost-pool 1.90 ns, ratio 1.22 (1.15 to 1.30)`"""
    cell_text = ", ".join(
        filter(None, [names.of(duel), duel.quantity.short if duel.quantity != TIME else ""])
    )
    parts = [f"{side.strategy} {value_text(side, duel)}" for side in (duel.ours, duel.theirs)]
    parts += [f"ratio {ratio_text(duel.ratio)}"] if duel.ratio else []
    return f"{cell_text}: {', '.join(parts)}"


def worst_text(pair: Counterpart) -> str:
    """`reuse: 1.22`, the experiment in which mallard's strategy is slowest."""
    worst = pair.worst
    return f"{worst.experiment}: {figure(worst.mean.median)}" if worst and worst.mean else ""


def counterpart_sentence(pairs: Sequence[Counterpart]) -> str:
    """The cells of all pairs together; empty without a pair."""
    if not pairs:
        return ""
    number = "1 pair" if len(pairs) == 1 else f"{len(pairs)} pairs"
    counts = counts_text(sum((pair.counts for pair in pairs), Counter[str]()))
    return f"Counterpart beside counterpart, in {number}, cell by cell, mallard's is {counts}."


def peer_sentences(duels: Sequence[Duel], pairs: Sequence[Counterpart] = ()) -> list[str]:
    """The counterparts; then each side's fastest, chosen after the fact; then the libraries that are faster,
    with each experiment's worst.
    """
    return [*filter(None, [counterpart_sentence(pairs)]), *_fastest(duels)]


def _fastest(duels: Sequence[Duel]) -> list[str]:
    timed = [duel for duel in duels if duel.quantity == TIME]
    if not timed:
        return []
    peers = len({duel.peer for duel in timed})
    counts = counts_text(Counter(duel.verdict for duel in timed))
    libraries = "1 other library" if peers == 1 else f"{peers} other libraries"
    summary = (
        f"Chosen after the fact, each side's fastest strategy of a cell, beside {libraries}: "
        f"mallard's is {counts}. {_shares(timed)}"
    ).rstrip()
    lost = losses(timed)
    if not lost:
        return [summary, "No other library is faster in any cell beyond the interval."]
    losing = {duel.experiment for duel in lost}
    experiments = dict.fromkeys(duel.experiment for duel in timed if duel.experiment in losing)
    return [summary, *(_losing(name, timed) for name in experiments)]


def _shares(timed: Sequence[Duel]) -> str:
    """The wins over the C library and in locality, which are not wins over an allocator, and the losses that
    matter.
    """
    won = [duel for duel in timed if duel.verdict == FASTER]
    of_libc = sum(duel.peer == OWN for duel in won)
    of_locality = sum(duel.experiment == locality.EXPERIMENT and duel.peer != OWN for duel in won)
    slower = [duel for duel in timed if duel.ratio and duel.ratio.median > 1 + MARGIN]
    beyond = sum(duel.verdict == SLOWER for duel in slower)
    parts = []
    if of_libc or of_locality:
        parts.append(f"{of_libc} wins are over the C library's malloc, {of_locality} more in locality.")
    if slower:
        margin = f"Slower by more than {100 * MARGIN:.0f} %"
        parts.append(f"{margin}: {len(slower)}, {beyond} of them beyond the interval.")
    return " ".join(parts)


def _losing(experiment: str, timed: Iterable[Duel]) -> str:
    cell_duels = [duel for duel in timed if duel.experiment == experiment]
    lost = losses(cell_duels)
    (first, most), *remaining = Counter(duel.peer for duel in lost).most_common()
    named = in_a_list([f"{first} is faster in {most}", *(f"{peer} in {count}" for peer, count in remaining)])
    cells = len({duel.cell for duel in cell_duels})
    total = f"of {cells} cell{'' if cells == 1 else 's'}"
    return f"{experiment}: {named} {total}; at the worst {duel_text(lost[0], CellNames(cell_duels))}."


def _parameter_text(experiment: str, name: str, value: object) -> str:
    """A value in the words of the experiment's axis; the name and value of any other parameter."""
    description = EXPERIMENTS.get(experiment)
    axis = description.axis(name) if description else None
    if name == COMPILER or axis is None or not axis.value_format:
        return str(value) if name == COMPILER else setting_text(((name, value),))
    count = amount(value) if isinstance(value, int) else value
    return axis.value_format.format(value, count=count, type=structure_type(str(value)))
