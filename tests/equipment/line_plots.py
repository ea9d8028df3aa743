"""Test equipment: the line plots of a page, their series by name."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from heat_maps import read_data


@dataclass
class Series:
    class_: str
    values: dict[str, str]  # by the text below the axis


@dataclass
class Plot:
    part: str  # the section of the page
    title: str
    text: str
    series: dict[str, Series]

    def value(self, name: str, at: str) -> str:
        return self.series[name].values[at]


def line_plots(page: str, part: str) -> list[Plot]:
    """Checks too that each point that is drawn has a value, in all plots of the page."""
    figures = re.findall(r'<section id="([\w-]+)" class="part">|<figure class="lines">(.*?)</figure>', page)
    plots: list[Plot] = []
    values = read_data(page)["plots"]
    at = ""
    for name, drawing in figures:
        at = name or at
        if drawing:
            plots.append(_plot(at, drawing, values[len(plots)]))
    assert len(plots) == len(values)
    return [plot for plot in plots if plot.part == part]


def _plot(part: str, markup: str, values: list[list[list[str]]]) -> Plot:
    lines = re.findall(
        r'<g class="series ([^"]*)"><polyline points="([^"]*)"/>.*?<text[^>]*>(.*?)</text>', markup
    )
    series = {}
    for (class_, points, name), figure_values in zip(lines, values, strict=True):
        assert len(points.split(" ")) == len(figure_values)
        series[html.unescape(name)] = Series(class_, dict(figure_values))
    title = html.unescape(re.findall(r"<figcaption>(.*?)</figcaption>", markup)[0])
    return Plot(part, title, " ".join(re.findall(r">([^<>]+)<", markup)), series)
