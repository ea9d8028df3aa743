"""The report of made-up rows, its maps, tables and charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mallard.bench.analysis.panels import panel_report
from mallard.bench.result import Row
from mallard.shared.report.model import Block, Points, Report, Section, Table
from mallard.shared.report.picture import Chart, HeatMap, Spot


def report_of(natives: Sequence[dict[str, Any]], *, everything: bool = True) -> Report:
    """Of a machine with two cores."""
    rows = [Row.from_native(1, native) for native in natives]
    return panel_report(rows[0].experiment, rows, 2, everything=everything)


def blocks(report: Report) -> list[Block]:
    return [block for section in report.sections for block in (*section.answer, *section.blocks)]


def maps(report: Report) -> list[HeatMap]:
    return [block for block in blocks(report) if isinstance(block, HeatMap)]


def tables(report: Report) -> list[Table]:
    return [block for block in blocks(report) if isinstance(block, Table)]


def charts(report: Report) -> list[Chart]:
    return [block for block in blocks(report) if isinstance(block, Chart)]


def sentences(report: Report) -> str:
    return " ".join(text for block in blocks(report) if isinstance(block, Points) for text in block.texts)


def find_section(report: Report, title: str) -> Section:
    return next(section for section in report.sections if section.title == title)


def find_map(report: Report, title: str) -> HeatMap:
    """The first with a title that begins so."""
    return next(picture for picture in maps(report) if picture.title.startswith(title))


def find_table(report: Report, caption: str) -> Table:
    return next(table for table in tables(report) if table.caption == caption)


def spot(picture: HeatMap, row: str, column: str) -> Spot:
    spots = {", ".join(labels): spots for labels, spots in picture.rows}[row]
    return spots[[head.full_name for head in picture.columns].index(column)]


def texts(picture: HeatMap, row: str, column: str) -> dict[str, str]:
    """The figure of each layer."""
    tiles = spot(picture, row, column).tiles
    return {layer.label: tile.text for layer, tile in zip(picture.layers, tiles, strict=True)}


def facts(picture: HeatMap, row: str, column: str) -> dict[str, str]:
    return dict(zip(picture.terms, spot(picture, row, column).facts, strict=True))


def failures(picture: HeatMap) -> list[str]:
    return [spot.failure[1] for _, spots in picture.rows for spot in spots if spot.failure]


def points(chart: Chart, name: str) -> dict[float, float]:
    return dict(next(line.points for line in chart.series if line.name == name))


def styles(chart: Chart) -> dict[str, str]:
    return {line.name: line.style for line in chart.series}
