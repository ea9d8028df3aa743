"""Benchmark IV: threads that allocate at the same time."""

from __future__ import annotations

from itertools import groupby

from mallard.analysis.cells import CellTable, Line
from mallard.analysis.contention import contention_sentences, contention_tables
from mallard.analysis.labels import binding, family
from mallard.analysis.names import malloc
from mallard.contenders import CONTENDERS
from mallard.library import SHARED
from mallard.papers.contention import contention_tables as printed_tables
from mallard.papers.printed import PrintedTable
from mallard.view.html.beside import beside, matching
from mallard.view.html.contents import Measured, Section, introduction, section_of, setting_text, unmeasured
from mallard.view.html.controls import maps
from mallard.view.html.figures import size
from mallard.view.html.line_plot import LinePlot, Series
from mallard.view.html.markup import Markup, element, joined
from mallard.view.html.race_cells import Published, Wording, race_form
from mallard.view.html.race_table import Race
from mallard.view.html.says import answer, says

NAME = "contention"
WORDING = Wording(
    "a pair", "pairs", "one pair of allocation and deallocation, in each thread", clock="Wall-clock"
)
RACE = Race(race_form(WORDING, "pincd"))
HUES = {
    "new-delete": "global",
    "monotonic": "monotonic",
    "multipool": "multipool",
    "multipool+monotonic": "both",
}
OTHER = "Each thread's blocks are freed by its neighbour."


def contention_section(measured: Measured | None) -> Section:
    if measured is None:
        return unmeasured(NAME)
    tables = contention_tables(measured.rows)
    cores = measured.run.machine.get("cores")
    blocks = [_setting(table, cores) for table in tables]
    body = joined(
        introduction(NAME),
        maps(NAME, RACE.form, *blocks),
    )
    return section_of(NAME, body, answer(contention_sentences(tables[0], cores)))


def _setting(table: CellTable, cores: int | None) -> Markup:
    amounts = [(place, list(lines)) for place, lines in groupby(table.lines, key=lambda line: line.place[:2])]
    plots = [_plot(table, place, lines, cores) for place, lines in amounts if len(lines) > 1]
    other = dict(table.setting).get("freed_by") == "other"
    return element(
        "section",
        element("h3", setting_text(table.setting)),
        element("p", OTHER) if other else None,
        says(contention_sentences(table, cores)),
        element("div", *plots, class_="plots") if any(plots) else None,
        *(_map(table, place, lines) for place, lines in amounts),
    )


def _plot(table: CellTable, place: tuple[int, ...], lines: list[Line], cores: int | None) -> Markup | None:
    series = [
        Series(name, points, _class(name))
        for name in table.strategies
        if (
            points := [
                (float(line.place[2]), line.cells[name].ns_per_operation)
                for line in lines
                if line.finished(name)
            ]
        )
    ]
    if not series:
        return None
    mark = (float(cores), "cores") if cores and lines[0].place[2] <= cores <= lines[-1].place[2] else None
    return LinePlot(_title(place), "threads", "ns a pair", series, mark=mark).markup()


def _class(name: str) -> str:
    """A hue for a family, one for all contenders. A dash marks an abstract base, or another malloc."""
    if name in CONTENDERS:
        return "contender"
    if name in SHARED:
        return "concurrent" if "concurrent" in name else "lock"
    dashed = " dashed" if binding(name) == "base" or malloc(name) else ""
    return f"{HUES.get(family(name), 'global')}{dashed}"


def _title(place: tuple[int, ...]) -> str:
    return f"N = {size(place[0])}, S = {size(place[1])} bytes"


def _map(table: CellTable, place: tuple[int, ...], lines: list[Line]) -> Markup:
    p0213, p0089 = (_printed(table, place, data_of) for data_of in ("P0213", "P0089"))
    grid = RACE.markup(
        _title(place),
        f"{_title(place)}, {setting_text(table.setting)}: a row for each number of threads",
        "threads",
        table.strategies,
        [(str(line.place[2]), line) for line in lines],
        lambda line, name: Published(
            beside(p0213, line.place[2:], name, line.cells.get(name)),
            beside(p0089, line.place[2:], name, line.cells.get(name)),
        ),
    )
    return element("section", element("h4", _title(place)), grid, class_="structure")


def _printed(table: CellTable, place: tuple[int, ...], data_of: str) -> PrintedTable | None:
    """The printed table. The papers have no blocks that other threads free."""
    setting = dict(table.setting)
    if setting.get("freed_by") == "other":
        return None
    where = {"iterations_log2": place[0], "block_log2": place[1]}
    return matching(printed_tables().values(), data_of, where, {"buffer": setting.get("buffer")})
