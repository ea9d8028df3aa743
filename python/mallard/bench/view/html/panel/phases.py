"""An experiment in phases: for each setting its sentences, its plots, and a map of strategies by places,
whose buttons choose the time or the amount.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mallard.bench.analysis.cell_tables import CellTable, Line
from mallard.bench.analysis.names import BASE, NULL, contestants, malloc
from mallard.bench.analysis.panel.phases import (
    cell_amount,
    median_figure,
    over_time,
    phase_sentences,
    phase_tables,
    timed,
)
from mallard.bench.analysis.ranking import collect_pairings
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Phases, Plot
from mallard.bench.experiments.description.quantity import BYTES, Quantity
from mallard.bench.experiments.small_objects import HELD
from mallard.bench.library import BURST, MASKED
from mallard.bench.papers.printed import PrintedTable
from mallard.bench.papers.small_objects import POINTER_BYTES, PROCESS, STRATEGIES, figure_name
from mallard.bench.papers.small_objects import small_objects_tables as printed_tables
from mallard.bench.view.html.cells.heat_map import NOTHING, maps
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
from mallard.shared.stats import mean_ratio
from mallard.shared.view.html.figures import percent, three_digits
from mallard.shared.view.html.line_plot import LinePlot, Series
from mallard.shared.view.html.markup import Markup, element, joined
from mallard.shared.view.html.says import answer, render_sentences
from mallard.shared.view.html.tables import data_table, figure_cell, scrolled, table_row

MIB = 1 << 20
# The kinds of a cell that the style sheet knows; `p` is the percent.
LETTERS = "nfcabrsvmuwhqid"
THIN = "\u202f"


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
        beside_blog(table) if panel.beside == LOKI_BLOG else None,
    )


def _plots(panel: Phases, table: CellTable) -> list[Markup | None]:
    """The plots. A strategy has one colour in all of them."""
    drawn = timed(table, panel.relative) if panel.relative else table
    lines = strategy_lines(drawn, panel.x, panel.drawn, logarithmic_x=panel.logarithmic)
    if panel.over_time is None:
        return [_phase_plot(panel, lines, table, plot) for plot in panel.plots]
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


def _phase_plot(panel: Phases, lines: StrategyLines, table: CellTable, plot: Plot) -> Markup | None:
    quantity = plot.quantity
    if quantity in panel.times:
        return lines.plot(f"To {quantity.text}", plot.y, timed(table, quantity))

    def value(line: Line, name: str) -> float | None:
        amount = cell_amount(table, line, name, quantity, plot.per)
        return amount / MIB if amount is not None and plot.mebibytes else amount

    title = f"Memory {quantity.text}" if quantity.shown == BYTES else _sentence(quantity.text)[:-1]
    return lines.plot(title, plot.y, table, value)


HUES = ("multipool", "both", "concurrent", "monotonic")
OTHERS = "contender"  # the style of other libraries' allocators
MOST = 11  # lines that a reader can distinguish

Value = Callable[[Line, str], float | None]


@dataclass(frozen=True)
class StrategyLines:
    x_name: str
    classes: dict[str, str]  # of the drawn strategies
    logarithmic_x: bool = True

    def plot(self, title: str, y_name: str, table: CellTable, value: Value | None = None) -> Markup | None:
        """A plot of times, or of another value of a cell; None without lines."""
        read_value = value or _time
        series = [
            Series(name, points, class_)
            for name, class_ in self.classes.items()
            if (
                points := [
                    (float(line.place[0]), y)
                    for line in table.lines
                    if (y := read_value(line, name)) is not None and y > 0.0
                ]
            )
        ]
        if not series or len(table.lines) < 2:
            return None
        return LinePlot(title, self.x_name, y_name, series, self.logarithmic_x).markup()


def strategy_lines(
    table: CellTable, x_name: str, always: Sequence[str], *, logarithmic_x: bool = True
) -> StrategyLines:
    drawn = _drawn(table, always)
    hues = dict(zip(_plain_names(drawn), HUES * MOST, strict=False))
    return StrategyLines(x_name, {name: _class(name, hues) for name in drawn}, logarithmic_x)


def _drawn(table: CellTable, always: Sequence[str]) -> list[str]:
    measured = table.strategies
    first = [name for name in (NULL, BASE, *always) if name in measured]
    others = {
        name: mean_ratio(pairings).median
        for name in measured
        if name not in first and not malloc(name)
        if (pairings := collect_pairings([table], name, BASE))
    }
    return [*first, *sorted(others, key=lambda name: others[name])][:MOST]


def _plain_names(names: Sequence[str]) -> list[str]:
    """The library's own strategies without variants. A burst has the colour of its plain strategy, a masked
    strategy that of its unmasked one."""
    own = [_plain(name) for name in contestants(names) if name != BASE]
    return list(dict.fromkeys(own))


def _plain(name: str) -> str:
    return name.removesuffix(BURST).removesuffix(MASKED)


def _class(name: str, hues: dict[str, str]) -> str:
    if name in (NULL, BASE):
        return "global dashed" if name == NULL else "global"
    hue = hues.get(_plain(name), OTHERS)
    return f"{hue} dashed" if name != _plain(name) else hue


def _time(line: Line, name: str) -> float | None:
    return line.cells[name].ns_per_operation if line.finished(name) else None


LOKI = STRATEGIES["USE_LOKI_SOA"]
LOKI_BLOG = "Loki"  # the printed tables beside the map of a setting


def beside_blog(cells: CellTable) -> Markup | None:
    """Loki beside the default, phase by phase, here and as the blog prints it."""
    order = dict(cells.setting).get("order")
    if LOKI not in cells.strategies:
        return None
    rows = [
        row
        for printed in printed_tables().values()
        if printed.place["order"] == order
        for row in _rows_beside(cells, printed)
    ]
    if not rows:
        return None
    heads = (
        *("N", "what", "new-delete here", "loki here", "% of new-delete"),
        *("new-delete there", "loki there", "% of it"),
    )
    caption = "Loki beside the blog"
    return element(
        "details",
        element("summary", "Loki and the default, here and in the blog"),
        scrolled(data_table(heads, rows, caption=caption), caption),
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
        figures = [figure_cell(text) for text in (*_pair(ours), *_pair(theirs))]
        rows.append(table_row(str(key[0]), quantity, *figures))
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
