"""Experiments that time several phases of one work: each phase is a figure of a cell, and has a table. Below
the tables, the sentences: a function for each kind in the description.

rows -> phase_tables -> table -> figure_table(table, "free_ns") -> the lines, with that figure in place of the
time
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch

from mallard.bench.analysis.cell_tables import CellTable, Line, cell_tables
from mallard.bench.analysis.names import BASE, NULL, contestants
from mallard.bench.analysis.ranking import (
    collect_pairings,
    mallocs_sentence,
    rank_table,
    under_mallocs,
    unfinished_sentences,
)
from mallard.bench.analysis.words import also_equal, in_a_list, nanoseconds, percent_text, times_text
from mallard.bench.cells import Cell, Times
from mallard.bench.experiments import EXPERIMENTS
from mallard.bench.experiments.description.panel import Phases
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
from mallard.bench.library import BURST
from mallard.bench.result import Row
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


def figure_table(table: CellTable, figure: str) -> CellTable:
    """The table of a figure. Cells without the figure are dropped; unfinished cells keep their status."""
    return replace(table, lines=[figure_line(line, figure) for line in table.lines])


def figure_line(line: Line, figure: str) -> Line:
    base = _times(line.cells.get(BASE), figure)
    cells: dict[str, Cell] = {}
    for name, cell in line.cells.items():
        times = _times(cell, figure)
        if times or not cell.finished:
            cells[name] = replace(cell, times=times, base=base)
    return Line(line.place, cells)


def median_figure(line: Line, strategy: str, figure: str) -> float | None:
    """The median of a figure; None if the cell does not have the figure."""
    cell = line.cells.get(strategy)
    spread = cell.figure(figure) if cell else None
    return spread.median if spread else None


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
        for name in contestants(table.strategies)
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


def _times(cell: Cell | None, figure: str) -> Times:
    """The times above 0, which ratios need."""
    if cell is None:
        return {}
    return {repetition: value for repetition, value in cell.figures.get(figure, {}).items() if value > 0.0}


def phase_sentences(experiment: str, table: CellTable, without: tuple[type[Sentence], ...] = ()) -> list[str]:
    """The sentences of all kinds except those that the caller shows in another way."""
    panel = EXPERIMENTS[experiment].panel
    assert isinstance(panel, Phases)
    kinds = [kind for kind in panel.sentences if not isinstance(kind, without)]
    own = [sentence for kind in kinds for sentence in render(kind, table)]
    timed_table = timed(table, panel.relative) if panel.relative else table
    return [
        *dict.fromkeys(own),
        *mallocs_sentence(under_mallocs([timed_table])),
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
    if line is None:
        return []
    values = {name: median_figure(line, name, kind.quantity.figure) for name in contestants(table.strategies)}
    measured = {name: value for name, value in values.items() if value is not None}
    return _listing(kind.text, least_text(measured, _format(kind.shown)))


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
        for name in contestants(table.strategies)
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
        for name in contestants(table.strategies)
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

    shares = {name: [share(line, name) for line in table.lines] for name in contestants(table.strategies)}
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
