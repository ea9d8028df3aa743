"""Every cell of every experiment as a contest: the quantities of its strategies, by repetition.

    rows -> contests -> Contest, one for each run, cell and quantity

The first quantity of an experiment is the time of an operation. The others are further figures, of which
less is better, too. A cell of locality is an access after the shuffle, by list length and access factor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import Setting, row_setting
from mallard.bench.analysis.panel import locality
from mallard.bench.cells import Times, above, cell_rows
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.axis import AMOUNT, FOLLOWS
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.result import Row

TIME = Quantity("", "time", "the time of an operation")
# The least time of an object in a phase: shorter than an instruction. A monotonic allocator's frees do
# nothing.
IDLE_NS = 0.05


@dataclass(frozen=True)
class Contest:
    run: int
    experiment: str
    quantity: Quantity
    cell: Setting
    times: dict[str, Times]  # of the finished strategies
    unfinished: dict[str, str]  # strategy without a finished repetition -> its last failure


def contests(rows: Iterable[Row]) -> Iterator[Contest]:
    """The contests, run by run in ascending order. Times of different runs are not paired."""
    runs: dict[tuple[int, str], list[Row]] = {}
    for row in rows:
        runs.setdefault((row.run_id, row.experiment), []).append(row)
    for (run, experiment), run_rows in sorted(runs.items(), key=lambda item: item[0][0]):
        if experiment == locality.EXPERIMENT:
            yield from _locality_contests(run, run_rows)
        else:
            yield from _cell_contests(run, experiment, run_rows)


def compared_quantities(experiment: str) -> tuple[Quantity, ...]:
    """The quantities that compare an experiment's cells, the time first."""
    return (TIME, *EXPERIMENTS[experiment].compared) if experiment in EXPERIMENTS else (TIME,)


def is_memory(quantity: Quantity) -> bool:
    return quantity.figure.endswith("_bytes")


def _cell_contests(run: int, experiment: str, rows: Sequence[Row]) -> Iterator[Contest]:
    description = EXPERIMENTS.get(experiment)
    excluded = description.roles(AMOUNT, FOLLOWS) if description else set()
    for row in cell_rows(rows):
        place = row_setting(row, excluded)
        done = {name: cell for name, cell in row.cells.items() if cell.finished}
        unfinished = {name: cell.status for name, cell in row.cells.items() if not cell.finished}
        times = {name: cell.times for name, cell in done.items()}
        yield Contest(run, experiment, TIME, place, times, unfinished)
        for quantity in compared_quantities(experiment)[1:]:
            least = 0.0 if is_memory(quantity) else IDLE_NS
            values_by_name = {
                name: above(least, cell.figures.get(quantity.figure, {})) for name, cell in done.items()
            }
            measured = {name: values for name, values in values_by_name.items() if values}
            yield Contest(run, experiment, quantity, place, measured, unfinished)


def _locality_contests(run: int, rows: Sequence[Row]) -> Iterator[Contest]:
    for system in locality.locality_systems(rows):
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
                yield Contest(run, locality.EXPERIMENT, TIME, (*place, *system.setting), times, ended)
