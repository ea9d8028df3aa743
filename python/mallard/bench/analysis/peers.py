"""Compares mallard with other libraries: its fastest strategy in each cell with the fastest of each peer, and
counterpart with counterpart: a strategy of mallard's and one of another library for the same use.

    rows -> cell_times -> CellTimes, one for each run, cell and quantity
         -> results -> CellResult, one for each cell and peer
         -> summaries -> Summary, one for each experiment, quantity and peer
    rows -> counterparts -> Counterpart, one for each pair that was measured
         -> nearest -> the fastest counterpart of each of mallard's strategies

The first quantity of an experiment is the time of an operation. The others are further figures, of which
less is better, too. A cell of locality is an access after the shuffle, by list length and access factor.
A ratio is mallard's time / the peer's, paired by repetition; below 1 mallard is faster. The fastest
strategy of a side is the one with the lowest median in the cell. Of counterparts neither side is chosen after
the fact: a pair's figure is the geometric mean over experiments of the geometric means over their cells, so
that an experiment with many cells has no more weight than one with few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, log

from mallard.bench.analysis.cell_tables import Setting, row_setting, setting_text, structure_type
from mallard.bench.analysis.labels import STATUS_TEXT
from mallard.bench.analysis.names import in_table_order, ours
from mallard.bench.analysis.surfaces import EXPERIMENT as LOCALITY
from mallard.bench.analysis.surfaces import locality_systems
from mallard.bench.analysis.words import amount, in_a_list, nanoseconds, with_interval
from mallard.bench.cells import Pairing, Times, above, cell_rows, paired
from mallard.bench.contenders import find_peer, order_of_peer
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.axis import AMOUNT, FOLLOWS
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.footprint import readable
from mallard.bench.library import BASE
from mallard.bench.papers.files import read_csv
from mallard.bench.result import Row
from mallard.shared.mallocs import MALLOC_MARK, OWN
from mallard.shared.report.figures import ratio_figure
from mallard.shared.stats import Ratio, geometric_mean_ratio, median, paired_ratio

TIME = Quantity("", "time", "the time of an operation")
# The least time of an object in a phase: shorter than an instruction. A monotonic allocator's frees do
# nothing.
IDLE_NS = 0.05


@dataclass(frozen=True)
class CellTimes:
    run: int
    experiment: str
    quantity: Quantity
    cell: Setting
    times: dict[str, Times]  # of the finished strategies
    unfinished: dict[str, str]  # strategy without a finished repetition -> its last failure


def cell_times(rows: Iterable[Row]) -> Iterator[CellTimes]:
    """The cell_times, run by run in ascending order. Times of different runs are not paired."""
    runs: dict[tuple[int, str], list[Row]] = {}
    for row in rows:
        runs.setdefault((row.run_id, row.experiment), []).append(row)
    for (run, experiment), run_rows in sorted(runs.items(), key=lambda item: item[0][0]):
        if experiment == LOCALITY:
            yield from _locality_times(run, run_rows)
        else:
            yield from _times_of_cells(run, experiment, run_rows)


def compared_quantities(experiment: str) -> tuple[Quantity, ...]:
    """The quantities that compare an experiment's cells, the time first."""
    return (TIME, *EXPERIMENTS[experiment].compared) if experiment in EXPERIMENTS else (TIME,)


def is_memory(quantity: Quantity) -> bool:
    return quantity.figure.endswith("_bytes")


def _times_of_cells(run: int, experiment: str, rows: Sequence[Row]) -> Iterator[CellTimes]:
    description = EXPERIMENTS.get(experiment)
    excluded = description.roles(AMOUNT, FOLLOWS) if description else set()
    for row in cell_rows(rows):
        place = row_setting(row, excluded)
        done = {name: cell for name, cell in row.cells.items() if cell.finished}
        unfinished = {name: cell.status for name, cell in row.cells.items() if not cell.finished}
        times = {name: cell.times for name, cell in done.items()}
        yield CellTimes(run, experiment, TIME, place, times, unfinished)
        for quantity in compared_quantities(experiment)[1:]:
            least = 0.0 if is_memory(quantity) else IDLE_NS
            values_by_name = {
                name: above(least, cell.figures.get(quantity.figure, {})) for name, cell in done.items()
            }
            measured = {name: values for name, values in values_by_name.items() if values}
            yield CellTimes(run, experiment, quantity, place, measured, unfinished)


