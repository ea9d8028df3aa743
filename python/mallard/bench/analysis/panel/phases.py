"""Experiments that time several phases of one work: each phase is a figure of a cell, and a layer of a map.
Above the map, the sentences: a function for each kind in the description.

rows -> phase_tables -> table -> figure_table(table, "free_ns") -> the lines, with that figure in place of the
time
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch

from mallard.bench.analysis.cell_tables import (
    CellTable,
    Line,
    cell_tables,
    figure_line,
    figure_table,
    median_figure,
    setting_text,
)
from mallard.bench.analysis.names import BASE, NULL, malloc, ranked_strategies
from mallard.bench.analysis.ranking import (
    collect_pairings,
    mallocs_sentence,
    rank_table,
    under_mallocs,
    unfinished_sentences,
)
from mallard.bench.analysis.strategy_map import AmountKind, Kind, TimeKind, strategy_map
from mallard.bench.analysis.words import also_equal, factor, in_a_list, nanoseconds, percent_text, times_text
from mallard.bench.cells import Cell
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.experiment import Experiment
from mallard.bench.experiments.description.panel import Phases, Plot
from mallard.bench.experiments.description.quantity import BYTES, Quantity
from mallard.bench.experiments.description.sentence import (
    Bursts,
    Fastest,
    FromTo,
    Least,
    LeastAt,
    OfNull,
    Pairs,
    PerPlace,
    Sentence,
    Share,
)
from mallard.bench.footprint import readable
from mallard.bench.library import BURST, MASKED
from mallard.bench.result import Row
from mallard.shared.prose import capitalised
from mallard.shared.report.figures import digits
from mallard.shared.report.model import Points, Section
from mallard.shared.report.picture import Chart, Head, HeatMap, Layer, Spot, Tile, amount_legend, drawn_series
from mallard.shared.stats import mean_ratio

FEW = 3  # the most names in a sentence
SHARES = tuple(range(10, 101, 10))  # percent of the operations after which memory was measured


def phase_tables(experiment: str, rows: Iterable[Row]) -> list[CellTable]:
    """A line for each place, and a table for each setting. The description's first settings come first."""
    panel = EXPERIMENTS[experiment].panel
    assert isinstance(panel, Phases)
    sums = [amount for amount in panel.amounts if amount.summands]
    tables = [
        replace(table, lines=[_with_sums(line, sums) for line in table.lines])
        for _, table in cell_tables(rows, experiment)
    ]

    def place(table: CellTable) -> list[bool]:
        setting = dict(table.setting)
        return [setting.get(name) != word for name, word in panel.first]

    return sorted(tables, key=place)


def _with_sums(line: Line, sums: Sequence[Quantity]) -> Line:
    return replace(line, cells={name: _with_sum(cell, sums) for name, cell in line.cells.items()})


def _with_sum(cell: Cell, sums: Sequence[Quantity]) -> Cell:
    figures = dict(cell.figures)
    for quantity in sums:
        first, *addends = (cell.figures.get(name, {}) for name in quantity.summands)
        if first and any(addends):
            figures[quantity.figure] = {
                repetition: value + sum(addend.get(repetition, 0.0) for addend in addends)
                for repetition, value in first.items()
            }
    return replace(cell, figures=figures)


def timed(table: CellTable, time: Quantity) -> CellTable:
    """The lines that have this time, which replaces the row's own."""
    if not time.figure:
        return table
    return replace(table, lines=[line for line in figure_table(table, time.figure).lines if line.cells])


def over_time(line: Line, quantity: Quantity) -> CellTable:
    """A line for every tenth of the operations, with the quantity at that moment in place of the time."""
    lines = [
        replace(share_line, place=(share,))
        for share in SHARES
        if (share_line := figure_line(line, f"{quantity.figure}_{share}")).cells
    ]
    return CellTable(("share",), (), lines)


def cell_amount(
    table: CellTable, line: Line, strategy: str, quantity: Quantity, divisor: str = ""
) -> float | None:
    """The amount of a cell, divided by the parameter `divisor` of the line or of its setting, if given."""
    value = median_figure(line, strategy, quantity.figure)
    if value is None or not divisor:
        return value
    parameters = {**dict(table.setting), **dict(zip(table.places, line.place, strict=True))}
    number = parameters.get(divisor)
    return value / number if isinstance(number, int) and number else None


def amount_text(shown: str, value: float) -> str:
    """An amount in bytes, or in a format that may end in a unit: `.1f %`."""
    if shown == BYTES:
        return bytes_text(value)
    form, _, unit = shown.partition(" ")
    return f"{value:{form}} {unit}".strip()


