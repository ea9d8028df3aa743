"""Experiments with many strategies and few places: a line for each strategy, a column for each place or work.

Of an experiment in phases there is a block for each time, and below it one for each amount; of works there
is a column for each, with the book's figure beside some. Times are in nanoseconds, in the colour of their
ratio to new-delete. Marks: `*` the fastest of the column that a program can choose, `=` no difference from
new-delete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.console import Console
from rich.style import Style
from rich.text import Text

from mallard.bench.analysis.cell_tables import CellTable, Line, setting_text
from mallard.bench.analysis.labels import SHORT_STATUS
from mallard.bench.analysis.names import BASE, NULL
from mallard.bench.analysis.panel.phases import (
    amount_text,
    bytes_text,
    cell_amount,
    median_figure,
    over_time,
    phase_sentences,
    phase_tables,
    timed,
)
from mallard.bench.analysis.panel.works import (
    Work,
    beside_book,
    group_works,
    mean_over_works,
    work_sentences,
    work_strategies,
)
from mallard.bench.analysis.ranking import pick_strategy
from mallard.bench.analysis.words import factor, nanoseconds, no_difference, percent
from mallard.bench.cells import Cell
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Phases, Works
from mallard.bench.experiments.description.quantity import Quantity
from mallard.bench.result import Row
from mallard.bench.view.terminal.panel import Answer
from mallard.bench.view.terminal.table import Block, Piece, block, fitting, ratio_style, show_beside


def show_phases(console: Console, experiment: Experiment, panel: Phases, rows: Sequence[Row]) -> list[Answer]:
    answers = []
    corner = panel.head or experiment.places[0]
    for table in phase_tables(experiment.name, rows):
        console.print(Text(setting_text(table.setting), "bold"))
        for time in panel.times:
            title = f"{time.short}: {time.text}, ns {time.unit}"
            show_times(console, title, corner, table_columns(timed(table, time)), table.strategies)
        for line in table.lines if panel.over_time else ():
            _show_over_time(console, panel, table, line)
        for amount in panel.amounts:
            _show_amount(console, corner, table, amount)
        console.print()
        answers.append(Answer(table.setting, phase_sentences(experiment.name, table)))
    console.print(f"{panel.legend} {MARKS}", style="dim")
    return answers


def _show_over_time(console: Console, panel: Phases, table: CellTable, line: Line) -> None:
    assert panel.over_time
    title = f"{panel.over_time.short} as the operations go, {panel.across} {line.place[0]:,}"
    shares: list[Column] = [
        ((f"{of_share.place[0]} %",), of_share) for of_share in over_time(line, panel.over_time).lines
    ]

    def shown(of_share: Line, name: str) -> str:
        return factor(of_share.cells[name].ns_per_operation)

    show_figures(console, title, "done", shares, table.strategies, shown)


def _show_amount(console: Console, corner: str, table: CellTable, amount: Quantity) -> None:
    def shown(line: Line, name: str) -> str | None:
        value = cell_amount(table, line, name, amount, amount.per)
        if value is None:
            return None
        return f"{value:.1f}" if amount.per else amount_text(amount.shown, value)

    title = f"{amount.text}, bytes for each of {amount.per}" if amount.per else amount.text
    columns = [(heads, line) for heads, line in table_columns(table) if line.place[0] >= amount.large]
    show_figures(console, title, corner, columns, table.strategies, shown)


def show_works(console: Console, experiment: Experiment, panel: Works, rows: Sequence[Row]) -> list[Answer]:
    answers = []
    for setting, works in group_works(experiment.name, rows).items():
        if setting:
            console.print(Text(setting_text(setting), "bold"))
        columns = [(work.words, work.line) for work in works]
        if panel.means:
            _show_shares(console, columns, works)
        else:
            show_times(console, "ns an operation", "strategy", columns, work_strategies(works))
        _show_book(console, works)
        for amount in panel.amounts:
            show_figures(
                console, amount.text, "strategy", columns, work_strategies(works), figure_bytes(amount.figure)
            )
        console.print()
        answers.append(Answer(setting or (), work_sentences(experiment.name, works)))
    console.print(f"{panel.legend} {MARKS}", style="dim")
    return answers


def _show_shares(console: Console, columns: Sequence[Column], works: Sequence[Work]) -> None:
    """The times in percent of new-delete's, and their mean over the works."""
    mean = Line((), {})

    def piece(line: Line, name: str) -> Piece:
        if line is not mean:
            return _share(line, name)
        ratio = mean_over_works(works, name) if name != BASE else None
        return (f"{percent(ratio.median)} ", ratio_style(ratio.median)) if ratio else ("- ", PLAIN)

    title = "time: in percent of new-delete's, which is in ns an operation"
    mean_heads = (*("" for _ in columns[0][0][1:]), "mean")
    names = work_strategies(works)
    show_beside(
        console, _blocks(title, "strategy", [*columns, (mean_heads, mean)], names, piece, console.width)
    )