def _locality_times(run: int, rows: Sequence[Row]) -> Iterator[CellTimes]:
    for system in locality_systems(rows):
        for length in system.list_lengths:
            ended = {
                name: surface.unfinished[length][0]
                for name, surface in system.surfaces.items()
                if length in surface.unfinished
            }
            for factor in system.access_factors:
                place = (("links", system.links), ("list_length", length), ("access_factor", factor))
                times_by_name = {
                    name: surface.at(length, factor) for name, surface in system.surfaces.items()
                }
                times = {name: values for name, values in times_by_name.items() if values}
                yield CellTimes(run, LOCALITY, TIME, (*place, *system.setting), times, ended)


# The verdicts on mallard.
FASTER, EVEN, UNRESOLVED, SLOWER = "faster", "even", "not resolved", "slower"
UNFINISHED = "not finished"  # the peer has not finished
OPEN = "no interval"  # there is one repetition
COUNTED = (FASTER, EVEN, UNRESOLVED, SLOWER)  # of cells that both sides finished


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
class CellResult:
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
        return self.ratio.outcome


@dataclass(frozen=True)
class Summary:
    experiment: str
    quantity: Quantity
    peer: str
    results: tuple[CellResult, ...]

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(result.verdict for result in self.results)

    @cached_property
    def mean(self) -> Ratio | None:
        """The geometric mean over the cells that both sides finished. If some cells have an interval, those
        without one are left out.
        """
        pairings = [result.pairing for result in self.results if result.pairing]
        repeated = [pairing for pairing in pairings if len(pairing[0]) > 1]
        return geometric_mean_ratio(repeated or pairings) if pairings else None

    @property
    def worst(self) -> CellResult | None:
        """The cell in which mallard is slowest relative to the peer."""
        return max(self.results, key=_rank, default=None)


def cell_results(rows: Iterable[Row]) -> list[CellResult]:
    """The results of each cell from the newest run that decides it, sorted by experiment, quantity and
    peer."""
    newest = newest_results(result for entry in cell_times(rows) for result in _results_of_fastest(entry))
    return sorted(newest, key=lambda result: (*_order(result), order_of_peer(result.peer)))


def newest_results(candidates: Iterable[CellResult], *, by_strategy: bool = False) -> list[CellResult]:
    """The last decisive result of each cell and peer, or else the last one."""
    newest: dict[tuple[str, Quantity, Setting, str, str], CellResult] = {}
    for result in candidates:
        key = (
            *(result.experiment, result.quantity, result.cell, result.peer),
            result.ours.strategy if by_strategy else "",
        )
        if key not in newest or result.verdict != OPEN or newest[key].verdict == OPEN:
            newest[key] = result
    return list(newest.values())


def summaries(all_results: Iterable[CellResult]) -> list[Summary]:
    grouped: dict[tuple[str, Quantity, str], list[CellResult]] = {}
    for result in all_results:
        grouped.setdefault((result.experiment, result.quantity, result.peer), []).append(result)
    return [Summary(*key, tuple(group)) for key, group in grouped.items()]


def by_quantity(summaries: Iterable[Summary]) -> dict[tuple[str, Quantity], dict[str, Summary]]:
    """Experiment and quantity -> peer -> summary."""
    lines: dict[tuple[str, Quantity], dict[str, Summary]] = {}
    for summary in summaries:
        lines.setdefault((summary.experiment, summary.quantity), {})[summary.peer] = summary
    return lines


