"""A table in a terminal, as wide as its cells.

A table that is too wide is set closer, then its heads are broken, then it loses its extra columns, then its
texts are broken. Figures that still do not fit are a table of their own, and texts are lines below rows.
Descriptions of names are a last column, if they fit.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from mallard.shared.report.figures import cell_text, estimate_text, interval_text, level
from mallard.shared.report.model import (
    Cell,
    Column,
    Estimate,
    Figure,
    Meter,
    Meters,
    Mood,
    Row,
    Table,
    Term,
    Verdict,
)
from mallard.shared.report.terminal_map import ratio_style
from mallard.shared.stats import Ratio

STYLES = {Mood.GOOD: "green", Mood.BAD: "red", Mood.OPEN: "yellow", Mood.PLAIN: "dim"}
GAPS = (2, 1)
TEXT_WIDTH = 20  # a longer text may be wrapped
ABOUT_WIDTH = 24  # columns that descriptions of names need
SMALL_BAR = 3
EIGHTHS = " ▏▎▍▌▋▊▉█"
NO_BAR = "·"


def show_grid(console: Console, table: Table, alike: Sequence[Row]) -> None:
    """`alike` are the rows of all tables with the same columns, which are aligned."""
    table, alike = _with_descriptions(table, alike, console.width)
    places = list(range(len(table.columns)))
    cells = [_width([cell_words(row.cells[place]) for row in alike] or [""]) for place in places]
    whole = [column.title for column in table.columns]
    broken = list(map(_title, table.columns, cells))
    layouts = [
        _Layout(console, table, titles, _widths(table.columns, cells, titles, most), gap)
        for titles, most in ((whole, console.width), (broken, console.width), (broken, TEXT_WIDTH))
        for gap in GAPS
    ]
    roomy, unwrapped, closest = layouts[0], layouts[-1 - len(GAPS)], layouts[-1]
    for place in reversed(places):
        if table.columns[place].is_extra and not unwrapped.fits(places):
            places.remove(place)
    layout = next((layout for layout in layouts if layout.fits(places)), None)
    *others, last = places
    is_tall = unwrapped.fits(others) and 2 * unwrapped.room(others) < unwrapped.widths[last]
    if layout and not (is_tall and not table.columns[last].numeric):
        console.print(layout.grid(places))
    elif layout is None and all(table.columns[place].numeric for place in places[closest.most(places) :]):
        closest.show_grids(places)
    else:
        roomy.show_records(places)


def _with_descriptions(table: Table, alike: Sequence[Row], width: int) -> tuple[Table, Sequence[Row]]:
    widths = [
        _width([column.title, *(cell_words(row.cells[place]) for row in alike)])
        for place, column in enumerate(table.columns)
    ]
    remaining = width - sum(width + GAPS[0] for width in widths)
    if remaining < ABOUT_WIDTH or not any(map(_description, table.rows)):
        return table, alike

    def described(row: Row) -> Row:
        return replace(row, cells=(*row.cells, "\n".join(textwrap.wrap(_description(row), remaining))))

    columns = (*table.columns, Column("", numeric=False))
    return replace(table, columns=columns, rows=tuple(map(described, table.rows))), list(
        map(described, alike)
    )


def _description(row: Row) -> str:
    return next((cell.about for cell in row.cells if isinstance(cell, Term)), "")


def _widths(columns: Sequence[Column], cells: Sequence[int], titles: Sequence[str], most: int) -> list[int]:
    """Of columns whose texts are wrapped beyond `most`."""
    widths = [max(width, _width([title])) for width, title in zip(cells, titles, strict=True)]
    return [
        width if column.numeric else min(width, most) for column, width in zip(columns, widths, strict=True)
    ]


def _width(texts: Sequence[str]) -> int:
    return max(len(line) for text in texts for line in text.split("\n"))


def _title(column: Column, width: int) -> str:
    """The head of figures is broken between words where it is wider than they are."""
    if not column.numeric:
        return column.title
    lines = []
    for line in column.title.split("\n"):
        longest = max(map(len, line.split()), default=1)
        lines += textwrap.wrap(line, max(longest, width), break_on_hyphens=False)
    return "\n".join(lines)


@dataclass(frozen=True)
class _Layout:
    """Places are those of columns."""

    console: Console
    table: Table
    titles: Sequence[str]
    widths: Sequence[int]
    gap: int

    def fits(self, places: Sequence[int]) -> bool:
        return self.room(places) >= -self.gap

    def room(self, places: Sequence[int]) -> int:
        """For a further column."""
        return self.console.width - sum(self.widths[place] + self.gap for place in places)

    def most(self, places: Sequence[int]) -> int:
        """The number of columns that fit, at least one."""
        return max(1, *(count for count in range(len(places) + 1) if self.fits(places[:count])))

    def show_grids(self, places: Sequence[int]) -> None:
        """Each grid has the texts in front of the first figure."""
        columns = self.table.columns
        first = next((at for at, place in enumerate(places) if columns[place].numeric), 0)
        heads, others = places[:first], places[first:]
        while others:
            count = max(1, self.most([*heads, *others]) - len(heads))
            self.console.print(self.grid([*heads, *others[:count]]))
            others = others[count:]

    def show_records(self, places: Sequence[int]) -> None:
        """The first columns are a grid, the others lines below each row."""
        count = self.most(places)
        for row in self.table.rows:
            self.console.print(self.grid(places[:count], row))
            for place in places[count:]:
                if cell_words(row.cells[place]):
                    title = (f"{self.table.columns[place].title}: ", "dim")
                    line = Text.assemble(title, styled_cell(row.cells[place]))
                    self.console.print(Padding(line, (0, 0, 0, self.gap), expand=False))

    def grid(self, places: Sequence[int], single: Row | None = None) -> RichTable:
        """All rows, or one of several grids that are aligned."""
        columns = [(self.table.columns[place], self.titles[place], self.widths[place]) for place in places]
        has_heads = any(title for _, title, _ in columns)
        grid = RichTable(
            box=None,
            pad_edge=False,
            padding=(0, self.gap, 0, 0),
            header_style="dim",
            show_header=has_heads and (single is None or single is self.table.rows[0]),
        )
        for column, title, width in columns:
            grid.add_column(
                Text(title),
                justify="right" if column.numeric else "left",
                no_wrap=column.numeric,
                overflow="fold",
                min_width=width,
                width=width if single else None,
            )
        for row in (single,) if single else self.table.rows:
            cells = [styled_cell(row.cells[place]) for place in places]
            grid.add_row(*cells, style=STYLES[row.mood] if row.mood else None)
        return grid


def styled_cell(cell: Cell) -> Text:
    match cell:
        case Verdict(word, mood, note):
            return Text.assemble((word, STYLES[mood]), f": {note}" if note else "")
        case Figure(mood=Mood() as mood):
            return Text(cell_words(cell), STYLES[mood])
        case Estimate(Ratio() as ratio):
            return Text.assemble((_chip(cell), ratio_style(ratio.median)), f" {interval_text(cell)}")
    return Text(cell_words(cell))


def cell_words(cell: Cell) -> str:
    """With bars."""
    match cell:
        case Estimate(Ratio()):
            return f"{_chip(cell)} {interval_text(cell)}"
        case Meter(value, width):
            return bar(value, width)
        case Meters(items):
            return " ".join(
                f"{letter} {bar(value, SMALL_BAR)} {level(value):<3}" for letter, _, value in items
            ).rstrip()
    return cell_text(cell)


def _chip(estimate: Estimate) -> str:
    return f" {estimate_text(estimate)} "


def bar(share: float | None, width: int) -> str:
    """A share from 0 to 1 as a bar. A share that is not 0 shows at least an eighth of a block."""
    if share is None:
        return NO_BAR * width
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    if share > 0:
        eighths = max(1, eighths)
    full, remainder = divmod(eighths, 8)
    return ("█" * full + (EIGHTHS[remainder] if remainder else "")).ljust(width, "░")
