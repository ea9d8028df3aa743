"""The cells with an unfinished repetition, and the reasons."""

from __future__ import annotations

from mallard.bench.analysis.labels import STATUS_TEXT
from mallard.bench.analysis.summary import Summary
from mallard.shared.view.html.figures import size
from mallard.shared.view.html.markup import Markup, element


def unfinished_table(summary: Summary, mark: str) -> Markup | None:
    cells = summary.unfinished
    if not cells:
        return None
    rows = [
        element(
            "tr",
            element("th", table.type),
            element("td", size(line.size_log2)),
            element("td", cell.strategy),
            element("td", STATUS_TEXT.get(cell.status, "not every repetition finished")),
            element("td", cell.detail),
        )
        for table, line, cell in cells
    ]
    head = element(
        "tr",
        *(element("th", text) for text in ("data structure", "size", "strategy", "status", "message")),
    )
    grid = element("table", element("thead", head), element("tbody", *rows), class_="plain-table")
    wide = element("div", grid, class_="wide", role="region", aria_label="Unfinished cells", tabindex="0")
    return element("section", element("h3", "Cells that did not finish"), wide, id=f"unfinished{mark}")
