"""The documents' figures of two processors: the same cells, measured on both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from figures.stored import machine_key, markdown_table, read_stored, run_conditions, runs_of_machine
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.works import FASTEST_MALLOC, Comparison, compare, with_fastest_malloc
from mallard.bench.analysis.words import percent_text
from mallard.bench.cells import Cell, cell_rows
from mallard.bench.experiments import EXPERIMENTS

STRATEGIES = ("monotonic", "multipool")
BASES = {BASE: "glibc's malloc", FASTEST_MALLOC: "the fastest malloc of each cell"}
NOT_AGAIN = "No experiment is stored from two processors."
Cells = dict[str, Mapping[str, Cell]]


def blocks() -> dict[str, Callable[[], str]]:
    return {"machines": table, "machines_conditions": conditions}


def table() -> str:
    """A line for each experiment, strategy and base, over the cells that both processors measured."""
    lines = []
    for experiment in _both():
        latest, former = (_cells(experiment, place) for place in (0, 1))
        shared = sorted(latest.keys() & former.keys())
        for base, label in BASES.items():
            for strategy in STRATEGIES:
                means = [
                    compare({key: cells[key] for key in shared}, strategy, base) for cells in (latest, former)
                ]
                found = [mean for mean in means if mean and (base == BASE or _chooses(mean))]
                if len(found) == len(means):
                    texts = [percent_text(mean.mean) for mean in found]
                    cells_in_mean = str(len(found[0].ratios))
                    name = f"{experiment}: `{strategy}`, % of {label}"
                    lines.append([name, cells_in_mean, *texts, _name(experiment, 1)])
    heading = ["geometric mean", "cells", _latest(), "another", "the other processor"]
    return markdown_table(heading, lines) if lines else NOT_AGAIN


def conditions() -> str:
    runs = [runs_of_machine(experiment, place)[0] for experiment in _both() for place in (0, 1)]
    return "\n".join(f"- {run_conditions(stored)}" for stored in runs) or NOT_AGAIN


def _chooses(comparison: Comparison) -> bool:
    """False where there was one malloc only."""
    return len(set(comparison.mallocs.values())) > 1


@cache
def _both() -> tuple[str, ...]:
    """The experiments that the processor of the latest run of all and another one measured."""
    return tuple(name for name in EXPERIMENTS if runs_of_machine(name, 1) and _name(name, 0) == _latest())


@cache
def _latest() -> str:
    runs = [run for name in EXPERIMENTS for run in read_stored(name)["runs"]]
    return machine_key(max(runs, key=lambda run: str(run["started"])))


def _name(experiment: str, place: int) -> str:
    return machine_key(runs_of_machine(experiment, place)[0].run)


def _cells(experiment: str, place: int) -> Cells:
    """Of the experiment's table, by what was asked for."""
    stored = runs_of_machine(experiment, place)[0]
    return {
        str(sorted(row.rows[0].requested.items())): with_fastest_malloc(row.cells)
        for row in cell_rows(stored.rows)
    }
