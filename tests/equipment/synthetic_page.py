"""Test equipment: reports of made-up rows."""

from __future__ import annotations

from pathlib import Path

from synthetic_experiments import (
    ALL_LOCALITY,
    SHARED,
    contention_rows,
    dimensions_rows,
    fragmentation_rows,
    locality_rows,
    shuffle_table_rows,
    utilization_rows,
)
from synthetic_heaps import burst_rows, churn_rows, growth_rows, shrink_rows
from synthetic_pools import adaptive_pool_rows, fixed_block_rows, program_rows, small_objects_rows
from synthetic_rows import native_row
from synthetic_run import density_rows, write_run

from mallard.bench.papers.catalogue import structures
from mallard.bench.result import Row
from mallard.bench.store import Measured, Store
from mallard.bench.view.page import page


def full_run_page(folder: Path) -> str:
    """The report of every structure, size and strategy; only its first row goes through a database."""
    rows = density_rows(names=tuple(structures()), sizes=range(6, 17))
    number = write_run(folder / "whole.db", rows[:1])
    with Store.open_existing(folder / "whole.db") as store:
        run = store.run(number)
    return page({"density": Measured(run, [], [Row.from_native(number, row) for row in rows])})


def write_everything(database: Path) -> None:
    """A finished run of every experiment: numbers 1 to 16, in the order of the sections."""
    primitives = [
        native_row("primitives", {"operation": operation}, strategy, repetition, 2.0 * place + 1, 1 << 20)
        for operation in ("pair", "create")
        for place, strategy in enumerate(("new-delete", "multipool", "multipool/base"))
        for repetition in range(3)
    ]
    large = locality_rows(("new-delete", "multipool"), (1 << 25, 1 << 12, 1), links=1 << 25)
    runs = {
        "programs": program_rows(),
        "density": density_rows(),
        "locality": [*locality_rows(ALL_LOCALITY), *large, *shuffle_table_rows()],
        "utilization": [*utilization_rows(), *utilization_rows(buffer="warm")],
        "contention": [
            *contention_rows(),
            *contention_rows(("new-delete", "new-delete/base", *SHARED), freed_by="other"),
        ],
        "fragmentation": [*fragmentation_rows(("DS1", "DS2")), *fragmentation_rows(upstream="heap")],
        "dimensions": dimensions_rows(),
        "small-objects": small_objects_rows(orders=("shuffled", "in-order"), pages=("small", "huge")),
        "fixed-block": fixed_block_rows(),
        "adaptive-pool": adaptive_pool_rows(),
        "expansion-forward": growth_rows(types=("int", "myint")),
        "expansion-backward": growth_rows("expansion-backward"),
        "shrink-to-fit": shrink_rows(),
        "burst": burst_rows(),
        "heap-churn": churn_rows(),
        "primitives": primitives,
    }
    for name, rows in runs.items():
        write_run(database, rows, command=f"mallard bench {name} --quick", experiment=name)
