"""Every cell of every experiment as a contest: what each strategy took, by repetition.

    rows -> contests -> Contest, one for each run, cell and quantity

The first quantity of an experiment is the time of an operation; the others are figures beside it, of which
less is better too. Of locality a cell is an access after the shuffle, by list length and access factor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mallard.analysis import adaptive_pool, burst, by_ranges, heap_churn, locality, small_objects, vectors
from mallard.analysis.cells import Setting, Times, figures_of, setting_of, times_of
from mallard.analysis.phases import Quantity
from mallard.result import Row

Asked = frozenset[tuple[str, object]]  # parameters
TIME = Quantity("", "time", "the time of an operation")
QUANTITIES: dict[str, tuple[Quantity, ...]] = {
    small_objects.EXPERIMENT: (*small_objects.PHASES, small_objects.HELD),
    adaptive_pool.EXPERIMENT: (*adaptive_pool.PHASES, by_ranges.HELD),
    "expansion-backward": (vectors.PEAK_LIVE,),
    "shrink-to-fit": (vectors.SHRINK,),
    burst.EXPERIMENT: (*burst.PHASES, by_ranges.HELD),
    heap_churn.EXPERIMENT: (heap_churn.FILL, heap_churn.HELD),
}
# How much was measured, and what follows from the rest: no part of what makes a cell.
_NO_PLACE = (
    *("product_log2", "inner_log2", "buffer_bytes", "block_bytes", "multiplier", "perturb_chunks_log2"),
    *("accesses", "repeat_factor", "count", "nodes", "objects", "iterations", "step", "operations"),
)
_RUNNERS = ("count", "iterations", "step")  # that the runner may choose

# Of an object in a phase: less than an instruction takes. A monotonic allocator's frees are no frees.
IDLE_NS = 0.05


@dataclass(frozen=True)
class Contest:
    run: int
    experiment: str
    quantity: Quantity
    cell: Setting
    times: dict[str, Times]  # of what finished
    unfinished: dict[str, str]  # strategy of which no repetition finished -> how the last one ended


def contests(rows: Iterable[Row]) -> Iterator[Contest]:
    """Runs in ascending order, each by itself: times of different runs are not paired."""
    runs: dict[tuple[int, str], list[Row]] = {}
    for row in rows:
        runs.setdefault((row.run_id, row.experiment), []).append(row)
    for (run, experiment), its_rows in sorted(runs.items(), key=lambda item: item[0][0]):
        if experiment == locality.EXPERIMENT:
            yield from _of_locality(run, its_rows)
        else:
            yield from _of_cells(run, experiment, its_rows)


def is_memory(quantity: Quantity) -> bool:
    return quantity.figure.endswith("_bytes")


def _of_cells(run: int, experiment: str, rows: Sequence[Row]) -> Iterator[Contest]:
    cells: dict[Asked, dict[str, list[Row]]] = {}
    for row in rows:
        cells.setdefault(_asked(row), {}).setdefault(row.strategy, []).append(row)
    for by_strategy in cells.values():
        cell = setting_of(next(iter(by_strategy.values()))[0], _NO_PLACE)
        done = {name: [row for row in its if row.ok] for name, its in by_strategy.items()}
        unfinished = {name: its[-1].status for name, its in by_strategy.items() if not done[name]}
        times = {name: times_of(its) for name, its in done.items() if its}
        yield Contest(run, experiment, TIME, cell, times, unfinished)
        figures = {name: figures_of(its) for name, its in done.items() if its}
        for quantity in QUANTITIES.get(experiment, ()):
            least = 0.0 if is_memory(quantity) else IDLE_NS
            found = {name: _above(least, its.get(quantity.figure, {})) for name, its in figures.items()}
            measured = {name: values for name, values in found.items() if values}
            yield Contest(run, experiment, quantity, cell, measured, unfinished)


def _asked(row: Row) -> Asked:
    """The cell of a row, whether or not the runner came to add what it chose itself."""
    return frozenset(place for place in row.parameters.items() if place[0] not in _RUNNERS)


def _of_locality(run: int, rows: Sequence[Row]) -> Iterator[Contest]:
    for system in locality.locality_systems(rows):
        for length in system.list_lengths:
            ended = {
                name: surface.unfinished[length][0]
                for name, surface in system.surfaces.items()
                if length in surface.unfinished
            }
            for factor in system.access_factors:
                place = (("links", system.links), ("list_length", length), ("access_factor", factor))
                found = {name: surface.at(length, factor) for name, surface in system.surfaces.items()}
                times = {name: values for name, values in found.items() if values}
                yield Contest(run, locality.EXPERIMENT, TIME, (*place, *system.setting), times, ended)


def _above(least: float, values: Times) -> Times:
    """A process that grew by nothing has no ratio to another, nor has who has nothing to do in a phase."""
    return {repetition: value for repetition, value in values.items() if value > least}
