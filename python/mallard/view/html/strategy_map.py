"""A heat map with a row for each strategy and a column for each place: for experiments with many strategies,
few places, and several quantities in a cell. What it shows is chosen above it, as in every heat map.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mallard.analysis.cells import Cell, Line
from mallard.analysis.names import BASE, FLOOR
from mallard.analysis.phases import line_of_figure, value_of
from mallard.analysis.verdicts import pick_of
from mallard.view.html.controls import Choice, Steps
from mallard.view.html.figures import LEGEND, interval, mebibytes, percent, step_of, three_digits
from mallard.view.html.heat_map import Column, HeatMap, figure
from mallard.view.html.markup import Markup, element
from mallard.view.html.race_cells import NOTHING, memory_step

AMOUNTS: Steps = (
    ("z0", "least of the column"),
    ("z1", "over 1.1 times"),
    ("z2", "over 1.5"),
    ("z3", "over 2"),
    ("z4", "over 4"),
)
LEAST_BYTES = float(1 << 20)  # below it nobody is told apart
LEAST_PERCENT = 1.0


@dataclass(frozen=True)
class TimeKind:
    """Nanoseconds of a phase, or percent of new-delete's; of the whole cell where there is no figure."""

    letter: str
    label: str
    text: str
    figure: str = ""
    relative: bool = False

    @property
    def choice(self) -> Choice:
        return Choice(self.letter, self.label, self.text, LEGEND)


@dataclass(frozen=True)
class AmountKind:
    """What is no time: darker is more."""

    letter: str
    label: str
    text: str
    figure: str
    shown: Callable[[float], str] = mebibytes
    least: float = LEAST_BYTES
    unit: str = "MiB"

    @property
    def choice(self) -> Choice:
        return Choice(self.letter, self.label, self.text, AMOUNTS)


Kind = TimeKind | AmountKind
Place = tuple[str, Line]  # its heading
Spans = dict[str, tuple[Markup, str]]  # strategy -> the span of a kind, and what is told of it


def strategy_map(
    title: str,
    caption: str,
    axis: str,
    columns: Sequence[Place],
    names: Sequence[str],
    kinds: Sequence[Kind],
) -> Markup:
    """`axis` is what the headings are values of; empty where they are words."""
    grid = HeatMap(
        title,
        caption,
        "strategy",
        [Column(head) for head, _ in columns],
        [kind.label for kind in kinds],
        "".join(kind.letter for kind in kinds),
        "race by-strategy",
    )
    spans = [[_spans(kind, line) for kind in kinds] for _, line in columns]
    there = [name for name in names if any(name in line.cells for _, line in columns)]
    lines = grid.markup(
        [
            (
                name,
                [
                    _cell(grid, name, f"{axis} {head}".strip(), line, of_column)
                    for (head, line), of_column in zip(columns, spans, strict=True)
                ],
            )
            for name in there
        ]
    )
    return element("section", element("h4", "Every strategy"), lines, class_="structure")


def _cell(grid: HeatMap, name: str, key: str, line: Line, of_column: Sequence[Spans]) -> Markup:
    cell = line.cells.get(name)
    if cell is None:
        return grid.empty()
    if not cell.finished:
        return grid.broken(key, cell.status, cell.detail)
    found = [spans[name] for spans in of_column]
    return grid.cell(key, [span for span, _ in found], [told for _, told in found])


def _spans(kind: Kind, line: Line) -> Spans:
    finished = [name for name, cell in line.cells.items() if cell.finished]
    if isinstance(kind, AmountKind):
        return _amounts(kind, line, finished)
    timed = line_of_figure(line, kind.figure) if kind.figure else line
    picked = pick_of(timed)
    return {name: _time(kind, timed.cells.get(name), name == picked) for name in finished}


def _time(kind: TimeKind, cell: Cell | None, first: bool) -> tuple[Markup, str]:
    if cell is None or not cell.finished:
        return figure(kind.letter, "none", NOTHING), ""
    low, high = cell.spread
    nanoseconds, ratio = cell.ns_per_operation, cell.ratio
    colour = "plain" if ratio is None or cell.strategy in (BASE, FLOOR) else step_of(ratio)
    relative = percent(ratio.median) if ratio else NOTHING
    shown = relative if kind.relative else three_digits(nanoseconds)
    told = f"{three_digits(nanoseconds)} ns ({three_digits(low)}\u2013{three_digits(high)})"
    if ratio and cell.strategy != BASE:
        between = f" ({interval(ratio)})" if ratio.bounded else ""
        told += f", {relative} % of new-delete{between}"
    return figure(kind.letter, f"{colour} first" if first else colour, shown), told


def _amounts(kind: AmountKind, line: Line, names: Sequence[str]) -> Spans:
    values = {name: value for name in names if (value := value_of(line, name, kind.figure)) is not None}
    least = max(kind.least, min(values.values(), default=0.0))
    spans: Spans = dict.fromkeys(names, (figure(kind.letter, "none", NOTHING), ""))
    for name, value in values.items():
        shown = kind.shown(max(0.0, value))
        spans[name] = figure(kind.letter, f"z{memory_step(value, least)}", shown), f"{shown} {kind.unit}"
    return spans
