"""Savings that a trial cannot measure: binding by type, inlining and winking out, from the benchmark.

A trial serves a scope behind calls of functions and frees each block. The benchmark's density has the same
allocators in that form (by their base) and in faster ones, over twelve data structures. Its figures are
reported next to the trial's and never added to them, because they come from other programs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from mallard.analysis.names import BASE
from mallard.analysis.summary import summaries
from mallard.result import Row
from mallard.store import Run, Store
from mallard.strategy_names import BASE_MARK, WINK_MARK

DENSITY = "density"


@dataclass(frozen=True)
class Bonus:
    """Shares of the time of new and delete that a strategy saves in density."""

    strategy: str
    by_base: float  # as a trial serves: a virtual call, and each block freed
    by_type: float | None
    winked_out: float | None  # by its base
    both: float | None
    population: str
    run: int
    day: str
    machine: str

    @property
    def text(self) -> str:
        better = [
            f"{name} {100 * share:.0f} %"
            for name, share in (
                ("bound by type", self.by_type),
                ("winked out", self.winked_out),
                ("both", self.both),
            )
            if share is not None
        ]
        return (
            f"in density (run {self.run}, {self.day}, {self.machine}: {self.population}) {self.strategy} "
            f"served as in this trial saves {100 * self.by_base:.0f} % of the time of {BASE}; "
            f"{', '.join(better)}"
        )


def read_bonus(strategy: str, database: Path) -> Bonus | None:
    """Reads the newest finished run that has the strategy bound by its base, if any."""
    if not database.is_file():
        return None
    with Store(database, writing=False) as store:
        runs = [run for run in store.runs() if run.finished and run.experiment == DENSITY]
        for run in sorted(runs, key=lambda run: -run.id):
            if bonus := compute_bonus(strategy, run, store.rows(run.id)):
                return bonus
    return None


def compute_bonus(strategy: str, run: Run, rows: Iterable[Row]) -> Bonus | None:
    for summary in summaries(rows):
        saved = {name: 1 - mean.median for name, mean in summary.means.items()}
        by_base = saved.get(strategy + BASE_MARK)
        names = (strategy, strategy + BASE_MARK + WINK_MARK, strategy + WINK_MARK)
        by_type, winked_out, both = (saved.get(name) for name in names)
        if by_base is not None and (by_type, winked_out, both) != (None, None, None):
            day = run.started[:10]
            machine = str(run.machine.get("cpu", "a machine without a name"))
            return Bonus(
                strategy, by_base, by_type, winked_out, both, summary.population, run.id, day, machine
            )
    return None
