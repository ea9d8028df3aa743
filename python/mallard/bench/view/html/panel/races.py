"""A race: for each setting its sentences, its plots, and maps of strategies by places, beside the papers."""

from __future__ import annotations

from itertools import groupby

from mallard.bench.analysis.cell_tables import CellTable, Line
from mallard.bench.analysis.labels import binding, family
from mallard.bench.analysis.names import malloc
from mallard.bench.analysis.panel.phases import median_figure
from mallard.bench.analysis.panel.races import race_sentences, race_tables
from mallard.bench.contenders import CONTENDERS
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Race
from mallard.bench.library import SHARED
from mallard.bench.papers.printed import PrintedTable
from mallard.bench.papers.registry import all_tables
from mallard.bench.view.html.cells.heat_map import maps
from mallard.bench.view.html.cells.race import Published, RaceTable, beside, matching, race_form
from mallard.bench.view.html.contents import (
    Measured,
    Section,
    experiment_section,
    introduction,
    setting_text,
    unmeasured,
)
from mallard.shared.view.html.figures import size
from mallard.shared.view.html.line_plot import LinePlot, Series
from mallard.shared.view.html.markup import Markup, element, joined
from mallard.shared.view.html.says import answer, render_sentences

HUES = {
    "new-delete": "global",
    "monotonic": "monotonic",
    "multipool": "multipool",
    "multipool+monotonic": "both",
}


def race_section(experiment: Experiment, panel: Race, measured: Measured | None) -> Section:
    name = experiment.name
    if measured is None:
        return unmeasured(name)
    tables = race_tables(name, measured.rows, measured.run.machine.get("cores"))
    shown = RaceTable(
        race_form(panel.wording, panel.kinds),
        *([lambda line, name: median_figure(line, name, panel.memory) or 0.0] if panel.memory else []),
    )
    settings = [_setting(experiment, panel, shown, table) for table in tables]
    body = joined(introduction(name), maps(name, shown.form, *settings))
    return experiment_section(name, body, answer(race_sentences(name, tables[0])))


def _setting(experiment: Experiment, panel: Race, shown: RaceTable, table: CellTable) -> Markup:
    groups = [
        (place, list(lines))
        for place, lines in groupby(table.lines, key=lambda line: line.place[: panel.maps])
    ]
    plots = [_plot(panel, table, place, lines) for place, lines in groups if panel.plotted and len(lines) > 1]
    return element(
        "section",
        element("h3", setting_text(table.setting)),
        *(element("p", text) for text in _remarks(panel, table)),
        render_sentences(race_sentences(experiment.name, table)),
        element("div", *plots, class_="plots") if any(plots) else None,
        *(_map(experiment, panel, shown, table, place, lines) for place, lines in groups),
    )


def _remarks(panel: Race, table: CellTable) -> list[str]:
    return [text for (name, value), text in panel.remarks.items() if dict(table.setting).get(name) == value]


def _plot(panel: Race, table: CellTable, place: tuple[int, ...], lines: list[Line]) -> Markup | None:
    series = [
        Series(name, points, _class(name))
        for name in table.strategies
        if (
            points := [
                (float(line.place[-1]), line.cells[name].ns_per_operation)
                for line in lines
                if line.finished(name)
            ]
        )
    ]
    if not series:
        return None
    cores = table.cores
    mark = (float(cores), "cores") if cores and lines[0].place[-1] <= cores <= lines[-1].place[-1] else None
    return LinePlot(
        _title(panel, place), panel.plotted, f"ns {panel.wording.operation}", series, mark=mark
    ).markup()


def _class(name: str) -> str:
    """A hue for a family, one for all contenders. A dash marks an abstract base, or another malloc."""
    if name in CONTENDERS:
        return "contender"
    if name in SHARED:
        return "concurrent" if "concurrent" in name else "lock"
    dashed = " dashed" if binding(name) == "base" or malloc(name) else ""
    return f"{HUES.get(family(name), 'global')}{dashed}"


def _title(panel: Race, place: tuple[int, ...]) -> str:
    return panel.title.format(*map(size, place))


def _map(
    experiment: Experiment,
    panel: Race,
    shown: RaceTable,
    table: CellTable,
    place: tuple[int, ...],
    lines: list[Line],
) -> Markup:
    title = _title(panel, place)
    p0213, p0089 = (_printed(experiment, panel, table, place, paper) for paper in ("P0213", "P0089"))
    grid = shown.markup(
        title,
        f"{title}, {setting_text(table.setting)}: a row for each {panel.row_text}",
        panel.rows,
        table.strategies,
        [(_row_head(experiment, panel, line), line) for line in lines],
        lambda line, name: Published(
            beside(p0213, _key(p0213, line), name, line.cells.get(name)),
            beside(p0089, _key(p0089, line), name, line.cells.get(name)),
        ),
    )
    return element("section", element("h4", title), grid, class_="structure")


def _row_head(experiment: Experiment, panel: Race, line: Line) -> str:
    values = list(zip(experiment.places, line.place, strict=True))[panel.maps :]
    return ", ".join(size(value) if name.endswith("_log2") else str(value) for name, value in values)


def _key(printed: PrintedTable | None, line: Line) -> tuple[int, ...]:
    """The last places of the line, as many as number the rows of the printed table."""
    return line.place[-len(printed.axes) :] if printed else ()


def _printed(
    experiment: Experiment, panel: Race, table: CellTable, place: tuple[int, ...], paper: str
) -> PrintedTable | None:
    """The printed table. The papers have none of a setting that has a remark."""
    if _remarks(panel, table):
        return None
    own_tables = [printed for printed in all_tables().values() if printed.experiment == experiment.name]
    where = dict(zip(experiment.places, place, strict=False))
    return matching(own_tables, paper, where, {"buffer": dict(table.setting).get("buffer")})
