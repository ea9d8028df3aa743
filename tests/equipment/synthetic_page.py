"""Test equipment: the report of made-up rows."""

from __future__ import annotations

from pathlib import Path

from synthetic_run import density_rows, write_run

from mallard.papers.catalogue import structures
from mallard.result import Row
from mallard.store import Store
from mallard.view.html import Measured, page


def page_of_a_whole_run(folder: Path) -> str:
    """The report of every structure, size and strategy; only its first row goes through a database."""
    whole = density_rows(names=tuple(structures()), sizes=range(6, 17))
    number = write_run(folder / "whole.db", whole[:1])
    with Store.open_existing(folder / "whole.db") as store:
        run = store.run(number)
    return page({"density": Measured(run, [], [Row.from_native(number, each) for each in whole])})
