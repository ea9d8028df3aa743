"""A table of coloured cells that can show several figures, one at a time.

The table shows the first choice of its form. All figures are also in the page's data: cells.js shows
another choice, and fills the panel. A folded table has data only; the script makes its rows when it is
opened.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from mallard.bench.analysis.labels import SHORT_STATUS, STATUS_TEXT, column_words, family
from mallard.bench.analysis.names import NULL
from mallard.bench.contenders import CONTENDERS
from mallard.bench.library import KEEP
from mallard.bench.view.html.cells.form import Form, expand
from mallard.shared.view.html.figures import PALETTE
from mallard.shared.view.html.markup import Markup, element, joined

BROKEN = "!"


@dataclass(frozen=True)
class Column:
    name: str
    small: str = ""
    key: str = ""  # its name in the panel, if different
    family: str = ""


@dataclass(frozen=True)
class Cell:
    """`data` has the letters of its colours, then its values. An unfinished cell has BROKEN and its status,
    short and in full. A cell that was not measured has nothing.
    """

    shown: Markup
    data: tuple[str, ...] = ()


EMPTY = Cell(Markup("<td>"))


@dataclass(frozen=True)
class MapData:
    """The script's data for a table."""

    form: Form
    title: str
    heads: tuple[str, ...]  # the names of the columns in the panel
    labels: tuple[str, ...]  # of the rows
    cells: tuple[tuple[str, ...], ...]  # row after row
    folded: bool  # the table has no rows yet

    @property
    def columns(self) -> list[str | None]:
        """A text for the colours and one for each value, with a line for each cell. This order puts values
        of one kind together, which compresses well. The first value is left out if the table shows it.
        """
        if not self.cells:
            return []
        last = max(len(self.form.names), 2)  # a status takes three values
        return [self._text(0), self._text(1) if self.folded else None, *map(self._text, range(2, last + 1))]

    def _text(self, place: int) -> str:
        parts = (cell[place] if place < len(cell) else "" for cell in self.cells)
        return "\n".join(part.replace("\n", " ") for part in parts)


@dataclass(frozen=True)
class HeatMap:
    title: str  # in the panel, beside the column and the row
    caption: str
    corner: str  # the heading of the rows
    columns: Sequence[Column]
    form: Form
    class_: str = ""

    def markup(self, lines: Sequence[tuple[str, Sequence[Cell]]], folded: bool = False) -> Markup:
        rows = [Markup(f"<tr><th>{joined(label, *(cell.shown for cell in cells))}") for label, cells in lines]
        grid = element(
            "table",
            self._head(),
            element("tbody", *([] if folded else rows)),
            class_=f"heat {self.class_}".strip(),
        ).with_data(
            MapData(
                self.form,
                self.title,
                tuple(column.key or column.name for column in self.columns),
                tuple(label for label, _ in lines),
                tuple(cell.data for _, cells in lines for cell in cells),
                folded,
            )
        )
        return element("div", grid, class_="wide", role="region", aria_label=self.caption, tabindex="0")

    def _head(self) -> Markup:
        names = [
            element(
                "th",
                column.name,
                element("small", column.small) if column.small else None,
            )
            for column in self.columns
        ]
        families = [(name, len(list(group))) for name, group in groupby(self.columns, key=lambda c: c.family)]
        grouped = len(families) > 1 or any(name for name, _ in families)
        corner = element("th", self.corner, rowspan="2" if grouped else None, class_="corner")
        if not grouped:
            return element("thead", element("tr", corner, *names))
        groups = [element("th", name, colspan=str(count), class_="family") for name, count in families]
        return element("thead", element("tr", corner, *groups), element("tr", *names))

    def cell(self, values: Mapping[str, str], steps: Mapping[str, str], framed: Collection[str] = ()) -> Cell:
        """A cell. `steps` are of the palette, by the choice that they colour; `framed` has choices too."""
        first = self.form.choices[0]
        text, _, small = (expand(first.shows, values) or first.missing).partition("\n")
        shown = _cell(text, small, steps.get(first.colour, ""), first.colour in framed)
        letters = "".join(_letter(steps.get(name, ""), name in framed) for name in self.form.colours)
        return Cell(shown, (letters, *(values.get(name, "") for name in self.form.names)))

    def broken(self, status: str, detail: str) -> Cell:
        """A cell without a finished repetition."""
        text = STATUS_TEXT.get(status, status)
        short = SHORT_STATUS.get(status, status)
        return Cell(
            _cell(short, "", "broken", False), (BROKEN, short, f"{text}: {detail}" if detail else text)
        )


def _cell(text: str, small: str, step: str, framed: bool) -> Markup:
    """A cell without end tags, which HTML does not require: a page has thousands of cells."""
    classes = f"{step} best".strip() if framed else step
    attribute = f' class="{classes}"' if " " in classes else f" class={classes}" if classes else ""
    return Markup(f"<td{attribute}>{joined(text, element('small', small) if small else None)}")


def _letter(step: str, framed: bool) -> str:
    letter = chr(ord("a") + PALETTE.index(step))
    return letter.upper() if framed else letter


def strategy_columns(names: Sequence[str]) -> list[Column]:
    """Columns by family, with the words that distinguish its members."""
    return [Column(*_words(name), name, family(name)) for name in names]


def _words(name: str) -> tuple[str, str]:
    if name == NULL:
        return name, "in place"
    if name == KEEP:
        return "keep", "pages kept"
    return (CONTENDERS[name].label, "") if name in CONTENDERS else column_words(name)
