"""The documents' figures of two processors: the same cells, measured on both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import chain

from figures import block, whole_table
from figures.stored import (
    initial_buffers,
    machine_key,
    machines,
    markdown_table,
    median_percent,
    read_stored,
    runs_of_machine,
    stored_file,
)
from mallard.bench.analysis.names import BASE
from mallard.bench.analysis.panel.works import FASTEST_MALLOC, Comparison, compare, with_fastest_malloc
from mallard.bench.analysis.words import percent_text
from mallard.bench.cells import Cell, cell_rows
from mallard.bench.experiments import EXPERIMENTS

STRATEGIES = ("monotonic", "multipool")
# The experiments of the table on the page.
SHOWN = ("programs", "density", "locality", "utilization", "contention", "small-objects", "reuse")
BASES = {BASE: "glibc's malloc", FASTEST_MALLOC: "each cell's fastest malloc"}
NOT_AGAIN = "No experiment is stored from two processors."
Cells = dict[str, Mapping[str, Cell]]


@block("machines")
def table() -> str:
    """A line for each shown experiment, without intervals: two columns for each strategy, against the fastest
    malloc where there were several, else against glibc's.
    """
    lines = []
    for experiment in filter(SHOWN.__contains__, _both()):
        for base, label in reversed(BASES.items()):
            means = [_means(experiment, strategy, base) for strategy in STRATEGIES]
            if any(means):
                pairs = [[median_percent(mean.mean) for mean in pair] or ["", ""] for pair in means]
                lines.append([experiment, label, *chain(*pairs)])
                break
    columns = [f"`{strategy}`{there}" for strategy in STRATEGIES for there in ("", ", there")]
    return markdown_table(["experiment", "% of", *columns], lines, texts=2) if lines else NOT_AGAIN


@whole_table("machines")
def every_mean() -> str:
    """A line for each experiment, base and strategy, with the number of cells and the intervals."""
    lines = [
        [experiment, label, strategy, str(len(means[0].ratios)), *(percent_text(mean.mean) for mean in means)]
        for experiment in _both()
        for base, label in BASES.items()
        for strategy in STRATEGIES
        if (means := _means(experiment, strategy, base))
    ]
    heading = ["experiment", "of", "strategy", "cells", "here", "there"]
    return f"{markdown_table(heading, lines, texts=3)}\n\n{conditions()}"


def _means(experiment: str, strategy: str, base: str) -> list[Comparison]:
    """On the usual processor and on the other, over the cells that both measured; or nothing."""
    usual, other = (_cells(experiment, place) for place in (0, 1))
    shared = sorted(usual.keys() & other.keys())
    means = [compare({key: cells[key] for key in shared}, strategy, base) for cells in (usual, other)]
    found = [mean for mean in means if mean and (base == BASE or _chooses(mean))]
    return found if len(found) == len(means) else []


@block("machines_conditions")
def conditions() -> str:
    """The processors, the runs and the buffers of monotonic strategies."""
    if not _both():
        return NOT_AGAIN
    others: dict[str, list[str]] = {}
    for experiment in _both():
        others.setdefault(_name(experiment, 1), []).append(experiment)
    *few, (most, _) = sorted(others.items(), key=lambda entry: len(entry[1]))
    processors = "".join(f"{name} for {', '.join(names)}, " for name, names in few) + most
    tables = [runs_of_machine(experiment, place)[0] for experiment in _both() for place in (0, 1)]
    buffered = dict.fromkeys(stored.run["experiment"] for stored in tables if initial_buffers(stored))
    return (
        f"Here: {_usual()}; there: {processors}. `monotonic` begins in a buffer in {', '.join(buffered)}. "
        "The first [run](runs.md) of each experiment on a processor counts."
    )


def _chooses(comparison: Comparison) -> bool:
    """False where there was one malloc only."""
    return len(set(comparison.mallocs.values())) > 1


@cache
def _both() -> tuple[str, ...]:
    """The experiments that the processor of most experiments and another one measured."""
    return tuple(name for name in EXPERIMENTS if runs_of_machine(name, 1) and _name(name, 0) == _usual())


@cache
def _usual() -> str:
    """The processor of most experiments."""
    stored = (name for name in EXPERIMENTS if stored_file(name).exists())
    return Counter(machines(read_stored(name))[0] for name in stored).most_common(1)[0][0]


def _name(experiment: str, place: int) -> str:
    return machine_key(runs_of_machine(experiment, place)[0].run)


def _cells(experiment: str, place: int) -> Cells:
    """Of the experiment's table, by what was asked for."""
    stored = runs_of_machine(experiment, place)[0]
    return {
        str(sorted(row.rows[0].requested.items())): with_fastest_malloc(row.cells)
        for row in cell_rows(stored.rows)
    }
