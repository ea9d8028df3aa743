"""`mallard show page` of runs in which something is missing: no base, nothing finished, one repetition."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from page_reader import read
from panels import failures, maps, report_of
from synthetic_experiments import (
    SHARED,
    contention_rows,
    dimensions_rows,
    fragmentation_rows,
    locality_rows,
    shuffle_table_rows,
    utilization_rows,
)
from synthetic_heaps import burst_rows, churn_rows, growth_rows, shrink_rows
from synthetic_pools import adaptive_pool_rows, fixed_block_rows, small_objects_rows
from synthetic_rows import ZEROES, native_row
from synthetic_run import density_rows, write_run

from mallard.cli import main

Rows = list[dict[str, Any]]


def failing(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"status": "crashed", "detail": "signal 11"} | dict.fromkeys(ZEROES, 0)


EXPERIMENTS: dict[str, Rows] = {
    "density": density_rows(),
    "locality": [*locality_rows(), *shuffle_table_rows()],
    "utilization": utilization_rows(),
    "contention": [*contention_rows(), *contention_rows(("new-delete", *SHARED), (2, 4), freed_by="other")],
    "fragmentation": fragmentation_rows(),
    "dimensions": dimensions_rows(),
    "primitives": [
        native_row("primitives", {"operation": "pair"}, "new-delete", r, 3.0, 1 << 20) for r in range(3)
    ],
    "small-objects": small_objects_rows(),
    "fixed-block": fixed_block_rows(),
    "adaptive-pool": adaptive_pool_rows(),
    "expansion-forward": growth_rows(types=("int", "myint")),
    "expansion-backward": growth_rows("expansion-backward"),
    "shrink-to-fit": shrink_rows(),
    "burst": burst_rows(),
    "heap-churn": churn_rows(),
}
GAPS: dict[str, Callable[[Rows], Rows]] = {
    "nothing finished": lambda rows: [failing(row) for row in rows],
    "new-delete did not finish": lambda rows: [
        failing(r) if r["strategy"] == "new-delete" else r for r in rows
    ],
    "new-delete alone": lambda rows: [row for row in rows if row["strategy"] == "new-delete"],
    "one repetition": lambda rows: [row for row in rows if row["repetition"] == 0],
    "one row": lambda rows: rows[:1],
    "every second failed": lambda rows: [failing(row) if n % 2 else row for n, row in enumerate(rows)],
    "a strategy that nobody knows": lambda rows: [
        row | {"strategy": name}
        for row in rows
        if row["strategy"] == "new-delete"
        for name in ("new-delete", "mystery")
    ],
}


PAIRS = [
    pytest.param(experiment, gap, marks=[pytest.mark.full] if (at - place) % 4 else [])
    for at, experiment in enumerate(EXPERIMENTS)
    for place, gap in enumerate(GAPS)
]
"""The default run takes one gap in four of each experiment, and each gap with some experiment."""


@pytest.mark.parametrize(("experiment", "gap"), PAIRS)
def test_shows_run_with_gaps(tmp_path: Path, experiment: str, gap: str) -> None:
    rows = GAPS[gap](EXPERIMENTS[experiment])
    spots = [spot for picture in maps(report_of(rows)) for _, spots in picture.rows for spot in spots]
    texts = [text for spot in spots for text in (*(tile.text for tile in spot.tiles), *spot.facts)]
    assert [text for text in texts if re.search(r"\b(nan|inf)\b", text)] == []
    run = write_run(tmp_path / "mallard.db", rows, experiment=experiment)
    output = tmp_path / "page.html"
    assert (
        main(["show", "page", "--run", str(run), "-o", str(output), "--db", str(tmp_path / "mallard.db")])
        == 0
    )
    page = output.read_text(encoding="utf-8")
    reader = read(page)
    assert len(reader.ids) == len(set(reader.ids))
    assert ">NaN" not in page
    assert ">inf" not in page


def test_unfinished_cells_show_status() -> None:
    report = report_of(GAPS["nothing finished"](EXPERIMENTS["locality"]))
    assert "crashed: signal 11" in {text for picture in maps(report) for text in failures(picture)}
