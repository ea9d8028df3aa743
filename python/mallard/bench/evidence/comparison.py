"""Compares a printed table with this machine's figures, cell by cell, with the ratio of the two.

In a race of strategies, both sides are percents of new-delete. In Benchmarks II and V they are the table's
ratios. P0213's Tables 43-46 are absolute, and so is their comparison. Tables 8 and 20 are means over rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mallard.bench.cells import mean_over
from mallard.bench.evidence.evidence import BASE, SHUFFLED, AnyPlace, Evidence, Measured
from mallard.bench.experiments.fragmentation import FRAGMENTED
from mallard.bench.papers.fixed_block import REMOVE_CTRL, STRATEGIES, work_name
from mallard.bench.papers.locality import DEGRADATION, GLOBAL, IMPROVEMENT, LOCAL_TO_GLOBAL, ONSET
from mallard.bench.papers.printed import Key, PrintedTable
from mallard.bench.papers.small_objects import figure_name
from mallard.shared.stats import Ratio, median, paired_ratio

NOT_MEASURED = "not measured"
SMALL_PAGES = "small"  # an unconfigured system has small pages

Pair = tuple[float, float]  # numerator and denominator of a ratio, in one repetition
PairOf = Callable[[Evidence], Pair | None]


@dataclass(frozen=True)
class CellComparison:
    """One cell. `printed` and `ours` are ratios, or None. 1 means new-delete's time, or no effect."""

    printed: float | None
    printed_ns: float | None
    ours: Ratio | None
    ours_ns: float | None
    status: str

    @property
    def ratio_of_ratios(self) -> float | None:
        """Ours divided by the printed ratio. Above 1, the strategy or the shuffle does worse here."""
        if self.ours is not None and self.printed:
            return self.ours.median / self.printed
        if self.ours is None and self.ours_ns is not None and self.printed_ns:
            return self.ours_ns / self.printed_ns
        return None


Comparison = dict[Key, dict[str, CellComparison]]


def compare_with_print(table: PrintedTable, measured: Measured) -> Comparison:
    return {
        key: {column: _cell(table, measured, key, column) for column in line}
        for key, line in table.rows.items()
    }


def has_cells(table: PrintedTable, measured: Measured) -> bool:
    cells = (cell for line in compare_with_print(table, measured).values() for cell in line.values())
    return any(cell.ours is not None or cell.ours_ns is not None for cell in cells)


def _cell(table: PrintedTable, measured: Measured, key: Key, column: str) -> CellComparison:
    evidences = list(measured.repetitions.values())
    if not table.place:
        ours = (
            _mean_of_density(evidences, column)
            if table.experiment == "density"
            else _mean_r(evidences, column)
        )
        scale = 100.0 if table.unit == "percent of new-delete" else 1.0
        printed = table.rows[key][column]
        return CellComparison(printed and printed / scale, None, ours, None, "ok" if ours else NOT_MEASURED)
    if table.experiment == "locality" and table.unit == "seconds":
        return _time_of_access(table, evidences, key, column)
    if table.shows_times:
        return _race(table, measured, key, column)
    pair_from = (
        _locality_pair(table, key, column)
        if table.experiment == "locality"
        else _heap_pair(table, key, column)
    )
    ours = _ratio([pair for evidence in evidences if (pair := pair_from(evidence))])
    return CellComparison(table.rows[key][column], None, ours, None, "ok" if ours else NOT_MEASURED)


def _race(table: PrintedTable, measured: Measured, key: Key, column: str) -> CellComparison:
    """A strategy's time divided by that of new-delete, in its row."""
    place, base = _place(table, measured, key, column), _place(table, measured, key, BASE)
    times = [
        (evidence_times[place], evidence_times.get(base))
        for evidence in measured.repetitions.values()
        if place in (evidence_times := evidence.of(table.experiment))
    ]
    pairs = [(time, base_time) for time, base_time in times if base_time is not None]
    percent = table.percent_of_base(key, column)
    # A failed row has none of its figures.
    failed = measured.failures.get(place) or measured.failures.get(place[1:])
    status = "ok" if times else failed or NOT_MEASURED
    return CellComparison(
        printed=None if percent is None else percent / 100.0,
        printed_ns=table.nanoseconds(key, column),
        ours=_ratio(pairs),
        ours_ns=median([time for time, _ in times]) if times else None,
        status=status,
    )


def _place(table: PrintedTable, measured: Measured, key: Key, column: str) -> AnyPlace:
    if table.experiment == "density":
        return (str(table.place["ds"]), key[0], column)
    if table.experiment == "small-objects":
        return small_objects_place(table, key, column, str(dict(measured.setting).get("pages", SMALL_PAGES)))
    if table.experiment == "fixed-block":
        return fixed_block_place(table, key, column)
    buffer = str(dict(measured.setting).get("buffer", ""))
    if table.experiment == "utilization":
        return (buffer, *key, column)
    return (buffer, table.place["iterations_log2"], table.place["block_log2"], key[0], column)


