"""Compares Loki's figures in the Loki test with the blog's."""

from __future__ import annotations

from mallard.bench.analysis.cell_tables import CellTable, Line
from mallard.bench.analysis.panel.phases import cell_amount, median_figure
from mallard.bench.experiments.small_objects import HELD
from mallard.bench.papers.printed import BASE, PrintedTable
from mallard.bench.papers.small_objects import POINTER_BYTES, PROCESS, STRATEGIES, figure_name
from mallard.bench.papers.small_objects import small_objects_tables as printed_tables
from mallard.bench.view.html.cells.form import NOTHING
from mallard.shared.view.html.figures import percent, three_digits
from mallard.shared.view.html.markup import Markup, element

LOKI = STRATEGIES["USE_LOKI_SOA"]


def beside_blog(table: CellTable) -> Markup | None:
    """Loki beside the default, phase by phase, here and as the blog prints it."""
    order = dict(table.setting).get("order")
    if LOKI not in table.strategies:
        return None
    rows = [
        row
        for printed in printed_tables().values()
        if printed.place["order"] == order
        for row in _rows_beside(table, printed)
    ]
    if not rows:
        return None
    heads = (
        "N",
        "what",
        "new-delete here",
        "loki here",
        "% of new-delete",
        "new-delete there",
        "loki there",
        "% of it",
    )
    head = element("tr", *(element("th", text) for text in heads))
    grid = element(
        "table",
        element("caption", "Loki beside the blog", class_="unseen"),
        element("thead", head),
        element("tbody", *rows),
        class_="plain-table",
    )
    return element(
        "details",
        element("summary", "Loki and the default, here and in the blog"),
        element("div", grid, class_="wide", role="region", aria_label="Loki beside the blog", tabindex="0"),
        element("p", "Nanoseconds an object; memory in bytes an object, with the pointer to it."),
    )


def _rows_beside(table: CellTable, printed: PrintedTable) -> list[Markup]:
    rows = []
    for key in printed.rows:
        line = table.line(key[0])
        if line is None or LOKI not in line.cells:
            continue
        quantity = printed.words["phase"][key[1]] if len(key) > 1 else "memory"
        ours = [_our_figure(table, line, name, figure_name(printed, key)) for name in (BASE, LOKI)]
        theirs = [printed.nanoseconds(key, name) for name in (BASE, LOKI)]
        cells = [*_pair(ours), *_pair(theirs)]
        rows.append(
            element(
                "tr",
                element("th", str(key[0])),
                element("td", quantity),
                *(element("td", text, class_="figure") for text in cells),
            )
        )
    return rows


def _our_figure(table: CellTable, line: Line, name: str, figure: str) -> float | None:
    if figure != PROCESS:
        return median_figure(line, name, figure)
    held = cell_amount(table, line, name, HELD, HELD.per)
    return None if held is None else held + POINTER_BYTES


def _pair(values: list[float | None]) -> list[str]:
    """Both values, and the second in percent of the first."""
    base, loki = values
    shown = [NOTHING if value is None else three_digits(value) for value in values]
    return [*shown, percent(loki / base) if base and loki else NOTHING]
