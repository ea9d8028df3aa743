"""An experiment in phases: for each setting its sentences, its plots, and a map of strategies by places,
whose buttons choose the time or the amount."""

from __future__ import annotations

from mallard.bench.analysis.cell_tables import CellTable, Line
from mallard.bench.analysis.panel.phases import cell_amount, over_time, phase_tables, timed
from mallard.bench.analysis.panel.sentences import phase_sentences
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Phases, Plot
from mallard.bench.experiments.description.quantity import BYTES, Quantity
from mallard.bench.view.html.cells.controls import maps
from mallard.bench.view.html.cells.strategy_map import (
    LEAST_BYTES,
    AmountKind,
    Kind,
    TimeKind,
    make_form,
    strategy_map,
)
from mallard.bench.view.html.contents import (
    Measured,
    Section,
    experiment_section,
    introduction,
    setting_text,
    unmeasured,
)
from mallard.bench.view.html.panel.small_objects import beside_blog
from mallard.bench.view.html.panel.strategy_lines import StrategyLines, strategy_lines
from mallard.shared.view.html.markup import Markup, element, joined
from mallard.shared.view.html.says import answer, render_sentences

MIB = 1 << 20
# The kinds of a cell that the style sheet knows; `p` is the percent.
LETTERS = "nfcabrsvmuwhqid"
THIN = "\u202f"
# The text below the map of a setting.
BESIDE = {"Loki": beside_blog}


def phases_section(experiment: Experiment, panel: Phases, measured: Measured | None) -> Section:
    name = experiment.name
    if measured is None:
        return unmeasured(name)
    kinds = _kinds(panel)
    tables = phase_tables(name, measured.rows)
    settings = [_setting(experiment, panel, kinds, table) for table in tables]
    body = joined(introduction(name), maps(name, make_form(kinds), *settings))
    return experiment_section(name, body, answer(phase_sentences(name, tables[0])))


def _kinds(panel: Phases) -> tuple[Kind, ...]:
    letters = iter(LETTERS)
    times = [
        TimeKind(next(letters), time.short, f"To {time.text}: CPU nanoseconds {time.unit}.", time.figure)
        for time in panel.times
    ]
    figure = panel.relative.figure if panel.relative else ""
    total = TimeKind(
        "p", "% of new-delete", f"{panel.total}, in percent of new-delete's.", figure, relative=True
    )
    return (*times, total, *(_amount_kind(next(letters), amount) for amount in panel.amounts))


def _amount_kind(letter: str, amount: Quantity) -> AmountKind:
    if amount.shown == BYTES:
        return AmountKind(
            letter, amount.short, f"Memory {amount.text}, MiB.", amount.figure, least=LEAST_BYTES
        )
    return AmountKind(
        letter,
        amount.short,
        _sentence(amount.text),
        amount.figure,
        shown=lambda value: f"{value:{amount.shown}}".replace(",", THIN),
        least=amount.least,
        unit=amount.unit,
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _setting(experiment: Experiment, panel: Phases, kinds: tuple[Kind, ...], table: CellTable) -> Markup:
    text = setting_text(table.setting)
    plots = _plots(panel, table)
    add_comparison = BESIDE.get(panel.beside)
    return element(
        "section",
        element("h3", text),
        render_sentences(phase_sentences(experiment.name, table)),
        element("div", *plots, class_="plots") if any(plots) else None,
        strategy_map(
            text,
            f"{text}: a row for each strategy, a column for each {panel.across}",
            panel.head or experiment.places[0],
            [(str(line.place[0]), line) for line in table.lines],
            table.strategies,
            kinds,
        ),
        add_comparison(table) if add_comparison else None,
    )


def _plots(panel: Phases, table: CellTable) -> list[Markup | None]:
    """The plots. A strategy has one colour in all of them."""
    drawn = timed(table, panel.relative) if panel.relative else table
    lines = strategy_lines(drawn, panel.x, panel.drawn, logarithmic_x=panel.logarithmic)
    if panel.over_time is None:
        return [_plot(panel, lines, table, plot) for plot in panel.plots]
    short = panel.over_time.short
    title = f"{short[:1].upper()}{short[1:]}"
    return [
        lines.plot(
            f"{title}, {panel.across} {_number(line.place[0])}", short, over_time(line, panel.over_time)
        )
        for line in table.lines
    ]


def _number(value: int) -> str:
    return f"{value:,}".replace(",", THIN)


def _plot(panel: Phases, lines: StrategyLines, table: CellTable, plot: Plot) -> Markup | None:
    quantity = plot.quantity
    if quantity in panel.times:
        return lines.plot(f"To {quantity.text}", plot.y, timed(table, quantity))

    def value(line: Line, name: str) -> float | None:
        amount = cell_amount(table, line, name, quantity, plot.per)
        return amount / MIB if amount is not None and plot.mebibytes else amount

    title = f"Memory {quantity.text}" if quantity.shown == BYTES else _sentence(quantity.text)[:-1]
    return lines.plot(title, plot.y, table, value)
