"""A heat map: a line for each place in a table, a column for each strategy.

new-delete is in nanoseconds per operation, the others are in percent of it. Marks: `*` the fastest of
mallard's in the row, `=` no difference from new-delete beyond the interval, `!` a time that is mostly that
of page faults. Columns that do not fit the width go below.
"""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.style import Style

from mallard.bench.analysis import BASE, NULL, Cell, CellTable, Line, pick_strategy
from mallard.bench.analysis.cell_tables import StructureTable
from mallard.bench.analysis.labels import SHORT_STATUS, place_heads, place_text
from mallard.bench.analysis.panel.races import faults_dominate
from mallard.bench.analysis.words import nanoseconds
from mallard.bench.strategy_names import is_base, is_inline, without_variants
from mallard.bench.view.terminal.table.blocks import Piece, make_line
from mallard.bench.view.terminal.table.columns import folded_names, header, make_column, padded
from mallard.bench.view.terminal.table.palette import ratio_style

PLAIN = Style()
MARKS = (
    "*: mallard's fastest of the row, new-delete unless it is faster beyond its interval. =: no difference "
    "from new-delete."
)
FAULTS = "!: page faults are most of the time."
Show = Callable[[Line, str], Piece]  # the text of a cell, without the mark's place


def compared(table: CellTable) -> list[str]:
    """The strategies that a reader chooses from: no other bindings and variants of one that is there, unless
    one of them is the pick of a line."""
    picks = {pick_strategy(line) for line in table.lines}
    plain = [name for name in without_variants(table.strategies) if not is_base(name) and not is_inline(name)]
    return [name for name in table.strategies if name in plain or name in picks]


def show_heat_map(console: Console, table: CellTable, *, everything: bool) -> None:
    def show(line: Line, name: str) -> Piece:
        return _cell(line.cells.get(name), pick_strategy(line) == name)

    show_columns(console, table if everything else table.only(compared(table)), show)


def show_columns(console: Console, table: CellTable, show: Show) -> None:
    """The lines of a table with a column for each strategy, folded at the width."""
    heads = place_heads(table.places)
    places = [_place(table, line) for line in table.lines]
    widths = [max(len(text) for text in column) for column in zip(heads, *places, strict=True)]
    row_heads = [
        " ".join(f"{text:<{w}}" for text, w in zip(row, widths, strict=True)) for row in (heads, *places)
    ]
    head_width = len(row_heads[0])
    if any(
        make_column(names[0]).full for names in folded_names(table.strategies, console.width - head_width)
    ):
        head_width += 1
    for names in folded_names(table.strategies, console.width - head_width):
        columns = [make_column(name) for name in names]
        lines = header(columns, row_heads[0], head_width)
        for head, line in zip(row_heads[1:], table.lines, strict=True):
            lines.append(make_line(head, head_width, padded(columns, [show(line, name) for name in names])))
        for text in lines:
            console.print(text, no_wrap=True, crop=False, soft_wrap=True)


def _place(table: CellTable, line: Line) -> list[str]:
    *others, last = place_text(table.places, line.place)
    return [*others, f"{last}'" if isinstance(table, StructureTable) and line.built_once else last]


def legend() -> str:
    return " ".join(
        (
            "new-delete in ns for a leaf element, the others in percent of new-delete.",
            MARKS,
            FAULTS,
            "': one structure only, so new-delete takes fresh pages; a warm buffer has its pages.",
            "null: the same work over memory already there. keep: new-delete with page return off.",
            "type: by type parameter. /base: by abstract base. /inline: by inline base. /wink: winked out.",
        )
    )


def _cell(cell: Cell | None, best: bool) -> Piece:
    if cell is None:
        return "- ", PLAIN
    if not cell.finished:
        return f"{SHORT_STATUS.get(cell.status, cell.status)} ", PLAIN
    mark = "*" if best else "!" if faults_dominate(cell) else " "
    if cell.strategy == BASE:
        return f"{nanoseconds(cell.ns_per_operation)}{mark}", Style(bold=True)
    if cell.ratio is None:
        return f"{_with_unit(cell.ns_per_operation)}{mark}", PLAIN
    if cell.ratio.verdict == "no difference":
        mark = "="
    style = PLAIN if cell.strategy == NULL else ratio_style(cell.ratio.median, bold=best)
    return f"{_percent(cell.ratio.median)}{mark}", style


def _percent(ratio: float) -> str:
    """Whole percents; small ones have one decimal."""
    percent = 100 * ratio
    return f"{percent:.1f}" if percent < 9.95 else f"{percent:.0f}"


def _with_unit(ns: float) -> str:
    """A time with its unit, for rows without a time of new-delete."""
    return f"{ns:.0f}ns" if ns < 999.5 else f"{ns / 1000:.1f}us"
