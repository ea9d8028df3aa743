"""Test equipment: the heat maps of a page, with all texts of their cells and of the panel."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

BROKEN = "!"


@dataclass
class Cell:
    """A cell as its table shows it, and as the data has it."""

    text: str
    class_: str
    form: dict[str, Any]
    steps: list[str]
    parts: list[str]

    @property
    def measured(self) -> bool:
        return self.parts[0] not in ("", BROKEN)

    @property
    def status(self) -> str:
        """Of a cell that did not finish."""
        return self.parts[2] if self.parts[0] == BROKEN else ""

    @property
    def shown(self) -> dict[str, str]:
        """The text of each layer; small text stands behind a line break."""
        layers = self.form["layers"]
        texts = zip(layers, self.parts[1:], strict=False)
        return {layer["label"]: text.replace("\t", "\n") or layer["missing"] for layer, text in texts}

    @property
    def classes(self) -> dict[str, str]:
        """The step of the palette of each layer, and whether its figure is framed."""
        return {
            layer[
                "label"
            ]: f"{self.steps[ord(letter.lower()) - ord('a')]}{' best' if letter.isupper() else ''}".strip()
            for layer, letter in zip(self.form["layers"], self.parts[0], strict=True)
        }

    @property
    def terms(self) -> dict[str, str]:
        facts = self.parts[1 + len(self.form["layers"]) :]
        return {term: text for term, text in zip(self.form["terms"], facts, strict=False) if text}


@dataclass
class HeatMap:
    part: str  # the section of the page
    class_: str
    title: str
    heads: list[str]  # the names of the columns, as the panel has them
    rows: dict[str, list[Cell]]
    folded: bool

    def cell(self, row: str, head: str) -> Cell:
        return self.rows[row][self.heads.index(head)]

    def column(self, head: str) -> dict[str, Cell]:
        return {row: cells[self.heads.index(head)] for row, cells in self.rows.items()}

    @property
    def cells(self) -> list[Cell]:
        return [cell for cells in self.rows.values() for cell in cells]


class _Tables(HTMLParser):
    """The tables as they are written."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[dict[str, Any]] = []
        self._inside = self._body = False
        self._part = ""
        self._text: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "table" and "heat" in attributes.get("class", "").split():
            self.tables.append(
                {"part": self._part, "attributes": attributes, "heads": [], "labels": [], "cells": []}
            )
            self._inside, self._body = True, False
        if attributes.get("class") == "part":
            self._part = attributes["id"]
        if not self._inside:
            return
        if tag == "small" and self._text:
            self._text.append("\t")
            return
        self._text = None
        if tag in ("thead", "tbody"):
            self._body = tag == "tbody"
        if tag in ("th", "td"):
            self._text = []
            place = "cells" if tag == "td" else "labels" if self._body else "heads"
            self.tables[-1][place].append((attributes, self._text))

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "table"
        self._text = None

    def handle_data(self, data: str) -> None:
        if self._inside and self._text is not None:
            self._text.append(data)


def heat_map(page: str, title: str) -> HeatMap:
    """The first with that title."""
    return next(table for table in heat_maps(page) if table.title == title)


def by_strategy(page: str, part: str) -> HeatMap:
    """The first of a section with a row for each strategy."""
    return next(table for table in heat_maps(page) if table.part == part and "by-strategy" in table.class_)


def without_data(page: str) -> str:
    """Packed, it may spell anything."""
    return re.sub(r'<script id="cells"[^>]*>[^<]*</script>', "", page)


def read_data(page: str) -> dict[str, Any]:
    match = re.search(r'<script id="cells"[^>]*>([^<]*)</script>', page)
    assert match, "no data"
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(match[1])))
    return data


def heat_maps(page: str) -> list[HeatMap]:
    """Checks too that the text agrees with the data."""
    data = read_data(page)
    reader = _Tables()
    reader.feed(page)
    assert len(reader.tables) == len(data["tables"])
    pairs = zip(reader.tables, data["tables"], strict=True)
    return [_heat_map(written, description, data) for written, description in pairs]


def _heat_map(written: dict[str, Any], description: dict[str, Any], data: dict[str, Any]) -> HeatMap:
    form, labels, columns = data["forms"][description["form"]], description["labels"], description["columns"]
    folded = bool(columns) and columns[1] is not None
    tds = [(attributes.get("class", ""), "".join(text)) for attributes, text in written["cells"]]
    missing = form["layers"][0]["missing"]
    if not folded:
        assert ["".join(text) for _, text in written["labels"]] == labels
    first = columns[1].split("\n") if folded else ["" if text == missing else text for _, text in tds]
    split = [column.split("\n") if place != 1 else first for place, column in enumerate(columns)]
    assert all(len(column) == len(first) for column in split)
    shown = tds or [("", "")] * len(first)
    cells = [
        Cell(text, class_, form, data["steps"], list(parts))
        for (class_, text), parts in zip(shown, zip(*split, strict=True), strict=True)
    ]
    for cell in [] if folded else cells:
        first = form["layers"][0]["label"]
        assert cell.class_ == (cell.classes[first] if cell.measured else "broken" if cell.status else "")
    width = len(description["heads"])
    assert len(cells) == width * len(labels)
    return HeatMap(
        written["part"],
        written["attributes"]["class"],
        description["title"],
        description["heads"],
        {label: cells[place * width : (place + 1) * width] for place, label in enumerate(labels)},
        folded,
    )
