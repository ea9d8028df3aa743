"""A table of coloured cells that can show several figures, one at a time.

The form of the cells names their values, and the texts that show them. A cell holds named values, and a
template formats them: `{name}` is a value, and text after a line break is small. `[...]` is omitted if one of
its values is missing. A template that lacks another value expands to nothing. Each of the reader's choices is
a template, and so is each term of the panel.

The table shows the first choice of its form. All figures are also in the page's data: cells.js shows another
choice, and fills the panel. A folded table has data only; the script makes its rows when it is opened. The
data of a page is one JSON, compressed and base64-encoded:

forms   the values of a table's cells and their texts, each form once
tables  the heat maps in order, with the number of their form
plots   the line plots in order: for each series the values of its points
steps   the classes of the palette; a letter of a cell counts them
texts   the description of each strategy
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from mallard.bench.analysis.labels import SHORT_STATUS, STATUS_TEXT, column_words, family
from mallard.bench.analysis.names import NULL
from mallard.bench.contenders import CONTENDERS
from mallard.bench.library import KEEP
from mallard.shared.view.html.figures import PALETTE
from mallard.shared.view.html.line_plot import PlotData
from mallard.shared.view.html.markup import Content, Markup, element, joined

Steps = tuple[tuple[str, str], ...]  # (class, text)
NOTHING = "\u2013"
PART = re.compile(r"\[([^\[\]]*)\]")
NAME = re.compile(r"{(.+?)}")


@dataclass(frozen=True)
class Choice:
    """One kind of figures that the cells of a section can show."""

    kind: str
    label: str
    text: str
    legend: Steps
    shows: str  # a template
    coloured_as: str = ""  # the kind whose colours it has; empty for its own
    missing: str = NOTHING

    @property
    def colour(self) -> str:
        return self.coloured_as or self.kind


@dataclass(frozen=True)
class Form:
    """The choices and terms of a cell. Without script the page shows the first choice."""

    choices: tuple[Choice, ...]
    terms: tuple[tuple[str, str], ...]  # of the panel: (term, template)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The values, in their order in the data."""
        templates = [choice.shows for choice in self.choices] + [template for _, template in self.terms]
        return tuple(dict.fromkeys(name for template in templates for name in NAME.findall(template)))

    @cached_property
    def colours(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(choice.colour for choice in self.choices))

    @cached_property
    def script_data(self) -> dict[str, object]:
        """The script's data for the form."""
        return {
            "values": self.names,
            "choices": {
                choice.kind: {
                    "label": choice.label,
                    "text": choice.text,
                    "legend": choice.legend,
                    "shows": choice.shows,
                    "colour": self.colours.index(choice.colour),
                    "missing": choice.missing,
                }
                for choice in self.choices
            },
            "terms": self.terms,
        }


def expand(template: str, values: Mapping[str, str]) -> str:
    """Expands a template, like `fill` in cells.js."""

    def keep_complete(part: str) -> str:
        return part if all(values.get(name) for name in NAME.findall(part)) else ""

    while PART.search(template):
        template = PART.sub(lambda match: keep_complete(match[1]), template)
    return NAME.sub(lambda match: values[match[1]], keep_complete(template))


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
        return element("div", grid, class_="wide", role="group", aria_label=self.caption, tabindex="0")

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
        shown = _td(text, small, steps.get(first.colour, ""), first.colour in framed)
        letters = "".join(_letter(steps.get(name, ""), name in framed) for name in self.form.colours)
        return Cell(shown, (letters, *(values.get(name, "") for name in self.form.names)))

    def broken(self, status: str, detail: str) -> Cell:
        """A cell without a finished repetition."""
        text = STATUS_TEXT.get(status, status)
        short = SHORT_STATUS.get(status, status)
        return Cell(_td(short, "", "broken", False), (BROKEN, short, f"{text}: {detail}" if detail else text))


def _td(text: str, small: str, step: str, framed: bool) -> Markup:
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


def maps(
    name: str, form: Form, *blocks: Content, head: Markup | None = None, anchor: str | None = None
) -> Markup:
    """The maps of a section. `name` identifies the section's buttons."""
    first = form.choices[0]
    legend = element("div", element("p", first.text), steps(first.legend), class_="legend")
    controls = element("div", legend, class_="controls", data_name=name)
    return element("div", head, controls, *blocks, class_="maps", id=anchor)


def folded(summary: str, *blocks: Content) -> Markup:
    """Heat maps of folded tables. The script fills them when they are opened."""
    without = element("noscript", element("p", "A script fills these tables."))
    return element("details", element("summary", summary), without, *blocks)


def steps(legend: Steps) -> Markup:
    return element("ul", *(element("li", text, class_=name) for name, text in legend), class_="steps")


ID = "cells"


def cell_data(body: Markup, texts: Mapping[str, str]) -> Markup:
    tables = [item for item in body.data if isinstance(item, MapData)]
    forms = list(dict.fromkeys(table.form for table in tables))
    payload = {
        "forms": [form.script_data for form in forms],
        "tables": [
            {
                "form": forms.index(table.form),
                "title": table.title,
                "heads": table.heads,
                "labels": table.labels,
                "columns": table.columns,
            }
            for table in tables
        ],
        "plots": [item.values for item in body.data if isinstance(item, PlotData)],
        "steps": PALETTE,
        "texts": texts,
    }
    return element("script", Markup(_packed(payload)), id=ID, type="application/octet-stream")


def _packed(payload: object) -> str:
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 7)).decode()
