"""The answer to a run in P0089's notation: the accesses before or after the shuffle, as the sign of sf
asks.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from mallard.bench.analysis.names import in_table_order
from mallard.bench.analysis.words import nanoseconds
from mallard.bench.cells import cells_by_strategy, figures_by_repetition
from mallard.bench.plan.notation import Notation
from mallard.bench.result import Row
from mallard.shared.stats import spread


def show_answer(console: Console, notation: Notation, rows: Sequence[Row]) -> None:
    figure = f"sf{notation.timed_factor}_af{notation.access_factor}_ns"
    cells = cells_by_strategy(rows)
    parts = []
    for strategy in in_table_order(cells):
        by_repetition = figures_by_repetition(cells[strategy].rows).get(figure, {})
        times = [value for values in by_repetition.values() for value in values]
        if not times:
            continue
        summary = spread(times)
        interval = f"{nanoseconds(summary.low)} to {nanoseconds(summary.high)}"
        parts.append(f"{strategy} {nanoseconds(summary.median)} ns ({interval})")
    if parts:
        side = "before" if notation.access_first else "after"
        where = f"{side} the shuffle" if notation.shuffle_factor else "without a shuffle"
        console.print(f"{notation.text}: an access {where} takes {', '.join(parts)}")
