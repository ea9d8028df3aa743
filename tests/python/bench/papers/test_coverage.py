"""`papers/coverage.py`: the sizes in the documents' tables, and those of a few rows."""

from __future__ import annotations

from typing import Any

import pytest
from synthetic_experiments import locality_rows
from synthetic_run import density_rows

from mallard.bench.papers.coverage import Coverage, coverage, printed_sizes
from mallard.bench.papers.registry import all_tables, table_named
from mallard.bench.result import Row


def rows(*natives: dict[str, Any]) -> list[Row]:
    return [Row.from_native(1, native) for native in natives]


def ds2(**parameters: object) -> list[dict[str, Any]]:
    """Rows of vector<string> on small pages, with these parameters in place of their own."""
    natives = density_rows(names=("DS2",))
    return [
        native | {"parameters": native["parameters"] | {"pages": "small"} | parameters} for native in natives
    ]


def of(covered: list[Coverage], paper: str, experiment: str) -> Coverage:
    return next(line for line in covered if (line.paper, line.experiment) == (paper, experiment))


def test_counts_the_rows_of_the_tables_once() -> None:
    """12 structures of 11 sizes; lists of 2^21, 2^25 and 10^7 links, in three tables each; six T of 11 rows;
    seven pairs of N and S in up to eight threads, which P0213 repeats with a buffer and without."""
    printed = {(line.paper, line.experiment): line.printed for line in coverage([])}
    assert printed == {
        ("p0089", "density"): 12 * 11,
        ("p0089", "locality"): 22 + 26 + 8,
        ("p0089", "utilization"): 6 * 11,
        ("p0089", "contention"): 7 * 8,
        ("p0213", "density"): 12 * 11,
        ("p0213", "locality"): 22,
        ("p0213", "utilization"): 6 * 11,
        ("p0213", "contention"): 2 * 7 * 8,
        ("p0213", "fragmentation"): 3 * 11,
        ("loki", "small-objects"): 6 + 6,
    }
    assert all(line.measured == 0 for line in coverage([]))


def test_counts_measured_rows_of_both_papers() -> None:
    covered = coverage(rows(*ds2()))
    sizes = {row.parameters["size_log2"] for row in rows(*ds2())}
    for paper in ("p0089", "p0213"):
        assert of(covered, paper, "density").measured == len(sizes) > 0
        assert of(covered, paper, "utilization").measured == 0


@pytest.mark.parametrize("change", [{"pages": "huge"}, {"ds": "DS13"}])
def test_other_parameters_are_not_the_documents(change: dict[str, object]) -> None:
    assert of(coverage(rows(*ds2(**change))), "p0089", "density").measured == 0


def test_failed_rows_are_not_measured() -> None:
    failed = [native | {"status": "timed_out"} for native in ds2()]
    assert of(coverage(rows(*failed)), "p0089", "density").measured == 0


def test_lists_of_a_system_count_by_their_length() -> None:
    small = [
        native | {"parameters": native["parameters"] | {"pages": "small"}}
        for native in locality_rows(("new-delete",))
    ]
    lists = {(row.parameters["links"], row.parameters["list_length"]) for row in rows(*small)}
    printed = {
        (dict(size)["links"], dict(size)["list_length"])
        for table in all_tables().values()
        if table.paper == "P0089R1" and table.experiment == "locality"
        for size in printed_sizes(table)
    }
    measured = of(coverage(rows(*small)), "p0089", "locality").measured
    assert measured == len(lists & printed) > 0


@pytest.mark.parametrize("name", ["p0213:8", "p0213:20", "optimized:times"])
def test_means_and_phases_have_no_sizes(name: str) -> None:
    table = table_named(name)
    assert not table.place or printed_sizes(table) == []
