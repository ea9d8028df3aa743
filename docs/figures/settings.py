"""The documents' figures of special settings: the cells of an experiment's table, measured again on huge
pages, or without an initial buffer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from figures import whole_table
from figures.stored import (
    NO_BUFFER,
    StoredRun,
    markdown_table,
    on_huge_pages,
    run_conditions,
    stored_runs,
)
from mallard.bench.analysis.cell_tables import Setting
from mallard.bench.analysis.names import BASE, in_table_order
from mallard.bench.analysis.peers import TIME, cell_times
from mallard.bench.analysis.words import percent, percent_text
from mallard.bench.cells import Times, paired
from mallard.shared.stats import Ratio, geometric_mean_ratio, median

ON_HUGE_PAGES = ("programs", "density", "reuse", "locality")
SETTINGS = frozenset({"pages", "buffer", "buffer_bytes"})  # of a cell, that a special run changes
Cells = Mapping[Setting, Mapping[str, Times]]


@dataclass(frozen=True)
class Special:
    """A run with a special setting, and the same cells with the usual one."""

    stored: StoredRun
    cells: Cells
    usual: Cells


@whole_table("huge_pages")
def huge_pages() -> str:
    """A line for each experiment and main strategy, in a run on huge pages for every allocator."""
    table, runs = [], []
    for experiment in ON_HUGE_PAGES:
        if special := find_special(experiment, on_huge_pages):
            table += [[experiment, *line] for line in lines(special)]
            runs.append(special.stored)
    heading = [
        "experiment",
        "strategy",
        "cells",
        f"small pages, % of {BASE}",
        f"huge pages, % of {BASE}",
        "huge pages, % of its time on small ones",
    ]
    return _table(heading, table, runs, texts=2)


@whole_table("no_buffer")
def no_buffer() -> str:
    special = find_special("density", lambda run: run.run["options"]["buffer"] == NO_BUFFER)
    heading = [
        "strategy",
        "cells",
        f"with the buffer, % of {BASE}",
        "without",
        "without, % of its own time with",
    ]
    assert special
    return _table(heading, list(lines(special)), [special.stored], texts=1)


def _table(heading: list[str], table: list[list[str]], runs: list[StoredRun], texts: int) -> str:
    means = "Geometric means; the last column of ratios of medians, without pairs."
    return f"{markdown_table(heading, table, texts)}\n\n{means} {run_conditions(*runs)}"


def find_special(experiment: str, is_special: Callable[[StoredRun], bool]) -> Special | None:
    """With the same cells of the experiment's table."""
    usual, *others = stored_runs(experiment)
    stored = next(filter(is_special, others), None)
    return Special(stored, _cells(stored), _cells(usual)) if stored else None


def _cells(stored: StoredRun) -> Cells:
    """The times of an operation, by what both runs have in common of a cell."""
    return {
        tuple((name, value) for name, value in entry.cell if name not in SETTINGS): entry.times
        for entry in cell_times(stored.rows)
        if entry.quantity == TIME
    }


def lines(special: Special) -> Iterator[list[str]]:
    """A strategy, the cells that both runs have of it, its time by the global allocator's in each run,
    and its time in the special run by its own usual one. Times of two runs are not paired: no interval.
    """
    names = {name for times in special.cells.values() for name in times}
    for name in in_table_order(names):
        shared = [
            cell
            for cell, times in special.cells.items()
            if _has(times, name) and _has(special.usual.get(cell, {}), name)
        ]
        if not shared:
            continue
        usual, unusual = ([cells[cell] for cell in shared] for cells in (special.usual, special.cells))
        own = geometric_mean(
            _middle(after, name) / _middle(before, name) for before, after in zip(usual, unusual, strict=True)
        )
        yield [
            name,
            str(len(shared)),
            *(percent_text(_to_base(times, name)) if name != BASE else "100" for times in (usual, unusual)),
            percent(own),
        ]


def _has(times: Mapping[str, Times], name: str) -> bool:
    return {name, BASE} <= times.keys()


def _middle(times: Mapping[str, Times], name: str) -> float:
    return median(list(times[name].values()))


def _to_base(cells: Sequence[Mapping[str, Times]], name: str) -> Ratio:
    pairs = [both for times in cells if (both := paired(times[name], times[BASE]))]
    return geometric_mean_ratio(pairs)
