"""The onset of a shuffle's effect: P0089's Table 15 beside ours, with a line for each length of a list."""

from __future__ import annotations

from mallard.bench.analysis.panel.locality import Surface
from mallard.bench.papers.locality import ONSET, locality_tables
from mallard.bench.papers.printed import PrintedTable
from mallard.bench.view.html.panel.locality.surface import power
from mallard.shared.view.html.line_plot import LinePlot, Series
from mallard.shared.view.html.markup import Markup, element, joined

FEWEST = 3  # shuffle factors that make a line
STEPS = 8  # colours of lines

Lines = dict[int, dict[int, float]]  # list length -> shuffle factor -> ratio to no shuffle


def onset_block(surface: Surface) -> Markup | None:
    """A plot for a surface with several shuffle factors, at its highest access factor."""
    factor = surface.access_factors[0]
    lines = _measured_lines(surface, factor)
    if len(surface.shuffle_factors) < FEWEST or not lines:
        return None
    plots = [_plot("here", lines), *(_printed(table) for table in _tables(surface))]
    return joined(
        element("h4", f"{surface.strategy}: how soon a shuffle takes hold"),
        element(
            "p",
            f"Time of an access after as many shuffles, relative to none; {power(surface.links)} links, "
            f"access factor {factor}, a line for each length of a list.",
        ),
        element("div", *plots, class_="plots"),
    )


def _measured_lines(surface: Surface, access_factor: int) -> Lines:
    lines = {
        length: {
            factor: ratio.median
            for factor in surface.shuffle_factors
            if (ratio := surface.degradation(length, access_factor, factor)) is not None
        }
        for length in surface.list_lengths
    }
    return {length: line for length, line in lines.items() if line}


def _printed(table: PrintedTable) -> Markup:
    lines = {
        key[0]: {int(column): value for column, value in line.items() if value is not None}
        for key, line in table.rows.items()
    }
    return _plot(f"{table.data_paper} {table.label}", lines)


def _plot(title: str, lines: Lines) -> Markup:
    series = [
        Series(power(length), sorted(line.items()), f"ramp-{place % STEPS}")
        for place, (length, line) in enumerate(sorted(lines.items()))
    ]
    return LinePlot(title, "shuffle factor", "\u00d7", series, logarithmic_x=False).markup()


def _tables(surface: Surface) -> list[PrintedTable]:
    wanted = {"links": surface.links, "what": ONSET, "strategy": surface.strategy}
    return [
        table
        for table in locality_tables().values()
        if all(table.place.get(key) == value for key, value in wanted.items())
    ]