def _show_book(console: Console, works: Sequence[Work]) -> None:
    """The gain of blocks of one size, here and in the book."""
    for entry in beside_book(works):
        default, block = entry.work.line.cells.get(BASE), entry.work.line.cells.get(entry.strategy)
        if entry.ours is None or default is None or block is None:
            continue
        times = " / ".join(nanoseconds(cell.ns_per_operation) for cell in (default, block))
        console.print(
            f"{entry.work.label}: {BASE} / {entry.strategy} {times} ns = {factor(1.0 / entry.ours.median)}; "
            f"in the book {factor(1.0 / entry.printed)}",
        )


CELL_WIDTH = 8
PLAIN = Style()
MARKS = (
    "Nanoseconds; the colour is the ratio to new-delete. *: the fastest of its column, new-delete unless "
    "another is faster beyond its interval. =: no difference from new-delete. null: the same work over "
    "memory that is there."
)

Column = tuple[tuple[str, ...], Line]  # its headings, one below the other
Show = Callable[[Line, str], Piece]  # a figure and its mark, not yet as wide as the column


def table_columns(table: CellTable) -> list[Column]:
    """A column for each place of a table that has one number for each place."""
    return [((f"{line.place[0]:,}",), line) for line in table.lines]


def figure_text(figure: str, text: Callable[[float], str]) -> Callable[[Line, str], str | None]:
    """The text of a cell in `show_figures`; None if the cell lacks the figure."""

    def shown(line: Line, name: str) -> str | None:
        value = median_figure(line, name, figure)
        return None if value is None else text(value)

    return shown


def figure_bytes(figure: str) -> Callable[[Line, str], str | None]:
    return figure_text(figure, bytes_text)


def show_times(
    console: Console, title: str, corner: str, columns: Sequence[Column], names: Sequence[str]
) -> None:
    show_beside(console, _blocks(title, corner, columns, names, _time, console.width))


def show_figures(
    console: Console,
    title: str,
    corner: str,
    columns: Sequence[Column],
    names: Sequence[str],
    text: Callable[[Line, str], str | None],
) -> None:
    """Prints figures that are not times, as plain text."""

    def piece(line: Line, name: str) -> Piece:
        cell = line.cells.get(name)
        if cell is None or not cell.finished:
            return _broken(cell)
        return f"{text(line, name) or '-'} ", PLAIN

    show_beside(console, _blocks(title, corner, columns, names, piece, console.width))


def _blocks(
    title: str, corner: str, columns: Sequence[Column], names: Sequence[str], show: Show, width: int
) -> Iterable[Block]:
    """Blocks of the strategies that have a cell here. Columns that do not fit the width go below."""
    measured = [name for name in names if any(name in line.cells for _, line in columns)]
    if not measured:
        return
    head_width = 1 + max(len(corner), *map(len, measured))
    cell_width = max(CELL_WIDTH, *(len(word) + 1 for heads, _ in columns for word in heads))
    for group in fitting(columns, width - head_width, cell_width):
        lines = [(name, [_padded(show(line, name), cell_width) for _, line in group]) for name in measured]
        headings = [words for words in zip(*(heads for heads, _ in group), strict=True) if any(words)]
        yield block(title, corner, headings, lines, cell_width)


def _padded(piece: Piece, width: int) -> Piece:
    text, style = piece
    return f"{text:>{width}}", style


def _time(line: Line, name: str) -> Piece:
    cell = line.cells.get(name)
    if cell is None or not cell.finished:
        return _broken(cell)
    best = pick_strategy(line) == name
    compared = cell.ratio if name not in (BASE, NULL) else None
    mark = "*" if best else "=" if compared and no_difference(compared) else " "
    style = ratio_style(compared.median, bold=best) if compared else PLAIN
    return f"{nanoseconds(cell.ns_per_operation)}{mark}", style


def _share(line: Line, name: str) -> Piece:
    """new-delete in nanoseconds, the others in percent of it."""
    cell = line.cells.get(name)
    if cell is None or not cell.finished or name == BASE or cell.ratio is None:
        return _time(line, name)
    best = pick_strategy(line) == name
    mark = "*" if best else "=" if no_difference(cell.ratio) else " "
    return f"{percent(cell.ratio.median)}{mark}", ratio_style(cell.ratio.median, bold=best)


def _broken(cell: Cell | None) -> Piece:
    return f"{SHORT_STATUS.get(cell.status, cell.status) if cell else '-'} ", PLAIN