def small_objects_place(table: PrintedTable, key: Key, column: str, pages: str = SMALL_PAGES) -> AnyPlace:
    return (figure_name(table, key), pages, key[0], str(table.place["order"]), column)


def fixed_block_place(table: PrintedTable, key: Key, column: str) -> AnyPlace:
    """The default is new-delete in every work. Each work has one strategy for the block allocators."""
    work = work_name(key)
    version = str(table.place["version"]) if work == REMOVE_CTRL else ""
    return (work, version, BASE if column == BASE else STRATEGIES[work])


def _locality_pair(table: PrintedTable, key: Key, column: str) -> PairOf:
    links, length, kind = int(table.place["links"]), key[0], table.place["what"]
    strategy = str(table.place["strategy"])

    def access(evidence: Evidence, shuffled: int, name: str, factor: int) -> float | None:
        return evidence.locality.get((links, length, shuffled, factor, name))

    def pair(evidence: Evidence) -> Pair | None:
        if kind == ONSET:
            factor = int(table.place["access_factor"])
            return _pair_if_both(
                access(evidence, int(column), strategy, factor), access(evidence, 0, strategy, factor)
            )
        factor = int(column)
        shuffled_time = access(evidence, SHUFFLED, strategy, factor)
        if kind == LOCAL_TO_GLOBAL:
            return _pair_if_both(shuffled_time, access(evidence, SHUFFLED, GLOBAL, factor))
        own = _pair_if_both(shuffled_time, access(evidence, 0, strategy, factor))
        if kind == DEGRADATION or own is None:
            return own
        baseline = _pair_if_both(
            access(evidence, SHUFFLED, GLOBAL, factor), access(evidence, 0, GLOBAL, factor)
        )
        return (baseline[0] * own[1], baseline[1] * own[0]) if baseline else None

    if kind not in (ONSET, DEGRADATION, IMPROVEMENT, LOCAL_TO_GLOBAL):
        raise ValueError(f"no comparison for '{kind}'")
    return pair


def _heap_pair(table: PrintedTable, key: Key, column: str) -> PairOf:
    structure, freed, size = str(table.place["ds"]), str(table.place["freed"]), key[0]
    return lambda evidence: _ratio_of_ratios_pair(evidence, structure, size, freed, column)


def _ratio_of_ratios_pair(
    evidence: Evidence, structure: str, size: int, freed: str, strategy: str
) -> Pair | None:
    """R as one fraction, under the upstream of the setting."""
    upstreams = {place[0] for place in evidence.fragmentation}
    for upstream in upstreams:
        ratio = evidence.ratio_of_ratios(structure, size, freed, strategy, upstream)
        if ratio is not None:
            return ratio, 1.0
    return None


def _mean_of_density(evidences: list[Evidence], strategy: str) -> Ratio | None:
    """The mean over structures and sizes of the time relative to new-delete (P0213's Table 8)."""
    cells = {place[:2] for evidence in evidences for place in evidence.density if place[2] == strategy}
    return _mean(
        [
            [
                pair
                for evidence in evidences
                if (
                    pair := _pair_if_both(
                        evidence.density.get((*cell, strategy)), evidence.density.get((*cell, BASE))
                    )
                )
            ]
            for cell in sorted(cells)
        ]
    )


def _mean_r(evidences: list[Evidence], strategy: str) -> Ratio | None:
    """The mean of R over the measured structures, sizes and D (P0213's Table 20)."""
    cells = {
        (structure, size, freed)
        for evidence in evidences
        for _, structure, size, freed, name in evidence.fragmentation
        if name == strategy and freed in FRAGMENTED
    }
    return _mean(
        [
            [pair for evidence in evidences if (pair := _ratio_of_ratios_pair(evidence, *cell, strategy))]
            for cell in sorted(cells)
        ]
    )


def _mean(rows: list[list[Pair]]) -> Ratio | None:
    return mean_over(
        ([numerator for numerator, _ in row], [denominator for _, denominator in row]) if row else None
        for row in rows
    )


def _time_of_access(table: PrintedTable, evidences: list[Evidence], key: Key, column: str) -> CellComparison:
    strategy = str(table.place["strategy"])
    place = (int(table.place["links"]), key[0], int(table.place["shuffle_factor"]), int(column), strategy)
    times = [evidence.locality[place] for evidence in evidences if place in evidence.locality]
    return CellComparison(
        None,
        table.nanoseconds(key, column),
        None,
        median(times) if times else None,
        "ok" if times else NOT_MEASURED,
    )


def _pair_if_both(numerator: float | None, denominator: float | None) -> Pair | None:
    return (numerator, denominator) if numerator and denominator else None


def _ratio(pairs: list[Pair]) -> Ratio | None:
    return (
        paired_ratio([numerator for numerator, _ in pairs], [denominator for _, denominator in pairs])
        if pairs
        else None
    )
