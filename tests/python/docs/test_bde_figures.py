"""`docs/figures/bde.py`: its tables and the stored rows, counted anew."""

from __future__ import annotations

from statistics import fmean, median

import pytest
from figures import bde

from mallard.bench.papers.printed import P0089
from mallard.bench.papers.registry import own_table
from mallard.bench.result import OK


def lines_of(table: str) -> dict[str, list[str]]:
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    return {cells[0]: cells[1:] for cells in rows}


def percents(strategy: str) -> dict[tuple[str, int], float]:
    """Structure and size -> percent of new-delete's time, the median over the repetitions."""
    times: dict[tuple[str, int], dict[str, dict[int, float]]] = {}
    for row in bde.runs_of("density")[0].rows:
        if row.status == OK and row.strategy in (strategy, "new-delete"):
            place = (str(row.parameters["ds"]), int(row.parameters["size_log2"]))
            of_strategy = times.setdefault(place, {}).setdefault(row.strategy, {})
            of_strategy[row.repetition] = row.cpu_ns / row.operations
    return {
        place: 100 * median(times_of[strategy][n] / base for n, base in times_of["new-delete"].items())
        for place, times_of in times.items()
    }


def test_means_are_over_the_same_rows() -> None:
    strategy = "multipool"
    ours, theirs = bde.summary().means[strategy], bde.means()[strategy]
    measured = percents(strategy)
    assert 100 * ours.median == pytest.approx(fmean(measured.values()), rel=0.05)
    assert 100 * theirs.median == pytest.approx(fmean(percents(f"bde-{strategy}").values()), rel=0.05)
    printed = fmean(own_table(P0089, ds).percent_of_base((size,), strategy) or 0.0 for ds, size in measured)
    assert bde.summary().printed_mean(P0089, strategy) == pytest.approx(printed)


def test_experiments_are_columns() -> None:
    heading = bde.pairs(whole=False).splitlines()[0]
    assert {"programs", "density", "locality", "utilization", "contention", "reuse"} <= set(bde.columns())
    assert all(column in heading for column in bde.columns())
    assert not any("wink" in name for name in lines_of(bde.pairs(whole=False)))
    whole = lines_of(bde.pairs(whole=True))
    cells = [
        int(count) for count in whole["multipool"][bde.columns().index("density")].split()[-1].split("/")
    ]
    assert sum(cells) == len(percents("bde-multipool"))