def peers_in(summaries: Iterable[Summary]) -> list[str]:
    return sorted({summary.peer for summary in summaries}, key=order_of_peer)


def losses(candidates: Iterable[CellResult]) -> list[CellResult]:
    """Every cell in which a peer is faster beyond the interval, the worst first."""
    return sorted((result for result in candidates if result.verdict == SLOWER), key=_rank, reverse=True)


def has_contenders(rows: Iterable[Row]) -> bool:
    """True if another malloc or library was measured."""
    return any(find_peer(row.strategy) not in ("", OWN) for row in rows)


def _results_of_fastest(entry: CellTimes) -> list[CellResult]:
    by_side: dict[str, list[str]] = {}
    for name in in_table_order({*entry.times, *entry.unfinished}):
        side = "" if ours(name) else find_peer(name)
        if side or ours(name):
            by_side.setdefault(side, []).append(name)
    if "" not in by_side:
        return []
    own = _best(entry, by_side.pop(""))
    sides = {peer: _best(entry, names) for peer, names in by_side.items()}
    return [
        CellResult(entry.run, entry.experiment, entry.quantity, entry.cell, peer, own, theirs)
        for peer, theirs in sides.items()
        if own.times or theirs.times
    ]


def _best(entry: CellTimes, names: Sequence[str]) -> Side:
    done: Mapping[str, Times] = {name: entry.times[name] for name in names if name in entry.times}
    if not done:
        return Side(names[-1], {}, entry.unfinished.get(names[-1], ""))
    best = min(done, key=lambda name: median(list(done[name].values())))
    return Side(best, done[best])


def _rank(result: CellResult) -> tuple[bool, float]:
    """The factor by which mallard is slower. A cell that it did not finish is worse than any ratio."""
    return not result.ours.times, result.ratio.median if result.ratio else 0.0


def _order(result: CellResult) -> tuple[int, int]:
    experiments = list(EXPERIMENTS)
    return (
        experiments.index(result.experiment) if result.experiment in experiments else len(experiments),
        compared_quantities(result.experiment).index(result.quantity),
    )


MALLOCS = f"{BASE}{MALLOC_MARK}"  # every malloc that was measured, the C library's too
# Allocators for the same use: blocks released together, of one size, of any size, merged, for all threads, in
# place.
PAIRS = {row["ours"]: tuple(row["theirs"].split()) for row in read_csv("counterparts.csv", "analysis")}
# The strategies of these that a program uses first.
PLAIN = (
    *("monotonic", "monotonic/base", "multipool", "multipool/base", "fixed-pool", "small-object-pool"),
    *("adaptive-pool", "heap", "concurrent-multipool"),
)


@dataclass(frozen=True)
class Counterpart:
    ours: str
    theirs: str
    summaries: tuple[Summary, ...]  # one for each experiment

    @cached_property
    def counts(self) -> Counter[str]:
        """The cells by verdict on mallard."""
        return sum((summary.counts for summary in self.summaries), Counter[str]())

    @cached_property
    def ratio(self) -> float | None:
        """mallard's time / the other's; None if no cell has both."""
        logs = [log(summary.mean.median) for summary in self.summaries if summary.mean]
        return exp(sum(logs) / len(logs)) if logs else None

    @property
    def worst(self) -> Summary | None:
        """The experiment in which mallard's strategy is slowest relative to the other."""
        measured = [summary for summary in self.summaries if summary.mean]
        return max(measured, key=lambda summary: summary.mean.median if summary.mean else 0.0, default=None)


def counterparts(rows: Iterable[Row]) -> list[Counterpart]:
    """The pairs that were measured, in the order of PAIRS, the fastest counterpart first."""
    all_results = (result for entry in cell_times(rows) for result in _results_of_counterparts(entry))
    newest = newest_results(all_results, by_strategy=True)
    by_pair: dict[tuple[str, str], list[CellResult]] = {}
    for result in newest:
        by_pair.setdefault((result.ours.strategy, result.theirs.strategy), []).append(result)
    pairs = [Counterpart(*pair, tuple(summaries(group))) for pair, group in by_pair.items()]
    order = list(PAIRS)
    return sorted(pairs, key=lambda pair: (order.index(pair.ours), -(pair.ratio or 0.0)))


