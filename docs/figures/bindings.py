"""The documents' figures of the three bindings: the cost of a pair."""

from __future__ import annotations

from figures import block
from figures.stored import StoredRun, markdown_table, nanoseconds, run_conditions, with_strategy
from mallard.bench.cells import cell_rows
from mallard.bench.papers.catalogue import INLINE_PAIRS
from mallard.bench.strategy_names import BASE_MARK, INLINE_MARK, is_winked

MECHANISMS = tuple(name for name, _ in INLINE_PAIRS if not is_winked(name))
MARKS = ("", INLINE_MARK, BASE_MARK)
HEADING = ("type parameter", "inline base", "abstract base")


def _run(experiment: str) -> StoredRun:
    stored = with_strategy(experiment, f"multipool{INLINE_MARK}")
    assert stored is not None
    return stored


@block("bindings_conditions")
def _conditions() -> str:
    return run_conditions(_run("primitives"), _run("density"))


@block("bindings_pair")
def _pairs() -> str:
    """Nanoseconds of a pair of 24 bytes."""
    (cells,) = [
        row.cells for row in cell_rows(_run("primitives").rows) if row.parameters["operation"] == "pair"
    ]
    lines = []
    for mechanism in MECHANISMS:
        times = [cells[f"{mechanism}{mark}"].time for mark in MARKS]
        lines.append([mechanism, *(nanoseconds(time) if time else "" for time in times)])
    return markdown_table(["ns a pair", *HEADING], lines)