def fastest_text(table: CellTable, unit: str) -> str:
    """`multipool 1.20 to 2.31 ns an object, 20 % of new-delete's time`; empty if new-delete has not
    finished.
    """
    ranking = rank_table(table)
    best = ranking.best
    if best is None:
        return ""
    times = [line.cells[best.strategy].ns_per_operation for line in table.lines]
    against = "" if best.strategy == BASE else f", {percent_text(best.ratio)} of {BASE}'s time"
    equals = also_equal([name for name in ranking.equals if name != BASE])
    return f"{best.strategy} {span_text(times)} ns {unit}{against}{equals}"


def span_text(values: Sequence[float]) -> str:
    """`1.20 to 2.31`, or a single figure."""
    ends = dict.fromkeys((nanoseconds(min(values)), nanoseconds(max(values))))
    return " to ".join(ends)


def maxima(table: CellTable, figure: str) -> dict[str, float]:
    """The maximum over all lines, for a program's choices that have the figure in each line."""
    values_by_name = {
        name: [median_figure(line, name, figure) for line in table.lines]
        for name in ranked_strategies(table.strategies)
    }
    return {
        name: max(value for value in values if value is not None)
        for name, values in values_by_name.items()
        if values and None not in values
    }


def least_text(most: Mapping[str, float], text: Callable[[float], str]) -> str:
    """The strategies with the least, and new-delete for comparison; empty if there are none."""
    least = sorted(most, key=lambda name: most[name])[:FEW]
    shown = dict.fromkeys([*least, BASE] if BASE in most else least)
    return in_a_list([f"{name} {text(most[name])}" for name in shown])


def bytes_text(value: float) -> str:
    """An amount in bytes. The growth of a process may be negative."""
    return readable(round(max(0.0, value)))


def phase_sentences(
    experiment: str, table: CellTable, without: tuple[type[Sentence], ...] = (), *, mallocs: bool = True
) -> list[str]:
    """The sentences of all kinds, and of other mallocs, except those that the caller shows in another way."""
    panel = EXPERIMENTS[experiment].panel
    assert isinstance(panel, Phases)
    kinds = [kind for kind in panel.sentences if not isinstance(kind, without)]
    own = [sentence for kind in kinds for sentence in render(kind, table)]
    timed_table = timed(table, panel.relative) if panel.relative else table
    return [
        *dict.fromkeys(own),
        *(mallocs_sentence(under_mallocs([timed_table])) if mallocs else ()),
        *unfinished_sentences(table, panel.unfinished, lambda line: str(line.place[0])),
    ]


@singledispatch
def render(kind: Sentence, table: CellTable) -> list[str]:
    """The sentences of one kind; none if the cells lack its figures."""
    raise TypeError(f"no sentence is made of {kind}")


@render.register
def _fastest(kind: Fastest, table: CellTable) -> list[str]:
    timed_tables = [(time, timed(table, time)) for time in kind.times]
    sentences = [
        f"Fastest to {time.text}{_sizes(lines) if kind.sizes else ''}: {text}."
        for time, lines in timed_tables
        if lines.lines and (text := fastest_text(lines, time.unit))
    ]
    return sentences or [f"No verdict: {BASE} has not finished in every row."]


def _sizes(table: CellTable) -> str:
    return f" over {len(table.lines)} sizes" if len(table.lines) > 1 else ""


@render.register
def _least(kind: Least, table: CellTable) -> list[str]:
    return _listing(kind.text, least_text(maxima(table, kind.quantity.figure), _format(kind.shown)))


@render.register
def _least_at(kind: LeastAt, table: CellTable) -> list[str]:
    line = table.line(kind.place)
    at_place = replace(table, lines=[line] if line else [])
    return _listing(kind.text, least_text(maxima(at_place, kind.quantity.figure), _format(kind.shown)))


@render.register
def _bursts(kind: Bursts, table: CellTable) -> list[str]:
    """The means over the places."""
    parts = [
        (
            time,
            [
                f"{plain} {percent_text(mean_ratio(pairings))}"
                for plain, burst in with_bursts(table.strategies)
                if (pairings := collect_pairings([figure_table(table, time.figure)], burst, plain))
            ],
        )
        for time in kind.times
    ]
    return [
        f"To {time.text} in bursts takes, of the time node by node: {in_a_list(shares)}."
        for time, shares in parts
        if shares
    ]


def with_bursts(names: Iterable[str]) -> list[tuple[str, str]]:
    """The strategies that were measured both ways: (plain, burst)."""
    present = list(names)
    return [(name, f"{name}{BURST}") for name in present if f"{name}{BURST}" in present]


