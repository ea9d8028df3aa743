"""Compilers side by side: a column for each strategy, and a line for each compiler but the first."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from mallard.bench.analysis.compilers import compiler_effects
from mallard.bench.analysis.names import in_table_order
from mallard.bench.result import Row
from mallard.bench.view.terminal.table.blocks import ratio_piece, show_beside
from mallard.bench.view.terminal.table.columns import folded_names, strategy_block


def show_compilers(console: Console, rows: Sequence[Row]) -> None:
    effects = compiler_effects(rows)
    if not effects:
        return
    names = in_table_order({name for effect in effects for name in effect.means})
    widest = max(len(effect.compiler) for effect in effects)
    console.print()
    show_beside(
        console,
        (
            strategy_block(
                f"Time with another compiler / with {effects[0].base}, mean over rows (=: no difference)",
                "",
                group,
                [
                    (effect.compiler, [ratio_piece(effect.means.get(name)) for name in group])
                    for effect in effects
                ],
            )
            for group in folded_names(names, console.width - widest - 1)
        ),
    )