def nearest(pairs: Sequence[Counterpart]) -> list[Counterpart]:
    """The fastest counterpart of each of mallard's strategies."""
    return list({pair.ours: pair for pair in reversed(pairs)}.values())[::-1]


def _results_of_counterparts(entry: CellTimes) -> Iterable[CellResult]:
    if entry.quantity != TIME:
        return
    present = {*entry.times, *entry.unfinished}
    for own, names in PAIRS.items():
        for theirs in sorted(_present_counterparts(names, present)) if own in present else ():
            sides = _side(entry, own), _side(entry, theirs)
            if any(side.times for side in sides):
                yield CellResult(entry.run, entry.experiment, TIME, entry.cell, theirs, *sides)


def _present_counterparts(names: Iterable[str], present: Iterable[str]) -> set[str]:
    return {
        name
        for name in present
        if name in names or (MALLOCS in names and (name == BASE or name.startswith(MALLOCS)))
    }


def _side(entry: CellTimes, name: str) -> Side:
    return Side(name, entry.times.get(name, {}), entry.unfinished.get(name, ""))


MARGIN = 0.05  # larger losses are counted separately
COMPILER = "compiler"  # a parameter of every experiment
_COUNTS = {
    FASTER: "faster in",
    EVEN: "even in",
    UNRESOLVED: "not resolved in",
    SLOWER: "slower in",
    UNFINISHED: "the other not finished in",
    OPEN: "without an interval in",
}


class CellNames:
    """The words that distinguish the cells of an experiment."""

    def __init__(self, results: Iterable[CellResult]) -> None:
        values: dict[tuple[str, str], set[object]] = {}
        for result in results:
            for name, value in result.cell:
                values.setdefault((result.experiment, name), set()).add(value)
        self._differing = {place for place, seen in values.items() if len(seen) > 1}

    def of(self, result: CellResult) -> str:
        cell = dict(result.cell)
        description = EXPERIMENTS.get(result.experiment)
        places = [axis.name for axis in description.axes if axis.value_format] if description else []
        varying = [
            name for name in cell if name not in places and (result.experiment, name) in self._differing
        ]
        return ", ".join(
            _parameter_text(result.experiment, name, cell[name])
            for name in (*places, *varying)
            if name in cell
        )


def title(experiment: str, quantity: Quantity) -> str:
    """`small-objects`, `small-objects, allocate`"""
    return experiment if quantity == TIME else f"{experiment}, {quantity.short}"


def value_text(side: Side, result: CellResult) -> str:
    """`2.31 ns`, `1.2 MiB`, or the kind of failure."""
    if side.value is None:
        return STATUS_TEXT.get(side.status, UNFINISHED)
    return readable(int(side.value)) if is_memory(result.quantity) else f"{nanoseconds(side.value)} ns"


def counts_text(counts: Counter[str]) -> str:
    """`faster in 12, no different in 3, slower in 1`: mallard's cells."""
    return ", ".join(f"{words} {counts[verdict]}" for verdict, words in _COUNTS.items() if counts[verdict])


def ratio_text(ratio: Ratio | None) -> str:
    """`1.22 (1.15 to 1.30)`; empty if a side has not finished."""
    return with_interval(ratio, ratio_figure) if ratio else ""


def result_text(result: CellResult, names: CellNames) -> str:
    """`16 bytes, shuffled, allocate: multipool 2.31 ns, boost-pool 1.90 ns, ratio 1.22 (1.15 to 1.30)`"""
    cell_text = ", ".join(
        filter(None, [names.of(result), result.quantity.short if result.quantity != TIME else ""])
    )
    parts = [f"{side.strategy} {value_text(side, result)}" for side in (result.ours, result.theirs)]
    parts += [f"ratio {ratio_text(result.ratio)}"] if result.ratio else []
    return f"{cell_text}: {', '.join(parts)}"