@render.register
def _pairs(kind: Pairs, table: CellTable) -> list[str]:
    lines = timed(table, kind.time)
    parts = [
        f"{name} {percent_text(mean_ratio(pairings))} of {base}'s"
        for name, base in kind.pairs
        if (pairings := collect_pairings([lines], name, base))
    ]
    return _listing(kind.text, in_a_list(parts))


@render.register
def _from_to(kind: FromTo, table: CellTable) -> list[str]:
    first, last = (f"{kind.quantity.figure}_{share}" for share in (SHARES[0], SHARES[-1]))
    parts = [
        f"{name} {start:.2f} to {end:.2f}"
        for name in ranked_strategies(table.strategies)
        for line in table.lines[-1:]
        if (start := median_figure(line, name, first)) is not None
        and (end := median_figure(line, name, last)) is not None
    ]
    return _listing(kind.text, in_a_list(parts))


@render.register
def _share(kind: Share, table: CellTable) -> list[str]:
    line = table.lines[-1]
    if line.place[0] < kind.part.large:
        return []
    parts = [
        f"{name} {100.0 * max(0.0, part) / total:.0f} %"
        for name in ranked_strategies(table.strategies)
        if (total := median_figure(line, name, kind.total.figure)) and total > 0.0
        if (part := median_figure(line, name, kind.part.figure)) is not None
    ]
    return _listing(kind.text.format(line.place[0]), in_a_list(parts))


@render.register
def _of_null(kind: OfNull, table: CellTable) -> list[str]:
    lines = timed(table, kind.time)
    best = rank_table(lines).best
    pairings = collect_pairings([lines], best.strategy, NULL) if best else []
    if best is None or not pairings:
        return []
    null = [line.cells[NULL].ns_per_operation for line in lines.lines if line.finished(NULL)]
    fastest = f"{best.strategy} takes {times_text(mean_ratio(pairings))} that"
    return [f"{kind.text.format(NULL)} {span_text(null)} ns {kind.time.unit}; {fastest}."]


@render.register
def _per_place(kind: PerPlace, table: CellTable) -> list[str]:
    """The strategies that have the amount in every line."""

    def share(line: Line, name: str) -> float | None:
        value = cell_amount(table, line, name, kind.quantity, kind.quantity.per)
        return None if value is None else value / line.place[0]

    names = ranked_strategies(table.strategies)
    shares = {name: [share(line, name) for line in table.lines] for name in names}
    complete = {name: [value for value in values if value] for name, values in shares.items() if all(values)}
    if BASE not in complete or len(complete) < 2:
        return []
    least = min(complete, key=lambda name: sum(complete[name]))
    return _listing(
        kind.text, in_a_list([f"{name} {span_text(complete[name])}" for name in dict.fromkeys((least, BASE))])
    )


def _listing(text: str, items: str) -> list[str]:
    return [f"{text}: {items}."] if items else []


def _format(shown: str) -> Callable[[float], str]:
    return lambda value: amount_text(shown, value)


def phases_sections(experiment: Experiment, panel: Phases, rows: Iterable[Row]) -> list[Section]:
    """For each setting charts and a map of strategies by places, whose layers are the times and amounts."""
    tables = phase_tables(experiment.name, rows)
    return [section for table in tables for section in _setting(experiment, panel, table)]


def _setting(experiment: Experiment, panel: Phases, table: CellTable) -> list[Section]:
    text = setting_text(table.setting)
    caption = f"{text}: a row for each strategy, a column for each {panel.across}"
    axis = panel.head or experiment.places[0]
    columns = [(Head((f"{line.place[0]:,}",), f"{axis} {line.place[0]:,}"), line) for line in table.lines]
    corner = f"strategy / {axis}"
    picture = strategy_map(text, caption, corner, columns, table.strategies, _kinds(panel, table))
    sentences = Points(tuple(phase_sentences(experiment.name, table)))
    sections = [Section(text, (*_charts(panel, table), picture), is_headed=True, answer=(sentences,))]
    if panel.over_time:
        sections += [_section_over_time(panel, panel.over_time, table, line) for line in table.lines]
    return sections


def _kinds(panel: Phases, table: CellTable) -> tuple[Kind, ...]:
    times = [
        TimeKind(
            Layer(
                time.short,
                f"To {time.text}: CPU nanoseconds {time.unit}.",
                title=f"{time.short}: {time.text}, ns {time.unit}",
            ),
            time.figure,
        )
        for time in panel.times
    ]
    total = Layer("% of new-delete", f"{panel.total}, in percent of new-delete's, which is in nanoseconds.")
    figure = panel.relative.figure if panel.relative else ""
    amounts = [_amount_kind(table, amount) for amount in panel.amounts]
    return (*times, TimeKind(total, figure, relative=True), *amounts)


