"""A table whose cells are coloured and hold several figures, of which the page shows one kind at a time.

Each kind is a span of its own class, so choosing what is shown is a matter of style alone, and works without
script. `data-d` of a cell holds all that is told of it, in the order of the table's `data-terms`; the script
shows it in the panel. `data-s` stands there instead where a cell did not finish.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from mallard.analysis.labels import SHORT_STATUS, STATUS_TEXT, column_words, family
from mallard.analysis.names import FLOOR
from mallard.contenders import CONTENDERS
from mallard.experiments import KEEP
from mallard.papers.catalogue import strategy_text
from mallard.view.html.markup import Markup, element


@dataclass(frozen=True)
class Column:
    name: str
    small: str = ""
    title: str = ""
    family: str = ""
    key: str = ""  # told in the panel, where the name stands below its family


@dataclass(frozen=True)
class HeatMap:
    title: str  # told in the panel beside the column and the row
    caption: str
    corner: str  # what the rows are
    columns: Sequence[Column]
    terms: Sequence[str]
    kinds: str  # a letter a kind
    class_: str = ""

    def markup(self, lines: Sequence[tuple[str, Sequence[Markup]]]) -> Markup:
        rows = [
            element("tr", element("th", label, scope="row", class_="size"), *cells) for label, cells in lines
        ]
        grid = element(
            "table",
            element("caption", self.caption, class_="unseen"),
            self._head(),
            element("tbody", *rows),
            class_=f"heat {self.class_}".strip(),
            data_title=self.title,
            data_terms=json.dumps(list(self.terms), ensure_ascii=False),
        )
        return element("div", grid, class_="wide", role="region", aria_label=self.caption, tabindex="0")

    def _head(self) -> Markup:
        names = [
            element(
                "th",
                column.name,
                element("small", column.small) if column.small else None,
                scope="col",
                title=column.title or None,
                data_name=column.key or None,
            )
            for column in self.columns
        ]
        families = [(name, len(list(group))) for name, group in groupby(self.columns, key=lambda c: c.family)]
        grouped = len(families) > 1 or any(name for name, _ in families)
        corner = element("th", self.corner, scope="col", class_="size", rowspan="2" if grouped else None)
        if not grouped:
            return element("thead", element("tr", corner, *names))
        groups = [
            element("th", name, colspan=str(count), scope="colgroup", class_="family")
            for name, count in families
        ]
        return element("thead", element("tr", corner, *groups), element("tr", *names))

    def cell(
        self, key: str | None, figures: Sequence[Markup], told: Sequence[str], best: bool = False
    ) -> Markup:
        return element("td", *figures, data_d="|".join(told), data_k=key, class_="best" if best else None)

    def broken(self, key: str, status: str, detail: str) -> Markup:
        """A cell of which no repetition finished."""
        text = STATUS_TEXT.get(status, status)
        shown = element("span", SHORT_STATUS.get(status, status), class_=f"{' '.join(self.kinds)} broken")
        return element("td", shown, data_s=f"{text}: {detail}" if detail else text, data_k=key)

    def empty(self) -> Markup:
        return element("td", element("span", "·", class_=f"{' '.join(self.kinds)} none"))


def figure(kind: str, step: str, text: str, small: str = "") -> Markup:
    return element("span", text, element("small", small) if small else None, class_=f"{kind} {step}")


def strategy_columns(names: Sequence[str]) -> list[Column]:
    """Families, and what tells apart the members of a family."""
    return [Column(*_words(name), strategy_text(name), family(name), name) for name in names]


def _words(name: str) -> tuple[str, str]:
    if name == FLOOR:
        return name, "in place"
    if name == KEEP:
        return "keep", "pages kept"
    return (CONTENDERS[name].label, "") if name in CONTENDERS else column_words(name)
