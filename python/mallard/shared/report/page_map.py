"""Heat maps on a page.

A table of coloured cells shows the first layer of its map; cells.js shows another one, and fills the panel. A
folded table has data only; the script makes its rows when it is opened. In the data of the scripts:

forms   the layers of a map and the terms of its facts, each form once
tables  the heat maps in order, with the number of their form
steps   the classes of the palette; a letter of a cell counts them
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from mallard.shared.report.markup import Content, Markup, element, joined
from mallard.shared.report.picture import (
    PALETTE,
    Head,
    HeatMap,
    Layer,
    Legend,
    Shade,
    Spot,
    Tile,
    ratio_step,
    with_raised_exponents,
)
from mallard.shared.stats import Ratio

FAILED = "!"  # in place of the letters of a cell
SMALL = "\t"  # before the small text of a cell, in the data


@dataclass(frozen=True)
class MapData:
    """The script's data for a map."""

    form: tuple[tuple[Layer, ...], tuple[str, ...]]
    title: str
    heads: tuple[str, ...]  # the names of the columns in the panel
    labels: tuple[str, ...]  # of the rows
    cells: tuple[tuple[str, ...], ...]  # row after row: letters, texts of the layers, facts
    folded: bool  # the table has no rows yet

    @property
    def columns(self) -> list[str | None]:
        """A text for the letters and one for each value, with a line for each cell. This order puts values
        of one kind together, which compresses well. The first layer is left out if the table shows it.
        """
        if not self.cells:
            return []
        layers, terms = self.form
        last = max(len(layers) + len(terms), 2)  # a failure takes three values
        return [self._text(0), self._text(1) if self.folded else None, *map(self._text, range(2, last + 1))]

    def _text(self, place: int) -> str:
        parts = (cell[place] if place < len(cell) else "" for cell in self.cells)
        return "\n".join(part.replace("\n", SMALL if place <= len(self.form[0]) else " ") for part in parts)


def map_markup(picture: HeatMap) -> Markup:
    """A small map has a title; around another one stands the title of its section."""
    rows = [
        Markup(f"<tr><th>{joined(label, *(_cell(picture.layers[0], spot) for spot in spots))}")
        for label, (_, spots) in zip(_labels(picture), picture.rows, strict=True)
    ]
    grid = element(
        "table",
        _heads(picture),
        element("tbody", *([] if picture.is_folded else rows)),
        class_=f"heat {picture.style}".strip(),
    )
    caption = with_raised_exponents(picture.caption)
    frame = element("div", grid, class_="wide", role="group", aria_label=caption, tabindex="0")
    if not picture.is_small:
        return frame
    return element("figure", element("figcaption", with_raised_exponents(picture.title)), frame)


def _labels(picture: HeatMap) -> tuple[str, ...]:
    return tuple(with_raised_exponents(", ".join(filter(None, words))) for words, _ in picture.rows)


def map_data(picture: HeatMap) -> MapData:
    return MapData(
        (picture.layers, picture.terms),
        with_raised_exponents(picture.title),
        tuple(with_raised_exponents(head.full_name) for head in picture.columns),
        _labels(picture),
        tuple(_values(spot) for _, spots in picture.rows for spot in spots),
        picture.is_folded,
    )


def choice(name: str, layers: tuple[Layer, ...], *blocks: Content) -> Markup:
    """Maps with the same layers, below the reader's choice among them. `name` identifies its buttons."""
    first = layers[0]
    legend = element("div", element("p", first.about), steps(first.legend), class_="legend")
    return element("div", element("div", legend, class_="controls", data_name=name), *blocks, class_="maps")


def steps(legend: Legend) -> Markup:
    return element("ul", *(element("li", text, class_=name) for name, text in legend), class_="steps")


def shade_step(shade: Shade) -> str:
    return "" if shade is None else ratio_step(shade) if isinstance(shade, Ratio) else f"z{shade}"


def _heads(picture: HeatMap) -> Markup:
    heads = [_head(head) for head in picture.columns]
    families = [
        (name, len(list(group))) for name, group in groupby(head.family[0] for head in picture.columns)
    ]
    grouped = len(families) > 1 or any(name for name, _ in families)
    corner = element("th", ", ".join(picture.corner), rowspan="2" if grouped else None, class_="corner")
    if not grouped:
        return element("thead", element("tr", corner, *heads))
    groups = [element("th", name, colspan=str(count), class_="family") for name, count in families]
    return element("thead", element("tr", corner, *groups), element("tr", *heads))


def _head(head: Head) -> Markup:
    first, *others = map(with_raised_exponents, head.words)
    return element("th", first, element("small", " ".join(others)) if any(others) else None)


def _cell(layer: Layer, spot: Spot) -> Markup:
    """A cell without end tags, which HTML does not require: a page has thousands of cells."""
    if spot.failure:
        return Markup(f"<td class=broken>{joined(spot.failure[0])}")
    if not spot.tiles:
        return Markup("<td>")
    tile = spot.tiles[0]
    text, _, small = (tile.text or layer.missing).partition("\n")
    classes = f"{shade_step(tile.shade)}{' best' if tile.is_best else ''}".strip()
    attribute = f' class="{classes}"' if " " in classes else f" class={classes}" if classes else ""
    return Markup(f"<td{attribute}>{joined(text, element('small', small) if small else None)}")


def _values(spot: Spot) -> tuple[str, ...]:
    if spot.failure:
        return (FAILED, *spot.failure)
    if not spot.tiles:
        return ()
    return ("".join(map(_letter, spot.tiles)), *(tile.text for tile in spot.tiles), *spot.facts)


def _letter(tile: Tile) -> str:
    letter = chr(ord("a") + PALETTE.index(shade_step(tile.shade)))
    return letter.upper() if tile.is_best else letter


def maps_data(tables: Sequence[MapData]) -> dict[str, Any]:
    forms = list(dict.fromkeys(table.form for table in tables))
    return {
        "forms": [{"layers": list(map(_layer_data, layers)), "terms": terms} for layers, terms in forms],
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
        "steps": PALETTE,
    }


def _layer_data(layer: Layer) -> dict[str, Any]:
    return {"label": layer.label, "text": layer.about, "legend": layer.legend, "missing": layer.missing}