def _amount_kind(table: CellTable, amount: Quantity) -> AmountKind:
    per = f", bytes for each of {amount.per}" if amount.per else ""
    about = f"Memory {amount.text}{per}." if amount.shown == BYTES else f"{capitalised(amount.text)}."
    layer = Layer(amount.short, about, amount_legend("column"), f"{amount.text}{per}")

    def value(line: Line, name: str) -> float | None:
        enough = line.place[0] >= amount.large
        return cell_amount(table, line, name, amount, amount.per) if enough else None

    if amount.shown == BYTES and not amount.per:
        return AmountKind(layer, value)
    text = digits if amount.per else _format(amount.shown)
    return AmountKind(layer, value, text, amount.least)


def _charts(panel: Phases, table: CellTable) -> list[Chart]:
    lines = _strategy_lines(panel, table)
    if panel.over_time is None:
        charts = [_phase_chart(panel, lines, table, plot) for plot in panel.plots]
    else:
        short = panel.over_time.short
        charts = [
            lines.chart(
                f"{capitalised(short)}, {panel.across} {line.place[0]:,}",
                short,
                over_time(line, panel.over_time),
            )
            for line in table.lines
        ]
    return [chart for chart in charts if chart]


def _phase_chart(panel: Phases, lines: StrategyLines, table: CellTable, plot: Plot) -> Chart | None:
    quantity = plot.quantity
    if quantity in panel.times:
        return lines.chart(f"To {quantity.text}", plot.y, timed(table, quantity))

    def value(line: Line, name: str) -> float | None:
        amount = cell_amount(table, line, name, quantity, plot.per)
        return amount / MIB if amount is not None and plot.mebibytes else amount

    title = f"Memory {quantity.text}" if quantity.shown == BYTES else capitalised(quantity.text)
    return lines.chart(title, plot.y, table, value)


def _section_over_time(panel: Phases, quantity: Quantity, table: CellTable, line: Line) -> Section:
    """A map with a column for each tenth of the operations."""
    shares = over_time(line, quantity)
    title = f"{quantity.short} as the operations go, {panel.across} {line.place[0]:,}"
    rows = tuple(
        ((name,), tuple(_share_spot(share, name) for share in shares.lines)) for name in table.strategies
    )
    heads = tuple(Head((f"{share.place[0]} %",)) for share in shares.lines)
    layers = (Layer(quantity.short, f"{capitalised(quantity.text)}.", (), title="{}"),)
    picture = HeatMap(title, title, ("done",), heads, rows, layers, style="race by-strategy")
    return Section(capitalised(title), (picture,), is_inner=True)


def _share_spot(share: Line, name: str) -> Spot:
    finished = share.finished(name)
    return Spot((Tile(factor(share.cells[name].ns_per_operation)),)) if finished else Spot()


MIB = 1 << 20
HUES = ("multipool", "both", "concurrent", "monotonic")
OTHERS = "contender"  # the style of other libraries' allocators
MOST = 11  # lines that a reader can distinguish

Value = Callable[[Line, str], float | None]


@dataclass(frozen=True)
class StrategyLines:
    x_name: str
    styles: dict[str, str]  # of the drawn strategies, the same in all charts
    is_logarithmic: bool

    def chart(self, title: str, y_name: str, table: CellTable, value: Value | None = None) -> Chart | None:
        """A chart of times, or of another value of a cell; None without lines."""
        read_value = value or _time
        series = drawn_series(
            self.styles,
            lambda name: (
                (float(line.place[0]), y)
                for line in table.lines
                if (y := read_value(line, name)) is not None and y > 0.0
            ),
            self.styles.__getitem__,
        )
        if not series or len(table.lines) < 2:
            return None
        return Chart(title, self.x_name, y_name, series, self.is_logarithmic)


def _strategy_lines(panel: Phases, table: CellTable) -> StrategyLines:
    drawn = _drawn(timed(table, panel.relative) if panel.relative else table, panel.drawn)
    hues = dict(zip(_plain_names(drawn), HUES * MOST, strict=False))
    return StrategyLines(panel.x, {name: _style(name, hues) for name in drawn}, panel.logarithmic)


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
    own = [_plain(name) for name in ranked_strategies(names) if name != BASE]
    return list(dict.fromkeys(own))


def _plain(name: str) -> str:
    return name.removesuffix(BURST).removesuffix(MASKED)


def _style(name: str, hues: dict[str, str]) -> str:
    if name in (NULL, BASE):
        return "global dashed" if name == NULL else "global"
    hue = hues.get(_plain(name), OTHERS)
    return f"{hue} dashed" if name != _plain(name) else hue


def _time(line: Line, name: str) -> float | None:
    return line.cells[name].ns_per_operation if line.finished(name) else None