def worst_text(pair: Counterpart) -> str:
    """`reuse: 1.22`, the experiment in which mallard's strategy is slowest."""
    worst = pair.worst
    return f"{worst.experiment}: {ratio_figure(worst.mean.median)}" if worst and worst.mean else ""


def counterpart_sentence(pairs: Sequence[Counterpart]) -> str:
    """The cells of all pairs together; empty without a pair."""
    if not pairs:
        return ""
    number = "1 pair" if len(pairs) == 1 else f"{len(pairs)} pairs"
    counts = counts_text(sum((pair.counts for pair in pairs), Counter[str]()))
    return f"Counterpart against counterpart, in {number}, cell by cell, mallard's is {counts}."


def peer_sentences(results: Sequence[CellResult], pairs: Sequence[Counterpart] = ()) -> list[str]:
    """The counterparts; then each side's fastest, chosen after the fact; then the libraries that are faster,
    with each experiment's worst.
    """
    return [*filter(None, [counterpart_sentence(pairs)]), *_fastest(results)]


def _fastest(results: Sequence[CellResult]) -> list[str]:
    timed = [result for result in results if result.quantity == TIME]
    if not timed:
        return []
    peers = len({result.peer for result in timed})
    counts = counts_text(Counter(result.verdict for result in timed))
    libraries = "1 other library" if peers == 1 else f"{peers} other libraries"
    summary = (
        f"Chosen after the fact, each side's fastest strategy of a cell, against {libraries}: "
        f"mallard's is {counts}. {_shares(timed)}"
    ).rstrip()
    lost = losses(timed)
    if not lost:
        return [summary, "No other library is faster in any cell beyond the interval."]
    losing = {result.experiment for result in lost}
    experiments = dict.fromkeys(result.experiment for result in timed if result.experiment in losing)
    return [summary, *(_losing(name, timed) for name in experiments)]


def _shares(timed: Sequence[CellResult]) -> str:
    """The wins over the C library and in locality, which are not wins over an allocator, and the losses that
    matter.
    """
    won = [result for result in timed if result.verdict == FASTER]
    of_libc = sum(result.peer == OWN for result in won)
    of_locality = sum(result.experiment == LOCALITY and result.peer != OWN for result in won)
    slower = [result for result in timed if result.ratio and result.ratio.median > 1 + MARGIN]
    beyond = sum(result.verdict == SLOWER for result in slower)
    parts = []
    if of_libc or of_locality:
        parts.append(f"{of_libc} wins are over the C library's malloc, {of_locality} more in locality.")
    if slower:
        margin = f"Slower by more than {100 * MARGIN:.0f} %"
        parts.append(f"{margin}: {len(slower)}, {beyond} of them beyond the interval.")
    return " ".join(parts)


def _losing(experiment: str, timed: Iterable[CellResult]) -> str:
    own_results = [result for result in timed if result.experiment == experiment]
    lost = losses(own_results)
    (first, most), *remaining = Counter(result.peer for result in lost).most_common()
    named = in_a_list([f"{first} is faster in {most}", *(f"{peer} in {count}" for peer, count in remaining)])
    cells = len({result.cell for result in own_results})
    total = f"of {cells} cell{'' if cells == 1 else 's'}"
    return f"{experiment}: {named} {total}; at the worst {result_text(lost[0], CellNames(own_results))}."


def _parameter_text(experiment: str, name: str, value: object) -> str:
    """A value in the words of the experiment's axis; the name and value of any other parameter."""
    description = EXPERIMENTS.get(experiment)
    axis = description.axis(name) if description else None
    if name == COMPILER or axis is None or not axis.value_format:
        return str(value) if name == COMPILER else setting_text(((name, value),))
    count = amount(value) if isinstance(value, int) else value
    return axis.value_format.format(value, count=count, type=structure_type(str(value)))
