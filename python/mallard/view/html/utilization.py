"""Benchmark III: blocks freed in the order of their allocation, with few in use at a time."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from mallard.analysis.cells import CellTable, Line
from mallard.analysis.utilization import utilization_sentences, utilization_tables
from mallard.cells import Cell
from mallard.papers.printed import PrintedTable
from mallard.papers.utilization import utilization_tables as printed_tables
from mallard.view.html.beside import beside, matching
from mallard.view.html.contents import Measured, Section, introduction, section_of, setting_text, unmeasured
from mallard.view.html.controls import maps
from mallard.view.html.figures import size
from mallard.view.html.markup import Markup, element, joined
from mallard.view.html.race_cells import Published, Wording, race_form
from mallard.view.html.race_table import Race
from mallard.view.html.says import answer, says

NAME = "utilization"
WORDING = Wording(
    "an allocation",
    "allocations",
    "one allocation with its deallocation",
    memory="held at the end",
    memory_text="Resident memory by which the process has grown at the end",
)


def _held(cell: Cell) -> float:
    held = cell.figure("held_bytes")
    return held.median if held else 0.0


RACE = Race(race_form(WORDING, "pincdfm"), _held)


def utilization_section(measured: Measured | None) -> Section:
    if measured is None:
        return unmeasured(NAME)
    tables = utilization_tables(measured.rows)
    body = joined(
        introduction(NAME),
        maps(NAME, RACE.form, *(_setting(table) for table in tables)),
    )
    return section_of(NAME, body, answer(utilization_sentences(tables[0])))


def _setting(table: CellTable) -> Markup:
    blocks = [
        _total(table, total, list(lines))
        for total, lines in groupby(table.lines, key=lambda line: line.place[0])
    ]
    return element(
        "section", element("h3", setting_text(table.setting)), says(utilization_sentences(table)), *blocks
    )


def _total(table: CellTable, total: int, lines: list[Line]) -> Markup:
    place = {"total_log2": total}
    p0213, p0089 = (_printed(data_of, place) for data_of in ("P0213", "P0089"))
    grid = RACE.markup(
        f"T {size(total)}",
        f"T = {size(total)} bytes, {setting_text(table.setting)}: a row for each A and S",
        "A, S",
        table.strategies,
        [(f"{size(line.place[1])}, {size(line.place[2])}", line) for line in lines],
        lambda line, name: Published(
            beside(p0213, line.place, name, line.cells.get(name)),
            beside(p0089, line.place, name, line.cells.get(name)),
        ),
    )
    return element("section", element("h4", f"T = {size(total)} bytes"), grid, class_="structure")


def _printed(data_of: str, place: Mapping[str, object]) -> PrintedTable | None:
    return matching(printed_tables().values(), data_of, place, {})
