"""Maps whose cells are named values, formatted by the templates of a form: `{name}` is a value, text after a
line break is small, and `[...]` is omitted if one of its values is missing. A template that lacks another
value expands to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.labels import failed_spot
from mallard.shared.report import page_map, picture
from mallard.shared.report.page_map import map_table
from mallard.shared.report.picture import MISSING, Head, Layer, Legend, Spot, Tile
from mallard.shared.view.html.markup import Content, Markup, element

Steps = Legend
NOTHING = MISSING
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

    @property
    def layers(self) -> tuple[Layer, ...]:
        return tuple(
            Layer(choice.label, choice.text, choice.legend, missing=choice.missing) for choice in self.choices
        )


def expand(template: str, values: Mapping[str, str]) -> str:
    def keep_complete(part: str) -> str:
        return part if all(values.get(name) for name in NAME.findall(part)) else ""

    while PART.search(template):
        template = PART.sub(lambda match: keep_complete(match[1]), template)
    return NAME.sub(lambda match: values[match[1]], keep_complete(template))


@dataclass(frozen=True)
class Column:
    name: str
    small: str = ""
    key: str = ""  # its name in the panel, if different
    family: str = ""


Cell = Spot
EMPTY = Spot()


@dataclass(frozen=True)
class HeatMap:
    title: str  # in the panel, beside the column and the row
    caption: str
    corner: str  # the heading of the rows
    columns: Sequence[Column]
    form: Form
    class_: str = ""

    def markup(self, lines: Sequence[tuple[str, Sequence[Cell]]], folded: bool = False) -> Markup:
        return map_table(
            picture.HeatMap(
                self.title,
                self.caption,
                (self.corner,),
                tuple(
                    Head((column.name, column.small), column.key or column.name, (column.family,))
                    for column in self.columns
                ),
                tuple(((label,), tuple(cells)) for label, cells in lines),
                self.form.layers,
                tuple(term for term, _ in self.form.terms),
                self.class_,
                folded,
            )
        )

    def cell(
        self, values: Mapping[str, str], shades: Mapping[str, picture.Shade], framed: Collection[str] = ()
    ) -> Cell:
        """A cell. `shades` are by the choice that they colour; `framed` has choices too."""
        tiles = tuple(
            Tile(expand(choice.shows, values), shades.get(choice.colour), choice.colour in framed)
            for choice in self.form.choices
        )
        return Spot(tiles, tuple(expand(template, values) for _, template in self.form.terms))

    def broken(self, status: str, detail: str) -> Cell:
        """A cell without a finished repetition."""
        return failed_spot(status, detail)


def maps(name: str, form: Form, *blocks: Content) -> Markup:
    """The maps of a section. `name` identifies the section's buttons."""
    return page_map.choice(name, form.layers, *blocks)


def folded(summary: str, *blocks: Content) -> Markup:
    """Heat maps of folded tables. The script fills them when they are opened."""
    without = element("noscript", element("p", "A script fills these tables."))
    return element("details", element("summary", summary), without, *blocks)
